"""Questions that leave something open, asked once more: integers in 64 bits, quotients in doubles, orders complete.

There right engines have one answer, and who differs is not excused by the question as it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import pyarrow as pa

from weigh.answers import constructs, left_open
from weigh.answers.constructs.widened import widened
from weigh.answers.constructs.widths import columns
from weigh.answers.votes import vote
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.dialects.widths import ranges
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED, Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from weigh.answers.left_open import Ways
    from weigh.data.data_values import DataValues
    from weigh.experiment.gate.queries import QuerySession
    from weigh.model.operation import Case, Operation

Key = tuple[str, str, str]
"""(contender, operation, case)"""
_DOUBLE = 64
_WIDE = "in 64 bits"


class Wide(NamedTuple):
    """A question in another form, and its answer.

    Attributes:
        sql: the question.
        how: what its numbers are.
        table: the answer.
    """

    sql: str
    how: str
    table: pa.Table


class Form(NamedTuple):
    """A question in another form.

    Attributes:
        sql: the question.
        how: in which, for people.
    """

    sql: str
    how: str


def forms(questions: Iterable[tuple[Operation, Case]], data: DataValues) -> dict[tuple[str, str], Form]:
    """Another form of those questions whose values leave their types, are quotients, or depend on an open order.

    Args:
        questions: what nobody but contenders knows the answer to.
        data: the values.
    """
    found = {}
    for operation, case in questions:
        text = operation.text(case)
        wanted = columns(text)
        sql, how = (widened(text, ranges(wanted, data)) if wanted else None), _WIDE
        if sql is None and _has_quotients(text, data):
            sql, how = constructs.settled(text, len(operation.schema.columns), _singles(data)), "in doubles"
        elif sql is None and left_open.by_order(text):
            sql, how = constructs.settled(text, len(operation.schema.columns), _singles(data)), "with nothing left open"
        if sql is not None:
            found[operation.name, case.name] = Form(sql, how)
    return found


def ask(
    session: QuerySession, questions: Iterable[tuple[Operation, Case]], changed: Mapping[tuple[str, str], Form]
) -> Iterator[tuple[Key, Wide]]:
    """Ask a contender questions in their other form; without what it cannot answer.

    Args:
        session: asks it.
        questions: what it answered before.
        changed: from :func:`forms`.
    """
    ready = session.ready
    for operation, case in questions:
        form = changed.get((operation.name, case.name))
        if form is not None and not operation.dialect.get(ready.engine.dialect):
            with suppress(WorkerEnded):
                yield (ready.name, operation.name, case.name), Wide(*form, session.ask(form.sql).table)


def _has_quotients(sql: str, data: DataValues) -> bool:
    """Whether a query divides integers, or computes with a quotient or a mean of a column of decimals."""
    begin = constructs.QUOTIENT
    found = constructs.of(sql)
    wanted = {one.key.removeprefix(begin) for one in found if one.key.startswith(begin)}
    return any(one.key == "division" for one in found) or any(
        pa.types.is_decimal(field.type) and field.name.lower() in wanted for _, field in data.fields()
    )


def _singles(data: DataValues) -> frozenset[str]:
    """Columns of floats with fewer than 64 bits."""
    narrow = (one for _, one in data.fields() if pa.types.is_floating(one.type) and one.type.bit_width < _DOUBLE)
    return frozenset(one.name.lower() for one in narrow)


def outvoted(
    votes: Iterable[Check],
    operation: Operation,
    case: Case,
    wide: Mapping[Key, Wide],
    lineage: Mapping[str, str],
    ways: Ways,
) -> Iterator[Check]:
    """The votes on a case, with those wrong whom others outvote on the same question in 64 bits.

    Args:
        votes: on the question as it is.
        operation: the question.
        case: with which literals.
        wide: answers to it in 64 bits.
        lineage: of each contender.
        ways: how each takes what SQL leaves open.
    """
    votes = list(votes)
    found = {key[0]: one for key, one in wide.items() if key[1:] == (operation.name, case.name)}
    wrong: dict[str, Check] = {}
    if any(check.status is GateStatus.LEFT_OPEN for check in votes):
        texts = {(one.sql, one.how) for one in found.values()}
        for sql, how in texts if len(texts) == 1 else ():
            tables = {name: one.table for name, one in found.items()}
            # Of rows that tie at a limit some are left open in 64 bits, too.
            same = msgspec.structs.replace(operation, sql=sql)
            question = same if how == _WIDE else left_open.closed(operation, sql, tables.values())
            for check in vote(question, case, tables, dict(lineage), ways):
                if check.status is GateStatus.DIVERGED and check.detail != UNDECIDED:
                    wrong[check.contender] = msgspec.structs.replace(check, detail=f"asked {how}: {sql}")
    for check in votes:
        is_open = check.status is GateStatus.LEFT_OPEN
        yield wrong.get(check.contender, check) if is_open else check
