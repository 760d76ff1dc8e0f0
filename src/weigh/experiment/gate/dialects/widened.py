"""Questions that leave numbers open, asked once more: of integers in 64 bits, of quotients of decimals in doubles.

There right engines have one answer, and who differs is not excused by the question as it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import pyarrow as pa

from weigh.answers import constructs
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


def ask(
    session: QuerySession, questions: Iterable[tuple[Operation, Case]], data: DataValues
) -> Iterator[tuple[Key, Wide]]:
    """Ask a contender those questions whose values leave their types, or are quotients; without what it cannot answer.

    Args:
        session: asks it.
        questions: what it answered before, and nobody but other contenders knows the answer to.
        data: the values.
    """
    ready = session.ready
    for operation, case in questions:
        text = operation.text(case)
        if operation.dialect.get(ready.engine.dialect):
            continue
        wanted = columns(text)
        sql, how = (widened(text, ranges(wanted, data)) if wanted else None), "in 64 bits"
        if sql is None and _has_quotients(text, data):
            sql, how = constructs.settled(text, len(operation.schema.columns), _singles(data)), "in doubles"
        if sql is not None:
            with suppress(WorkerEnded):
                yield (ready.name, operation.name, case.name), Wide(sql, how, session.ask(sql).table)


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
            question = msgspec.structs.replace(operation, sql=sql)
            tables = {name: one.table for name, one in found.items()}
            for check in vote(question, case, tables, dict(lineage), ways):
                if check.status is GateStatus.DIVERGED and check.detail != UNDECIDED:
                    wrong[check.contender] = msgspec.structs.replace(check, detail=f"asked {how}: {sql}")
    for check in votes:
        is_open = check.status is GateStatus.LEFT_OPEN
        yield wrong.get(check.contender, check) if is_open else check
