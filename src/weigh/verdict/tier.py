"""The tier: what the evidence is good for, from what is recorded (docs/concept/method.md#tiers). Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.errors import ExitCode
from weigh.model.finding import Finding
from weigh.model.gate import Gate
from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.units import count
from weigh.model.verdict import Reason, Tier, TierName, Verdict, VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CONTENDED = (codes.E4_CONTENDED.code, codes.E4_STEAL.code)
"""Reasons of a verdict that is refused because others used the machine."""
_NAMED = 3
"""Operations that a reason names; the others are counted."""


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """What the tier is computed from.

    Attributes:
        contenders: names of all, in order.
        baseline: whom the others are compared with.
        gate: with what earlier gates contradicted, and what changed its answer later.
        verdicts: of wall time.
        findings: recorded and derived.
        timed: whether anybody was timed.
        unfinished: attempts with times that were not completed: number, and why.
        unread: what was not read back from a running engine: contender, and what.
        laid_out: whether it is recorded what every contender was given to read.
        watched: whether a sampler watched the machine during every timed execution.
        gaps: what it did not watch; empty where it watched nothing.
        temperature_proven: whether it was shown, not assumed, that the data was hot (or cold).
        assumed: what is not shown about it; empty where nothing was recorded.
        quick: whether a first look was asked for.
    """

    contenders: tuple[str, ...]
    baseline: str
    gate: Gate | None
    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    timed: bool
    unfinished: tuple[tuple[int, str], ...]
    unread: tuple[tuple[str, str], ...]
    laid_out: bool
    watched: bool
    gaps: tuple[str, ...] = ()
    temperature_proven: bool
    assumed: str = ""
    quick: bool = False


def tier(basis: Basis) -> Tier | None:
    """The tier with every reason, the worst first; None where nothing was timed and nobody is inadmissible.

    A contender that is inadmissible takes its own figures with it, and the rest is suggestive at most. Where no
    comparison is left without it, the whole is inadmissible.
    """
    own = _inadmissible(basis)
    of_all = [_reason(found) for found in _one_of_each(basis.findings, "error") if found.contender is None]
    if not basis.timed and not own and not of_all:
        return None
    reasons = (*of_all, *own.values(), *(_missing(basis) if basis.timed else ()))
    others = [name for name in basis.contenders if name != basis.baseline] or [basis.baseline]
    nothing_left = basis.baseline in own or all(name in own for name in others) or _all_contended(basis.verdicts)
    name = TierName.CONCLUSIVE if not reasons else TierName.SUGGESTIVE
    if of_all or nothing_left:
        name = TierName.INADMISSIBLE
    return Tier(name=name, reasons=reasons, inadmissible=tuple(name for name in basis.contenders if name in own))


def inconclusive(names: Iterable[VerdictName], tier: Tier | None, *, strict: bool) -> ExitCode:
    """The exit code where nothing was found: not 0 where nobody may conclude anything.

    Args:
        names: of the verdicts of wall time.
        tier: of the evidence.
        strict: whether a single verdict that is refused or unresolved counts.
    """
    decided = set(names) - {VerdictName.DIVERGED, VerdictName.ERROR}
    nothing = decided == {VerdictName.REFUSED} or (tier is not None and tier.name is TierName.INADMISSIBLE)
    open_ = strict and decided & {VerdictName.REFUSED, VerdictName.UNRESOLVED}
    return ExitCode.INCONCLUSIVE if nothing or open_ else ExitCode.OK


def _all_contended(verdicts: Sequence[Verdict]) -> bool:
    """Whether others disturbed every comparison; what the findings say of it are the reasons."""
    decided = [one for one in verdicts if one.verdict not in (VerdictName.DIVERGED, VerdictName.ERROR)]
    return bool(decided) and all(map(refused_for_others, decided))


def refused_for_others(one: Verdict) -> bool:
    """Whether a verdict is refused because others used the machine."""
    return one.verdict is VerdictName.REFUSED and any(reason.code in CONTENDED for reason in one.reasons)


def _inadmissible(basis: Basis) -> dict[str, Reason]:
    """Contenders whose figures nobody may use, with the first reason."""
    found: dict[str, Reason] = {}
    for one in _one_of_each(basis.findings, "error"):
        if one.contender is not None:
            text = f"{one.contender} is inadmissible: {one.text}"
            found.setdefault(one.contender, Reason(code=one.code, text=text))
    for name, doubt in (basis.gate.doubts if basis.gate else {}).items():
        listed = _listed(doubt.operations)
        if doubt.wrong:
            text = f"{name} is inadmissible: its answers are contradicted on {listed}"
        else:
            text = f"{name} and others answer differently on {listed}, and who is right is open"
        found.setdefault(name, codes.A1.reason(text))
    return found


def _missing(basis: Basis) -> Iterator[Reason]:
    """What a conclusive result still lacks."""
    if basis.quick:
        yield codes.X_QUICK.reason("a quick look, which concludes nothing; without --quick it can")
    for found in _one_of_each(basis.findings, "warning"):
        yield _reason(found)
    unverified = [
        one.operation
        for one in (basis.gate.operations if basis.gate else ())
        if GateStatus.UNVERIFIED in one.contenders.values()
    ]
    if unverified:
        yield codes.A8.reason(f"nothing independent confirmed the answers of {_listed(unverified)}")
    if basis.gate and basis.gate.left_open:
        text = f"the answers of {_listed(tuple(basis.gate.left_open))} differ in what the question leaves open"
        yield codes.A7.reason(text)
    yield from _starts(basis.verdicts)
    for attempt, why in basis.unfinished:
        yield codes.T8_UNFINISHED.reason(f"attempt {attempt} was not completed: {why}")
    if not basis.laid_out:
        yield codes.X_LAYOUT.reason("what the contenders were given to read is not recorded")
    for name, what in basis.unread:
        yield codes.R3_UNREAD.reason(f"{name}: {what} not read back from the running engine")
    if not basis.watched:
        for gap in basis.gaps or ("the machine was not watched during the blocks",):
            yield codes.E4_UNWATCHED.reason(gap)
    if not basis.temperature_proven:
        reason = basis.assumed or "that the data was in memory is assumed"
        yield codes.E1_UNPROVEN.reason(f"temperature not proven: {reason}")


def _starts(verdicts: Iterable[Verdict]) -> Iterator[Reason]:
    """Comparisons with fewer starts than a conclusive one needs, those without a verdict first."""
    decided = [one for one in verdicts if one.verdict not in (VerdictName.DIVERGED, VerdictName.ERROR)]
    # What was disqualified was refused before anything was counted, and says so itself.
    counted = [
        one for one in decided if one.starts or any(reason.code == codes.T10_STARTS.code for reason in one.reasons)
    ]
    few = [one.starts for one in counted if one.starts < MIN_STARTS]
    some = [one.starts for one in counted if MIN_STARTS <= one.starts < FULL_STARTS]
    total = count(len(decided), "comparison")
    if few:
        text = f"{len(few)} of {total} had {_range(few)}: no verdict, {MIN_STARTS} are needed"
        yield codes.T10_STARTS.reason(text)
    if some:
        text = f"{len(some)} of {total} had {_range(some)}: {FULL_STARTS} are needed"
        yield codes.T10.reason(text)


def _range(starts: Sequence[int]) -> str:
    low, high = min(starts), max(starts)
    return f"{count(high, 'fresh start')}" if low == high else f"{low} to {count(high, 'fresh start')}"


def _listed(operations: Sequence[str]) -> str:
    more = len(operations) - _NAMED
    return ", ".join(operations[:_NAMED]) + (f" and {count(more, 'more operation')}" if more > 0 else "")


def _one_of_each(findings: Iterable[Finding], severity: str) -> list[Finding]:
    """The first finding of each kind and contender; how many more there are is reported."""
    groups: dict[tuple[str, str | None], list[Finding]] = defaultdict(list)
    for one in findings:
        if one.severity == severity:
            groups[one.code, one.contender].append(one)
    return [
        same[0]
        if len(same) == 1
        else msgspec.structs.replace(same[0], text=f"{same[0].text} (and {len(same) - 1} more)")
        for same in groups.values()
    ]


def _reason(found: Finding) -> Reason:
    place = f"{found.contender}: " if found.contender else ""
    return Reason(code=found.code, text=place + found.text)
