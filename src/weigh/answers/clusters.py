"""Rows of two answers put into parts: two that are equal within the tolerance of all columns are in one part.

Of many rows that share their exact columns, and have few values in the others, each would be looked at for each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from weigh.answers.values import Cell, Row
    from weigh.model.answer import Column, ResultSchema

_FEW = 1_000
"""Pairs of rows that are looked at as they are."""


def parts(left: Sequence[Row], right: Sequence[Row], schema: ResultSchema) -> Iterator[tuple[list[int], list[int]]]:
    """Numbers of the rows of either side, part by part.

    Args:
        left: rows of one answer.
        right: those of the other one, with the same exact columns.
        schema: of both.
    """
    if len(left) * len(right) <= _FEW:
        yield list(range(len(left))), list(range(len(right)))
        return
    places = [
        (at, _clusters((row[at] for rows in (left, right) for row in rows), schema.columns[at]))
        for at in schema.loose
        if schema.columns[at].match == "approx"
    ]
    found: dict[tuple[float | str, ...], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((left, right)):
        for number, row in enumerate(rows):
            found[tuple(of[_place(row[at])] for at, of in places)][side].append(number)
    yield from found.values()


def _clusters(values: Iterable[Cell], column: Column) -> dict[float | str, float | str]:
    """Of each value the first one of its cluster: from one to the next in a cluster is no more than the tolerance."""
    each = {_place(value) for value in values}
    found: dict[float | str, float | str] = {one: one for one in each}
    first, before = 0.0, -math.inf
    for one in sorted(one for one in each if not isinstance(one, str)):
        # A little more than the tolerance, so that rounding here parts none.
        reach = 1.001 * max(column.rel * max(abs(one), abs(before)), column.absolute or 0.0)
        if not math.isfinite(before) or not one - before <= reach:
            first = one
        found[one], before = first, one
    return found


def _place(value: Cell) -> float | str:
    """A number, or what stands for what is none: it is equal to its like alone."""
    if value is None:
        return "NULL"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return "no number"
    return number if not math.isnan(number) else "NaN"
