"""What a contender leaves behind for whoever comes next, and starts that resemble the one before."""

import numpy as np
import pytest

from weigh.verdict import dependence
from weigh.verdict.comparison import typical_differences

from . import carried, noise, rates
from .noise import Size
from .rates import rate

MANY = Size(200, 34, rounds=6, runs=2)


def test_nothing_is_made_up() -> None:
    """However many operations a run has: at .001 for each of 60 it would be in 6 % of the runs."""
    runs = [carried.compared(noise.iid, Size(60), 6_100 + seed, 0.0).carried for seed in range(60)]
    found = rate(np.array([one.any() for one in runs]))
    assert found.value <= 0.02, found
    assert carried.compared(noise.iid, MANY, 61, np.log1p(0.04)).carried.all()


def test_few_starts_tell_it_of_all_operations_together() -> None:
    """4 %, ten starts: of one operation it is told in a third of the runs, of twelve nearly always."""
    size = Size(1, 10, rounds=4)
    alone, twelve = (
        rate(np.concatenate([one.carried != 0 for one in carried.in_runs(60 * number, size, number, np.log1p(0.04))]))
        for number in (1, 12)
    )
    assert alone.value < 0.6 < 0.95 < twelve.value
    none = rate(np.array([one.carried.any() for one in carried.in_runs(60, Size(1, 6, rounds=2), 12, 0.0)]))
    assert none.within(0.0, 0.003), none


@pytest.mark.promise("more starts do not help")
def test_what_is_carried_over_is_told_and_taken_out() -> None:
    """4 % for whoever follows the candidate: without the order its ratio is off by a third of that."""
    heeded, ignored = (carried.compared(noise.iid, MANY, 62, np.log1p(0.04), heeded=heeded) for heeded in (True, False))
    assert (heeded.carried != 0).mean() > 0.9
    assert np.median(heeded.carried) == pytest.approx(np.log1p(0.04), abs=0.002)
    assert ignored.effects.effect.mean() == pytest.approx(-np.log1p(0.04) / 3, abs=0.002)
    assert heeded.effects.effect.mean() == pytest.approx(0, abs=0.001)
    assert rate(rates.excludes(heeded.effects)).within(0.0, 0.027)
    assert rate(rates.excludes(ignored.effects)).value > 0.5


def test_a_slower_one_is_not_called_the_same_for_what_it_leaves_behind() -> None:
    """Truly 5 % slower, and 10 % for whoever comes next."""
    found = carried.compared(noise.iid, MANY, 63, np.log1p(0.10), np.log1p(0.05))
    assert rate(np.isin(rates.judged(found).names, rates.EQUAL)).value < 0.01


@pytest.mark.long
def test_starts_that_resemble_the_one_before_are_refused() -> None:
    """An autoregression of .8 over 100 starts would show a difference in every third experiment."""
    wrong, refused = carried.dependent(Size(300, 100), 0.8)
    assert refused.value > 0.9
    assert wrong.within(0.0, 0.015), wrong
    assert carried.dependent(Size(3_000, 30), 0.0)[1].within(0.0, 0.001)


@pytest.mark.long
def test_starts_that_resemble_the_one_before_are_told_of_all_operations_together() -> None:
    """An autoregression of .8 over 30 starts, half of it of all operations and half of each."""
    size = Size(1_200, 30)
    alone, joint = (carried.dependent(size, 0.8, operations) for operations in (1, 12))
    assert alone[1].value < 0.5 < 0.95 < joint[1].value
    assert joint[0].within(0.0, 0.015), joint
    fewer = [carried.dependent(Size(1_200, 10), 0.8, operations)[1].value for operations in (1, 12)]
    assert fewer[0] < 0.05 < 0.1 < fewer[1]


def test_starts_that_know_nothing_of_each_other_are_not_refused_together() -> None:
    """Whatever the noise, a run of twelve operations is refused no oftener than a comparison by itself."""
    draw, refused = np.random.default_rng(14), 0
    for law in noise.ALL.values():
        table = rates.tabulated(law(Size(1_200, 10, rounds=2), draw))
        usual = typical_differences(table, table.contenders[1], table.contenders[0])
        found = dependence.p_dependent(usual, np.arange(1_200) // 12) < dependence.LEVEL
        refused += int((found.reshape(-1, 12).mean(axis=1) > 0.5).sum())
    assert rate(np.arange(1_800) < refused).within(0.0, 0.001), refused


def test_a_little_dependence_of_many_operations_refuses_none_of_them() -> None:
    """It changes their error by a tenth, and 300 operations tell it surely."""
    assert carried.dependent(Size(1_200, 30), 0.1, operations=300)[1].value < 0.05
