"""Round trips: what a contender says of its times, held against weigh's own clock (A10). Pure.

Next to nothing but the timed region lies between asking for an execution and having the reply: 0.1 to 0.4 ms with
every engine of weigh's. On a busy machine a reply waits for a CPU, that of an honest contender too. So a contender is
accused only where even its quick replies come late, where those of others did not, and where nearly all come later
than theirs. What lies below that, or is uneven, accuses nobody, and costs the verdict where weigh's own clock gives
another one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.experiment.results.clock.clock_coverage import conversion
from weigh.model import codes
from weigh.model.units import percent, seconds
from weigh.model.verdict import VerdictName
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.model.finding import Finding
    from weigh.model.sample import Sample
    from weigh.model.verdict import Reason, Timing, Verdict

FLOOR = 2e-3
"""Seconds that a contender may be later than others before it is accused; honest ones differ by 0.3 ms."""
SHARE = 0.2
"""Of its time: a longer execution may be followed by more that is not in it."""
LEAST = 8
"""Executions before anybody is accused."""
SUPERIOR = 1.3
"""Of all pairs with another contender's execution, this over the root of the number of executions must be later beyond
one half, but never more than 0.95: four standard errors of what chance alone gives."""
IMPOSSIBLE = 1e-4
"""Seconds by which a time may be longer than the round trip around it: both count the kernel's one clock."""
RELEASE_FLOOR = 5e-3
"""Seconds of freeing a result that accuse nobody."""
RELEASE_SHARE = 1.0
"""Above the floor, more time between the executions than in them is work that the clock does not cover."""
DOUBT = 0.5e-3
"""Seconds from which on a difference between two contenders' round trips can take a verdict away."""
DOUBT_RELEASE = 2e-3
"""The same of freeing results: a large one takes longer to free, and nobody has hidden anything."""
DOUBT_ANSWER = 2e-3
"""The same of handing out answers, beyond what converting them may cost."""

CLAIMS = (VerdictName.FASTER, VerdictName.SLOWER, VerdictName.SAME, VerdictName.SMALL)


class _One(NamedTuple):
    """One timed execution.

    Attributes:
        wall, cpu: as the contender says.
        late: seconds of the round trip beyond them.
        cpu_late: CPU seconds of its process in the round trip beyond those it says; None where it says none.
        release: seconds of freeing the result before it.
        handing: seconds of handing out its answer, beyond what converting so many rows may take.
    """

    wall: float
    cpu: float | None
    late: float
    cpu_late: float | None
    release: float
    handing: float


Known = dict[tuple[Question, str], list[_One]]
"""Timed executions whose round trip is known, by question and contender."""


def findings(samples: Iterable[Sample], background: Collection[str] = ()) -> list[Finding]:
    """Contenders whose figures weigh's own clock contradicts (A10), or that do their work between executions (A6).

    Args:
        samples: of all attempts.
        background: contenders that declare work in the background. It uses CPU between two executions, and delays
            replies: that is a cost (A11), and takes the verdicts away that it would change, but no lie.
    """
    known = _known(samples)
    return [*_clock(known, background), *_cpu(known, background), *_release(known, background)]


def around(samples: Iterable[Sample], timings: Sequence[Timing]) -> tuple[Timing, ...]:
    """Timings of wall time with what weigh's own clock says beyond it."""
    known = _known(samples)

    def of(timing: Timing) -> float | None:
        own = known.get((Question(timing.operation, timing.temperature), timing.contender))
        return median(one.late for one in own) if own else None

    return tuple(msgspec.structs.replace(timing, around=of(timing)) for timing in timings)


def doubts(
    samples: Sequence[Sample], analysis: MetricAnalysis, judge: Callable[[Sequence[Sample]], MetricAnalysis]
) -> Mapping[tuple[Question, str], Reason]:
    """Verdicts on wall time that weigh's own clock does not give, with the reason for which they are refused.

    Args:
        samples: of all attempts.
        analysis: of the times that contenders say.
        judge: analyses samples by the same rules.
    """
    found: dict[tuple[Question, str], Reason] = {}
    for clock in clocks(samples):
        asked = [
            one
            for one in analysis.verdicts
            if one.verdict in CLAIMS
            and clock.differ(Question(one.operation, one.temperature), one.contender, one.baseline)
        ]
        if not asked:
            continue
        other = {_key(one): one for one in judge(clock.times()).verdicts}
        for one in asked:
            if (against := other.get(_key(one))) is not None and contradicts(one, against):
                found.setdefault(_key(one), clock.say(one, against))
    return found


