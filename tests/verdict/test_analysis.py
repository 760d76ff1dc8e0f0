"""The judge: from samples to verdicts, reasons and timings."""

from __future__ import annotations

import math
import random

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.analysed_samples import ARMS, codes, experiment, only, sample, spec
from weigh.experiment.results.analysis import analyse, observed
from weigh.model import codes as registry
from weigh.model.rules import Rules
from weigh.model.verdict import VerdictName
from weigh.verdict.comparison import compare
from weigh.verdict.question import Question


def test_a_tiny_experiment_by_hand() -> None:
    """Five blocks; the baseline's arms lie 1 % below and above the block, the candidate by differences."""
    differences = [0.10, 0.12, 0.08, 0.11, 0.09]
    samples = []
    for block, difference in enumerate(differences):
        samples.append(sample(block, "old", math.exp(block - 0.01)))
        samples.append(sample(block, "old#2", math.exp(block + 0.01)))
        samples.append(sample(block, "new", math.exp(block + difference)))
    verdict = only(samples)
    error = np.std(differences, ddof=1) / math.sqrt(5)
    assert verdict.verdict is VerdictName.SLOWER
    assert verdict.ratio == pytest.approx(math.exp(0.10))
    assert verdict.low == pytest.approx(math.exp(0.10 - 4.604095 * error))
    assert verdict.high == pytest.approx(math.exp(0.10 + 4.604095 * error))
    assert verdict.low_fcr == pytest.approx(math.exp(0.10 - 4.604095 * error))
    assert verdict.noise_floor == pytest.approx(math.expm1(0.02))
    assert (verdict.starts, verdict.runs) == (5, 1)
    assert codes(verdict) == ["T10"]


@pytest.mark.promise("fewer than 5 starts (`T10.starts`)")
@pytest.mark.parametrize(
    ("ratio", "noise", "blocks", "name", "code"),
    [
        (1.0, 0.01, 10, VerdictName.SAME, None),
        (1.2, 0.01, 10, VerdictName.SLOWER, None),
        (0.8, 0.01, 10, VerdictName.FASTER, None),
        (1.01, 0.001, 10, VerdictName.SMALL, None),
        (1.0, 0.04, 10, VerdictName.UNRESOLVED, "T1"),
        (1.0, 0.20, 10, VerdictName.REFUSED, "T7.unstable"),
        (1.2, 0.01, 4, VerdictName.REFUSED, "T10.starts"),
        (1.2, 0.01, 6, VerdictName.SLOWER, "T10"),
    ],
)
def test_every_name(ratio: float, noise: float, blocks: int, name: VerdictName, code: str | None) -> None:
    verdict = only(experiment(blocks, ratio=ratio, noise=noise))
    assert verdict.verdict is name
    assert codes(verdict) == ([] if code is None else [code])
    assert (verdict.ratio is None) == (blocks < 5)


def test_unresolved_says_what_is_needed() -> None:
    verdict = only(experiment(noise=0.04))
    assert verdict.starts_needed is not None
    assert verdict.starts_needed > 10
    assert f"about {verdict.starts_needed} starts" in verdict.reasons[0].text


def test_the_untimed_run_does_not_count() -> None:
    samples = experiment()
    (old, new) = analyse(samples, spec=spec()).timings
    assert (old.contender, old.starts, old.runs) == ("old", 20, 3)
    assert (new.contender, new.starts, new.runs) == ("new", 10, 3)
    timed = np.array([s.wall_s for s in samples if s.run > 0 and s.contender == "old"])
    assert old.min == timed.min()
    assert old.max == timed.max()
    assert old.median == pytest.approx(np.median(timed))
    assert old.cv == pytest.approx(timed.std(ddof=1) / timed.mean())


def test_the_noise_floor_stands_by_itself() -> None:
    (floor,) = analyse(experiment(), spec=spec("old")).floors
    assert floor.low < 1 < floor.high
    assert floor.starts == 10
    assert floor.size == pytest.approx(abs(floor.ratio - 1))


def test_without_a_second_arm_there_is_no_floor() -> None:
    samples = experiment(ratio=1.2, arms=ARMS[:2])
    verdict = only(samples)
    assert verdict.verdict is VerdictName.SLOWER
    assert verdict.noise_floor is None
    assert analyse(samples, spec=spec()).floors == ()


@pytest.mark.promise(
    "The number of an operation with several cases is the mean over its cases; a block that lacks a "
    "case does not count."
)
def test_cases_are_averaged_and_their_difference_is_no_noise() -> None:
    cheap = experiment(ratio=1.1, case="cheap")
    dear = [msgspec.structs.replace(s, wall_s=1000 * (s.wall_s or 0)) for s in experiment(ratio=1.3, case="dear")]
    analysis = analyse(cheap + dear, spec=spec())
    assert analysis.verdicts[0].ratio == pytest.approx(math.sqrt(1.1 * 1.3), rel=0.02)
    assert analysis.verdicts[0].median_ratio == pytest.approx(math.sqrt(1.1 * 1.3), rel=0.05)
    assert analysis.verdicts[0].runs == 6
    assert analysis.timings[0].cv is not None
    assert analysis.timings[0].cv < 0.2


