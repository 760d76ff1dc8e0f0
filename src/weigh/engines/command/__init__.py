"""A command: any program, each execution a process of its own (docs/guide/commands.md)."""

from pathlib import Path

from weigh.engines.engine import Engine
from weigh.model.contender import COMMAND, FOLDER, LINEAGE

engine = Engine(
    name="command",
    lineage="",
    adapter=Path(__file__).with_name("adapter.py"),
    requires=("pyarrow==26.0.1",),
    variants=(COMMAND, FOLDER, LINEAGE),
    about="any command, --command NAME=TEXT; each execution is a process of its own, and what it prints is its answer",
)
