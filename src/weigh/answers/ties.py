"""Ties at a LIMIT: which rows may stand in an answer when a query breaks no ties."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.model import codes

if TYPE_CHECKING:
    from weigh.answers.values import Cell, Row
    from weigh.model.answer import ResultSchema

_NEAR = 1e-9
"""Sums of doubles that differ by less are taken to tie: which of them is larger is a matter of rounding."""


def settle(got: list[Row], known: list[Row], schema: ResultSchema, complete: bool) -> tuple[list[Row], list[Row], str]:
    """The rows of an answer and of its witness that must be equal, and a note where ties were accepted.

    A witness that is complete knows every row that ties with the last one: the answer's must be among them. One that
    is not stopped at the limit too: a row of the answer that it does not have may be one of those left out, but only
    where rows can tie at all, and never one with another value for the same key.

    Args:
        got: rows of the answer, in order.
        known: rows of the witness, in order; more than the limit if it is complete and rows tie.
        schema: of the operation.
        complete: whether the witness knows every row that ties.
    """
    expected = known if schema.limit is None else known[: schema.limit]
    if schema.limit is None or len(got) < schema.limit or not got or not schema.ordered_by:
        return got, expected, ""
    last = expected[-1]
    ours, theirs, pool = ([row for row in rows if _tie(row, last, schema)] for rows in (got, expected, known))
    if len(ours) != len(theirs):
        return got, expected, ""
    identity = schema.keys or schema.exact
    left: dict[Row, list[Row]] = defaultdict(list)
    for row in pool:
        left[_at(row, identity)].append(row)
    chosen, counterparts, strangers = [], [], []
    for row in ours:
        twins = left[_at(row, identity)]
        if twins:
            chosen.append(row)
            counterparts.append(twins.pop(0))
        else:
            strangers.append(row)
    unique = bool(schema.keys) and set(schema.keys) <= set(schema.ordered_by)
    if complete or unique:
        missing = [row for row in theirs if row not in counterparts]
        chosen += strangers
        counterparts += missing[: len(strangers)]
        strangers = []
    clear_got = [row for row in got if not _tie(row, last, schema)]
    clear_expected = [row for row in expected if not _tie(row, last, schema)]
    exchanged = bool(strangers) or sorted(map(repr, counterparts)) != sorted(map(repr, theirs))
    rows = "1 row ties" if len(ours) == 1 else f"{len(ours)} rows tie"
    note = f"{codes.A7}: {rows} at the limit; any that tie are right" if exchanged else ""
    return clear_got + chosen, clear_expected + counterparts, note


def _tie(row: Row, other: Row, schema: ResultSchema) -> bool:
    """Whether the query's ORDER BY cannot tell two rows apart."""
    return all(_same(row[at], other[at], exact=at in schema.exact) for at in schema.ordered_by)


def _same(a: Cell, b: Cell, *, exact: bool) -> bool:
    if a == b or exact or a is None or b is None:
        return bool(a == b)
    try:
        return math.isclose(a, b, rel_tol=_NEAR)
    except TypeError:
        return False


def _at(row: Row, positions: list[int] | tuple[int, ...]) -> Row:
    return tuple(row[position] for position in positions)
