"""What an obfuscation says on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.units import count, percent
from weigh.obfuscation.ids import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.obfuscation.results import ColumnMeasured, ObfuscationResults, TableMeasured

_NEAR = 1e-9


def lines(found: ObfuscationResults, out: str) -> Iterator[str]:
    """Line by line.

    Args:
        found: what was measured.
        out: the folder.
    """
    ids = frozenset(found.ids.columns) if found.ids else frozenset()
    for table in found.tables:
        yield from _table(table)
        named = [one.name for one in table.columns if one.name in ids and one.type[0].startswith(("int", "uint"))]
        if named:
            yield f"  exchanged  whole numbers of {', '.join(named)}: each is less than {BLOCK} from what it was"
    if found.ids and found.ids.off is not None:
        within = f"are within {percent(found.ids.off)} of the original's"
        yield f"identifiers: DuckDB's estimates of distinct values, once loaded, {within}"
    yield f"wrote {out}"


def key_lines(file: Path | None, key: str, *, made: bool) -> Iterator[str]:
    """Where the key is, and what it is for."""
    place = "of the environment" if file is None else str(file)
    yield f"key {key}: {place}{', new' if made else ''}"
    if made:
        yield "  keep it where the copy does not go: who has it undoes every replacement"


def _table(table: TableMeasured) -> Iterator[str]:
    part = "" if table.measured == table.rows else f", the figures of the first {table.measured:,}"
    yield f"{table.name}: {table.rows:,} rows, {count(len(table.columns), 'column')}{part}"
    columns = table.columns
    if not columns:
        return
    yield from _same("NULL shares", [abs(one.nulls[0] - one.nulls[1]) for one in columns])
    yield from _same(
        "distinct values", [abs(one.distinct[0] - one.distinct[1]) / max(1, one.distinct[0]) for one in columns]
    )
    yield from _same("top shares", [abs(one.top[0] - one.top[1]) for one in columns])
    lengths = [abs(one.length[0] - one.length[1]) for one in columns if one.length is not None]
    yield from _same("lengths of texts", lengths)
    yield from _same("association of pairs", [abs(one.association[0] - one.association[1]) for one in table.pairs])
    moved = [abs(one.correlation[0] - one.correlation[1]) for one in table.pairs if one.correlation is not None]
    if moved:
        yield f"  near       correlation of numbers: {count(len(moved), 'pair')}, moved by at most {max(moved):.2g}"
    lost = [one for one in columns if one.order is not None and one.order < 1]
    ordered = sum(one.order is not None for one in columns)
    if ordered > len(lost):
        yield f"  kept       order of {count(ordered - len(lost), 'column')}"
    if lost:
        yield f"  destroyed  order of {count(len(lost), 'column')}: {_names(lost)}"
    wider = [one for one in columns if one.type[0] != one.type[1]]
    if wider:
        types = ", ".join(f"{one.name} {one.type[0]} -> {one.type[1]}" for one in wider)
        yield f"  wider      {types}"
    stayed = [one for one in columns if one.unchanged > 0]
    if stayed:
        types = ", ".join(f"{one.name} {one.unchanged:.2%}" for one in stayed)
        yield f"  unchanged  values of {types}"


def _same(what: str, differences: list[float]) -> Iterator[str]:
    """Kept where no difference is more than rounding."""
    if not differences:
        return
    worst = max(differences)
    if worst <= _NEAR:
        yield f"  kept       {what}: {len(differences)} of {len(differences)}"
    else:
        same = sum(one <= _NEAR for one in differences)
        yield f"  destroyed  {what}: kept {same} of {len(differences)}, the worst is off by {worst:.2g}"


def _names(columns: list[ColumnMeasured]) -> str:
    return ", ".join(f"{one.name} ({one.order:.2f})" for one in columns)
