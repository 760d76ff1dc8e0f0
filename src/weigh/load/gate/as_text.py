"""Statements of scripts both ways, prepared and as text with their values in it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.gate import answers
from weigh.load.gate_events import Answer, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.load.gate_events import Answered, Order, StatementAnswers

_WHOLE = (20, 21, 23)
"""PostgreSQL's whole numbers: which of them a literal is follows from its size, and may change from draw to draw."""


class Otherwise(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that is not answered alike both ways.

    Attributes:
        statement: of a script.
        parameters: its values, as text.
        prepared, text: the answers.
        types: whether its values are the same, and the types of its columns alone differ.
        what: the difference, in words.
    """

    statement: Statement
    parameters: tuple[str | None, ...]
    prepared: Answer
    text: Answer
    types: bool
    what: str


def differing(known: Sequence[Statement], prepared: Sequence[Answered], text: Sequence[Answered]) -> dict[int, Answer]:
    """Answers to the text that are others than the prepared statement's, by the place of that.

    Args:
        known: the statements.
        prepared: as they came.
        text: to the same draws; it may have fewer or more, where one way ended with an error.
    """
    orders = {(one.script, one.line): one.order for one in known}
    given = {(one.script, one.line, one.set): one.answer for one in text}
    found = {}
    for place, one in enumerate(prepared):
        other = given.get((one.script, one.line, one.set))
        if other is None or not one.parameters:
            continue
        if _types(one.answer, other) or not _same(one.answer, other, orders.get((one.script, one.line))):
            found[place] = other
    return found


def otherwise(answered: StatementAnswers) -> tuple[Otherwise, ...]:
    """Each statement that is answered otherwise as text, once, with the gravest of its differences."""
    known = {(one.script, one.line): one for one in answered.statements}
    found: dict[str, Otherwise] = {}
    for place, text in answered.as_text.items():
        one = answered.answers[place]
        statement = known[one.script, one.line]
        types = _same(one.answer, text, statement.order)
        if statement.name in found and (types or not found[statement.name].types):
            continue
        found[statement.name] = Otherwise(
            statement=statement,
            parameters=one.parameters,
            prepared=one.answer,
            text=text,
            types=types,
            what=_types(one.answer, text) if types else f"{_words(one.answer)} prepared, {_words(text)} as text",
        )
    return tuple(found.values())


def same(given: Mapping[int, Answer], other: Mapping[int, Answer], known: Mapping[int, Order | None]) -> set[int]:
    """Places at which two askings have the same answer."""
    return {place for place in given.keys() & other.keys() if _same(given[place], other[place], known.get(place))}


def _same(one: Answer, other: Answer, order: Order | None) -> bool:
    if one.kind == other.kind == "error":
        # It fails whichever way it is sent.
        return True
    # Whether a quotient is one of whole numbers is what may differ: it is compared as any number.
    return answers.same(one, other, msgspec.structs.replace(order, quotients=()) if order else None).agrees


def _types(one: Answer, other: Answer) -> str:
    """Which columns have another type, in words; empty where none has."""
    pairs = zip(one.columns, other.columns, strict=False)
    differ = [
        f"column {own.name} is {_NAMES.get(own.oid, own.oid)} prepared, {_NAMES.get(text.oid, text.oid)} as text"
        for own, text in pairs
        if own.oid != text.oid and not (own.oid in _WHOLE and text.oid in _WHOLE)
    ]
    return "; ".join(differ) if len(one.columns) == len(other.columns) else ""


def _words(answer: Answer) -> str:
    """An answer for people: its one value, where it has one."""
    if answer.kind == "rows" and answer.count == 1 and len(answer.rows) == 1 and len(answer.rows[0]) == 1:
        value = answer.rows[0][0]
        return "NULL" if value is None else f"'{value[:40]}'"
    return answers.described(answer)


_NAMES = {
    16: "boolean",
    20: "bigint",
    21: "smallint",
    23: "integer",
    25: "text",
    114: "json",
    700: "real",
    701: "double precision",
    1043: "varchar",
    1082: "date",
    1114: "timestamp",
    1184: "timestamptz",
    1186: "interval",
    1700: "numeric",
    3802: "jsonb",
}
"""PostgreSQL's types by their numbers (``pg_type.dat``)."""
