"""The conclusion: what the records of an experiment's attempts say together. Pure."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence.record import Record
from weigh.model.answer import GateStatus
from weigh.model.errors import EvidenceFault, ExitCode
from weigh.model.finding import Finding, disqualified
from weigh.model.gate import Gate, OperationGate
from weigh.model.sample import Outcome, Sample
from weigh.model.verdict import Reason, Timing, Verdict, VerdictName
from weigh.verdict.judge import judge
from weigh.verdict.judgement import Judgement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

METRICS = ("wall_s", "cpu_s", "peak_memory")
"""Wall time first: it decides the exit code. The others have verdicts of the same form."""

_FETCH_FLOOR = 1e-3
_FETCH_PER_ROW = 20e-6
_FETCH_SHARE = 3.0


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed, before it has a form.

    Attributes:
        record: of the latest attempt; spec, environment, manifest and gate are its.
        attempts: how many attempts the verdicts read.
        gate: of the latest attempt, with what earlier gates contradicted and what changed its answer later.
        judgements: by metric.
        findings: recorded and derived, errors first.
    """

    record: Record
    attempts: int
    gate: Gate | None
    judgements: dict[str, Judgement]
    findings: tuple[Finding, ...]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Of all metrics."""
        return tuple(verdict for judgement in self.judgements.values() for verdict in judgement.verdicts)

    @property
    def timings(self) -> tuple[Timing, ...]:
        """Of all metrics."""
        return tuple(timing for judgement in self.judgements.values() for timing in judgement.timings)

    @property
    def headline(self) -> Judgement:
        """Of wall time."""
        return self.judgements["wall_s"]

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """What the exit code of the command that made it is (docs/commands.md)."""
        if any(finding.severity == "error" for finding in self.findings):
            return ExitCode.FOUND
        names = [verdict.verdict for verdict in self.headline.verdicts]
        if VerdictName.DIVERGED in names or (self.gate and self.gate.contradicted):
            return ExitCode.FOUND
        if VerdictName.SLOWER in names and self.record.spec.baseline_declared:
            return ExitCode.FOUND
        nobody_left = self.record.blocks and names and all(name is VerdictName.ERROR for name in names)
        if self._nobody_to_compare() or nobody_left:
            return ExitCode.FAILED
        inconclusive = {VerdictName.REFUSED, VerdictName.UNRESOLVED}
        if strict and inconclusive.intersection(names):
            return ExitCode.INCONCLUSIVE
        return ExitCode.OK

    def _nobody_to_compare(self) -> bool:
        """Whether engines failed so widely that no operation was answered by as many as a comparison needs."""
        needed = min(2, len(self.record.spec.contenders))
        return not any(
            sum(status in (GateStatus.AGREED, GateStatus.UNVERIFIED) for status in one.contenders.values()) >= needed
            for one in (self.gate.operations if self.gate else ())
        )


def conclude(attempts: Sequence[Record]) -> Conclusion:
    """Read the attempts of one experiment together; every one counts (T8).

    Args:
        attempts: records, oldest first.

    Raises:
        EvidenceFault: they belong to different experiments, or there is none.
    """
    if not attempts:
        raise EvidenceFault("there is no attempt to read", remedy="name an evidence directory")
    latest = attempts[-1]
    if len({record.spec.id for record in attempts}) > 1:
        raise EvidenceFault("these attempts belong to different experiments", remedy="compare them with one spec")
    samples = [sample for record in attempts for sample in record.samples]
    findings = [finding for record in attempts for finding in record.findings]
    findings += _answered_differently(samples)
    findings += _answered_lazily(samples)
    before = _contradicted_in(latest.gate, _diverged_earlier(attempts[:-1]), "was contradicted in an earlier attempt")
    changed = {(one.operation, one.contender) for one in samples if one.outcome is Outcome.WRONG}
    gate = _contradicted_in(before, changed, "answered differently in a timed execution than in the gate")
    judgements = {metric: _judge(latest, before, gate, samples, findings, metric) for metric in METRICS}
    return Conclusion(
        record=latest,
        attempts=max(1, sum(1 for record in attempts if record.blocks)),
        gate=gate,
        judgements=judgements,
        findings=_distinct(findings),
    )


def _judge(
    latest: Record,
    before: Gate | None,
    gate: Gate | None,
    samples: Sequence[Sample],
    findings: Iterable[Finding],
    metric: str,
) -> Judgement:
    if gate is None or before is None:
        return Judgement()
    judgement = judge(
        samples,
        spec=latest.spec,
        # As it was before the clock: the judge sees the samples that changed their answer, and says so (A3).
        gate={one.operation: one.contenders for one in before.operations},
        contradicted=gate.contradicted,
        metric=metric,  # type: ignore[arg-type]
    )
    if not any(sample.timed for sample in samples):
        # Nobody was timed: what the gate forbids is said, and nothing else is.
        said = (VerdictName.DIVERGED, VerdictName.ERROR)
        judgement = Judgement(verdicts=tuple(v for v in judgement.verdicts if v.verdict in said))
    out = disqualified(findings)
    if not out:
        return judgement
    return msgspec.structs.replace(
        judgement,
        timings=tuple(timing for timing in judgement.timings if timing.contender not in out),
        verdicts=tuple(_refuse(verdict, out) for verdict in judgement.verdicts),
    )


def _refuse(verdict: Verdict, out: dict[str, Finding]) -> Verdict:
    """A verdict on a disqualified pair has a reason and no figures."""
    finding = out.get(verdict.contender) or out.get(verdict.baseline)
    if finding is None or verdict.verdict in (VerdictName.DIVERGED, VerdictName.ERROR):
        return verdict
    who = "" if finding.contender == verdict.contender else f"the baseline {finding.contender}: "
    return Verdict(
        operation=verdict.operation,
        contender=verdict.contender,
        baseline=verdict.baseline,
        metric=verdict.metric,
        scale=verdict.scale,
        verdict=VerdictName.REFUSED,
        confidence=verdict.confidence,
        margin=verdict.margin,
        reasons=(Reason(code=finding.code, text=who + finding.text), *verdict.reasons[1:]),
    )


def _diverged_earlier(attempts: Iterable[Record]) -> set[tuple[str, str]]:
    """(operation, contender) pairs that an earlier attempt's gate contradicted: a re-run does not acquit (T8)."""
    return {
        (one.operation, contender)
        for record in attempts
        if record.gate
        for one in record.gate.operations
        for contender, status in one.contenders.items()
        if status is GateStatus.DIVERGED
    }


