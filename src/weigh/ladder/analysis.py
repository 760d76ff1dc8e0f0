"""The ladder: analyses of one experiment at growing scales in, what the noise allows at each of them out. Pure.

A margin is *resolvable* at a rung where the smallest effect that its starts would find (at the confidence of the rules,
with 80 % power) is not above the margin. The baseline is held against its own second arm. The first rung is that from
which on every larger rung resolves too: one lucky rung between two noisy ones is no scale to measure at.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weigh.ladder.forecast import Crossing, Noise, forecast, smallest, spread, starts_for
from weigh.model.units import Scale, Seconds
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.model.rules import Rules
    from weigh.model.verdict import Verdict
    from weigh.verdict.analysis_model import NoiseFloor

_UNSHOWN = (VerdictName.DIVERGED, VerdictName.ERROR)


class StepFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one contender on one operation at one rung.

    Attributes:
        scale: of the rung.
        against: whom the ratio is over; the contender itself for the baseline's two arms.
        starts: fresh starts with at least one measurement, both arms of the baseline together; None where no time is
            shown, as the next five.
        runs: measurements a start, the median over starts.
        min, median, max: over all measurements.
        cv: standard deviation over mean of all measurements.
        blocks: in which both sides of the ratio were measured.
        verdict: None for the baseline.
        ratio: contender over ``against``; of the baseline its second arm over its first.
        plain_ratio: of a refused comparison without a ratio, that of the medians: no verdict, and counted nowhere.
        low, high: interval of the ratio at the confidence of the rules.
        half_width: of the interval, as a factor less one: 0.03 means times or over 1.03.
        detectable: smallest effect that these starts would find, a fraction.
        resolves: whether that is within the margin; None where there is no interval.
    """

    scale: Scale | None
    against: str
    starts: int | None = None
    runs: int | None = None
    min: Seconds | None = None
    median: Seconds | None = None
    max: Seconds | None = None
    cv: float | None = None
    blocks: int | None = None
    verdict: VerdictName | None = None
    ratio: float | None = None
    plain_ratio: float | None = None
    low: float | None = None
    high: float | None = None
    half_width: float | None = None
    detectable: float | None = None
    resolves: bool | None = None


