"""The gate of loading: every row that an engine stored is read back through it and compared with the files.

The witness is the data itself. What is read back while the files are withdrawn cannot come from them.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.answers import compare
from weigh.answers.comparison import Comparison, mismatch
from weigh.answers.one_form import part_of
from weigh.answers.votes import conclude
from weigh.data.layout import second_reader
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.data import ingest
from weigh.experiment.gate.gate import GateResult, count_cases
from weigh.experiment.gate.queries import read_answer
from weigh.model import codes, units
from weigh.model.answer import GateStatus
from weigh.model.gate import Check, Gate, Guarantee
from weigh.model.sample import Outcome
from weigh.workloads.ingest import CASE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.finding import Finding
    from weigh.model.operation import Operation, Workload
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds
    from weigh_worker.protocol import GuaranteeReply

ROWS = "the rows of the files"
"""The witness."""
_STATUS = {
    (True, False): GateStatus.AGREED,
    (True, True): GateStatus.UNVERIFIED,
    (False, False): GateStatus.DIVERGED,
    (False, True): GateStatus.DIVERGED,
}
"""Of rows that are those of the files, or of which a column could not be compared."""
_REPEATS = 2
"""Loads of each table: one that finds what the one before it left would store rows twice."""


def check_rows(
    contenders: Sequence[PreparedContender],
    workload: Workload,
    link: DataLink,
    timeout: Seconds,
    progress: Progress,
) -> GateResult:
    """Have every contender load every table, and compare what it stored with the files.

    Args:
        contenders: that keep tables.
        workload: of loads.
        link: where the files are.
        timeout: seconds for one load.
        progress: reports how far it is.
    """
    checks: list[Check] = []
    findings: list[Finding] = []
    guarantees: dict[str, Guarantee] = {}
    answers: dict[tuple[str, str, str], pa.Table] = {}
    seconds: dict[tuple[str, str, str], Seconds] = {}
    peaks: dict[str, int] = {}
    for ready in contenders:
        progress.say(f"gate: {ready.name} loads the tables")
        one = _ContenderLoads(ready, link, timeout)
        for operation in workload.operations:
            checks.append(one.check(operation))
            key = ready.name, operation.name, CASE
            if operation.name in one.answers:
                answers[key], seconds[key] = one.answers[operation.name], one.seconds[operation.name]
        findings += one.findings
        guarantees.update({ready.name: one.guarantee} if one.guarantee else {})
        peaks[ready.name] = one.peak
    names = [ready.name for ready in contenders]
    gate = Gate(
        operations=conclude(checks, count_cases(workload), names),
        checks=tuple(checks),
        truth=True,
        guarantees=guarantees,
    )
    nothing: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    return GateResult(
        gate=gate,
        findings=tuple(findings),
        answers=answers,
        seconds=seconds,
        peaks=peaks,
        varied=nothing,
        quick=nothing,
    )


def wrong_answer(answer: Path, load: ingest.Loading) -> str:
    """What is wrong with the answer to the first question; empty where it is right."""
    found = [tuple(row.values()) for row in read_answer(answer).to_pylist()]
    if found == [load.answer]:
        return ""
    rows_text = ", ".join(map(str, found[0])) if len(found) == 1 else f"{len(found):,} rows"
    return f"the first query after loading answered {rows_text}, not {', '.join(map(str, load.answer))}"


class _ContenderLoads:
    """One contender that loads table after table, each in a life of its own."""

    def __init__(self, ready: PreparedContender, link: DataLink, timeout: Seconds) -> None:
        self._ready = ready
        self._link = link
        self._timeout = timeout
        self.findings: list[Finding] = []
        self.answers: dict[str, pa.Table] = {}
        self.seconds: dict[str, Seconds] = {}
        self.guarantee: Guarantee | None = None
        self.peak = 0

    def check(self, operation: Operation) -> Check:
        """Load one table, more than once, and compare what was stored."""
        tables = self._link.tables(self._ready)
        load = ingest.Loading.of(operation, self._ready, tables)
        rows = ingest.rows(tables, load.table)
        check = None
        try:
            with self._ready.open() as worker:
                for repeat in range(_REPEATS):
                    found = self._once(worker, operation, load, rows, withdraw=repeat == 0)
                    if check is None or found.status is GateStatus.DIVERGED:
                        check = found
                    if check.status is GateStatus.DIVERGED:
                        break
        except WorkerEnded as ended:
            status = GateStatus.UNSUPPORTED if ended.outcome is Outcome.UNSUPPORTED else GateStatus.ERROR
            return Check(
                operation=operation.name,
                case=CASE,
                contender=self._ready.name,
                status=status,
                detail=f"{ended.outcome}: {ended.detail}",
            )
        assert check is not None
        return check

    def _once(
        self, worker: WorkerProcess, operation: Operation, load: ingest.Loading, rows: pa.Table, *, withdraw: bool
    ) -> Check:
        """One load; raises WorkerEnded where it fails."""
        guarantee = self._take(worker, operation, load, withdraw=withdraw)
        self.guarantee = Guarantee(durable=guarantee.durable, by=guarantee.by)
        cost = worker.run(self._timeout)
        self._look_for_links(worker, operation, load)
        self.peak = max(self.peak, cost.peak_memory or 0)
        self.seconds[operation.name] = min(cost.wall_s, self.seconds.get(operation.name, float("inf")))
        worker.prepare(load.question, self._timeout)
        worker.run(self._timeout)
        answer, _ = worker.answer(self._timeout)
        wrong = wrong_answer(answer, load)
        table = self._read_back(worker, operation, withdraw=withdraw)
        self.answers[operation.name] = rows.rename_columns(table.column_names) if _as_wide(table, rows) else rows
        same = compare.digest(table, operation.schema) == compare.digest(rows, operation.schema)
        # Looked into only where they differ: the rows of a large table are many.
        compared = None if same else self._compared(table, rows, operation, load)
        agrees = (compared is None or compared.agrees) and not wrong
        return Check(
            operation=operation.name,
            case=CASE,
            contender=self._ready.name,
            status=_STATUS[agrees, bool(compared and compared.open)],
            witness=ROWS,
            digest=compare.digest(table, operation.schema),
            rows=table.num_rows,
            detail=wrong,
            differences=compared.differences if compared else (),
            notes=compared.notes if compared else (),
        )

    def _look_for_links(self, worker: WorkerProcess, operation: Operation, load: ingest.Loading) -> None:
        """Whether a file that it calls its own is one of the data, by another name or by none."""
        given = {_identity(path) for path in load.paths} - {None}
        linked = [path for path in worker.files() if _identity(path) in given]
        if linked and not any(one.code == codes.D9_LINKED.code for one in self.findings):
            self.findings.append(
                codes.D9_LINKED.finding(
                    contender=self._ready.name,
                    operation=operation.name,
                    text=f"{units.count(len(linked), 'file')} that it has loaded ({Path(linked[0]).name}) "
                    f"{'are files' if len(linked) > 1 else 'is a file'} of the data under another name: it wrote none",
                    remedy="its adapter must write all rows in ingest(); it is not compared",
                )
            )

    def _compared(self, table: pa.Table, rows: pa.Table, operation: Operation, load: ingest.Loading) -> Comparison:
        """What differs from the rows of the files; columns that two readers do not agree on accuse nobody."""
        compared = compare.compare(table, rows, operation.schema)
        unlike = {} if compared.agrees else second_reader.unlike(load.paths, rows)
        if not unlike or table.num_columns != rows.num_columns:
            return compared
        for at, why in unlike.items():
            finding = codes.A14_READERS.finding(
                text=f"column {rows.column_names[at]} of {load.table} accuses nobody: {why}",
                remedy="the other columns were compared",
            )
            self.findings += [] if finding in self.findings else [finding]
        left = tuple(at for at in range(rows.num_columns) if at not in unlike)
        if not left:
            alike = table.num_rows == rows.num_rows
            return Comparison(agrees=True, open=True) if alike else mismatch("(rows)", table.num_rows, rows.num_rows)
        found = compare.compare(table.select(left), rows.select(left), part_of(operation.schema, left))
        return msgspec.structs.replace(found, open=True) if found.agrees else found

    def _take(
        self, worker: WorkerProcess, operation: Operation, load: ingest.Loading, *, withdraw: bool
    ) -> GuaranteeReply:
        """The table handed over; who needs its files for that reads them before the clock."""
        if not withdraw:
            return worker.begin_ingest(load.table, load.paths, load.under, self._timeout)[0]
        with self._link.withdrawn():
            try:
                return worker.begin_ingest(load.table, load.paths, load.under, self._timeout)[0]
            except WorkerEnded as ended:
                if not ended.alive:
                    raise
                failure = ended
        reply = worker.begin_ingest(load.table, load.paths, load.under, self._timeout)[0]
        self.findings.append(
            codes.A6_PREPARE.finding(
                contender=self._ready.name,
                operation=operation.name,
                text=f"it reads the files when it is told which they are, before the clock starts ({failure.detail})",
                remedy="its adapter must read them in ingest() alone; it is not compared",
            )
        )
        return reply

    def _read_back(self, worker: WorkerProcess, operation: Operation, *, withdraw: bool) -> pa.Table:
        """Every row that was stored; who can give them only with the files there did not store them."""
        if not withdraw:
            return read_answer(worker.stored(self._timeout)[0])
        with self._link.withdrawn():
            try:
                return read_answer(worker.stored(self._timeout)[0])
            except WorkerEnded as ended:
                if not ended.alive:
                    raise
                failure = ended
        table = read_answer(worker.stored(self._timeout)[0])
        self.findings.append(
            codes.A5_LAZY.finding(
                contender=self._ready.name,
                operation=operation.name,
                text="while the files were away, what it had loaded could not be read back "
                f"({failure.detail}): its load was not complete when it returned",
                remedy="its adapter must have stored all rows when ingest() returns; it is not compared",
            )
        )
        return table


def _identity(path: str) -> tuple[int, int] | None:
    """Device and number of the file that a path leads to; None where there is none."""
    with suppress(OSError):
        status = Path(path).stat()
        return status.st_dev, status.st_ino
    return None


def _as_wide(table: pa.Table, rows: pa.Table) -> bool:
    return bool(table.num_columns == rows.num_columns)
