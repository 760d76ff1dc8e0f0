"""Two answers to one statement: the same or not, whatever types the servers gave them."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from weigh.answers import compare
from weigh.answers.comparison import Comparison, mismatch
from weigh.load.gate_events import Answer, Order
from weigh.model.answer import Column, Kind, Match, ResultSchema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

_KINDS: dict[int, Kind] = {
    16: "boolean",
    20: "integer",
    21: "integer",
    23: "integer",
    26: "integer",
    700: "double",
    701: "double",
    1082: "date",
    1114: "timestamp",
    1184: "timestamp",
    1700: "decimal",
}
"""PostgreSQL's types by their numbers (``pg_type.dat``); all others are compared as text."""
_EXACTEST: tuple[Kind, ...] = ("string", "decimal", "double", "timestamp", "date", "boolean", "integer")
"""Which kind a column has that servers declare differently."""
_INTEGER = re.compile(r"-?(0|[1-9]\d*)")
_DOUBLE = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)
_ROUNDING = 1e-9
"""Relative difference of doubles that is rounding: parts of a sum are added in another order."""
_TRUTHS = {"t": True, "true": True, "1": True, "f": False, "false": False, "0": False}
_CHANGED = "rows changed"


def same(answer: Answer, witness: Answer, order: Order | None) -> Comparison:
    """Whether an answer says what another one says."""
    if answer.kind != witness.kind:
        return mismatch("(answer)", described(answer), described(witness))
    if answer.kind != "rows":
        alike = answer.code == witness.code and answer.count == witness.count
        return Comparison(agrees=True) if alike else mismatch("(answer)", described(answer), described(witness))
    if len(answer.columns) != len(witness.columns):
        return mismatch("(columns)", len(answer.columns), len(witness.columns))
    if not whole(answer) or not whole(witness):
        return _by_digest(answer, witness)
    wanted = schema([answer, witness], order)
    # What the protocol brings is text: notes of that are of no use.
    found = compare.compare(table(answer, wanted), table(witness, wanted), wanted)
    return Comparison(agrees=found.agrees, open=found.open, differences=found.differences, count=found.count)


def whole(answer: Answer) -> bool:
    """Whether all values of an answer are known."""
    return answer.kind != "rows" or len(answer.rows) == answer.count


def _by_digest(answer: Answer, witness: Answer) -> Comparison:
    if answer.count != witness.count:
        return mismatch("(rows)", f"{answer.count:,} rows", f"{witness.count:,} rows")
    if answer.digest is not None and answer.digest == witness.digest:
        return Comparison(agrees=True)
    exact = {"integer", "string"}
    known = [_declared(column.oid) for one in (answer, witness) for column in one.columns]
    if answer.digest and witness.digest and all(kind in exact for kind in known) and all(_typed(answer, witness)):
        return mismatch("(digest)", answer.digest, witness.digest)
    # Rows that were not kept, or whose text may differ where their values do not.
    return Comparison(agrees=True, open=True)


def _typed(*answers: Answer) -> Iterable[bool]:
    return (column.oid != 0 for one in answers for column in one.columns)


def described(answer: Answer) -> str:
    """For people."""
    match answer.kind:
        case "error":
            return f"the error {answer.text} ({answer.code})"
        case "count":
            return f"{answer.count:,} {_CHANGED}"
        case _:
            return f"{answer.count:,} rows"


def schema(answers: Sequence[Answer], order: Order | None) -> ResultSchema:
    """How answers to one statement, which have equally many columns, are compared."""
    order = order or Order()
    if answers[0].kind == "count":
        return ResultSchema(columns=(Column(name=_CHANGED, kind="integer"),))
    columns = []
    for position, column in enumerate(answers[0].columns):
        kind = _kind([one.columns[position].oid for one in answers], answers, position)
        quotient = position in order.quotients and kind in ("decimal", "double")
        match: Match = "quotient" if quotient else "approx" if kind == "double" else "exact"
        columns.append(
            Column(
                name=f"{column.name or 'column'}", kind=kind, match=match, rel=0.0 if match == "exact" else _ROUNDING
            )
        )
    width = len(columns)
    # A limit that is a parameter is reached if it is as large as the answer.
    limit = max(one.count for one in answers) if order.limit == 0 else order.limit
    return ResultSchema(
        columns=tuple(columns),
        ordered_by=tuple(one for one in order.ordered_by if one < width),
        limit=limit,
        keys=tuple(one for one in order.keys if one < width),
        nulls_open=order.nulls_open,
    )


def _declared(oid: int) -> Kind:
    return _KINDS.get(oid, "string")


def _kind(oids: Sequence[int], answers: Sequence[Answer], position: int) -> Kind:
    """Of a column: as servers declare it, the exactest of them; or else by what is in it."""
    declared = {_declared(oid) for oid in oids if oid}
    if declared:
        return next(kind for kind in _EXACTEST if kind in declared)
    texts = [row[position] for one in answers for row in one.rows if row[position] is not None]
    if texts and all(_INTEGER.fullmatch(text) for text in texts if text is not None):
        return "integer"
    if texts and all(_DOUBLE.fullmatch(text) for text in texts if text is not None):
        return "double"
    return "string"


def table(answer: Answer, wanted: ResultSchema) -> pa.Table:
    """An answer as a table; the number of changed rows as one cell."""
    import pyarrow as pa

    if answer.kind == "count":
        return pa.table({_CHANGED: [answer.count]})
    columns = [
        _column([row[position] for row in answer.rows], column.kind) for position, column in enumerate(wanted.columns)
    ]
    return pa.table(columns, names=[column.name or "column" for column in answer.columns])


def sketch(answer: Answer) -> pa.Table:
    """An answer from which its kinds can be read: decimals as doubles, which Arrow has of any width."""
    wanted = schema([answer], None)
    columns = tuple(
        msgspec.structs.replace(one, kind="double") if one.kind == "decimal" else one for one in wanted.columns
    )
    return table(answer, msgspec.structs.replace(wanted, columns=columns))


def _column(texts: Sequence[str | None], kind: Kind) -> pa.Array:
    import pyarrow as pa

    with suppress(ValueError, KeyError, OverflowError, pa.ArrowException):
        match kind:
            case "integer":
                return pa.array([None if one is None else int(one) for one in texts], type=pa.int64())
            case "double":
                return pa.array([None if one is None else float(one) for one in texts], type=pa.float64())
            case "boolean":
                return pa.array([None if one is None else _TRUTHS[one] for one in texts], type=pa.bool_())
    return pa.array(texts, type=pa.string())
