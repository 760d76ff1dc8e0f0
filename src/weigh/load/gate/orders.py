"""What the text of a query says of the rows that answer it: which columns order them, and what cuts them off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.gate import answers
from weigh.load.gate_events import Order
from weigh.workloads import infer_schema, order_columns

if TYPE_CHECKING:
    from weigh.load.gate_events import Answer, Answered, Statement


def with_order(one: Statement, given: list[Answered]) -> Statement:
    """A query with what its text says of its rows."""
    if one.does == "control":
        return one
    rows = [
        answered
        for answered in given
        if (answered.script, answered.line) == (one.script, one.line) and answered.answer.kind == "rows"
    ]
    if not rows:
        return one
    return msgspec.structs.replace(one, order=order_of(rows[0].statement, rows[0].answer))


def order_of(statement: str, answer: Answer) -> Order:
    """What the text of a query says of the rows that answer it."""
    found = infer_schema.describe(statement, answers.sketch(answer))
    names = [column.name for column in found.column]
    limit = 0 if found.limit is None and infer_schema.limited(statement) else found.limit
    ordered_by = tuple(names.index(name) for name in found.ordered_by)
    return Order(
        ordered_by=ordered_by,
        nulls_open=order_columns.nulls_open(statement, ordered_by, names) if ordered_by else msgspec.UNSET,
        keys=tuple(names.index(name) for name in found.keys),
        quotients=tuple(place for place, column in enumerate(found.column) if column.match == "quotient"),
        limit=limit,
    )
