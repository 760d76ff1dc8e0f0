"""Effects against answers worked out by hand."""

import numpy as np
import pytest

from weigh.statistics.effects import fit

TWO = np.array([1.0, -1.0])
THREE = np.array([1.0, -1.0, -1.0])
NAN = np.nan


def test_balanced_is_the_t_of_the_block_contrasts() -> None:
    """Contrasts 2, 4, 6 against the mean of two baseline arms: mean 4, standard deviation 2, 2 df."""
    logs = np.array([[[3.0, 0.0, 2.0], [15.0, 12.0, 10.0], [1.0, -5.0, -5.0]]])
    effects = fit(logs, THREE)
    assert effects.effect[0] == pytest.approx(4)
    assert effects.error[0] == pytest.approx(2 / np.sqrt(3))
    assert effects.freedom[0] == pytest.approx(2)


def test_shared_block_effects_cancel() -> None:
    logs = np.array([[[1.1, 1.0], [5.3, 5.0], [9.2, 9.0]]])
    moved = logs + np.array([100.0, -20.0, 3.0])[None, :, None]
    assert fit(logs, TWO).effect == pytest.approx(fit(moved, TWO).effect)
    assert fit(logs, TWO).error == pytest.approx(fit(moved, TWO).error)


def test_one_arm_missing_in_a_block_is_least_squares() -> None:
    """y = block + arm + noise with one baseline cell missing, against a plain regression on dummies."""
    rng = np.random.default_rng(5)
    cells = rng.normal(size=(6, 3))
    cells[2, 1] = NAN
    block, arm = np.nonzero(~np.isnan(cells))
    dummies = np.concatenate([np.eye(6)[block], np.eye(3)[arm]], axis=1)
    solution = np.linalg.lstsq(dummies, cells[block, arm], rcond=None)[0]
    expected = solution[6] - (solution[7] + solution[8]) / 2
    effects = fit(cells[None], THREE)
    assert effects.effect[0] == pytest.approx(expected)
    assert 3 < effects.freedom[0] < 5.01
    assert effects.error[0] > 0


def test_a_block_without_the_candidate_adds_nothing() -> None:
    """Two arms: a block with one of them holds no contrast, so the other blocks decide alone."""
    whole = np.array([[[2.0, 0.0], [4.0, 0.0], [6.0, 0.0]]])
    partial = np.concatenate([whole, [[[NAN, 7.0]]]], axis=1)
    for one, other in zip(
        (fit(whole, TWO).effect, fit(whole, TWO).error, fit(whole, TWO).freedom),
        (fit(partial, TWO).effect, fit(partial, TWO).error, fit(partial, TWO).freedom),
        strict=True,
    ):
        assert one == pytest.approx(other)


def test_an_arm_that_never_ran_leaves_its_weight_to_the_other() -> None:
    cells = np.array([[[2.0, 0.0, NAN], [4.0, 0.0, NAN], [6.0, 0.0, NAN]]])
    assert fit(cells, THREE).effect[0] == pytest.approx(4)
    assert fit(cells, THREE).error[0] == pytest.approx(2 / np.sqrt(3))


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param([[1.0, NAN], [1.0, NAN]], id="no baseline"),
        pytest.param([[1.0, NAN], [NAN, 2.0]], id="never together"),
        pytest.param([[1.0, 2.0], [NAN, NAN]], id="one block"),
        pytest.param([[NAN, NAN], [NAN, NAN]], id="nothing"),
    ],
)
def test_what_the_data_cannot_tell_is_nan(cells: list[list[float]]) -> None:
    effects = fit(np.array([cells]), TWO)
    assert np.isnan(effects.effect[0])
    assert np.isnan(effects.error[0])


def test_constant_samples_have_no_error() -> None:
    cells = np.log(np.array([[[1.1, 1.0, 1.0]] * 7]))
    effects = fit(cells, THREE)
    assert effects.effect[0] == pytest.approx(np.log(1.1))
    assert effects.error[0] == 0
    assert fit(np.log(np.full((1, 7, 3), 0.0123)), THREE).effect[0] == 0


def test_patterns_are_fitted_each_by_itself() -> None:
    rng = np.random.default_rng(1)
    logs = rng.normal(size=(20, 8, 3))
    logs[rng.random(logs.shape) < 0.1] = NAN
    together = fit(logs, THREE)
    alone = [fit(logs[row : row + 1], THREE) for row in range(len(logs))]
    np.testing.assert_allclose(together.effect, [effects.effect[0] for effects in alone])
    np.testing.assert_allclose(together.error, [effects.error[0] for effects in alone])
    np.testing.assert_allclose(together.freedom, [effects.freedom[0] for effects in alone])


@pytest.mark.parametrize("blocks", [5, 10, 30, 100])
def test_any_number_of_blocks_with_gaps_is_estimated(blocks: int) -> None:
    """The cut-off of the pseudo-inverse once let rounding through, at 30 blocks and more."""
    draw = np.random.default_rng(2)
    for _ in range(20):
        logs = draw.normal(size=(1, blocks, 3)) + draw.normal(size=(1, blocks, 1))
        logs[:, 2:][draw.random(logs[:, 2:].shape) < 0.1] = NAN
        effects = fit(logs, THREE)
        assert np.isfinite(effects.effect[0])
        assert 0.5 < effects.error[0] * np.sqrt(blocks / 1.5) < 2 or blocks == 5
        assert effects.freedom[0] <= blocks - 1 + 1e-9


def test_nothing_to_fit() -> None:
    assert fit(np.empty((0, 5, 3)), THREE).effect.shape == (0,)
