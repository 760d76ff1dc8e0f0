"""Round trips: what a contender says of its times, held against weigh's own clock (A10). Pure.

Next to nothing but the timed region lies between asking for an execution and having the reply: 0.1 to 0.4 ms with
every engine of weigh's. On a busy machine a reply waits for a CPU, that of an honest contender too. So a contender is
accused only where even its quick replies come late, where those of others did not, and where nearly all come later
than theirs. What lies below that, or is uneven, accuses nobody, and costs the verdict where weigh's own clock gives
another one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.experiment.results.clock.clock_coverage import conversion
from weigh.model import codes
from weigh.model.sample import Samples
from weigh.model.units import Seconds, percent, seconds
from weigh.model.verdict import VerdictName
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.model.finding import Finding
    from weigh.model.sample import Sample
    from weigh.model.verdict import Reason, Timing, Verdict
    from weigh.statistics.arrays import Floats

FLOOR = 2e-3
"""Seconds that a contender may be later than others before it is accused; honest ones differ by 0.3 ms."""
SHARE = 0.2
"""Of its time: a longer execution may be followed by more that is not in it."""
MANY = 20
"""Executions from which on less is enough, where it is a larger share: what one reply may wait, all of them do not."""
FLOOR_OF_MANY = 0.75e-3
"""Seconds by which nearly all replies of many may be later than those of others; honest ones differ by 0.3 ms."""
SHARE_OF_MANY = 0.5
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
DOUBT_LEAST, DOUBT_SHARE = 0.2e-3, 0.25
"""Less can where executions are short: from this share of the shorter time on, but never below so many seconds."""
DOUBT_RELEASE = 2e-3
"""The same of freeing results: a large one takes longer to free, and nobody has hidden anything."""
DOUBT_ANSWER = 2e-3
"""The same of handing out answers, beyond what converting them may cost."""

CLAIMS = (VerdictName.FASTER, VerdictName.SLOWER, VerdictName.SAME, VerdictName.SMALL)


class _Timed(NamedTuple):
    """The timed executions of one question by one contender whose round trip is known; arrays of one value each.

    Attributes:
        wall, cpu: as the contender says.
        late: seconds of the round trip beyond them.
        cpu_late: CPU seconds of its process in the round trip beyond those it says; NaN where it says none.
        release: seconds of freeing the result before it.
        handing: seconds of handing out its answer, beyond what converting so many rows may take.
    """

    wall: Floats
    cpu: Floats
    late: Floats
    cpu_late: Floats
    release: Floats
    handing: Floats


Known = dict[tuple[Question, str], _Timed]
"""Timed executions whose round trip is known, by question and contender."""


def findings(samples: Iterable[Sample], background: Collection[str] = ()) -> list[Finding]:
    """Contenders whose figures weigh's own clock contradicts (A10), or that do their work between executions (A6).

    Args:
        samples: of all attempts.
        background: contenders that declare work in the background. It uses CPU between two executions, and delays
            replies: that is a cost (A11), and takes the verdicts away that it would change, but no lie.
    """
    known = _known(Samples.of(samples))
    return [*_clock(known, background), *_cpu(known, background), *_release(known, background)]


def around(samples: Iterable[Sample], timings: Sequence[Timing]) -> tuple[Timing, ...]:
    """Timings of wall time with what weigh's own clock says beyond it."""
    known = _known(Samples.of(samples))

    def of(timing: Timing) -> float | None:
        delays = known.get((Question(timing.operation, timing.temperature), timing.contender))
        return _median(delays.late) if delays else None

    return tuple(msgspec.structs.replace(timing, around=of(timing)) for timing in timings)


def doubts(
    samples: Sequence[Sample], analysis: MetricAnalysis, judge: Callable[[Floats], MetricAnalysis]
) -> Mapping[tuple[Question, str], Reason]:
    """Verdicts on wall time that weigh's own clock does not give, with the reason for which they are refused.

    Args:
        samples: of all attempts.
        analysis: of the times that contenders say.
        judge: analyses other seconds of each of them by the same rules.
    """
    found: dict[tuple[Question, str], Reason] = {}
    for clock in clocks(samples):
        executions = [
            one
            for one in analysis.verdicts
            if one.verdict in CLAIMS
            and clock.differ(Question(one.operation, one.temperature), one.contender, one.baseline)
        ]
        if not executions:
            continue
        other = {_key(one): one for one in judge(clock.seconds).verdicts}
        for one in executions:
            if (against := other.get(_key(one))) is not None and contradicts(one, against):
                found.setdefault(_key(one), clock.say(one, against))
    return found


