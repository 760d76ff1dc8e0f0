"""Ties at a LIMIT: which rows may stand in an answer when a query breaks no ties."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.model.answer import ResultSchema
    from weigh.verdict.answers import Row


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
    order = [position for position in schema.ordered_by if position in schema.exact]
    if schema.limit is None or len(got) < schema.limit or not got or not order:
        return got, expected, ""
    last = _at(expected[-1], order)
    ours, theirs = _tied(got, order, last), _tied(expected, order, last)
    pool = _tied(known, order, last)
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
    clear_got = [row for row in got if _at(row, order) != last]
    clear_expected = [row for row in expected if _at(row, order) != last]
    exchanged = bool(strangers) or sorted(map(repr, counterparts)) != sorted(map(repr, theirs))
    note = f"{len(ours)} of the rows tie at the limit; any that tie are right" if exchanged else ""
    return clear_got + chosen, clear_expected + counterparts, note


def _tied(rows: list[Row], order: list[int], last: Row) -> list[Row]:
    return [row for row in rows if _at(row, order) == last]


def _at(row: Row, positions: list[int] | tuple[int, ...]) -> Row:
    return tuple(row[position] for position in positions)
