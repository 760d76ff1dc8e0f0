"""The budget: fewer runs first, then fewer starts, never fewer than five; too small is refused."""

from __future__ import annotations

import pytest

from weigh.experiment.measure import budget
from weigh.model.errors import UsageError
from weigh.model.schedule import Arm

ARMS = [Arm(name="a", contender="a"), Arm(name="b", contender="b"), Arm(name="a#2", contender="a")]


def planned(seconds: float | None, starts: int = 10, runs: int | None = 3, took: float = 0.5) -> budget.Plan:
    """One round, three runs: what was asked for; or nothing, and it is chosen."""
    wish = budget.Wish(starts=starts, rounds=runs and 1, runs=runs)
    return budget.plan(wish, seconds, ARMS, {"a": 1.0, "b": 1.0}, {"a": [took], "b": [took]})


def test_many_short_rounds_are_chosen_and_fewer_of_long_ones() -> None:
    short, long = planned(None, runs=None, took=0.01), planned(None, runs=None)
    assert [(one.rounds, one.runs, one.lowered) for one in (short, long)] == [(6, 2, False), (4, 1, False)]


@pytest.mark.promise(
    "first fewer rounds and runs, down to one of each, then fewer starts, down to 5, always whole blocks."
)
def test_rounds_that_nobody_asked_for_go_first_and_are_no_loss() -> None:
    whole = planned(None, runs=None).seconds
    lowered = [planned(whole * share, runs=None) for share in (1.0, 0.9, 0.7, 0.5, 0.3)]
    assert [(one.starts, one.rounds) for one in lowered] == [(10, 4), (10, 3), (10, 2), (10, 1), (7, 1)]
    assert [one.lowered for one in lowered] == [False, False, False, False, True]


def test_short_starts_are_chosen_where_more_of_them_follow() -> None:
    """A start of 6 rounds leaves room for 11 of them, one of 4 for 16; where starting costs most, 6 of 2 runs."""

    def chosen(begin: float, once: float) -> tuple[int, int, int]:
        wish = budget.Wish(starts=10, go_on=True)
        plan = budget.plan(wish, 300.0, ARMS, {"a": begin, "b": begin}, {"a": [once], "b": [once]})
        return plan.starts, plan.rounds, plan.runs

    assert chosen(0.25, 0.045) == (10, 6, 2)
    assert chosen(0.25, 0.58) == (10, 4, 1)
    assert chosen(3.0, 0.04) == (10, 6, 2)


def test_two_rounds_are_planned_where_half_of_ten_starts_may_have_one() -> None:
    """Ten of two rounds take 23 s, ten of one 14 s; whoever asked for two gets fewer starts of one, as before."""

    def chosen(seconds: float, *, go_on: bool = True) -> tuple[int, int]:
        wish = budget.Wish(starts=10, go_on=go_on)
        plan = budget.plan(wish, seconds, ARMS, {"a": 0.12, "b": 0.12}, {"a": [0.126], "b": [0.126]})
        return plan.starts, plan.rounds

    assert [chosen(seconds) for seconds in (22.6, 18.1, 17.4, 12.0)] == [(10, 2), (10, 2), (10, 1), (9, 1)]
    assert chosen(18.1, go_on=False) == (10, 1)


def test_a_round_of_a_duet_is_as_long_as_its_slower_half() -> None:
    turns = budget.plan(budget.Wish(starts=1, rounds=1, runs=1), None, ARMS, {}, {"a": [1.0], "b": [3.0]})
    duet = budget.plan(budget.Wish(starts=1, rounds=1, runs=1, duet="a"), None, ARMS, {}, {"a": [1.0], "b": [3.0]})
    assert turns.seconds == pytest.approx(1.15 * 2 * 5, rel=0.01)
    assert duet.seconds == pytest.approx(1.15 * 2 * (2 * 3 + 2 * 1), rel=0.01)


