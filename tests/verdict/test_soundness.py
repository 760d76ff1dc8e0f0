"""What must not be decided: lost turns, coarse clocks, starts of another kind."""

from __future__ import annotations

import math
from dataclasses import astuple, replace
from itertools import pairwise

import numpy as np
import pytest

from weigh.experiment.results.analysis import analyse, observed
from weigh.model.contender import Contender
from weigh.model.rules import Rules
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.model.verdict import VerdictName
from weigh.statistics.effects import Effects
from weigh.verdict.comparison import Comparisons, compare, estimate
from weigh.verdict.refusals import soundness

SPEC = Spec(
    workload="w",
    contenders=tuple(Contender(name=name, engine="duckdb") for name in ("old", "new")),
    baseline="old",
)
ARMS = ("old", "new", "old#2")


def samples(times: np.ndarray, attempt: int = 1) -> list[Sample]:
    """Samples of seconds of the shape (blocks, rounds, arms); NaN is left out."""
    return [
        Sample(
            block=block, start=0, turn=0, run=1, round=turn, arm=ARMS[arm], contender=ARMS[arm].removesuffix("#2"),
            operation="q", case="", outcome=Outcome.OK, wall_s=float(value), attempt=attempt,
        )
        for (block, turn, arm), value in np.ndenumerate(times)
        if not math.isnan(value)
    ]  # fmt: skip


def compared(*attempts: np.ndarray) -> Comparisons:
    every = [one for number, times in enumerate(attempts, 1) for one in samples(times, number)]
    return compare(observed(every, "wall_s", ("old", "new")), [(0, 1)], baseline=0)


def steady(blocks: int = 10, rounds: int = 2, seed: int = 1) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).normal(0, 0.005, (blocks, rounds, 3)))


def test_a_start_without_the_candidate_is_lost() -> None:
    times = steady()
    times[[2, 7], :, 1] = np.nan
    found = compared(times)
    assert (found.lost[0], found.starts[0]) == (2, 8)
    assert soundness.lossy(found, 1)[0]
    assert not soundness.lossy(found, 2)[0]


@pytest.mark.parametrize("arm", range(3))
def test_a_turn_that_one_arm_lacks_makes_its_block_a_lost_one(arm: int) -> None:
    """The other round of the block still gives a number: were the lost one the slow one, it would mislead."""
    times = steady()
    times[3, 0, arm] = np.nan
    found = compared(times)
    assert (found.lost[0], found.starts[0]) == (1, 10)


def test_a_round_that_all_lack_is_not_lost() -> None:
    times = steady()
    times[3:, 1] = np.nan
    assert compared(times).lost[0] == 0


def test_a_baseline_without_a_second_arm_loses_nothing() -> None:
    times = steady()
    times[:, :, 2] = np.nan
    assert compared(times).lost[0] == 0


def test_what_was_broken_off_may_end_every_attempt() -> None:
    first, second = steady(seed=1), steady(seed=2)
    for times in (first, second):
        times[9, 1:, 1] = np.nan
    found = compared(first, second)
    assert found.lost[0] == 2
    assert not soundness.lossy(found, 2)[0]


@pytest.mark.promise("turns of one arm are missing in more than one block (`T8.lost`)")
def test_lost_turns_are_refused_with_the_reason() -> None:
    times = steady()
    times[[2, 7], 0, 1] = np.nan
    (verdict,) = analyse(samples(times), spec=SPEC).verdicts
    assert verdict.verdict is VerdictName.REFUSED
    assert "T8.lost" in [reason.code for reason in verdict.reasons]


def test_the_step_of_a_clock_is_found_between_the_sides() -> None:
    """Every execution of the baseline takes 50 ms, every one of the candidate 51: a tick of 1 in 50."""
    times = np.full((10, 2, 3), 0.050)
    times[:, :, 1] = 0.051
    assert compared(times).step[0] == pytest.approx(0.02)


def test_a_fine_clock_has_no_step() -> None:
    assert compared(steady()).step[0] == 0


def test_a_clock_that_is_always_the_same_hides_its_step() -> None:
    found = compared(np.full((10, 2, 3), 0.003))
    assert np.isinf(found.step[0])
    assert soundness.coarse(found, Rules())[0]


@pytest.mark.promise("the clock ticks in steps larger than the margin (`T1.clock`)")
def test_a_tick_larger_than_the_margin_is_refused() -> None:
    times = np.full((10, 2, 3), 0.020)
    times[::2, :, 1] = 0.021
    found = compared(times)
    assert found.step[0] == pytest.approx(0.05)
    assert soundness.unfit(found, 1, Rules(), clock=True)[0]
    assert not soundness.unfit(found, 1, Rules(), clock=False)[0]
    assert not soundness.unfit(found, 1, Rules(margin=0.06), clock=True)[0]


