"""The outlook: what it would take to decide what is open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.experiment.report.first_screen.pair import is_open
from weigh.model import codes, units
from weigh.model.rules import MIN_STARTS
from weigh.model.text import one_line
from weigh.model.verdict import VerdictName
from weigh.verdict.tier import CONTENDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.experiment.results.pace import Pace
    from weigh.model.units import Seconds
    from weigh.model.verdict import Verdict

_REASONABLE = 3600.0
"""Seconds of measuring beyond which more of it is not what helps."""
QUIETER = "a quieter machine"
"""What helps where no number of starts is known that does."""
AT_MARGIN = "too close to the margin to tell"
_NEAR = 0.25
"""How far from the margin a ratio is that lies at it, in margins."""
LONGER = f"over an hour more, or {QUIETER}"


@dataclass(frozen=True, slots=True)
class Outlook:
    """Open comparisons that the same would decide.

    Attributes:
        verdicts: they.
        needs: what it would take, or why there is no verdict: ``about 2 more minutes``.
        timely: whether more starts decide them in a reasonable time.
    """

    verdicts: tuple[Verdict, ...]
    needs: str
    timely: bool = False

    def places(self, *, several: bool) -> tuple[str, ...]:
        """What they are about: ``q2``, ``q2, cold``; with the contender where there are several."""
        return tuple(
            question(one.operation, one.temperature) + (f" ({one.contender})" if several else "")
            for one in self.verdicts
        )


def outlooks(verdicts: Iterable[Verdict], pace: Pace | None) -> Iterator[Outlook]:
    """Everything that is open, in groups; what more time decides comes first.

    Args:
        verdicts: on wall time.
        pace: how long a start takes.
    """
    timely: list[Verdict] = []
    others: dict[str, list[Verdict]] = {}
    for one in verdicts:
        if not is_open(one):
            continue
        if not one.starts_needed:
            others.setdefault(why(one), []).append(one)
        elif _seconds([one], pace) <= _REASONABLE:
            timely.append(one)
        else:
            others.setdefault(LONGER, []).append(one)
    if timely:
        yield Outlook(tuple(timely), _more(timely, pace), timely=True)
    for clauses, same in others.items():
        yield Outlook(tuple(same), clauses)


def needs(one: Verdict, operations: Iterable[str], pace: Pace | None) -> str:
    """What an open verdict over several operations would take."""
    if not one.starts_needed or pace is None:
        return why(one)
    missing = one.starts_needed - one.starts
    seconds = pace.more({(operation, one.temperature): missing for operation in operations})
    return about(seconds) if seconds <= _REASONABLE else LONGER


def about(seconds: Seconds) -> str:
    """An estimate that claims no more than it knows: ``about 40 more seconds``, ``about 3 more hours``."""
    if seconds < 90:
        return f"about {max(10, 10 * round(seconds / 10))} more seconds"
    minutes = round(seconds / 60)
    return f"about {minutes} more minutes" if minutes < 90 else f"about {round(minutes / 60)} more hours"


def _more(timely: list[Verdict], pace: Pace | None) -> str:
    if pace is None:
        most = max(one.starts_needed or 0 for one in timely)
        return f"about {units.count(most, 'start')} in all"
    return f"{about(_seconds(timely, pace))}"


def _seconds(verdicts: list[Verdict], pace: Pace | None) -> Seconds:
    """What the starts that these still need would take; 0 where nobody knows."""
    if pace is None:
        return 0.0
    missing: dict[tuple[str, str], int] = {}
    for one in verdicts:
        place = one.operation, one.temperature
        missing[place] = max(missing.get(place, 0), (one.starts_needed or 0) - one.starts)
    return pace.more(missing)


def _at_margin(one: Verdict) -> str:
    """What is said where the ratio that was seen lies so near the margin that no number of starts is known; else ''."""
    if one.starts_needed or not one.ratio or not one.low or not one.high:
        return ""
    margin = math.log1p(one.margin)
    if abs(abs(math.log(one.ratio)) / margin - 1) >= _NEAR:
        return ""
    return AT_MARGIN if math.log(one.high / one.low) / 2 <= margin else f"more time, or {QUIETER}"


def why(one: Verdict) -> str:
    """Why more starts do not decide a comparison."""
    reason = one.reasons[0] if one.reasons else None
    noisy = reason is not None and reason.code == codes.T7_UNSTABLE.code
    if noisy or one.verdict is VerdictName.UNRESOLVED:
        return _at_margin(one) or QUIETER
    match reason.code if reason else "":
        case codes.T10_STARTS.code:
            return f"it takes {MIN_STARTS} starts"
        case code if code in CONTENDED:
            return "others used the machine, run it again"
        case _:
            return one_line(reason.text, 200).rstrip(".") if reason else "no reason is known"