class Clock:
    """A clock of weigh's own beside the times that contenders say.

    Args:
        samples: of all attempts of a session.
        known: of them.
        beyond: of an execution, seconds by this clock beyond those that were said.
        least: seconds by which honest contenders differ in that.
        value: the time of a sample by this clock.
        say: the reason for which a verdict is refused, from it and the one by this clock.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        known: Known,
        *,
        beyond: Callable[[_One], float],
        least: float,
        value: Callable[[Sample], float],
        say: Callable[[Verdict, Verdict], Reason],
    ) -> None:
        self._samples, self._known = samples, known
        self._beyond, self._least, self._value = beyond, least, value
        self.say = say

    def differ(self, question: Question, one: str, other: str) -> bool:
        """Whether two contenders differ in what lies outside their times, by more than honest ones do."""
        sides = [self._known.get((question, name)) for name in (one, other)]
        if not all(sides):
            return False
        first, second = (median(map(self._beyond, side)) for side in sides if side)
        return abs(first - second) > self._least

    def times(self) -> list[Sample]:
        """The samples with the times of this clock."""
        return [_replaced(one, self._value(one)) for one in self._samples]


def clocks(samples: Sequence[Sample]) -> tuple[Clock, ...]:
    """Around the executions; around them and the freeing of results; around them and the handing out of answers.

    Args:
        samples: of all attempts of a session.
    """
    known = _known(samples)
    # Nobody's reply was quicker than this: so much is the way there and back.
    way = max(0.0, min((one.late for those in known.values() for one in those), default=0.0))
    quickest = min((one.release for those in known.values() for one in those), default=0.0)

    def by_round_trip(one: Sample) -> float:
        return (one.round_trip_s or 0.0) - way

    def with_release(one: Sample) -> float:
        return by_round_trip(one) + (one.release_s or 0.0) - quickest

    def with_answer(one: Sample) -> float:
        return by_round_trip(one) + _beyond_converting(one)

    return (
        Clock(samples, known, beyond=_late, least=DOUBT, value=by_round_trip, say=_by_round_trip),
        Clock(samples, known, beyond=_freeing, least=DOUBT_RELEASE, value=with_release, say=_by_release),
        Clock(samples, known, beyond=_handing, least=DOUBT_ANSWER, value=with_answer, say=_by_answer),
    )


def _known(samples: Iterable[Sample]) -> Known:
    found: Known = defaultdict(list)
    for one in samples:
        if not one.timed or one.wall_s is None or one.round_trip_s is None:
            continue
        charged = None if one.cpu_s is None or one.round_trip_cpu_s is None else one.round_trip_cpu_s - one.cpu_s
        late = one.round_trip_s - one.wall_s
        row = _One(one.wall_s, one.cpu_s, late, charged, one.release_s or 0.0, _beyond_converting(one))
        found[Question(one.operation, one.temperature), one.contender].append(row)
    return found


def _clock(known: Known, background: Collection[str]) -> Iterator[Finding]:
    for (question, contender), own in known.items():
        wall = median(one.wall for one in own)
        shortest = min(one.late for one in own)
        if shortest < -IMPOSSIBLE:
            yield codes.A10_CLOCK.finding(
                contender=contender,
                operation=question.operation,
                text=f"it says an execution took {seconds(-shortest)} longer than weigh waited for it",
                remedy="its figures are not those of the work; it is not compared",
            )
            continue
        if contender in background:
            continue
        others = _others(known, question, contender, _late)
        beyond = _lower(map(_late, own)) - max(0.0, min(map(_lower, others), default=0.0))
        if _sure(own, _late, others) and beyond > max(FLOOR, SHARE * wall):
            said = median(one.late + one.wall for one in own)
            yield codes.A10_CLOCK.finding(
                contender=contender,
                operation=question.operation,
                text=f"it says {seconds(wall)}, and weigh waits {seconds(said)} for it by its own clock: at least "
                f"{seconds(beyond)} more than goes by with others",
                remedy="its figures are not those of the work; it is not compared",
            )


def _cpu(known: Known, background: Collection[str]) -> Iterator[Finding]:
    for (question, contender), own in known.items():
        pairs = [(one.cpu, one.cpu_late) for one in own if one.cpu is not None and one.cpu_late is not None]
        if len(pairs) < LEAST:
            continue
        said = median(cpu for cpu, _ in pairs)
        # CPU time does not pass while a reply waits: neither a busy machine nor weigh is in it.
        less, more = _lower(late for _, late in pairs), median(-late for _, late in pairs)
        hidden = contender not in background and less > max(FLOOR, SHARE * said)
        if hidden or more > max(FLOOR, SHARE * (said - more)):
            kernel = median(cpu + late for cpu, late in pairs)
            yield codes.A10_CPU.finding(
                contender=contender,
                operation=question.operation,
                text=f"it says {seconds(said)} of CPU, and the kernel charged its process {seconds(kernel)}",
                remedy="its figures are not those of the work; it is not compared",
            )


def _release(known: Known, background: Collection[str]) -> Iterator[Finding]:
    for (question, contender), own in known.items():
        if contender in background:
            continue
        wall = median(one.wall for one in own)
        others = _others(known, question, contender, _freeing)
        beyond = _lower(map(_freeing, own)) - min(map(_lower, others), default=0.0)
        if _sure(own, _freeing, others) and beyond > max(RELEASE_FLOOR, RELEASE_SHARE * wall):
            freeing = median(one.release for one in own)
            yield codes.A6_RELEASE.finding(
                contender=contender,
                operation=question.operation,
                text=f"it spends {seconds(freeing)} on freeing the last result before an execution that takes "
                f"{seconds(wall)}: the clock covers the smaller part of the work",
                remedy="its adapter must do in run() whatever a result costs; it is not compared",
            )


def _late(one: _One) -> float:
    return one.late


def _freeing(one: _One) -> float:
    return one.release


def _handing(one: _One) -> float:
    return one.handing


def _beyond_converting(one: Sample) -> float:
    return max(0.0, (one.answer_s or 0.0) - conversion(one.rows or 0))


def _others(known: Known, question: Question, contender: str, of: Callable[[_One], float]) -> list[list[float]]:
    """The same figure of each other contender: on this question, or on all where it has none."""
    names = {name for _, name in known} - {contender}
    found = []
    for name in names:
        own = known.get((question, name)) or [one for (_, by), those in known.items() if by == name for one in those]
        found.append([of(one) for one in own])
    return found


def _sure(own: Sequence[_One], of: Callable[[_One], float], others: Sequence[Sequence[float]]) -> bool:
    """Whether there are enough executions, and nearly all are later than the quickest other contender's."""
    if len(own) < LEAST or not others:
        return False
    quickest = sorted(min(others, key=_lower))
    later = sum(bisect_left(quickest, of(one)) for one in own)
    return later >= min(0.95, 0.5 + SUPERIOR / math.sqrt(len(own))) * len(own) * len(quickest)


