"""What a life goes on to answer when other rows lie behind its paths (A12): an index, a copy, answers that it keeps.

The files are exchanged under an open life for others of the same length and age, so that who looks at them from outside
sees no change. Who keeps nothing answers from the new rows, as a fresh life of it does. Who gives its answers of before
keeps them, or something that they are made of. Where all rows are asked for it shows which: a copy of the rows, which
an engine may have for good reasons, gives the old ones; who reads the new ones keeps what belongs to the questions.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.answers import compare
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import frames, layouts
from weigh.experiment.gate.unseen_answers import says_nothing
from weigh.host import processes
from weigh.model import codes
from weigh.model.data.catalog import FORMATS
from weigh.workloads import from_statistics

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.experiment.data.data_link import DataLink
    from weigh.experiment.gate.unseen_answers import Key
    from weigh.model.finding import Finding
    from weigh.model.operation import Workload
    from weigh.model.units import Rows, Seconds

MOST = 8
"""Operations that a life is asked; of more, so many are drawn."""
NEW, OLD = "new", "old"


class Continued(NamedTuple):
    """What a life answered over other rows.

    Attributes:
        answers: to the timed case of each operation that it answered.
        rows: whether all rows of a table are the new ones or the old ones; empty where that is not known.
        holds: whether it holds one of its files open, in which the old rows still are.
    """

    answers: dict[str, pa.Table]
    rows: str
    holds: bool


def able(ready: PreparedContender) -> bool:
    """Whether other rows can be put under a life of a contender: it reads files, and those that it was given."""
    spec = ready.contender
    return not (ready.engine.copies or spec.remote or spec.store or spec.catalog in FORMATS)


def ask(
    ready: PreparedContender,
    worker: WorkerProcess,
    workload: Workload,
    link: DataLink,
    timeout: Seconds,
    operations: Collection[str],
) -> Continued:
    """Ask a life once more what it was asked before, over other rows; it is of no use afterwards.

    Args:
        ready: whose life it is.
        worker: the life.
        workload: its operations.
        link: where its data is.
        timeout: seconds for one question.
        operations: that it has answered.
    """
    chosen = sorted(operations)
    chosen = secrets.SystemRandom().sample(chosen, min(MOST, len(chosen)))
    given = {str(Path(path).resolve()) for paths in link.tables(ready).paths.values() for path in paths}
    holds = not given.isdisjoint([*processes.mapped(worker.pid), *processes.opened(worker.pid)])
    answers: dict[str, pa.Table] = {}
    rows = ""
    try:
        with link.swapped():
            for name in chosen:
                operation = workload.operation(name)
                answer = layouts.answer_of(worker, operation.text(operation.timed()[0], ready.engine.dialect), timeout)
                if answer is not None:
                    answers[name] = answer
            before, after = link.row_counts(ready)
            table = max(before, key=lambda one: before[one])
            if before[table] != after[table]:
                every = layouts.answer_of(worker, frames.every_row(table, ready.engine.dialect), timeout)
                rows = _whose(None if every is None else every.num_rows, before[table], after[table])
    except (WorkerEnded, LookupError):
        # It dies of files that change: it does not live on what it kept.
        pass
    return Continued(answers, rows, holds)


def _whose(found: Rows | None, before: Rows, after: Rows) -> str:
    return NEW if found == after else OLD if found == before else ""


def findings(
    contender: str,
    continued: Continued,
    workload: Workload,
    before: Mapping[Key, pa.Table],
    fresh: Mapping[Key, pa.Table],
    *,
    copies: bool,
) -> list[Finding]:
    """What follows from it.

    Args:
        contender: whose life it was.
        continued: its answers.
        workload: the questions.
        before: its answers to the given rows.
        fresh: those of a fresh life of it to the other rows.
        copies: whether it is known to hold a copy of the rows.
    """
    stale = []
    for name, answer in continued.answers.items():
        operation = workload.operation(name)
        case = operation.timed()[0]
        key = contender, name, case.name
        if key not in before or key not in fresh or from_statistics.suffices(operation.text(case)):
            continue
        follows = compare.compare(fresh[key], before[key], operation.schema).agrees
        same = compare.compare(answer, before[key], operation.schema).agrees
        if same and not follows and not says_nothing(answer):
            stale.append(name)
    if not stale or not continued.rows or (continued.rows == OLD and (continued.holds or copies)):
        return []
    named = ", ".join(stale)
    what = f"other files were put under its paths while it lived, as long and as old as those before, and on {named} it"
    if continued.rows == OLD:
        return [
            codes.D9_COPY.finding(
                contender=contender,
                text=f"{what} went on as before: it holds a copy of the rows, made before any clock",
                remedy="declare that it copies its tables, so that what this costs is shown",
            )
        ]
    return [
        codes.A12_STALE.finding(
            contender=contender,
            text=f"{what} gave its answers of before, and a fresh process of it others; asked for all rows it reads "
            "the new ones: it keeps answers, or an index that was made before any clock",
            remedy="its adapter must compute from the files in run(), however they look from outside; it is not "
            "compared",
        )
    ]
