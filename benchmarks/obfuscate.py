"""Data and its obfuscated copy: how long queries take on either, in turns, and how many plans are alike.

``WEIGH_OBFUSCATE_TURNS`` [15] turns of every query. The key is always the same, so that two runs compare the same copy.
"""

from __future__ import annotations

import importlib
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.obfuscation.key import Key
from weigh.obfuscation.mapping import Mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

_TURNS = int(os.environ.get("WEIGH_OBFUSCATE_TURNS", "15"))
_DATA = (("tpch", 0.01, None), ("tpch", 0.01, "*key"), ("netflow", 20_000, None))
"""Data sets, their scales, and what `--ids` names."""
_GOAL = 0.2


def run() -> Iterator[str]:
    """Each data set, without and with identifiers, in DuckDB, loaded and as files, and in PostgreSQL."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    copies: Any = importlib.import_module("support.obfuscated_copy")
    mapping = Mapping(Key(bytes(range(32))))
    for workload, scale, ids in _DATA:
        named = f" with --ids '{ids}'" if ids else ""
        with tempfile.TemporaryDirectory() as folder:
            copied = copies.Copied(workload, scale, mapping, Path(folder), ids)
            for where, flags in (
                ("DuckDB, loaded", lambda: copies.in_duckdb(copied, _TURNS)),  # noqa: B023
                ("DuckDB, Parquet", lambda: copies.in_duckdb(copied, _TURNS, loaded=False)),  # noqa: B023
                ("PostgreSQL, loaded", lambda: copies.in_postgres(copied, _TURNS)),  # noqa: B023
            ):
                answered = flags()
                yield from _line(f"{workload}{named} in {where}", answered, [*copies.differing(answered)])
    yield "obfuscate: netflow has no columns for --ids: its event_id has numbers beyond 10^12, and ports mean something"


def _line(what: str, answered: Any, differing: list[str]) -> Iterator[str]:
    ratios = {
        one.name: statistics.median(copy for _, copy in one.seconds)
        / statistics.median(original for original, _ in one.seconds)
        for one in answered
    }
    near = sum(1 / (1 + _GOAL) <= ratio <= 1 + _GOAL for ratio in ratios.values())
    alike = f"{len(answered) - len(differing)} of {len(answered)} plans are alike"
    yield (
        f"obfuscate: {what}: {near} of {len(ratios)} queries take within {_GOAL:.0%} of the original's time, ratio "
        f"{statistics.median(ratios.values()):.2f} in the median; {alike}"
    )
    for one in answered:
        original, copy = (statistics.median(pair[side] for pair in one.seconds) * 1e3 for side in (0, 1))
        notes = ", another plan" if one.name in differing else ""
        if one.rows[0] != one.rows[1]:
            notes += f", {one.rows[1]:,} rows instead of {one.rows[0]:,}"
        yield f"  {one.name}: {original:.2f} ms, copy {copy:.2f} ms, ratio {ratios[one.name]:.2f}{notes}"
