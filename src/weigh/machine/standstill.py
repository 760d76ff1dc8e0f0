"""Standing still: weigh was stopped, or the whole machine was, while something was measured. Pure.

The thread that reads the machine (20 times a second) stands still with weigh: a debugger, job control of a shell, a
paused container, a closed lid. A stretch in which it read nothing is one in which nobody measured.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.model import codes
from weigh.model.units import count, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from weigh.model.finding import Finding
    from weigh.model.machine.timeline import Moment, Watch
    from weigh.model.sample import Sample
    from weigh.model.units import Seconds

LEAST: Seconds = 1.0
"""Seconds between two readings from which on weigh stood still: a busy machine delays a thread by a tenth of that."""
PERIODS = 10
"""Periods of reading that it must be at least, where the machine is read more rarely."""
_NAMED = 3


class Standstill(NamedTuple):
    """A stretch in which weigh read nothing.

    Attributes:
        began, ended: seconds since the attempt began.
    """

    began: Seconds
    ended: Seconds


def standstills(watches: Iterable[Watch]) -> list[Standstill]:
    """Those of one attempt."""
    moments: Sequence[Moment] = [moment for watch in watches for moment in watch.moments]
    if not moments:
        return []
    least = max(LEAST, PERIODS * median(moment.span for moment in moments))
    return [Standstill(moment.at, moment.end) for moment in moments if moment.span >= least]


def findings(attempts: Iterable[tuple[Sequence[Sample], Iterable[Watch]]]) -> Iterator[Finding]:
    """One of all attempts; none where nothing was being measured.

    Args:
        attempts: samples and readings of each.
    """
    touched: set[tuple[int, int, int]] = set()
    whose: dict[str, None] = {}
    stood: list[Standstill] = []
    for samples, watches in attempts:
        if not (found := standstills(watches)):
            continue
        begins, ends = np.array([one.at for one in samples]), np.array([_end(one) for one in samples])
        for one in found:
            within = [samples[place] for place in np.flatnonzero((one.began <= ends) & (begins <= one.ended)).tolist()]
            if within:
                stood.append(one)
                touched |= {(sample.attempt, sample.block, sample.turn) for sample in within}
                whose |= dict.fromkeys(f"{sample.operation} of {sample.contender}" for sample in within)
    if stood:
        lasted = seconds(sum(one.ended - one.began for one in stood))
        more = f" and {len(whose) - _NAMED} more" if len(whose) > _NAMED else ""
        yield codes.E8_STOPPED.finding(
            text=f"weigh itself stood still {count(len(stood), 'time')}, for {lasted}, in "
            f"{count(len(touched), 'turn')}: {', '.join(list(whose)[:_NAMED])}{more}",
            remedy=REMEDY,
        )


def of_contender(contender: str, operation: str, block: int, turn: int) -> Finding:
    """That the process of a contender was stopped in a turn."""
    return codes.E8_STOPPED.finding(
        contender=contender,
        operation=operation,
        text=f"its process was stopped in turn {turn} of block {block}, as a debugger or kill -STOP does",
        remedy=REMEDY,
    )


REMEDY = (
    "run it again, with no debugger, no Ctrl-Z and no sleep of the machine in between: what was measured then is kept, "
    "and may be slower than it is"
)


def _end(sample: Sample) -> Seconds:
    return sample.at + max(sample.round_trip_s or 0.0, sample.wall_s or 0.0) + (sample.answer_s or 0.0)
