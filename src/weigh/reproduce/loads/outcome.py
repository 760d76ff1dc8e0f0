"""What became of the figures of a load that was offered again. Pure.

Two runs of one server on one machine differ by more than the interval of either says. Where both sides have several
lives of the server, the intervals are those in which the next run falls, and they decide. Of one life nobody knows how
much its runs differ: then only what is more than a factor of two apart contradicts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weigh.load.requirements.results import holding
from weigh.load.results import WRONG
from weigh.reproduce.outcome import Claim, Outcome, OutcomeName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.requirements.results import Requirements
    from weigh.load.results import Group, LoadResults

_QUANTILES = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
METRICS = ("rate", *_QUANTILES)
"""Figures of all operations together, as :class:`weigh.load.analysis.repeats.Between` names them."""
ONE_LIFE = 2.0
"""How many times apart two runs are, at least, before they are said to differ, where a side has one life alone."""
SPAN = 2.0
"""An interval whose ends are more than so many times apart confirms nothing."""
MEASURED, REFUSED, UNRESOLVED = "measured", "refused", "unresolved"


class _Figure(NamedTuple):
    """A figure of one side; None where there is none, with why."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    lives: int = 1
    verdict: str = UNRESOLVED
    why: str = "too few requests are so slow, or they came together"
    reasons: tuple[str, ...] = ()

    @property
    def claim(self) -> Claim:
        """As it is reported."""
        return Claim(verdict=self.verdict, value=self.value, low=self.low, high=self.high, reasons=self.reasons)


def outcomes(there: LoadResults, here: LoadResults, *, same_machine: bool) -> tuple[Outcome, ...]:
    """What became of each figure of the original.

    Args:
        there: the original.
        here: what was measured again.
        same_machine: whether both machines are the same, that of the server too.
    """
    apart = OutcomeName.CONTRADICTED if same_machine else OutcomeName.OTHER_MACHINE
    target = there.record.spec.target
    found = [*_required(there.requirements, here.requirements, target, apart), *_answers(there, here, target, apart)]
    groups = {(one.first.loop, one.first.connections): one for one in here.groups}
    for group in there.groups:
        first = group.first
        name = f"{first.loop} loop, {first.connections} connections"
        other = groups.get((first.loop, first.connections))
        for metric in METRICS:
            one = _figure(group, metric)
            again = _figure(other, metric) if other else None
            outcome, why = _judged(one, again, apart)
            found.append(_outcome(name, target, metric, outcome, why, one.claim, again.claim if again else None))
    return tuple(found)


def _figure(group: Group, metric: str) -> _Figure:
    refused = next((run for run in group.runs if run.refused), None)
    if refused is not None:
        first = refused.reasons[0]
        codes = tuple(dict.fromkeys(one.code for one in refused.reasons))
        return _Figure(verdict=REFUSED, why=f"{first.code}: {first.text}", reasons=codes)
    several = next((one for one in group.between if one.name == metric), None)
    if several is not None and several.lives > 1:
        return _Figure(several.mean, several.low, several.high, several.lives, MEASURED)
    return _of_one(group.first, metric)


def _of_one(run: RunFigures, metric: str) -> _Figure:
    if metric == "rate":
        rate = run.rate_achieved
        return _Figure(rate.mean, rate.low, rate.high, verdict=MEASURED) if rate else _Figure()
    if not run.operations:
        return _Figure(why="nothing was answered")
    found = run.whole.response.at(_QUANTILES[metric])
    return _Figure(found.value, found.low, found.high, verdict=MEASURED) if found.resolved else _Figure()


