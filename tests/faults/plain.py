"""SQLite as an engine that is asked in one way only: the cheapest experiment that there is."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weigh.engines import sqlite

engine = msgspec.structs.replace(sqlite.engine, name="plain", switches=(), script="")


def door(folder: Path) -> str:
    """What PYTHONPATH must have for weigh to find it: written below a folder."""
    described = folder / "weigh_faults-0.1.0.dist-info"
    described.mkdir(parents=True, exist_ok=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: weigh-faults\nVersion: 0.1.0\n")
    (described / "entry_points.txt").write_text("[weigh.engines]\nplain = faults.plain:engine\n")
    return f"{folder}:{Path(__file__).parents[1]}"
