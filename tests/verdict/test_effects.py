"""Effects against answers worked out by hand."""

import numpy as np
import pytest

from weigh.statistics.effects import median_of_pairs, over_blocks, total, typical

NAN = np.nan


def turns(*rounds: float | list[float]) -> np.ndarray:
    """One block: a number of every round, or a list of those of its arms; shape (1, rounds, arms)."""
    return np.array([[one if isinstance(one, list) else [one] for one in rounds]], dtype=np.float64)


def test_typical_is_the_median_of_the_differences_of_a_round() -> None:
    """Differences 0.1, 0.2 and 5: the middle one, whatever the machine did from round to round."""
    candidate, baseline = turns(1.1, 3.2, 12.0), turns(1.0, 3.0, 7.0)
    assert typical(candidate, baseline)[0] == pytest.approx(0.2)
    assert typical(candidate + 40, baseline + 40)[0] == pytest.approx(0.2)


def test_median_of_pairs_has_each_arm_of_the_baseline() -> None:
    """Two rounds, two arms: differences 1 and 2, 3 and 8: the median is 2.5, where that of the means would be 3.5."""
    candidate, baseline = turns(5.0, 9.0), turns([4.0, 3.0], [6.0, 1.0])
    assert median_of_pairs(candidate, baseline)[0] == pytest.approx(2.5)
    assert median_of_pairs(candidate, baseline.mean(axis=-1, keepdims=True))[0] == pytest.approx((1.5 + 5.5) / 2)


def test_median_of_pairs_leaves_out_pairs_that_lack_a_side() -> None:
    candidate, baseline = turns(5.0, NAN, 9.0), turns([4.0, NAN], [0.0, 0.0], [6.0, 2.0])
    assert median_of_pairs(candidate, baseline)[0] == pytest.approx(np.median([1.0, 3.0, 7.0]))
    for estimate in (median_of_pairs, typical):
        assert np.isnan(estimate(turns(1.0, NAN), turns(NAN, 1.0))[0])


def test_typical_is_the_effect_at_which_no_arm_is_told_from_another() -> None:
    """At it the median of an arm's differences to all others is the same, in the mean, for either side."""
    candidate, baseline = turns(5.0, 9.0), turns([4.0, 3.0], [6.0, 1.0])
    effect = float(typical(candidate, baseline)[0])
    moved = candidate[0, :, 0] - effect
    one, two = baseline[0, :, 0], baseline[0, :, 1]
    own, first, second = (
        float(np.median(np.concatenate([x - y, x - z])))
        for x, y, z in ((moved, one, two), (one, moved, two), (two, moved, one))
    )
    assert own - (first + second) / 2 == pytest.approx(0, abs=1e-9)
    assert effect != pytest.approx(2.5, abs=0.1)


def test_typical_follows_the_candidate_and_turns_with_the_sides() -> None:
    draw = np.random.default_rng(3)
    candidate, baseline = draw.gamma(1, 1, (20, 4, 1)), draw.gamma(1, 1, (20, 4, 2))
    found = typical(candidate, baseline)
    np.testing.assert_allclose(typical(candidate + 7, baseline), found + 7)
    np.testing.assert_allclose(typical(baseline, candidate).mean(), -found.mean())


def test_a_side_that_never_took_part_gives_nothing() -> None:
    none = np.empty((1, 3, 0))
    assert np.isnan(typical(none, turns(1.0, 2.0, 3.0))[0])
    assert np.isnan(total(none, turns(1.0, 2.0, 3.0))[0])


def test_total_is_the_ratio_of_the_sums_over_all_blocks() -> None:
    """Sums 3 + 9 over 2 + 4: twice as long; the blocks' own ratios are 1.5 and 2.25."""
    candidate = np.array([[[1.0], [2.0]], [[4.0], [5.0]]])
    baseline = np.array([[[1.0], [1.0]], [[2.0], [2.0]]])
    blocks = total(candidate, baseline)
    assert blocks.shape == (2,)
    assert blocks.mean() == pytest.approx(np.log(2))
    # Linear parts: 1.5 / 3 - 1 / 1.5 and 4.5 / 3 - 2 / 1.5.
    assert blocks - np.log(2) == pytest.approx([-1 / 6, 1 / 6])