def test_rounding_that_does_not_average_out_is_part_of_the_error() -> None:
    """A tick of 2 % and no scatter: the error is 0.02 / sqrt(6), so that 2 % are no difference."""
    times = np.full((10, 2, 3), 0.050)
    times[:, :, 1] = 0.051
    found = soundness.with_rounding(compared(times))
    assert found.effects.error[0] == pytest.approx(0.02 / math.sqrt(6))
    assert found.totals.error[0] == pytest.approx(0.02 / math.sqrt(6))
    (verdict,) = analyse(samples(times), spec=SPEC).verdicts
    assert verdict.low is not None
    assert verdict.low < 1 < (verdict.high or 0)


def test_rounding_that_averages_out_adds_nothing() -> None:
    """Starts whose numbers scatter by more than half a tick: SD .02 against a tick of .02."""
    found = compared(steady())
    effects = Effects(np.array([0.01]), np.array([0.02 / math.sqrt(10)]), np.array([9.0]))
    ticking = replace(found, effects=effects, totals=effects, step=np.array([0.02]))
    assert soundness.with_rounding(ticking).effects.error[0] == effects.error[0]


@pytest.mark.parametrize("builds", [None, np.tile(np.arange(10)[:, None] // 2, 2)], ids=["one", "five builds"])
@pytest.mark.parametrize("carried", [1.0, 1.2], ids=["nothing", "carried over"])
@pytest.mark.parametrize("tick", [1e-9, 0.02], ids=["fine", "coarse"])
def test_a_look_reads_what_the_end_does(tick: float, carried: float, builds: np.ndarray | None) -> None:
    times, numbers = steady(rounds=4), {"old": 0, "new": 1, "old#2": 0}
    orders = [("old", "new", "old#2"), ("old#2", "new", "old"), ("new", "old", "old#2"), ("new", "old#2", "old")]
    before = {(turn, arm): numbers[one] for turn, arms in enumerate(orders) for one, arm in pairwise(arms)}
    for (turn, arm), contender in before.items():
        times[:, turn, ARMS.index(arm)] *= carried if contender == 1 else 1.0
    table = observed(samples(np.round(times / tick) * tick), "wall_s", ("old", "new"))
    places = zip(table.round.tolist(), (table.arms[arm] for arm in table.arm), strict=True)
    table = replace(table, builds=builds, before=np.array([before.get(place, -1) for place in places]))
    looked, ended = estimate(table, [(0, 1)], baseline=0), compare(table, [(0, 1)], baseline=0)
    assert (looked.starts, looked.step) == (ended.starts, ended.step)
    assert np.array_equal(astuple(looked.effects), astuple(ended.effects))
    found = ended.step[0] > 0, ended.builds[0] > 0, ended.carried[0] > 0
    assert found == (tick > 1e-9, builds is not None, carried > 1)


def test_starts_of_another_kind_are_counted_with_their_distance() -> None:
    times = np.exp(np.random.default_rng(4).normal(0, 0.002, (20, 2, 3)))
    times[[5, 11], :, 1] *= 1.3
    found = compared(times)
    assert found.outlying[0] == 2
    assert found.apart[0] == pytest.approx(math.log(1.3), abs=0.01)
    assert soundness.other_starts(found, Rules())[0]
    assert not soundness.other_starts(found, Rules(margin=0.5))[0]


@pytest.mark.parametrize(("rounds", "disturbed", "another"), [(4, 4, 1), (4, 3, 0), (6, 5, 1), (6, 4, 0)])
def test_what_disturbs_some_of_its_rounds_makes_no_start_of_another_kind(
    rounds: int, disturbed: int, another: int
) -> None:
    """The median of four rounds moves with three of them; of six rounds one may have met something else."""
    times = np.exp(np.random.default_rng(4).normal(0, 0.002, (20, rounds, 3)))
    times[5, :disturbed, 1] *= 1.3
    assert compared(times).outlying[0] == another


@pytest.mark.promise("and no start is of another kind than the rest (`T7.starts`)")
@pytest.mark.parametrize(
    ("name", "said"), [("same", "unresolved"), ("small", "unresolved"), ("slower", "slower"), ("refused", "refused")]
)
def test_equality_is_not_said_over_starts_of_another_kind(name: str, said: str) -> None:
    times = np.exp(np.random.default_rng(4).normal(0, 0.002, (20, 2, 3)))
    times[5, :, 1] *= 1.3
    assert soundness.no_same(np.array([name]), compared(times), Rules())[0] == said
    assert soundness.no_same(np.array([name]), compared(steady()), Rules())[0] == name