def _contradicted_in(gate: Gate | None, pairs: Collection[tuple[str, str]], how: str) -> Gate | None:
    """The gate with these pairs diverged although they passed it."""
    if gate is None or not pairs:
        return gate
    return msgspec.structs.replace(gate, operations=tuple(_contradict(one, pairs, how) for one in gate.operations))


def _contradict(one: OperationGate, pairs: Collection[tuple[str, str]], how: str) -> OperationGate:
    passed = [
        name
        for name, status in one.contenders.items()
        if (one.operation, name) in pairs and status is not GateStatus.DIVERGED
    ]
    if not passed:
        return one
    said = f"{', '.join(passed)} {how}"
    return msgspec.structs.replace(
        one,
        status=GateStatus.DIVERGED,
        contenders={**one.contenders, **dict.fromkeys(passed, GateStatus.DIVERGED)},
        detail=f"{one.detail}; {said}" if one.detail else said,
    )


def _answered_differently(samples: Iterable[Sample]) -> list[Finding]:
    """A3: right in the gate, wrong in a later execution."""
    first: dict[tuple[str, str], Sample] = {}
    for sample in samples:
        if sample.outcome is Outcome.WRONG:
            first.setdefault((sample.contender, sample.operation), sample)
    return [
        Finding(
            code="A3.changed",
            severity="error",
            contender=contender,
            operation=operation,
            text=f"its answer changed in block {sample.block}, run {sample.run}: {sample.detail}",
            remedy="the operation is diverged and its times are not shown; they stay in the evidence",
        )
        for (contender, operation), sample in first.items()
    ]


def _answered_lazily(samples: Iterable[Sample]) -> list[Finding]:
    """A5: handing out the answer costs several times the CPU of executing the query, and more than converting it can.

    An honest hand-out copies columns that are there: a few hundred microseconds, and a few a row. The allowance is
    generous so that a slow conversion is no accusation.
    """
    costs: dict[tuple[str, str], list[tuple[float, float, int]]] = defaultdict(list)
    for sample in samples:
        if sample.timed and sample.answer_cpu_s is not None and sample.cpu_s is not None:
            costs[sample.contender, sample.operation].append((sample.answer_cpu_s, sample.cpu_s, sample.rows or 0))
    found = []
    for (contender, operation), rows in costs.items():
        handing = median(row[0] for row in rows)
        executing = median(row[1] for row in rows)
        allowance = _FETCH_FLOOR + _FETCH_PER_ROW * median(row[2] for row in rows)
        if handing > allowance and handing > _FETCH_SHARE * executing:
            found.append(
                Finding(
                    code="A5.lazy",
                    severity="error",
                    contender=contender,
                    operation=operation,
                    text=(
                        f"executing takes {1e3 * executing:.1f} ms of CPU, handing out the answer afterwards "
                        f"{1e3 * handing:.1f} ms: the work is done outside the clock"
                    ),
                    remedy="its adapter must consume all rows inside run(); it is not compared",
                )
            )
    return found


def _distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    order = {"error": 0, "warning": 1, "note": 2}
    unique = {(f.code, f.contender, f.operation, f.text): f for f in findings}
    return tuple(sorted(unique.values(), key=lambda finding: order[finding.severity]))