class Clock:
    """A clock of weigh's own alongside the times that contenders say.

    Args:
        samples: of all attempts of a session.
        known: of them.
        beyond: of executions, seconds by this clock beyond those that were reported.
        least: seconds by which honest contenders differ in that.
        seconds: of each sample, by this clock.
        say: the reason for which a verdict is refused, from it and the one by this clock.
        relative: whether less is enough where executions are short.

    Attributes:
        seconds: of each sample, by this clock; one without a round trip keeps its time.
    """

    def __init__(
        self,
        samples: Samples,
        known: Known,
        *,
        beyond: Callable[[_Timed], Floats],
        least: float,
        seconds: Floats,
        say: Callable[[Verdict, Verdict], Reason],
        relative: bool = False,
    ) -> None:
        self._known, self._beyond, self._least, self._relative = known, beyond, least, relative
        wall = samples.floats("wall_s")
        around = ~np.isnan(wall) & ~np.isnan(samples.floats("round_trip_s")) & (seconds > 0)
        self.seconds = np.where(around, seconds, wall)
        self.say = say

    def differ(self, question: Question, one: str, other: str) -> bool:
        """Whether two contenders differ in what lies outside their times, by more than honest ones do."""
        sides = [self._known.get((question, name)) for name in (one, other)]
        if not all(sides):
            return False
        first, second = (_median(self._beyond(side)) for side in sides if side)
        least = self._least
        if self._relative:
            shorter = min(_median(side.wall) for side in sides if side)
            least = min(least, max(DOUBT_LEAST, DOUBT_SHARE * shorter))
        return abs(first - second) > least


def clocks(samples: Iterable[Sample]) -> tuple[Clock, ...]:
    """Around the executions; around them and the freeing of results; around them and the handing out of answers.

    Args:
        samples: of all attempts of a session.
    """
    every = Samples.of(samples)
    known = _known(every)
    # Nobody's reply was quicker than this: so much is the way there and back.
    way = max(0.0, min((float(one.late.min()) for one in known.values()), default=0.0))
    quickest = min((float(one.release.min()) for one in known.values()), default=0.0)
    by_round_trip = _or_zero(every, "round_trip_s") - way
    with_release = by_round_trip + _or_zero(every, "release_s") - quickest
    with_answer = by_round_trip + _beyond_converting(every)
    return (
        Clock(every, known, beyond=_late, least=DOUBT, seconds=by_round_trip, say=_by_round_trip, relative=True),
        Clock(every, known, beyond=_freeing, least=DOUBT_RELEASE, seconds=with_release, say=_by_release),
        Clock(every, known, beyond=_handing, least=DOUBT_ANSWER, seconds=with_answer, say=_by_answer),
    )


def _known(samples: Samples) -> Known:
    return samples.once("round trips", lambda: _grouped(samples))


def _grouped(samples: Samples) -> Known:
    wall, around, cpu = (samples.floats(name) for name in ("wall_s", "round_trip_s", "cpu_s"))
    columns = (
        wall,
        cpu,
        around - wall,
        samples.floats("round_trip_cpu_s") - cpu,
        _or_zero(samples, "release_s"),
        _beyond_converting(samples),
    )
    among = samples.timed & ~np.isnan(wall) & ~np.isnan(around)
    return {
        (Question(operation, temperature), contender): _Timed(*(column[those] for column in columns))
        for (operation, temperature, contender), those in samples.groups(
            "operation", "temperature", "contender", among=among
        ).items()
    }


def _clock(known: Known, background: Collection[str]) -> Iterator[Finding]:
    for (question, contender), delays in known.items():
        wall = _median(delays.wall)
        shortest = float(delays.late.min())
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
        beyond = _lower(delays.late) - max(0.0, min(map(_lower, others), default=0.0))
        if _sure(delays.late, others) and beyond > _bound(len(delays.late), wall):
            waited = _median(delays.late + delays.wall)
            yield codes.A10_CLOCK.finding(
                contender=contender,
                operation=question.operation,
                text=f"it says {seconds(wall)}, and weigh waits {seconds(waited)} for it by its own clock: at least "
                f"{seconds(beyond)} more than goes by with others",
                remedy="its figures are not those of the work; it is not compared",
            )