def _lower(values: Iterable[float]) -> float:
    """The lower eighth, as one of the values: what waits for a CPU does not move it."""
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 8]


def contradicts(one: Verdict, other: Verdict) -> bool:
    """Whether another clock claims something else, and neither ratio is compatible with the other's interval."""
    figures = (one.ratio, one.low, one.high, other.ratio, other.low, other.high)
    if one.verdict == other.verdict or None in figures:
        return False
    ratio, low, high, by_other, other_low, other_high = (float(figure or 0.0) for figure in figures)
    return not (other_low <= ratio <= other_high or low <= by_other <= high)


def _replaced(one: Sample, value: float) -> Sample:
    """The sample with another time; one without a round trip keeps its own."""
    known = one.wall_s is not None and one.round_trip_s is not None and value > 0
    return msgspec.structs.replace(one, wall_s=value) if known else one


def _by_round_trip(one: Verdict, other: Verdict) -> Reason:
    return codes.A10_VERDICT.reason(
        f"by the times that {one.contender} and {one.baseline} say of themselves the ratio is {_ratio(one)}, by "
        f"weigh's own clock around the same executions {_ratio(other)}"
    )


def _by_release(one: Verdict, other: Verdict) -> Reason:
    return codes.A6_DEFERRED.reason(
        f"the ratio is {_ratio(one)}; with what freeing the results costs between the executions it is {_ratio(other)}"
    )


def _by_answer(one: Verdict, other: Verdict) -> Reason:
    return codes.A5_DEFERRED.reason(
        f"the ratio is {_ratio(one)}; with what handing out the answers takes beyond converting them it is "
        f"{_ratio(other)}"
    )


def _ratio(one: Verdict) -> str:
    name = str(one.verdict).upper()
    if one.ratio is None:
        return name
    return f"{one.ratio:.3f} ({name}, {percent(abs(one.ratio - 1))} {'more' if one.ratio > 1 else 'less'})"


def _key(one: Verdict) -> tuple[Question, str]:
    return Question(one.operation, one.temperature), one.contender
