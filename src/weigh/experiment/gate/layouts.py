"""What a contender answers from: the files that it was given, or rows that it holds itself (D9, A6)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.answers import compare
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import constant_columns
from weigh.experiment.gate.queries import read_answer
from weigh.host import processes
from weigh.model import codes
from weigh.model.data.frames import another_text, is_program
from weigh.workloads import from_statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from weigh.engines.process import WorkerProcess
    from weigh.experiment.data.data_link import DataLink
    from weigh.experiment.gate.queries import QuerySession
    from weigh.model.answer import ResultSchema
    from weigh.model.finding import Finding
    from weigh.model.operation import Workload

COPY = "its own copy"
EARLY = "before its clock"
FILES = "the files"
OTHER = "other files"


def layout(session: QuerySession, workload: Workload, link: DataLink, timeout: float) -> str:
    """What it answers a new query from; empty where that cannot be determined, ``other files`` where it says so itself.

    A query that nobody asked before is asked while the files are withdrawn. Who reads them fails. Who gives the right
    answer all the same has the rows; who gives it only to a query that it had taken before has executed it then. One
    that keeps its files open cannot be distinguished from either, and nor can one that loads its tables.

    Args:
        session: asks it, in the process that the gate goes on to use.
        workload: gives the query.
        link: where its data is.
        timeout: seconds for one question.
    """
    ready = session.ready
    if ready.engine.copies:
        return ""
    timed = [(one, one.timed()[0]) for one in workload.operations if one.timed()]
    # Who has read the statistics in the files when it got them keeps nothing else.
    chosen = next(((one, case) for one, case in timed if not from_statistics.suffices(one.text(case))), None)
    if chosen is None:
        return ""
    operation = chosen[0]
    text = operation.text(chosen[1], ready.engine.dialect)

    # No order is asked for around the query, and the last bits of a sum of doubles depend on the order of addition.
    rows = msgspec.structs.replace(operation.schema, ordered_by=(), limit=None)

    def unseen(number: int) -> str:
        if is_program(text):
            return another_text(text, number)
        return f"SELECT * FROM ({text}) AS weigh_probe WHERE {number} = {number}"

    try:
        worker = session.life()
        named = {str(Path(path).resolve()) for path in worker.files()}
        given = {str(Path(path).resolve()) for paths in link.tables(ready).paths.values() for path in paths}
        if named and named != given:
            return OTHER
        right = answer_of(worker, unseen(4001), timeout)
        if right is None or not right.num_rows or _open(worker, given):
            return ""
        with link.withdrawn():
            if _same(right, answer_of(worker, unseen(4002), timeout), rows):
                return COPY
        worker.prepare(unseen(4003), timeout)
        with link.withdrawn():
            return EARLY if _same(right, _executed(worker, timeout), rows) else FILES
    except WorkerEnded:
        # Whatever ended it shows in the gate, query by query.
        return ""


def other_files(contender: str) -> Finding:
    """What :data:`OTHER` means for a contender."""
    return codes.E1_FILES.finding(
        contender=contender,
        text="its adapter names other files as its data than it was given: whether those are in memory shows nothing",
        remedy="files() of an adapter that loads nothing is left out, or names the files of bind()",
    )


class Question(NamedTuple):
    """One that nobody asked before.

    Attributes:
        text: as the contender takes it.
        sql: of the operation that it is made of.
        is_right: whether an answer to it is.
    """

    text: str
    sql: str
    is_right: Callable[[pa.Table], bool]


def unchanged(
    session: QuerySession, questions: Mapping[str, Question], link: DataLink, timeout: float
) -> tuple[str, ...]:
    """Operations that it answers although the files are gone: from what it made of them when it answered before.

    One that keeps its files open cannot be distinguished from this, and nor can one that loads its tables.

    Args:
        session: in which it has answered all of them.
        questions: one of each operation.
        link: where its data is.
        timeout: seconds for one question.
    """
    if session.ready.engine.copies or not questions:
        return ()
    found = []
    try:
        worker = session.life()
        given = {str(Path(path).resolve()) for paths in link.tables(session.ready).paths.values() for path in paths}
        if _open(worker, given):
            return ()
        with link.withdrawn():
            for operation, question in questions.items():
                answer = answer_of(worker, question.text, timeout)
                if answer is not None and question.is_right(answer):
                    found.append(operation)
    except WorkerEnded:
        # It dies of missing files: no answer.
        pass
    # What footers say of columns of one value, and of files without rows, needs nothing that was made of rows.
    tables = link.tables(session.ready).paths
    return tuple(one for one in found if not constant_columns.suffice(questions[one].sql, tables))


def answer_of(worker: WorkerProcess, sql: str, timeout: float) -> pa.Table | None:
    """The answer; None where the engine refuses, and lives on."""
    try:
        worker.prepare(sql, timeout)
    except WorkerEnded as ended:
        if not ended.alive:
            raise
        return None
    return _executed(worker, timeout)


def _executed(worker: WorkerProcess, timeout: float) -> pa.Table | None:
    """The same of a query that was handed over."""
    try:
        worker.run(timeout)
        path, _ = worker.answer(timeout)
        return read_answer(path)
    except WorkerEnded as ended:
        if not ended.alive:
            raise
        return None


def _same(right: pa.Table, other: pa.Table | None, schema: ResultSchema) -> bool:
    """Whether both hold the same rows, in whatever order."""
    return other is not None and compare.compare(other, right, schema).agrees


def _open(worker: WorkerProcess, given: set[str]) -> bool:
    """Whether it holds one of its files open, so that withdrawing them withdraws nothing."""
    return not given.isdisjoint([*processes.mapped(worker.pid), *processes.opened(worker.pid)])