class Step(StepFigures, frozen=True, kw_only=True):
    """One contender on one operation at one rung.

    Attributes:
        operation, contender: whose figures they are.
        rung: number of the rung, from 0.
    """

    operation: str
    contender: str
    rung: int

    @property
    def figures(self) -> StepFigures:
        """The figures without whose they are."""
        return StepFigures(**{name: getattr(self, name) for name in StepFigures.__struct_fields__})


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One contender on one operation over all rungs.

    Attributes:
        itself: whether it is the baseline, held against itself.
        steps: one a rung at which it was measured or judged.
        first: scale of the first rung from which on the margin is resolvable; None where the largest does not resolve.
        lost: scale of the largest rung that does not resolve although a smaller one does.
        predicted: where no rung resolves and a line can tell.
        unpredicted: why there is no prediction.
        starts_needed: starts that would resolve it at the largest rung, where none resolves.
    """

    operation: str
    contender: str
    itself: bool
    steps: tuple[Step, ...]
    first: Scale | None = None
    lost: Scale | None = None
    predicted: Crossing | None = None
    unpredicted: str = ""
    starts_needed: int | None = None

    @property
    def judged(self) -> tuple[Step, ...]:
        """The steps that have an interval."""
        return tuple(step for step in self.steps if step.resolves is not None)


class Ladder(msgspec.Struct, frozen=True, kw_only=True):
    """The whole ladder.

    Attributes:
        series: by operation, the baseline first.
        first: scale of the first rung from which on every comparison resolves the margin; None where there is none.
    """

    series: tuple[Series, ...]
    first: Scale | None = None

    @property
    def compared(self) -> tuple[Series, ...]:
        """The series that a claim can be about: those of the candidates, or of the baseline where it is alone."""
        return tuple(one for one in self.series if not one.itself) or self.series


def ladder(rungs: Sequence[tuple[Scale | None, MetricAnalysis]], contenders: Sequence[str], rules: Rules) -> Ladder:
    """Reads the analyses of all rungs together.

    Args:
        rungs: scale and analysis of wall time, by ascending scale.
        contenders: names, the baseline first.
        rules: margin and confidence; the same for all rungs.
    """
    baseline = contenders[0]
    steps: dict[tuple[str, str], list[Step]] = {}
    for number, (scale, analysis) in enumerate(rungs):
        for step in _steps(number, scale, analysis, baseline, rules):
            steps.setdefault((step.operation, step.contender), []).append(step)
    operations = list(dict.fromkeys(operation for operation, _ in steps))
    ordered = sorted(steps, key=lambda key: (operations.index(key[0]), contenders.index(key[1])))
    found = Ladder(
        series=tuple(_series(*key, key[1] == baseline, tuple(steps[key]), rules, len(rungs)) for key in ordered)
    )
    firsts = [one.first for one in found.compared if one.judged]
    whole = bool(firsts) and None not in firsts
    return msgspec.structs.replace(found, first=max(one for one in firsts if one is not None) if whole else None)


def _steps(number: int, scale: Scale | None, analysis: MetricAnalysis, baseline: str, rules: Rules) -> Iterable[Step]:
    timings = {(one.operation, one.contender): one for one in analysis.timings}
    verdicts = {(one.operation, one.contender): one for one in analysis.verdicts}
    floors = {(one.operation, baseline): one for one in analysis.floors}
    for operation, contender in dict.fromkeys([*timings, *verdicts]):
        timing, verdict = timings.get((operation, contender)), verdicts.get((operation, contender))
        step = Step(operation=operation, contender=contender, rung=number, scale=scale, against=baseline)
        if timing:
            step = msgspec.structs.replace(
                step,
                **{name: getattr(timing, name) for name in ("starts", "runs", "min", "median", "max", "cv")},
            )
        if verdict:
            plain = verdict.plain_ratio
            yield msgspec.structs.replace(step, verdict=verdict.verdict, plain_ratio=plain, **_judged(verdict, rules))
        else:
            yield msgspec.structs.replace(step, **_noise_figures(floors.get((operation, contender)), rules))


def _judged(verdict: Verdict, rules: Rules) -> dict[str, float | bool | None]:
    """The figures of a comparison; nothing where it has no interval."""
    if verdict.low is None or verdict.high is None or verdict.detectable is None or verdict.verdict in _UNSHOWN:
        return {}
    return {
        "blocks": verdict.starts,
        "ratio": verdict.ratio,
        "low": verdict.low,
        "high": verdict.high,
        "half_width": math.sqrt(verdict.high / verdict.low) - 1,
        "detectable": verdict.detectable,
        "resolves": verdict.detectable <= rules.margin,
    }


def _noise_figures(floor: NoiseFloor | None, rules: Rules) -> dict[str, float | bool | None]:
    """The figures of the baseline against itself."""
    if floor is None or floor.starts < 2 or not math.isfinite(floor.high):
        return {}
    half = math.log(floor.high / floor.low) / 2
    least = math.expm1(smallest(spread(half, floor.starts, rules.confidence), floor.starts, rules.confidence))
    return {
        "blocks": floor.starts,
        "ratio": floor.ratio,
        "low": floor.low,
        "high": floor.high,
        "half_width": math.expm1(half),
        "detectable": least,
        "resolves": least <= rules.margin,
    }


def _series(operation: str, contender: str, itself: bool, steps: tuple[Step, ...], rules: Rules, rungs: int) -> Series:
    one = Series(operation=operation, contender=contender, itself=itself, steps=steps)
    judged = one.judged
    if not judged:
        return one
    failing = [at for at, step in enumerate(judged) if not step.resolves]
    if not failing:
        return msgspec.structs.replace(one, first=judged[0].scale)
    last = failing[-1]
    if last + 1 < len(judged):
        one = msgspec.structs.replace(one, first=judged[last + 1].scale)
    if any(step.resolves for step in judged[:last]):
        one = msgspec.structs.replace(one, lost=judged[last].scale)
    if one.first is not None or one.lost is not None or rungs < 2:
        return one
    noises = [_noise(step, rules) for step in judged]
    found = forecast(noises, rules)
    needed = starts_for(noises[-1], rules)
    if isinstance(found, Crossing):
        return msgspec.structs.replace(one, predicted=found, starts_needed=needed)
    return msgspec.structs.replace(one, unpredicted=found, starts_needed=needed)


def _noise(step: Step, rules: Rules) -> Noise:
    assert step.low and step.high and step.blocks and step.scale
    half = math.log(step.high / step.low) / 2
    return Noise(scale=float(step.scale), spread=spread(half, step.blocks, rules.confidence), starts=step.blocks)