@pytest.mark.promise(
    "The number of an operation with several cases is the mean over its cases; a block that lacks a "
    "case does not count."
)
def test_a_start_without_one_of_the_cases_does_not_count() -> None:
    samples = experiment(case="cheap") + [s for s in experiment(case="dear") if s.block < 8]
    assert only(samples).starts == 8


@pytest.mark.promise("Every attempt of an experiment adds its blocks; none replaces another.")
def test_a_second_attempt_adds_blocks() -> None:
    samples = experiment(6, seed=1) + experiment(6, seed=2, attempt=2)
    assert only(samples).starts == 12


def test_an_incomplete_last_block_is_used_as_far_as_it_goes() -> None:
    samples = [s for s in experiment() if s.block < 9 or s.arm != "old#2"]
    verdict = only(samples)
    assert verdict.starts == 10
    assert verdict.verdict is VerdictName.SAME


@pytest.mark.promise("the arms did not run in the same blocks (`T5`)")
def test_arms_that_were_not_alive_together_are_not_compared() -> None:
    samples = [s for s in experiment(20) if (s.block < 10) == (s.contender == "new")]
    assert only(samples).verdict is VerdictName.REFUSED


def test_medians_on_the_other_side_of_one_are_a_finding() -> None:
    """Two of three rounds are 5 % slower; in the middle one, whose level is the median, the candidate is faster."""
    levels, factors = (1.0, 2.0, 4.0), (1.05, 0.95, 1.05)
    samples = [
        sample(
            block,
            arm,
            levels[turn] * (factors[turn] * 1.0005**block if contender == "new" else 1.0),
            round=turn,
        )
        for block in range(10)
        for arm, contender in ARMS
        for turn in range(3)
    ]
    verdict = only(samples)
    assert verdict.verdict is VerdictName.SLOWER
    assert verdict.median_ratio is not None
    assert verdict.median_ratio < 1
    assert "T1.medians" in codes(verdict)


def test_the_middle_pair_of_a_start_is_its_number() -> None:
    """Differences of the rounds: 0.02, 0.04 and 0.90 in every start; the total has (2 * 1.03 + 2.46) / 3."""
    samples = [
        sample(block, arm, math.exp((0.02, 0.04, 0.90)[turn]) if contender == "new" else 1.0, round=turn)
        for block in range(10)
        for arm, contender in ARMS
        for turn in range(3)
    ]
    table = compare(observed(samples, "wall_s", ("old", "new")), [(0, 1)], baseline=0)
    assert table.effects.effect[0] == pytest.approx(0.04)
    expected = np.mean(np.exp([0.02, 0.04, 0.90]))
    assert np.exp(table.totals.effect[0]) == pytest.approx(expected)


def test_an_early_end_has_its_share_of_the_error_rates() -> None:
    """With a hundredth of the error the interval is that of 99.99 %: t of 9 degrees of freedom, 6.594 for 3.250."""
    samples = experiment(ratio=1.2)
    whole, early = only(samples), only(samples, shares={"q1": 0.01})
    assert whole.ratio == early.ratio
    assert whole.ratio is not None
    widths = [math.log((one.high or 0) / whole.ratio) for one in (early, whole)]
    assert widths[0] / widths[1] == pytest.approx(6.594 / 3.250, rel=1e-3)
    assert early.verdict is VerdictName.SLOWER


@pytest.mark.promise("or shows the same time throughout (`T1.constant`)")
def test_constant_times_are_refused_because_they_hide_the_tick() -> None:
    samples = [sample(block, arm, 0.25) for block in range(10) for arm, _ in ARMS]
    verdict = only(samples)
    assert verdict.verdict is VerdictName.REFUSED
    assert (verdict.ratio, verdict.low, verdict.high) == (1.0, 1.0, 1.0)
    assert codes(verdict) == ["T1.constant"]
    assert (
        only([msgspec.structs.replace(s, peak_memory=5) for s in samples], metric="peak_memory").verdict
        is VerdictName.SAME
    )


def test_a_ratio_that_drifts_is_a_finding() -> None:
    samples = [
        msgspec.structs.replace(s, wall_s=(s.wall_s or 0) * (1 + 0.004 * s.block)) if s.contender == "new" else s
        for s in experiment(noise=0.001)
    ]
    assert "T4" in codes(only(samples))


def test_metrics_without_values_have_no_rows() -> None:
    samples = experiment()
    assert analyse(samples, spec=spec(), metric="bytes_read").verdicts == ()
    zero = [msgspec.structs.replace(s, bytes_read=0) for s in samples]
    assert analyse(zero, spec=spec(), metric="bytes_read").verdicts == ()


def test_a_metric_that_is_sometimes_zero_has_no_ratio() -> None:
    samples = [msgspec.structs.replace(s, bytes_read=4096 if s.block % 2 else 0) for s in experiment()]
    verdict = only(samples, metric="bytes_read")
    assert (verdict.verdict, verdict.ratio) == (VerdictName.UNRESOLVED, None)
    assert codes(verdict) == ["X.metric"]
    (timing, _) = analyse(samples, spec=spec(), metric="bytes_read").timings
    assert (timing.min, timing.max, timing.metric) == (0, 4096, "bytes_read")