def _cpu(known: Known, background: Collection[str]) -> Iterator[Finding]:
    for (question, contender), delays in known.items():
        known_cpu = ~np.isnan(delays.cpu_late)
        cpu, late = delays.cpu[known_cpu], delays.cpu_late[known_cpu]
        if len(cpu) < LEAST:
            continue
        claimed = _median(cpu)
        # CPU time does not pass while a reply waits: neither a busy machine nor weigh is in it.
        less, more = _lower(late), _median(-late)
        hidden = contender not in background and less > _bound(len(cpu), claimed)
        if hidden or more > max(FLOOR, SHARE * (claimed - more)):
            kernel = _median(cpu + late)
            yield codes.A10_CPU.finding(
                contender=contender,
                operation=question.operation,
                text=f"it says {seconds(claimed)} of CPU, and the kernel charged its process {seconds(kernel)}",
                remedy="its figures are not those of the work; it is not compared",
            )


def _release(known: Known, background: Collection[str]) -> Iterator[Finding]:
    for (question, contender), delays in known.items():
        if contender in background:
            continue
        wall = _median(delays.wall)
        others = _others(known, question, contender, _freeing)
        beyond = _lower(delays.release) - min(map(_lower, others), default=0.0)
        if _sure(delays.release, others) and beyond > max(RELEASE_FLOOR, RELEASE_SHARE * wall):
            freeing = _median(delays.release)
            yield codes.A6_RELEASE.finding(
                contender=contender,
                operation=question.operation,
                text=f"it spends {seconds(freeing)} on freeing the last result before an execution that takes "
                f"{seconds(wall)}: the clock covers the smaller part of the work",
                remedy="its adapter must do in run() whatever a result costs; it is not compared",
            )


def _bound(executions: int, claimed: Seconds) -> Seconds:
    """What may be missing of a time that is claimed for so many executions."""
    bound = max(FLOOR, SHARE * claimed)
    return min(bound, max(FLOOR_OF_MANY, SHARE_OF_MANY * claimed)) if executions >= MANY else bound


def _late(those: _Timed) -> Floats:
    return those.late


def _freeing(those: _Timed) -> Floats:
    return those.release


def _handing(those: _Timed) -> Floats:
    return those.handing


def _or_zero(samples: Samples, field: str) -> Floats:
    """A field, 0 where it was not measured."""
    return np.nan_to_num(samples.floats(field), nan=0.0)


def _beyond_converting(samples: Samples) -> Floats:
    return np.maximum(0.0, _or_zero(samples, "answer_s") - conversion(_or_zero(samples, "rows")))


def _others(known: Known, question: Question, contender: str, of: Callable[[_Timed], Floats]) -> list[Floats]:
    """The same figure of each other contender: on this question, or on all where it has none."""
    names = {name for _, name in known} - {contender}
    return [
        of(known[question, name])
        if (question, name) in known
        else np.concatenate([of(those) for (_, by), those in known.items() if by == name])
        for name in names
    ]


def _sure(delays: Floats, others: Sequence[Floats]) -> bool:
    """Whether there are enough executions, and nearly all are later than the quickest other contender's."""
    if len(delays) < LEAST or not others:
        return False
    quickest = np.sort(min(others, key=_lower))
    later = int(np.searchsorted(quickest, delays).sum())
    return later >= min(0.95, 0.5 + SUPERIOR / math.sqrt(len(delays))) * len(delays) * len(quickest)


def _lower(values: Floats) -> float:
    """The lower eighth, as one of the values: what waits for a CPU does not move it."""
    return float(np.sort(values)[(len(values) - 1) // 8])


def _median(values: Floats) -> float:
    return float(np.median(values))


def contradicts(one: Verdict, other: Verdict) -> bool:
    """Whether another clock claims something else, and neither ratio is compatible with the other's interval."""
    figures = (one.ratio, one.low, one.high, other.ratio, other.low, other.high)
    if one.verdict == other.verdict or None in figures:
        return False
    ratio, low, high, by_other, other_low, other_high = (float(figure or 0.0) for figure in figures)
    return not (other_low <= ratio <= other_high or low <= by_other <= high)


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
