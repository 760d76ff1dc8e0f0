"""A result schema of TPC-DS, as it is written in the tables of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

from weigh.model.answer import Column, ResultSchema

if TYPE_CHECKING:
    from weigh.model.answer import Kind

ROUNDING = 1e-9
"""Relative tolerance of averages, ratios and deviations of doubles."""


def schema(
    columns: str, order: tuple[int, ...] = (), keys: tuple[int, ...] = (), limit: int | None = None
) -> ResultSchema:
    """A schema written as ``name:kind, ...``; ``quotient`` is the kind of averages, ratios and deviations.

    ``quotient*100`` is one that is multiplied afterwards, and ``quotient*2`` the sum of two.

    Args:
        columns: in order; one without a name in the query is ``column_`` and its number.
        order: positions of the columns of ORDER BY, up to the first that the answer does not have.
        keys: positions of the columns of GROUP BY, where the answer has all of them.
        limit: of the query.
    """
    return ResultSchema(columns=tuple(map(_column, columns.split(", "))), ordered_by=order, keys=keys, limit=limit)


def _column(text: str) -> Column:
    name, _, kind = text.rpartition(":")
    quotient, _, units = kind.partition("*")
    if quotient == "quotient":
        more = int(units) if units else msgspec.UNSET
        return Column(name=name, kind="decimal", match="quotient", rel=ROUNDING * (more or 1), units=more)
    return Column(name=name, kind=cast("Kind", kind))
