"""The outcome of a verdict that was measured again. Pure.

Only ratios are compared: a time of one session is never divided by a time of another (T5). Where a verdict comes out
otherwise and the machine is another, neither side is wrong: a ratio is one of its machine.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from weigh.model.units import Scale
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from weigh.model.verdict import Verdict

_APART = (VerdictName.SLOWER, VerdictName.FASTER)
_ALIKE = (VerdictName.SAME, VerdictName.SMALL)
_DECIDED = (*_APART, *_ALIKE)


class OutcomeName(StrEnum):
    """What became of a verdict."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    NOT_DECIDED = "not decided"
    OTHER_MACHINE = "other machine"


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What one side says.

    Attributes:
        verdict: its name.
        ratio, low, high: contender over baseline, and its interval; None where there is none.
        reasons: codes of why it decides nothing.
        value: of a load: seconds, or requests a second, whose interval it is then; left out of a run.
    """

    verdict: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    reasons: tuple[str, ...] = ()
    value: float | msgspec.UnsetType | None = msgspec.UNSET


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One verdict of the original with what was found here.

    Attributes:
        operation, contender, metric, temperature, scale, layout: of the original's verdict. Of a load: loop and
            connections, its target, the figure; or what was required.
        outcome: what became of it.
        why: in a sentence.
        original: what it said.
        here: what was found; None where nothing was.
    """

    operation: str
    contender: str
    metric: str
    temperature: str
    scale: Scale | None
    layout: str | None
    outcome: OutcomeName
    why: str
    original: Claim
    here: Claim | None


def outcome(original: Verdict, here: Verdict | None, *, same_machine: bool) -> Outcome:
    """What became of a verdict of the original.

    Args:
        original: the verdict.
        here: of the same question, measured again.
        same_machine: whether the facts of both machines are the same.
    """
    name, why = _judged(original, here, same_machine=same_machine)
    return Outcome(
        operation=original.operation,
        contender=original.contender,
        metric=original.metric,
        temperature=original.temperature,
        scale=original.scale,
        layout=original.layout,
        outcome=name,
        why=why,
        original=_claim(original),
        here=_claim(here) if here else None,
    )


def _judged(original: Verdict, here: Verdict | None, *, same_machine: bool) -> tuple[OutcomeName, str]:
    apart = OutcomeName.CONTRADICTED if same_machine else OutcomeName.OTHER_MACHINE
    if here is None:
        return OutcomeName.NOT_DECIDED, "it was not measured here"
    if here.verdict is VerdictName.DIVERGED:
        # Answers are right or wrong on any machine.
        if original.verdict is VerdictName.DIVERGED:
            return OutcomeName.CONFIRMED, "the answers differ here, too"
        return OutcomeName.CONTRADICTED, "the answers differ here, and agreed there"
    if VerdictName.ERROR in (original.verdict, here.verdict):
        where = "there" if original.verdict is VerdictName.ERROR else "here"
        return OutcomeName.NOT_DECIDED, f"it failed {where}"
    if original.verdict is VerdictName.DIVERGED:
        return apart, "the answers agree here, and differed there"
    if original.verdict not in _DECIDED:
        return OutcomeName.NOT_DECIDED, f"the original decided nothing: {_reasons(original)}"
    if here.verdict not in _DECIDED:
        if _on_the_other_side(original, here):
            return apart, "the intervals have no ratio in common, and lie on either side of 1"
        return OutcomeName.NOT_DECIDED, f"nothing was decided here: {_reasons(here)}"
    if original.verdict is here.verdict or (original.verdict in _ALIKE and here.verdict in _ALIKE):
        return OutcomeName.CONFIRMED, ""
    if _overlap(original, here):
        return OutcomeName.NOT_DECIDED, "the intervals overlap: both may be of one ratio"
    return apart, "the intervals have no ratio in common"


def _on_the_other_side(original: Verdict, here: Verdict) -> bool:
    """Whether what was slower is faster here, or the reverse, and only by how much is open."""
    if here.verdict is not VerdictName.UNRESOLVED or here.low is None or here.high is None:
        return False
    other = here.high < 1 if original.verdict is VerdictName.SLOWER else here.low > 1
    return original.verdict in _APART and other and not _overlap(original, here)


def _overlap(one: Verdict, other: Verdict) -> bool:
    ends = (one.low, one.high, other.low, other.high)
    if None in ends:
        return True
    low, high, other_low, other_high = (float(end or 0) for end in ends)
    return low <= other_high and other_low <= high


def _reasons(one: Verdict) -> str:
    if one.reasons:
        return f"{one.reasons[0].code}: {one.reasons[0].text}"
    if one.starts_needed:
        return f"it takes about {one.starts_needed} starts"
    return "the interval is too wide"


def _claim(one: Verdict) -> Claim:
    return Claim(
        verdict=str(one.verdict),
        ratio=one.ratio,
        low=one.low,
        high=one.high,
        reasons=tuple(dict.fromkeys(reason.code for reason in one.reasons)) if one.verdict not in _DECIDED else (),
    )
