"""Caveats: what weakens the join of two sessions, as findings, and what it is good for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.compare import differences as comparable
from weigh.experiment.results.data import differences
from weigh.model import codes
from weigh.model.units import count
from weigh.model.verdict import Reason, Tier, TierName, VerdictName
from weigh.verdict.refusals.disqualified import DISQUALIFYING
from weigh.verdict.tier import refused_for_others

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.compare.model import Joined, Joining
    from weigh.compare.results import Session
    from weigh.model.finding import Code, Finding

_FILES = (codes.D1_WRITER.code, codes.D1_LAYOUT.code, codes.D5_FILES.code)
"""What is reported of contenders that read other files."""
_JOIN_CODES = _FILES + tuple(
    one.code
    for one in (
        codes.T5_HOST,
        codes.T5_PROTOCOL,
        codes.T5_REFERENCE,
        codes.T5_STATE,
        codes.T5_WEIGH,
        codes.R4_UNSEALED,
    )
)
"""Warnings of the join itself."""
_NAMED = 5
"""Operations that a finding names; the others are counted."""


def carried_over(first: Session, second: Session, pairs: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """What the sessions' own findings forbid to those who take part, and what a publication must mention."""
    groups: dict[Finding, list[str]] = {}
    for session, participants in ((first, {pair[1] for pair in pairs}), (second, {pair[0] for pair in pairs})):
        for finding in session.results.findings:
            concerned = finding.contender in (None, session.reference) or finding.contender in participants
            if concerned and (finding.severity == "error" or finding.code.startswith("R")):
                groups.setdefault(finding, []).append(session.name)
    for finding, names in groups.items():
        yield msgspec.structs.replace(finding, text=f"in {_named(names)}, {finding.text}")


def other_files(first: Session, second: Session, pairs: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """Pairs that did not read the same files: each layout is a part of its contender."""
    one, other = first.measured[-1], second.measured[-1]
    for candidate, baseline in pairs:
        mine, theirs = other.manifest_of(candidate), one.manifest_of(baseline)
        if mine is None or theirs is None or not comparable.data(mine, theirs):
            continue
        another = bool(comparable.contender(second.contender(candidate), first.contender(baseline)))
        yield from differences.of_pair(
            [*differences.between(candidate, mine, theirs)], f"{baseline} in the first session", another=another
        )


def departures(first: Session, second: Session) -> Iterator[Finding]:
    """What differs between the sessions and does not forbid the join."""
    one, other = first.measured[-1], second.measured[-1]
    if found := comparable.facts(one, other, comparable.STATE):
        yield codes.T5_STATE.finding(
            text=f"the machine was in another state: {'; '.join(found)}",
            remedy="the reference shows how it changed, and not whether it changed alike for all contenders",
        )
    if found := comparable.protocol(one, other):
        yield codes.T5_PROTOCOL.finding(
            text=f"the sessions measured in different ways: {'; '.join(found)}",
            remedy="measure both with the same --runs",
        )
    versions = [record.environment.weigh for record in (one, other) if record.environment]
    if len(set(versions)) > 1:
        yield codes.T5_WEIGH.finding(
            text=f"measured by weigh {versions[0]} and {versions[1]}: what the clock covers may have changed",
            remedy="measure both with one version of weigh",
        )
    # A join has no templates, and of two sessions no skewness.
    of_one = dict.fromkeys(("pooled", "skewed", "unspent"), msgspec.UNSET)
    rules = [msgspec.structs.replace(record.spec.rules, **of_one) for record in (one, other)]
    if rules[0] != rules[1]:
        yield codes.T5_RULES.finding(
            text="the sessions declared different rules; those of the first one decide",
            remedy="declare the same margin and confidence in both",
        )
    mine, theirs = (
        {operation.name for operation in record.workload.operations} if record.workload else set()
        for record in (one, other)
    )
    if alone := sorted(mine ^ theirs):
        yield codes.T5_OPERATIONS.finding(
            text=f"{count(len(alone), 'operation')} took part in one session only: {_listed(alone)}",
            remedy="name the same --operations in both",
        )


def uneven(first: Session, joining: Joining) -> Iterator[Finding]:
    """What can be observed of the assumption: whether the reference moved by one factor on all operations."""
    moved = joining.movement.uneven
    if moved:
        worst = sorted(moved, key=lambda operation: -max(moved[operation], 1 / moved[operation]))
        yield codes.T5_REFERENCE.finding(
            contender=first.reference,
            text="it did not move by one factor on all operations; beyond their common movement "
            f"{_listed([f'{operation} by {moved[operation]:.3f}' for operation in worst])}",
            remedy="what the machine did depends on what is asked, so it may depend on who is asked, and the join "
            "assumes that it does not: measure both in one session",
        )


def unsealed(session: Session) -> Finding:
    """Nothing of it could be verified."""
    return codes.R4_UNSEALED.finding(
        text=f"{session.name} has no seal: it was killed or is still running, and nothing of it was verified",
        remedy="finish it with weigh run --resume",
    )


def tier(first: Session, second: Session, joining: Joining, findings: Sequence[Finding]) -> Tier:
    """What a join is good for: suggestive at most, because its assumption cannot be shown from two sessions."""
    assumed = (
        f"two sessions, joined through {first.reference}: that the machine changed alike for all contenders is assumed"
    )
    reasons = [codes.T5_JOIN.reason(assumed)]
    # What was carried over stands in the tiers of the sessions, below.
    warnings = [one for one in findings if one.severity == "warning" and one.code in _JOIN_CODES]
    reasons += [Reason(code=one.code, text=_place(one) + one.text) for one in warnings]
    groups: dict[tuple[Code, str], list[str]] = {}
    for session in (first, second):
        for reason in session.results.tier.reasons if session.results.tier else ():
            if reason.code in _FILES:
                # Said of a contender and its session's baseline, whose part in the ratio cancels.
                continue
            groups.setdefault((reason.code, reason.text), []).append(session.name)
    for (code, text), names in groups.items():
        reasons.append(Reason(code=code, text=f"in {_named(names)}, {text}"))
    of_all = any(one.severity == "error" and one.contender is None for one in findings)
    nothing_left = all(_forbidden(verdict) for verdict in joining.verdicts)
    tiers = [session.results.tier for session in (first, second) if session.results.tier]
    return Tier(
        name=TierName.INADMISSIBLE if of_all or nothing_left else TierName.SUGGESTIVE,
        reasons=tuple(reasons),
        inadmissible=tuple(dict.fromkeys(name for one in tiers for name in one.inadmissible)),
    )


def _forbidden(verdict: Joined) -> bool:
    """Whether nobody may use its figures: wrong answers, a failure, a disqualification, or others on the machine."""
    failed = verdict.verdict in (VerdictName.DIVERGED, VerdictName.ERROR)
    disqualified = bool(verdict.reasons) and verdict.reasons[0].code in DISQUALIFYING
    return failed or disqualified or refused_for_others(verdict)


def _place(finding: Finding) -> str:
    place = ", ".join(part for part in (finding.contender, finding.operation) if part)
    return f"{place}: " if place else ""


def _named(sessions: Sequence[str]) -> str:
    return sessions[0] if len(sessions) == 1 else "both sessions"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