def test_total_sees_one_stall_and_typical_does_not() -> None:
    """Ten rounds of 1 s, one of which takes 11 s for the candidate: twice the sum."""
    candidate, baseline = turns(*[1.0] * 9, 11.0), turns(*[1.0] * 10)
    assert typical(np.log(candidate), np.log(baseline))[0] == 0
    assert total(candidate, baseline)[0] == pytest.approx(np.log(2))


def test_total_takes_the_same_pairs_of_both_sides() -> None:
    """The round that the baseline lacks does not count for the candidate either; a block without pairs is none."""
    candidate = np.array([[[2.0], [50.0]], [[4.0], [4.0]], [[9.0], [9.0]]])
    baseline = np.array([[[1.0], [NAN]], [[1.0], [1.0]], [[NAN], [NAN]]])
    blocks = total(candidate, baseline)
    assert np.isnan(blocks[2])
    assert blocks[:2].mean() == pytest.approx(np.log(3))


def test_total_moves_with_the_machine() -> None:
    """What makes a block slower as a whole multiplies both sums: no error comes of it."""
    slow = np.array([1.0, 3.0, 10.0])[:, None, None]
    blocks = total(1.2 * slow, slow)
    assert blocks == pytest.approx(np.log(1.2))


def test_total_of_unequal_scatter_is_that_of_the_means() -> None:
    """Blocks of two executions, 1 and 3 in some order against 2 and 2: the mean of their own logarithms is not 0."""
    draw = np.random.default_rng(3)
    candidate = draw.choice([0.5, 3.5], (4_000, 2, 1))
    baseline = np.full((4_000, 2, 1), 2.0)
    assert total(candidate, baseline).mean() == pytest.approx(0, abs=0.03)
    assert np.log(candidate.mean(axis=(1, 2)) / 2).mean() < -0.15


def test_over_blocks_is_the_one_sample_t() -> None:
    """2, 4, 6: mean 4, standard deviation 2, two degrees of freedom."""
    found = over_blocks(np.array([[2.0, 4.0, 6.0]]))
    assert (found.effect[0], found.freedom[0]) == (4, 2)
    assert found.error[0] == pytest.approx(2 / np.sqrt(3))


def test_over_blocks_leaves_out_blocks_without_a_number() -> None:
    found = over_blocks(np.array([[NAN, 2.0, NAN, 4.0, 6.0], [1.0, 2.0, 3.0, 4.0, 5.0]]))
    assert (found.effect[0], found.freedom[0]) == (4, 2)
    assert found.error[0] == pytest.approx(2 / np.sqrt(3))
    assert (found.effect[1], found.freedom[1]) == (3, 4)


@pytest.mark.parametrize("blocks", [[1.0], [1.0, NAN], [NAN, NAN], []])
def test_fewer_than_two_blocks_tell_nothing(blocks: list[float]) -> None:
    found = over_blocks(np.array([blocks]))
    assert all(np.isnan(one[0]) for one in (found.effect, found.error, found.freedom))


def test_constant_numbers_have_no_error() -> None:
    found = over_blocks(np.log(np.full((1, 7), 1.1)))
    assert found.effect[0] == pytest.approx(np.log(1.1))
    assert found.error[0] == 0
    assert over_blocks(np.full((1, 7), 1e-15)).effect[0] == 0


def test_nothing_to_estimate() -> None:
    assert over_blocks(np.empty((0, 5))).effect.shape == (0,)
    assert typical(np.empty((0, 5, 2, 1)), np.empty((0, 5, 2, 2))).shape == (0, 5)
