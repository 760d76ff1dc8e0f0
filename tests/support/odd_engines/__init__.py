"""Honest engines that are odd: each computes every answer from the given files, inside the clock, in its own way.

A plug-in for tests alone. None of them may be accused of anything (tests/lies/test_odd_engines.py).
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from weigh.plugins import Engine

engine = Engine(
    name="odd",
    lineage="odd",
    adapter=Path(__file__).parent / "adapter" / "__init__.py",
    package="duckdb",
    tested="2.0.0",
    requires=("pyarrow==26.0.1",),
    dialect="duckdb",
    about="an honest engine with the habit that its setting names",
)
loads = msgspec.structs.replace(
    engine,
    name="odd-loads",
    copies=True,
    adapter=Path(__file__).parent / "loads.py",
    about="an honest engine that loads its tables, has indexes and temporary files of its own, and no bind",
)
slow_to_start = msgspec.structs.replace(
    engine, name="odd-starts", starting_s=90.0, about="an honest engine that takes longer to start than others may"
)

_ENTRY_POINTS = """[weigh.engines]
odd = odd_engines:engine
odd-loads = odd_engines:loads
odd-starts = odd_engines:slow_to_start
"""


def door(folder: Path) -> str:
    """Write what names them as a plug-in; returns the value of ``PYTHONPATH`` that finds it."""
    described = folder / "odd_engines-0.1.0.dist-info"
    described.mkdir(parents=True, exist_ok=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: odd-engines\nVersion: 0.1.0\n")
    (described / "entry_points.txt").write_text(_ENTRY_POINTS)
    return f"{folder.absolute()}:{Path(__file__).parent.parent}"
