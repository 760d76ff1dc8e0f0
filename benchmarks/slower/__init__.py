"""DuckDB that is slower by construction: an engine for ``make bench ONLY=decide``, a plug-in as any other.

It is never installed: :func:`environment` makes weigh find it for as long as a benchmark runs.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.plugins import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parents[2]

engine = Engine(
    name="slower",
    lineage="duckdb",
    adapter=Path(__file__).with_name("adapter.py"),
    package="duckdb",
    tested="2.0.0",
    dialect="duckdb",
    threads="threads",
    memory="memory_limit",
    memory_form="{mib}MiB",
    spill="temp_directory",
    variants=("weigh.slower",),
    about="DuckDB that computes on for a share of the time that it took (weigh.slower)",
)


@contextmanager
def environment() -> Iterator[dict[str, str]]:
    """Environment variables with which weigh finds the engine ``slower``."""
    with tempfile.TemporaryDirectory() as folder:
        metadata = Path(folder) / "weigh_slower-0.1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: weigh-slower\nVersion: 0.1.0\n")
        (metadata / "entry_points.txt").write_text("[weigh.engines]\nslower = benchmarks.slower:engine\n")
        yield {**os.environ, "PYTHONPATH": os.pathsep.join((folder, str(_ROOT)))}
