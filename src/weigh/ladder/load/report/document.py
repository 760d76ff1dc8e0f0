"""The JSON document of a ladder of loads (schema ``weigh/load-ladder/1``, docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weigh.ladder.load.plan import LoadLadderPlan
from weigh.ladder.load.record import SCHEMA
from weigh.load.report.operation_document import MeanRow, SpectrumRow, mean_row, spectrum_row
from weigh.machine.working_set import WorkingSet
from weigh.model.finding import Finding
from weigh.model.units import Bytes, Seconds
from weigh.model.verdict import Reason

if TYPE_CHECKING:
    from weigh.ladder.load.results import LoadLadderResults, LoadRung


class LoadRungRow(msgspec.Struct, frozen=True, kw_only=True):
    """One load of the ladder; figures are those of its first run.

    Attributes:
        ratio: data over memory that was asked for.
        records: of YCSB.
        experiment: id of the load.
        evidence: name of its directory.
        complete: whether it came to its end.
        tier: what its evidence is good for.
        exit_code: that it has by itself (docs/reference/commands.md#exit-codes).
        size: its data against the memory, by the word of the server and of the kernel; None where one is not known.
        verdict: whether its figures count; None where nothing was measured.
        reasons: why it is refused.
        rate_target: requests a second that were due; None of a closed loop.
        rate_achieved: requests a second that were answered; None where it is refused.
        response: from when a request was due to its answer, of all requests; None where nothing was measured.
        server_cpu_s: CPU seconds of the server for each request; None where its processes are not known.
        read_bytes: that anybody read from the devices below the server's data during the run; None where not known.
        read_bytes_each: the same for each request.
    """

    ratio: float
    records: int
    experiment: str
    evidence: str
    complete: bool
    tier: str
    exit_code: int
    size: WorkingSet | None
    verdict: Literal["counts", "refused"] | None
    reasons: tuple[Reason, ...]
    rate_target: float | None
    rate_achieved: MeanRow | None
    response: SpectrumRow | None
    server_cpu_s: Seconds | None
    read_bytes: Bytes | None
    read_bytes_each: float | None


class LoadLadderDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        id: of the ladder: twelve hex digits.
        plan: what was asked for.
        product: what the server calls itself, with its version; None where it was not reached.
        rungs: those that have evidence, by ascending size.
        outgrown: ratio, as asked for, of the first rung whose data is larger than the memory; None where there is none.
        findings: errors of the rungs, and ``D7.memory`` where every rung fits.
    """

    id: str
    plan: LoadLadderPlan
    product: str | None
    rungs: tuple[LoadRungRow, ...]
    outgrown: float | None
    findings: tuple[Finding, ...]


def document(summary: LoadLadderResults) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null."""
    environment = summary.rungs[-1].results.record.environment
    outgrown = summary.outgrown
    found = LoadLadderDocument(
        id=summary.plan.id,
        plan=summary.plan,
        product=f"{environment.target.product} {environment.target.version}" if environment else None,
        rungs=tuple(map(_rung, summary.rungs)),
        outgrown=outgrown.step.ratio if outgrown else None,
        findings=summary.findings,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def _rung(one: LoadRung) -> LoadRungRow:
    run = one.run
    return LoadRungRow(
        ratio=one.step.ratio,
        records=one.step.records,
        experiment=one.results.record.spec.id,
        evidence=one.evidence,
        complete=one.complete,
        tier=str(one.results.tier.name),
        exit_code=int(one.results.exit_code()),
        size=one.size,
        verdict=None if run is None else "refused" if run.refused else "counts",
        reasons=run.reasons if run else (),
        rate_target=run.rate_target if run else None,
        rate_achieved=mean_row(run.rate_achieved) if run and not run.refused else None,
        response=spectrum_row(run.whole.response) if run and run.operations else None,
        server_cpu_s=one.cpu_s,
        read_bytes=None if one.read_bytes is None else round(one.read_bytes),
        read_bytes_each=one.read_per_request,
    )
