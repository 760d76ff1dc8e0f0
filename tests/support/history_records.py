"""Entries of a history that nobody measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from weigh.history import store
from weigh.history.entry import Entry, Measured, Point, sealed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HOST = {"cpu": "a processor", "cores": 4, "cores_allowed": 4, "memory_bytes": 16 << 30, "kernel": "6.1"}
OTHER = {**HOST, "cpu": "another processor"}


def entry(number: int, value: float, **fields: Any) -> Entry:
    """A run of version ``1.NUMBER`` that took so many seconds, without a reference.

    Args:
        number: of the version, and of the day.
        value: seconds.
        fields: of the entry, instead of what is made.
    """
    own = {
        "id": 2 * f"{number:032x}",
        "kind": "run",
        "evidence": f"20260101-abc-{number}",
        "path": f"/runs/20260101-abc-{number}",
        "workload": "netflow",
        "at": f"2026-{1 + number // 28:02}-{1 + number % 28:02}T00:00:00Z",
        "tier": "conclusive",
        "weigh": "0.1.0",
        "host": HOST,
        "data": {"dataset": "netflow", "rows": "r", "files": "f"},
        "points": (point(number, value),),
        "covers": (2 * f"{number:032x}",),
    }
    return sealed(Entry(**(own | fields)))


def point(number: int, value: float, **fields: Any) -> Point:
    """The same as a point."""
    own = {"operation": "q1", "metric": "wall_s", "who": measured(number), "value": value, "question": "q"}
    return Point(**(own | fields))


def measured(number: int, engine: str = "duckdb") -> Measured:
    """Version ``1.NUMBER`` of an engine."""
    return Measured(name="new", engine=engine, version=f"1.{number}", spec=f"{engine}@1.{number}")


def beside(number: int, before: int, ratio: float, verdict: str, **fields: Any) -> Entry:
    """A side by side of version ``1.NUMBER`` and ``1.BEFORE``, the baseline."""
    own = point(
        number, 0.1, against=measured(before), ratio=ratio, low=ratio - 0.01, high=ratio + 0.01, verdict=verdict
    )
    return sealed(msgspec.structs.replace(entry(900 + number, 0.1), points=(own,), **fields))


def values(count: int, seed: int, changes: dict[int, float] | None = None, sd: float = 0.01) -> list[float]:
    """Times of 100 ms with noise, and from each place on so many times as long."""
    logs = np.random.default_rng(seed).normal(np.log(0.1), sd, count)
    for at, ratio in (changes or {}).items():
        logs[at:] += np.log(ratio)
    return [float(one) for one in np.exp(logs)]


def written(folder: Path, entries: Sequence[Entry]) -> Path:
    """A history with them."""
    for one in entries:
        assert store.add(folder, one)
    return folder