def test_a_refusal_is_graver_than_a_ratio_that_is_missing() -> None:
    samples = [msgspec.structs.replace(s, bytes_read=4096 if s.block % 2 else 0) for s in experiment()]
    why = registry.T10_STARTS.reason("one life")
    (verdict,) = analyse(samples, spec=spec(), metric="bytes_read", refused=[{(Question("q1"), "new"): why}]).verdicts
    assert (verdict.verdict, verdict.reasons) == (VerdictName.REFUSED, (why,))


def test_other_metrics_have_verdicts_of_the_same_form() -> None:
    samples = [
        msgspec.structs.replace(s, peak_memory=2_000_000 if s.contender == "new" else 1_000_000) for s in experiment()
    ]
    verdict = only(samples, metric="peak_memory")
    assert (verdict.verdict, verdict.metric) == (VerdictName.SLOWER, "peak_memory")
    assert verdict.ratio == pytest.approx(2)
    assert codes(verdict) == []


def test_rules_are_those_of_the_spec() -> None:
    samples = experiment(ratio=1.05, noise=0.005)
    assert only(samples).verdict is VerdictName.SLOWER
    loose = only(samples, spec=spec(rules=Rules(margin=0.10, confidence=0.95)))
    assert loose.verdict is VerdictName.SMALL
    assert (loose.margin, loose.confidence) == (0.10, 0.95)


@pytest.mark.promise(
    "Only the arms of the two contenders enter: what a third contender does cannot change the ratio of these two."
)
def test_a_third_contender_changes_no_ratio() -> None:
    samples = experiment(ratio=1.05)
    wild = experiment(noise=0.5, arms=(("wild", "wild"),), seed=9)
    (alone,) = analyse(samples, spec=spec()).verdicts
    together = analyse(samples + wild, spec=spec("old", "new", "wild")).verdicts
    assert [verdict.contender for verdict in together] == ["new", "wild"]
    assert together[0].ratio == pytest.approx(alone.ratio)
    assert together[0].low == pytest.approx(alone.low)
    assert together[0].high == pytest.approx(alone.high)


def test_one_contender_has_timings_and_no_verdicts() -> None:
    analysis = analyse(experiment(), spec=spec("old"))
    assert analysis.verdicts == ()
    assert [timing.contender for timing in analysis.timings] == ["old"]


def test_nothing_in_nothing_out() -> None:
    analysis = analyse([], spec=spec())
    assert (analysis.timings, analysis.verdicts, analysis.floors) == ((), (), ())


LOGS = st.lists(st.tuples(*[st.floats(-3, 3, allow_nan=False).map(lambda x: round(x, 3))] * 2), min_size=5, max_size=12)


@settings(max_examples=settings.default.max_examples // 2, deadline=None)
@given(LOGS)
def test_exchanging_the_sides_inverts_the_ratio(pairs: list[tuple[float, float]]) -> None:
    """With one arm each."""
    samples = [
        sample(block, arm, math.exp(value))
        for block, pair in enumerate(pairs)
        for arm, value in zip(("old", "new"), pair, strict=True)
    ]
    there = only(samples, spec=spec("old", "new"))
    back = only(samples, spec=spec("new", "old"))
    opposite = {VerdictName.SLOWER: VerdictName.FASTER, VerdictName.FASTER: VerdictName.SLOWER}
    assert back.verdict is opposite.get(there.verdict, there.verdict)
    for one, other in ((there.ratio, back.ratio), (there.low, back.high), (there.high, back.low)):
        assert one is not None
        assert other is not None
        assert math.log(one) == pytest.approx(-math.log(other), abs=1e-9)


@settings(max_examples=settings.default.max_examples // 2, deadline=None)
@given(LOGS, st.sampled_from([1e-6, 0.5, 3.0, 1e4]))
def test_the_unit_of_time_does_not_matter(pairs: list[tuple[float, float]], factor: float) -> None:
    samples = [
        sample(block, arm, math.exp(value) * scale)
        for scale in (1.0, factor)
        for block, pair in enumerate(pairs)
        for arm, value in zip(("old", "new"), pair, strict=True)
    ]
    half = len(samples) // 2
    one, other = only(samples[:half]), only(samples[half:])
    assert one.verdict is other.verdict
    for name in ("ratio", "low", "high", "low_fcr", "high_fcr", "detectable"):
        here, there = getattr(one, name), getattr(other, name)
        assert (here is None) == (there is None), name
        assert here is None or here == pytest.approx(there, rel=1e-6, abs=1e-9), name


@settings(max_examples=settings.default.max_examples // 4, deadline=None)
@given(st.integers(0, 2**32))
def test_the_order_of_the_samples_does_not_matter(seed: int) -> None:
    samples = experiment(6, ratio=1.05, noise=0.02, operations=("q1", "q2"))
    shuffled = random.Random(seed).sample(samples, len(samples))
    assert analyse(shuffled, spec=spec()) == analyse(samples, spec=spec())
