"""Compare: two sessions, joined through a reference contender that took part in both, or not at all (T5).

A time of one session is never divided by a time of another. Whether two sessions may be joined is decided from what
their evidence records (:mod:`weigh.compare.preconditions`); how they are is :mod:`weigh.compare.join`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from weigh._version import __version__
from weigh.compare import caveats, clocks, preconditions, reasons, same_engine
from weigh.compare.join import join
from weigh.compare.model import Side
from weigh.compare.results import CompareResults, Session
from weigh.evidence import seal
from weigh.experiment.record import history, samples
from weigh.experiment.results.results import METRICS, experiment_results, refusals
from weigh.experiment.verify.verify import verify
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.errors import EvidenceFault
from weigh.model.finding import gravest_first
from weigh.model.metrics.run_metrics import HEADLINE, rules_of
from weigh.model.verdict import Reason
from weigh.verdict.refusals.disqualified import disqualified

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.compare.model import Joining
    from weigh.model.finding import Finding


def compare(
    first: Path,
    second: Path,
    *,
    reference: str = "",
    across_hosts: bool = False,
    all_pairs: bool = False,
    one_engine: bool = False,
) -> CompareResults:
    """Compares contenders of the second session with contenders of the first.

    Args:
        first: evidence of the baselines, read with its earlier attempts.
        second: evidence of the candidates.
        reference: name of the reference in the first session; empty for its baseline, or else the first contender
            that is the same in both.
        across_hosts: allow sessions of different machines.
        all_pairs: every contender against every other one, not only those of the same name.
        one_engine: compare two versions that loaded one and the same engine all the same, as an A/A.

    Raises:
        EvidenceFault: an evidence cannot be read or does not pass `weigh verify`, or they cannot be joined: no
            reference, other data, other questions, another machine.
        UsageError: no contender has the name of the reference, or two versions are to be compared that are one engine.
    """
    folders = first, second
    sessions = _session(first, "the first session"), _session(second, "the second session")
    preconditions.check_independent(sessions)
    preconditions.check_data(sessions)
    operations, unlike = preconditions.shared_questions(sessions)
    names = preconditions.shared_reference(sessions, reference)
    machines = preconditions.check_machine(sessions, across_hosts=across_hosts)
    one, other = (
        msgspec.structs.replace(session, reference=name) for session, name in zip(sessions, names, strict=True)
    )
    pairs = _pairs(one, other, all_pairs=all_pairs)
    same = [*same_engine.check(one, other, pairs, same_engine=one_engine)]
    rules = one.latest.spec.rules
    refused = {name: reasons.unlike(what) for name, what in unlike.items()}

    def joined(metric: str) -> Joining:
        again = partial(
            join,
            pairs=pairs,
            operations=operations,
            rules=rules_of(metric, rules),
            unlike=refused,
            metric=metric,
        )
        sides = _side(one, metric), _side(other, metric)
        found = again(*sides)
        doubted = clocks.doubts(*sides, found, again) if metric == HEADLINE else {}
        return again(*sides, doubted=doubted) if doubted else found

    joinings: dict[str, Joining] = {metric: joined(metric) for metric in METRICS}
    wall = joinings[HEADLINE]
    open_ = [session for folder, session in zip(folders, (one, other), strict=True) if not _sealed(folder)]
    findings: list[Finding] = [
        *caveats.carried_over(one, other, pairs),
        *machines,
        *caveats.other_files(one, other, pairs),
        *same,
        *caveats.departures(one, other),
        *caveats.uneven(one, wall),
        *(caveats.unsealed(session) for session in open_),
    ]
    return CompareResults(
        first=one,
        second=other,
        pairs=pairs,
        rules=rules,
        joinings=joinings,
        findings=gravest_first(findings),
        tier=caveats.tier(one, other, wall, findings),
    )


def _sealed(folder: Path) -> bool:
    return (folder / seal.SEAL).exists()


def _session(folder: Path, name: str) -> Session:
    """A session, verified if it is sealed: nothing is joined that does not pass."""
    if not folder.is_dir():
        raise EvidenceFault("there is no such directory", where=str(folder), remedy="weigh runs lists what there is")
    records = tuple(history(folder))
    if _sealed(folder):
        found = verify(folder)
        # Another version of weigh may word the report differently; the samples are hashed all the same.
        reworded = () if found.weigh == __version__ else (codes.R4_FIGURES.code,)
        problems = [problem for problem in found.problems if problem.code not in reworded]
        if problems:
            listed = "; ".join(f"{problem.code} {problem.file}: {problem.text}" for problem in problems[:3])
            raise EvidenceFault(
                f"it does not pass `weigh verify`: {listed}", where=str(folder), remedy="compare untouched evidence"
            )
    session = Session(name=name, evidence=folder.resolve().name, records=records, results=experiment_results(records))
    gate = session.results.gate
    if gate is None or any(record.environment is None for record in session.measured):
        raise EvidenceFault("the gate was not reached", where=str(folder), remedy="name evidence of `weigh run`")
    if not any(record.blocks for record in records) and not gate.contradicted:
        raise EvidenceFault("nothing was measured", where=str(folder), remedy="name evidence of `weigh run`")
    return session


def _pairs(first: Session, second: Session, *, all_pairs: bool) -> tuple[tuple[str, str], ...]:
    """(candidate, baseline): those of the same name where there are any, else everybody with everybody."""
    ours, theirs = (
        [one.name for one in session.latest.spec.contenders if one.name != session.reference]
        for session in (first, second)
    )
    same = tuple((name, name) for name in theirs if name in ours)
    pairs = same if same and not all_pairs else tuple((other, name) for other in theirs for name in ours)
    if not pairs:
        raise EvidenceFault(
            f"{codes.T5}: there is nothing to compare alongside the reference {first.reference}",
            remedy="its own times of two sessions are never compared; take another contender into both",
        )
    return pairs


def _side(session: Session, metric: str) -> Side:
    """A session as the join of a metric sees it."""
    results = session.results
    return Side(
        name=session.name,
        samples=samples(session.records),
        contenders=tuple(contender.name for contender in session.latest.spec.contenders),
        reference=session.reference,
        gate=_before_the_clock(session),
        doubts=results.gate.doubts if results.gate else {},
        out={
            name: Reason(code=finding.code, text=f"{name} is disqualified: {finding.text}")
            for name, finding in disqualified(results.findings).items()
        },
        # What would refuse a verdict against the reference within the session refuses it here.
        refused=refusals(session.records, results.machine, metric, session.reference),
        shares={one.operation: one.share for one in results.headline.verdicts},
    )


def _before_the_clock(session: Session) -> dict[str, dict[str, GateStatus]]:
    """What the gates found, contradictions by any of them first; answers that changed later show in the samples."""
    gates = [gate for record in session.records for gate in (*record.earlier_gates, record.gate) if gate]
    found = {one.operation: dict(one.contenders) for one in gates[-1].operations}
    for gate in gates:
        for one in gate.operations:
            wrong = [name for name, status in one.contenders.items() if status is GateStatus.DIVERGED]
            found.get(one.operation, {}).update(dict.fromkeys(wrong, GateStatus.DIVERGED))
    return found
