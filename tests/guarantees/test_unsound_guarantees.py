"""What is refused or left open keeps its error rates; what cannot be kept is measured (docs/concept/statistics.md)."""

from __future__ import annotations

import numpy as np
import pytest

from weigh.verdict.refusals import soundness

from . import duet, machine, noise, one_sided, rates, unsound
from .noise import Size
from .rates import MARGIN


@pytest.mark.parametrize("what", unsound.LOSSES)
def test_what_is_lost_when_slow_is_refused(what: str) -> None:
    """The slowest 30 % of the candidate: without the refusal nearly a third of the true nulls would be denied."""
    refused, wrong, before = unsound.of_losses(what, 0.3, 400, 30, 1)
    assert refused.value > 0.99
    assert before.value > 0.2
    assert wrong.within(0.0, 0.015)


@pytest.mark.parametrize("share", [0.03, *(pytest.param(one, marks=pytest.mark.long) for one in (0.01, 0.1, 0.2))])
@pytest.mark.parametrize("what", unsound.LOSSES)
def test_what_is_not_refused_is_bounded(what: str, share: float) -> None:
    for blocks in (10, 30):
        _, wrong, _ = unsound.of_losses(what, share, 1_000, blocks, 2)
        assert wrong.within(0.0, 0.015), (blocks, wrong)


@pytest.mark.parametrize("middle", [3.2, 20.0, 50.0, 200.0])
@pytest.mark.parametrize(
    "sd", [0.001, pytest.param(0.01, marks=pytest.mark.long), pytest.param(0.03, marks=pytest.mark.long)]
)
def test_a_clock_of_a_millisecond_makes_nothing_the_same_at_the_margin(middle: float, sd: float) -> None:
    """The candidate is slower by exactly the margin, and the true times lie anywhere within a tick."""
    found = unsound.of_clocks(middle, sd, 300, MARGIN, 3)
    judged = rates.judged(found)
    assert rates.rate(np.isin(judged.names, rates.EQUAL)).within(0.0, 0.055)
    assert rates.rate(np.isin(judged.names, rates.CLAIMS)).within(0.0, 0.01)


def test_spikes_of_the_candidate_alone_leave_the_typical_ratio() -> None:
    """1 % of its executions take eleven times as long: ten starts do not know the total, and do not say SAME of it."""
    make, truth = one_sided.ALONE["1 % of the candidate's executions x11"]
    usual, whole = rates.coverage(make, Size(4_000), 4, truth)
    assert usual.within(0.98, 1.0)
    assert whole.value < 0.5
    _, same, _ = one_sided.said(make, Size(300), 5)
    assert same.count == 0


@pytest.mark.long
@pytest.mark.parametrize("name", one_sided.AT_MARGIN)
def test_rare_stalls_are_missed_by_400_executions(name: str) -> None:
    """Not kept: the total is the same too often where the candidate alone stalls rarely. Ten stalls are not enough."""
    _, whole, _ = one_sided.said(one_sided.AT_MARGIN[name][0], Size(600, 34, rounds=6, runs=2), 6)
    assert 0.055 < whole.value < 0.35, whole


def test_rare_slow_starts_are_said_when_they_were_seen() -> None:
    """One start in ten is slower by 34 %: SAME is reported only where none of the starts was such a one."""
    make, _ = one_sided.starting_slowly(0.10, 1.344)
    same, _, flagged = one_sided.said(make, Size(500, 10), 7)
    unseen = 0.9**10
    assert same.within(unseen - 0.06, unseen)
    assert flagged.value > 0.55
    assert one_sided.said(make, Size(200, 30), 7)[0].within(0.0, 0.055)


def test_starts_that_are_alike_are_seldom_accused() -> None:
    found = rates.comparisons(noise.shared_machine, Size(800, 10), 8)
    assert rates.rate(soundness.other_starts(found, rates.RULES)).within(0.0, 0.05)


@pytest.mark.parametrize("rounds", [4, *(pytest.param(one, marks=pytest.mark.long) for one in (1, 2, 3, 6, 8))])
@pytest.mark.parametrize("design", ["rounds", "duet"])
def test_rounds_and_duets_keep_the_type_one_error(design: str, rounds: int) -> None:
    for whole in (machine.SHARED, machine.BUSY):
        found = duet.found(duet.numbers(design, 2_000, rounds, 9, whole))
        assert found.within(0.0, 0.015), found


def test_what_a_duet_and_rounds_are_good_for() -> None:
    """Neighbours in bursts: SD of a block's number of four executions, long turn, rounds, duet."""
    long, short, both = (
        float(duet.numbers(design, 300, 4, 10, machine.BUSY).std()) for design in ("one long turn", "rounds", "duet")
    )
    assert long > 4 * short
    assert short > 1.2 * both


def test_a_duet_swaps_its_cpus_an_even_number_of_times() -> None:
    """CPUs that differ by 5 %: an odd number of rounds leaves it in the number, an even one takes it out."""
    odd, even, never = (
        float(duet.numbers("duet", 400, rounds, 11, swap=swap).std())
        for rounds, swap in ((3, True), (4, True), (4, False))
    )
    assert odd > 1.3 * even
    assert never > 1.3 * even


def test_the_noise_floor_of_a_duet_is_that_of_its_pairs() -> None:
    one, other = duet.floor_within(400, 4, 12)
    assert one == pytest.approx(other, rel=0.15)