def test_without_a_budget_nothing_is_lowered() -> None:
    plan = planned(None)
    assert (plan.starts, plan.runs, plan.lowered) == (10, 3, False)


@pytest.mark.promise(
    "first fewer rounds and runs, down to one of each, then fewer starts, down to 5, always whole blocks."
)
def test_runs_go_before_starts() -> None:
    whole = planned(None).seconds
    lowered = [planned(whole * share) for share in (1.0, 0.9, 0.7, 0.5, 0.4)]
    assert [(plan.starts, plan.runs) for plan in lowered] == [(10, 3), (10, 2), (10, 1), (7, 1), (6, 1)]
    assert [plan.lowered for plan in lowered] == [False, True, True, True, True]


@pytest.mark.parametrize("share", [0.35, 0.5, 0.8, 1.0, 2.0])
def test_a_plan_fits(share: float) -> None:
    allowed = planned(None).seconds * share
    assert planned(allowed).seconds <= allowed


def test_too_small_names_what_is_needed() -> None:
    with pytest.raises(
        UsageError, match=r"a budget of 1.00 s is too small: 5 starts of one run need about \d"
    ) as caught:
        planned(1.0)
    assert "10 of them" in str(caught.value)
    assert "--budget" in caught.value.remedy


def test_the_fewest_starts_are_named_once() -> None:
    with pytest.raises(UsageError, match=r"5 starts of one run need about [\d.]+ s$"):
        planned(1.0, starts=5)


@pytest.mark.parametrize("runs", [None, 3])
def test_the_least_is_planned_whatever_it_takes_where_that_is_wished(runs: int | None) -> None:
    def least(seconds: float) -> budget.Plan:
        wish = budget.Wish(starts=10, rounds=runs and 1, runs=runs, least=True)
        return budget.plan(wish, seconds, ARMS, {"a": 1.0, "b": 1.0}, {"a": [0.5], "b": [0.5]})

    needed = planned(None, starts=5, runs=1).seconds
    for seconds in (1.0, 0.99 * needed):
        plan = least(seconds)
        assert (plan.starts, plan.rounds, plan.runs, plan.lowered) == (5, 1, 1, True)
        assert plan.seconds == pytest.approx(needed)
    # It is a floor, and no ceiling.
    for seconds in (needed, 1.5 * needed, 100 * needed):
        assert least(seconds) == planned(seconds, runs=runs)


def test_what_is_named_as_needed_is_enough() -> None:
    assert planned(planned(None, starts=5, runs=1).seconds).starts == 5


def test_an_engine_that_could_not_be_timed_costs_nothing() -> None:
    plan = budget.plan(budget.Wish(starts=5, rounds=1, runs=1), 100.0, ARMS, {}, {})
    assert (plan.starts, plan.seconds) == (5, 0.0)


def cold(seconds: float | None, starts: int = 10) -> budget.Plan:
    return budget.cold_plan(starts, seconds, ARMS, {"a": 1.0, "b": 1.0}, {"a": [0.5], "b": [0.5]}, reading=2.0)


def test_of_cold_blocks_only_the_starts_can_be_lowered() -> None:
    whole = cold(None)
    assert (whole.starts, whole.runs, whole.lowered) == (10, 1, False)
    # Every turn is two lives, and the first of them reads the data.
    assert whole.seconds > 10 * 3 * (2 * 1.5 + 2.0)
    lowered = cold(0.71 * whole.seconds)
    assert (lowered.starts, lowered.runs, lowered.lowered) == (7, 1, True)
    assert lowered.seconds <= 0.71 * whole.seconds
    with pytest.raises(UsageError, match=r"too small: 5 cold starts need about \d") as caught:
        cold(0.49 * whole.seconds)
    assert "name fewer --operations" in str(caught.value.remedy)


def test_fewer_cold_starts_than_five_that_were_asked_for_are_all_made_or_none() -> None:
    assert cold(None, starts=2).starts == 2
    with pytest.raises(UsageError, match="2 cold starts need"):
        cold(1.0, starts=2)