def _judged(there: _Figure, here: _Figure | None, apart: OutcomeName) -> tuple[OutcomeName, str]:
    if here is None:
        return OutcomeName.NOT_DECIDED, "it was not measured here"
    for side, one in (("there", there), ("here", here)):
        if one.low is None or one.high is None:
            return OutcomeName.NOT_DECIDED, f"{one.verdict} {side}: {one.why}"
    factor = _factor(there.lives, here.lives)
    if _are_apart((there.low, there.high), (here.low, here.high), factor):
        return apart, "the intervals have nothing in common"
    if _are_apart((there.low, there.high), (here.low, here.high), 1.0):
        return OutcomeName.NOT_DECIDED, (
            "the intervals have nothing in common, and by how much runs of this server differ is not known of one: "
            "an original of --repeats 5 would tell"
        )
    for side, one in (("there", there), ("here", here)):
        if (one.high or 0.0) > SPAN * (one.low or 0.0):
            return OutcomeName.NOT_DECIDED, f"the interval spans more than a factor of {SPAN:g} {side}"
    return OutcomeName.CONFIRMED, ""


def _factor(there: int, here: int) -> float:
    return 1.0 if there > 1 and here > 1 else ONE_LIFE


def _are_apart(one: tuple[float | None, float | None], other: tuple[float | None, float | None], factor: float) -> bool:
    (low, high), (other_low, other_high) = one, other
    if low is None or high is None or other_low is None or other_high is None:
        return False
    return low > other_high * factor or other_low > high * factor


def _required(
    there: Requirements | None, here: Requirements | None, target: str, apart: OutcomeName
) -> Iterator[Outcome]:
    """Whether what must hold held on both sides."""
    if there is None:
        return
    name, metric = "required", " and ".join(map(str, there.budgets))
    claims = [Claim(verdict=one.verdict.lower()) if one else None for one in (there, here)]
    outcome, why = OutcomeName.NOT_DECIDED, "it was not measured here"
    if here is not None and "OPEN" in (there.verdict, here.verdict):
        side, one = ("there", there) if there.verdict == "OPEN" else ("here", here)
        outcome, why = OutcomeName.NOT_DECIDED, f"it is open {side}: {one.why}"
    elif here is not None and there.verdict == here.verdict:
        outcome, why = OutcomeName.CONFIRMED, ""
    elif here is not None:
        decided = _broken_apart(there, here)
        why = f"it is {here.verdict.lower()} here: {here.why}"
        outcome = apart if decided else OutcomeName.NOT_DECIDED
        why += "" if decided else "; but less than what runs of one server may differ by"
    yield _outcome(name, target, metric, outcome, why, claims[0] or Claim(verdict=""), claims[1])


def _broken_apart(there: Requirements, here: Requirements) -> bool:
    """Whether what one side keeps and the other breaks is apart by more than runs differ by."""
    one, other = there.deciding, here.deciding
    if one is None or other is None:
        return False
    factor = _factor(len(there.runs), len(here.runs))
    pairs = [pair for pair in zip(one.budgets, other.budgets, strict=False) if holding(pair[0]) != holding(pair[1])]
    return any(_are_apart((mine.low, mine.high), (theirs.low, theirs.high), factor) for mine, theirs in pairs)


def _answers(there: LoadResults, here: LoadResults, target: str, apart: OutcomeName) -> Iterator[Outcome]:
    """Wrong answers of either side: they are right or wrong on any machine."""
    wrong = [tuple(dict.fromkeys(one.code for one in side.findings if one.code in WRONG)) for side in (there, here)]
    if not any(wrong):
        return
    if all(wrong):
        outcome, why = OutcomeName.CONFIRMED, "answers are wrong here, too"
    elif wrong[1]:
        outcome, why = OutcomeName.CONTRADICTED, f"answers are wrong here: {', '.join(wrong[1])}"
    else:
        outcome, why = apart, "answers were wrong there, and none is here"
    claims = [Claim(verdict="wrong" if one else "no wrong answer", reasons=one) for one in wrong]
    yield _outcome("answers", target, "answers", outcome, why, *claims)


def _outcome(
    name: str, target: str, metric: str, outcome: OutcomeName, why: str, there: Claim, here: Claim | None
) -> Outcome:
    return Outcome(
        operation=name,
        contender=target,
        metric=metric,
        temperature="",
        scale=None,
        layout=None,
        outcome=outcome,
        why=why,
        original=there,
        here=here,
    )


def unit(metric: str) -> str:
    """What the values of a figure are in: ``s``, ``/s``, or nothing."""
    return "/s" if metric == "rate" else "s" if metric in _QUANTILES else ""
