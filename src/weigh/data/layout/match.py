"""The knobs that a file shows, for a layout that is like it."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import msgspec

from weigh.data.layout import knobs
from weigh.model.errors import UsageError
from weigh.model.spec import Codec, LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.data.layout.physical import ColumnForm, TableForm

_DUCKDB_UNIT = 2_048
_NEAR = 0.15
"""By how much the largest page misses the limit that it was cut at."""


class Match(NamedTuple):
    """A layout like a file.

    Attributes:
        layout: with every knob that the writer has.
        lacks: what the file shows and the writer cannot set, as sentences.
        form: how the file is written.
    """

    layout: LayoutSpec
    lacks: tuple[str, ...]
    form: TableForm


def match(form: TableForm, base: LayoutSpec) -> Match:
    """Every knob of a writer set to what a table's files show.

    Args:
        form: how the files are written.
        base: names the writer; what it sets is kept where the files say nothing about it.
    """
    lacks: list[str] = []
    layout = msgspec.structs.replace(base, files=form.files, codec=_codec(form, lacks))
    layout = _row_groups(layout, form, lacks)
    for name, value in _listed(form, layout).items():
        one: LayoutSpec = msgspec.structs.replace(layout, **{name: value})
        problem = knobs.lacking(one).get(name)
        if problem:
            lacks.append(problem)
        else:
            layout = one
    return Match(layout, tuple(lacks), form)


def _codec(form: TableForm, lacks: list[str]) -> Codec:
    """The codec of most bytes."""
    weight: Counter[str] = Counter()
    for column in form.columns.values():
        weight[column.codec] += column.compressed_bytes
    most = max(weight, key=lambda one: weight[one], default="zstd")
    if most not in get_args(Codec):
        raise UsageError(
            f"it is compressed with {most}, which no layout has",
            remedy=f"match a file with {', '.join(get_args(Codec))}",
        )
    if len(weight) > 1:
        lacks.append(
            f"a layout has one codec for all columns: {most}, and not also {', '.join(sorted(set(weight) - {most}))}"
        )
    return most  # type: ignore[return-value]


def _row_groups(layout: LayoutSpec, form: TableForm, lacks: list[str]) -> LayoutSpec:
    rows = form.most_rows
    if not rows:
        return layout
    if layout.writer == "tpchgen":
        lacks.append(f"tpchgen cannot write row groups of {rows:,} rows: it makes them by size in bytes")
        return layout
    if layout.writer == "duckdb" and rows % _DUCKDB_UNIT:
        up = -(-rows // _DUCKDB_UNIT) * _DUCKDB_UNIT
        if form.row_groups > form.files:
            lacks.append(f"duckdb cannot write row groups of {rows:,} rows: it writes multiples of {_DUCKDB_UNIT:,}")
        rows = up
    return msgspec.structs.replace(layout, row_group_rows=rows)


def _listed(form: TableForm, layout: LayoutSpec) -> dict[str, Any]:
    """The knobs that files show, in the order in which they are set."""
    columns = form.columns
    found: dict[str, Any] = {}
    levels = {column.level for column in columns.values() if column.level and column.codec == layout.codec}
    if levels:
        # Most narrowly known: where a column fits several, another tells.
        found["codec_level"] = min(levels, key=lambda level: level[1] - level[0])[0]
    if len(form.parquet_versions) == 1:
        found["parquet_version"] = form.parquet_versions[0]
    versions = {one for column in columns.values() for one in column.page_versions}
    if len(versions) == 1:
        found["page_version"] = versions.pop()
    found["dictionary"] = _columns(form, lambda column: column.dictionary != "none")
    found["bloom_filters"] = _columns(form, lambda column: bool(column.bloom_filter_bytes))
    found["statistics"] = _columns(form, lambda column: column.statistics)
    found["page_index"] = any(column.page_index for column in columns.values())
    found["page_checksums"] = all(column.checksums for column in columns.values())
    size = _page_size(form)
    if size:
        found["page_size"] = size
    if form.sorted_by:
        found["sort"] = form.sorted_by
    return found


def _columns(form: TableForm, has: Callable[[ColumnForm], bool]) -> bool | tuple[str, ...]:
    """All columns, none, or some by name."""
    those = tuple(name for name, column in form.columns.items() if has(column))
    return True if len(those) == len(form.columns) else those or False


def _page_size(form: TableForm) -> int | None:
    """The size at which pages were cut; None where none was, or where they were cut by rows."""
    cut = [column for column in form.columns.values() if column.pages > form.row_groups]
    # Cut by rows all have as many, whatever they are long.
    if not cut or len({column.largest_page_values for column in cut}) == 1:
        return None
    # Writers look whether a page is full after some rows, so that long texts go beyond; numbers show the limit itself.
    near = Counter(power for column in cut if (power := _power(column.page_bytes)))
    return near.most_common(1)[0][0] if near else min(column.largest_page_bytes for column in cut)


def _power(size: int) -> int:
    """The power of two that a size is near to; 0 where it is none."""
    power = 1 << round(math.log2(max(size, 1)))
    return power if abs(size - power) <= _NEAR * power else 0
