"""The ladder: where the signal clears the noise, on samples whose law is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from weigh.experiment.results.analysis import analyse
from weigh.ladder import findings
from weigh.ladder.analysis import Ladder, Series, ladder
from weigh.ladder.cost import best_single, costs
from weigh.ladder.forecast import LEVEL, Crossing, Noise, forecast, smallest, starts_for
from weigh.ladder.report import words
from weigh.ladder.report.plot import Line, plot
from weigh.model.contender import Contender, Variation
from weigh.model.rules import Rules
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.model.verdict import Timing, Verdict, VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.experiment.results.analysis import MetricAnalysis

RULES = Rules()
ARMS = (("base", "base"), ("base#2", "base"), ("new", "new"))
STARTS = 10


def judged(scale: int, noise: float, *, seed: int = 1, starts: int = STARTS, candidates: bool = True) -> MetricAnalysis:
    """One operation at one scale: the starts of every arm scatter by a normal law of that standard deviation."""
    draw = np.random.default_rng([seed, scale])
    arms = ARMS if candidates else ARMS[:2]
    samples = [
        Sample(
            block=block, start=block * 3 + at, turn=at, run=1, arm=arm, contender=contender, operation="q", case="c",
            outcome=Outcome.OK, wall_s=scale / 1e6 * math.exp(noise * draw.standard_normal()),
        )
        for block in range(starts)
        for at, (arm, contender) in enumerate(arms)
    ]  # fmt: skip
    names = ("base", "new") if candidates else ("base",)
    contenders = tuple(Contender(name=name, engine="duckdb") for name in names)
    return analyse(samples, spec=Spec(workload="netflow", contenders=contenders, baseline="base", scale=scale))


def climbed(law: Callable[[int], float], scales: Sequence[int], **how: object) -> Ladder:
    """The ladder over these scales, with the noise that the law gives each."""
    rungs = [(scale, judged(scale, law(scale), **how)) for scale in scales]  # type: ignore[arg-type]
    return ladder(rungs, ["base", "new"], RULES)


def of(found: Ladder, contender: str) -> Series:
    (one,) = (series for series in found.series if series.contender == contender)
    return one


SCALES = (10_000, 100_000, 1_000_000)


def test_the_first_rung_is_where_the_noise_falls_below_the_margin() -> None:
    # The smallest effect that ten starts find is about 1.4 standard deviations of a start.
    found = climbed(lambda scale: 0.30 if scale == SCALES[0] else 0.002, SCALES)
    assert of(found, "new").first == found.first == SCALES[1]
    assert [step.resolves for step in of(found, "new").steps] == [False, True, True]


def test_a_quiet_engine_resolves_at_the_smallest_rung() -> None:
    found = climbed(lambda scale: 0.002, SCALES)
    assert found.first == of(found, "new").first == SCALES[0]
    assert "the smallest rung" in words.outcome(of(found, "new"), 3)


@pytest.mark.promise("One quiet rung between two noisy ones does not count.")
def test_a_lucky_rung_between_noisy_ones_is_not_the_first() -> None:
    found = climbed(lambda scale: 0.002 if scale == SCALES[1] else 0.30, SCALES)
    one = of(found, "new")
    assert (one.first, one.lost, found.first) == (None, SCALES[2], None)
    assert one.predicted is None


def test_a_larger_rung_than_the_lost_one_counts() -> None:
    noises = dict(zip((*SCALES, 10_000_000), (0.002, 0.30, 0.002, 0.002), strict=True))
    one = of(climbed(lambda scale: noises[scale], tuple(noises)), "new")
    assert (one.first, one.lost) == (SCALES[2], SCALES[1])


def test_the_figures_of_a_step_are_those_of_the_judgement() -> None:
    analysis = judged(SCALES[0], 0.05)
    (verdict,) = analysis.verdicts
    step = of(ladder([(SCALES[0], analysis)], ["base", "new"], RULES), "new").steps[0]
    timing = next(one for one in analysis.timings if one.contender == "new")
    assert (step.low, step.high, step.detectable, step.verdict) == (
        verdict.low, verdict.high, verdict.detectable, verdict.verdict,
    )  # fmt: skip
    assert (step.median, step.max, step.cv) == (timing.median, timing.max, timing.cv)
    assert step.half_width == pytest.approx(math.sqrt(verdict.high / verdict.low) - 1)  # type: ignore[operator]


def test_a_contender_alone_is_held_against_itself() -> None:
    rungs = [(scale, judged(scale, 0.3 if scale == SCALES[0] else 0.001, candidates=False)) for scale in SCALES]
    found = ladder(rungs, ["base"], RULES)
    assert found.first == SCALES[1]
    assert found.compared == found.series
    assert found.series[0].itself


def test_the_baseline_does_not_hold_back_a_comparison() -> None:
    found = climbed(lambda scale: 0.002, SCALES)
    assert {one.contender for one in found.compared} == {"new"}


def test_the_smallest_effect_of_the_baseline_follows_from_its_interval() -> None:
    # With the same number of blocks the same formula gives a verdict's own figure back.
    found = climbed(lambda scale: 0.05, SCALES[:1])
    step = of(found, "new").steps[0]
    half = math.log(1 + step.half_width)  # type: ignore[operator]
    base = of(found, "base").steps[0]
    factor = math.log1p(step.detectable) / half  # type: ignore[arg-type]
    assert math.log1p(base.detectable) / math.log(1 + base.half_width) == pytest.approx(factor)  # type: ignore[arg-type, operator]


def test_without_an_interval_nothing_is_resolved() -> None:
    found = climbed(lambda scale: 0.002, SCALES, starts=3)
    assert of(found, "new").judged == ()
    assert found.first is None
    assert words.outcome(of(found, "new"), 3) == "no interval at any rung"


def noises(
    slope: float, beyond: float, *, scales: Sequence[float] = (1e5, 1e6, 1e7), starts: int = STARTS, seed: int = 0
) -> list[Noise]:
    """Noise that falls to what the margin needs at ``beyond`` times the largest scale, as some starts estimate it."""
    needed = math.log1p(RULES.margin) / smallest(1.0, starts, RULES.confidence)
    draw = np.random.default_rng(seed)
    return [
        Noise(
            scale=scale,
            spread=needed
            * (scale / scales[-1] / beyond) ** slope
            * math.sqrt(draw.chisquare(starts - 1) / (starts - 1)),
            starts=starts,
        )
        for scale in scales
    ]


@pytest.mark.parametrize("slope", [-1.0, -0.5])
@pytest.mark.parametrize("scales", [(1e5, 1e6), (1e5, 1e6, 1e7)])
def test_the_interval_of_a_predicted_scale_keeps_its_level(scales: tuple[float, ...], slope: float) -> None:
    true, replicates = scales[-1] * 10, 600
    found = [forecast(noises(slope, 10, scales=scales, seed=seed), RULES) for seed in range(replicates)]
    made = [one for one in found if isinstance(one, Crossing)]
    assert len(made) > 0.85 * replicates
    covered = sum(one.low <= true and (one.high is None or true <= one.high) for one in made)
    # Three standard deviations of a binomial count, on either side of 95 %; Fieller's interval is a little cautious.
    assert LEVEL - 0.027 < covered / len(made) < LEVEL + 0.036


def test_noise_that_does_not_fall_is_not_extrapolated() -> None:
    found = [forecast(noises(0.0, 1.0, seed=seed), RULES) for seed in range(400)]
    refused = [one for one in found if isinstance(one, str)]
    # A slope of nothing looks falling in half of 5 %.
    assert len(refused) > 0.95 * len(found)
    assert all("not shown to fall" in one for one in refused)


def test_one_rung_is_no_line() -> None:
    assert "needs two rungs" in str(forecast(noises(-0.5, 10)[:1], RULES))


def test_nothing_is_predicted_far_beyond_the_ladder() -> None:
    quiet = [Noise(scale=scale, spread=scale**-0.1, starts=1000) for scale in (1e3, 1e4, 1e5)]
    assert "beyond 1,000 times" in str(forecast(quiet, Rules(margin=0.001)))


def test_a_line_that_does_not_fit_has_a_wider_interval() -> None:
    straight = [Noise(scale=10.0**at, spread=10.0 ** (-0.5 * at), starts=30) for at in range(5, 9)]
    bent = [
        Noise(scale=one.scale, spread=one.spread * (2.0 if at % 2 else 0.5), starts=30)
        for at, one in enumerate(straight)
    ]
    wide, narrow = forecast(bent, Rules(margin=5e-5)), forecast(straight, Rules(margin=5e-5))
    assert isinstance(narrow, Crossing)
    assert narrow.high is not None
    # Whether an end can still be given or not, it is not the narrow one.
    assert isinstance(wide, str) or wide.high is None or wide.high / wide.low > 3 * narrow.high / narrow.low


def test_where_no_rung_resolves_a_scale_is_predicted_and_starts_are_named() -> None:
    found = climbed(lambda scale: 40.0 / math.sqrt(scale), SCALES)
    one = of(found, "new")
    assert one.first is None
    assert one.predicted is not None
    # 1.4 times the noise of a start is the margin at 3.5 million rows.
    assert one.predicted.low < 3.5e6 < (one.predicted.high or math.inf)
    assert one.predicted.slope == pytest.approx(-0.5, abs=0.25)
    assert one.starts_needed is not None
    assert one.starts_needed > STARTS
    said = words.outcome(one, 3)
    assert "no rung resolves the margin; predicted at about" in said
    assert f"or {one.starts_needed} starts at 1M rows" in said


def test_the_starts_named_would_do() -> None:
    noise = Noise(scale=1e6, spread=0.08, starts=10)
    needed = starts_for(noise, RULES)
    assert needed is not None
    assert smallest(noise.spread, needed, RULES.confidence) <= math.log1p(RULES.margin)
    assert smallest(noise.spread, needed - 1, RULES.confidence) > math.log1p(RULES.margin)


# COST.

WIDTHS = Variation(contender="e", key="threads", threads=True, members={"e?1": 1, "e?2": 2, "e?4": 4})


def timing(contender: str, median: float) -> Timing:
    return Timing(operation="q", contender=contender, starts=10, runs=3, min=median, median=median, max=median, cv=0.01)


def verdict(contender: str, baseline: str, name: VerdictName) -> Verdict:
    figures = {} if name is VerdictName.ERROR else {"ratio": 0.5, "low": 0.4, "high": 0.6}
    return Verdict(
        operation="q", contender=contender, baseline=baseline, verdict=name, confidence=0.99, margin=0.03, **figures
    )


def test_the_best_single_threaded_contender_may_be_another_engine() -> None:
    other = Variation(contender="f", key="max_threads", threads=True, members={"f?1": 1, "f?2": 2})
    found = best_single((WIDTHS, other), [timing("e?1", 2.0), timing("f?1", 1.0), timing("e?4", 0.1)])
    assert found == {"q": "f?1"}


def test_cost_is_the_least_width_that_is_shown_to_be_faster() -> None:
    verdicts = [verdict("e?2", "e?1", VerdictName.UNRESOLVED), verdict("e?4", "e?1", VerdictName.FASTER)]
    (one,) = costs((WIDTHS,), [timing("e?1", 1.0)], lambda _: verdicts, None)
    assert (one.width, one.member, one.tried, one.open) == (4, "e?4", (2, 4), (2,))
    assert words.cost_width(one) == "4 threads"
    assert words.costs([one]) == ["e, 1 operation: COST is 4 threads on 1 of 1"]


def test_a_width_that_is_not_faster_has_no_cost() -> None:
    verdicts = [verdict(name, "e?1", VerdictName.SAME) for name in ("e?2", "e?4")]
    (one,) = costs((WIDTHS,), [timing("e?1", 1.0)], lambda _: verdicts, None)
    assert one.width is None
    assert one.open == ()
    assert words.cost_width(one) == "none of 2, 4"
    assert "no width that was tried beats" in words.costs([one])[0]


def test_a_width_without_a_ratio_was_not_tried() -> None:
    verdicts = [verdict("e?2", "e?1", VerdictName.ERROR), verdict("e?4", "e?1", VerdictName.SAME)]
    (one,) = costs((WIDTHS,), [timing("e?1", 1.0)], lambda _: verdicts, None)
    assert one.tried == (4,)


def test_a_single_threaded_contender_without_a_time_is_named() -> None:
    other = Variation(contender="f", key="max_threads", threads=True, members={"f?1": 1, "f?2": 2})
    found = list(costs((WIDTHS, other), [timing("e?1", 1.0)], lambda _: [], None))
    assert [one.absent for one in found] == [("f?1",)] * 2


def test_a_setting_that_is_not_threads_has_no_cost() -> None:
    memory = Variation(contender="e", key="memory_limit", threads=False, members={"e?1": 1, "e?2": 2})
    assert best_single((memory,), [timing("e?1", 1.0)]) == {}


# Forms.


@pytest.mark.parametrize(
    ("value", "like", "said"),
    [
        (4_200_000.0, 1, "4.2M rows"),
        (987.0, 1, "990 rows"),
        (123_456.0, 1, "120K rows"),
        (0.314, 1.0, "SF 0.31"),
        (31.4, 1.0, "SF 31"),
    ],
)
def test_a_predicted_scale_has_two_digits(value: float, like: float, said: str) -> None:
    assert findings.about(value, like) == said


def test_a_plot_has_a_mark_at_every_rung_of_every_line() -> None:
    lines = [Line(0, ((1e5, 0.5), (1e6, 0.05))), Line(2, ((1e5, 0.3), (1e6, 0.03)))]
    drawn = plot(lines, [(1e5, "100K rows"), (1e6, "1M rows")], "noise", 0.03)
    assert drawn.count('class="m') == drawn.count('class="l') == 2
    assert "margin" in drawn
    assert "1M rows" in drawn


def test_a_plot_of_nothing_is_nothing() -> None:
    assert not plot([Line(0, ())], [(1e5, "100K rows")], "noise")


@pytest.mark.promise("A width whose verdict is unresolved or refused is *open*: more starts may decide.")
def test_an_open_width_is_neither_a_cost_nor_none() -> None:
    verdicts = [verdict(name, "e?1", VerdictName.UNRESOLVED) for name in ("e?2", "e?4")]
    (one,) = costs((WIDTHS,), [timing("e?1", 1.0)], lambda _: verdicts, None)
    assert words.cost_width(one) == "open at 2, 4"
    assert "not known on 1: the noise hides it" in words.costs([one])[0]
