"""Real differences: what weigh says of them and at what cost, and ClickHouse's rule on the same executions."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.experiments import measured
from weigh_liars import plug_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_TPCH = ("--workload", "tpch-dbgen", "--scale", "0.1")
_OPERATIONS = ("--operations", "q1,q3,q6,q9,q13,q18")
_PACE = ["--workload", "two", "--operations", "unordered", "--no-truth", "--margin", "1%"]
_REAL = {
    "DuckDB on one thread against two": ("two=duckdb?threads=2", "one=duckdb?threads=1"),
    "DuckDB 1.5.5 against 2.0.0": ("new=duckdb@2.0.0", "old=duckdb@1.5.5"),
}
_SLOWER = (0.03, 0.05, 0.10)


def run() -> Iterator[str]:
    """Engines that differ, then an engine that is slower by construction, alongside one of the same law."""
    for name, pair in _REAL.items():
        contenders = [word for one in pair for word in ("--contender", one)]
        yield from _lines(name, *_TPCH, *_OPERATIONS, *contenders)
    for slower in _SLOWER:
        # Lives are counted, so that each has an offset of its own, of standard deviation 1 %.
        with tempfile.TemporaryDirectory() as folder:
            pace = f"liar?lie=pace&spread=0.01&jitter=0.02&diary={Path(folder) / 'lives'}"
            pair = (f"fast={pace}&ms=40", f"slow={pace}&ms={40 * (1 + slower):.1f}")
            contenders = [word for one in pair for word in ("--contender", one)]
            found = plug_in.written(Path(folder) / "plug-in")
            environment = {**os.environ, "PYTHONPATH": str(found)}
            name = f"an engine {100 * slower:.0f} % slower by construction, margin 1 %"
            yield from _lines(name, *_PACE, *contenders, environment=environment)


def _lines(name: str, *flags: str, environment: dict[str, str] | None = None) -> Iterator[str]:
    """A line for each operation, and the count of both opinions."""
    found = measured(*flags, "--rule", "clickhouse", environment=environment)
    executions = Counter(one.operation for one in found.samples)
    for one in found.verdicts:
        theirs = one["second_opinion"]["name"] if one["second_opinion"] else "nothing"
        if one["ratio"] is None:
            yield f"{name}, {one['operation']}: {one['verdict']}"
            continue
        yield (
            f"{name}, {one['operation']}: {one['verdict'].upper()} {one['ratio']:.3f} [{one['low']:.3f}, "
            f"{one['high']:.3f}], {one['starts']} starts, {executions[one['operation']]} executions of all arms; "
            f"ClickHouse's rule on the same: {theirs}"
        )
