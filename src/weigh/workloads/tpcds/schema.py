"""A result schema of TPC-DS, as it is written in the tables of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from weigh.model.answer import Column, ResultSchema

if TYPE_CHECKING:
    from weigh.model.answer import Kind

ROUNDING = 1e-9
"""Relative tolerance of averages, ratios and deviations of doubles."""


def schema(
    columns: str, order: tuple[int, ...] = (), keys: tuple[int, ...] = (), limit: int | None = None
) -> ResultSchema:
    """A schema written as ``name:kind, ...``; ``quotient`` is the kind of averages, ratios and deviations.

    Args:
        columns: in order; one without a name in the query is ``column_`` and its number.
        order: positions of the columns of ORDER BY, up to the first that the answer does not have.
        keys: positions of the columns of GROUP BY, where the answer has all of them.
        limit: of the query.
    """
    return ResultSchema(columns=tuple(map(_column, columns.split(", "))), ordered_by=order, keys=keys, limit=limit)


def _column(text: str) -> Column:
    name, _, kind = text.rpartition(":")
    if kind == "quotient":
        return Column(name=name, kind="decimal", match="quotient", rel=ROUNDING)
    return Column(name=name, kind=cast("Kind", kind))
