"""Questions whose integers may leave their types, asked once more in 64 bits: there right engines have one answer."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from weigh.answers.constructs.widened import widened
from weigh.answers.constructs.widths import columns
from weigh.answers.votes import vote
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.dialects.widths import ranges
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED, Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from weigh.answers.left_open import Ways
    from weigh.data.data_values import DataValues
    from weigh.experiment.gate.queries import QuerySession
    from weigh.model.operation import Case, Operation

Key = tuple[str, str, str]
"""(contender, operation, case)"""
Wide = tuple[str, "pa.Table"]
"""A question in 64 bits, and its answer."""


def ask(
    session: QuerySession, questions: Iterable[tuple[Operation, Case]], data: DataValues
) -> Iterator[tuple[Key, Wide]]:
    """Ask a contender those questions in 64 bits whose values leave their types; without those it cannot answer.

    Args:
        session: asks it.
        questions: what it answered before, and nobody but other contenders knows the answer to.
        data: the values.
    """
    ready = session.ready
    for operation, case in questions:
        text = operation.text(case)
        wanted = columns(text)
        sql = (
            widened(text, ranges(wanted, data)) if wanted and not operation.dialect.get(ready.engine.dialect) else None
        )
        if sql is not None:
            with suppress(WorkerEnded):
                yield (ready.name, operation.name, case.name), (sql, session.ask(sql).table)


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
        texts = {sql for sql, _ in found.values()}
        for sql in texts if len(texts) == 1 else ():
            question = msgspec.structs.replace(operation, sql=sql)
            tables = {name: table for name, (_, table) in found.items()}
            for check in vote(question, case, tables, dict(lineage), ways):
                if check.status is GateStatus.DIVERGED and check.detail != UNDECIDED:
                    wrong[check.contender] = msgspec.structs.replace(check, detail=f"asked in 64 bits: {sql}")
    for check in votes:
        is_open = check.status is GateStatus.LEFT_OPEN
        yield wrong.get(check.contender, check) if is_open else check
