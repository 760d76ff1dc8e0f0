"""Effects: the ratio of two contenders as a difference of logarithms, with its uncertainty.

The opinion of this file is ``log time = block + arm + noise``, where the noise of different blocks is
independent, and nothing is assumed about the noise within a block: the arms may scatter by different amounts
and move together. So a drift of the machine, a slow episode that hits a whole block, and a noisy engine
beside a quiet one are all allowed for. A textbook residual variance, pooled over the arms, is not: with one
arm scattering five times as much as the others it rejects 6 % (two contenders) to 17 % (five) of true nulls
at nominal 1 % (``tests/sim``, docs/concept/statistics.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.statistics.arrays import Bools, Floats


TINY = 1e-12
"""Differences of logarithms below this are rounding, not effects."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Estimates of many comparisons; every array has the shape (comparisons,).

    Attributes:
        effect: difference of mean logarithms; NaN where the data cannot tell.
        error: its standard error.
        freedom: degrees of freedom of Student's t that go with it.
    """

    effect: Floats
    error: Floats
    freedom: Floats


def fit(logs: Floats, contrast: Floats) -> Effects:
    """Fits block and arm effects and estimates one contrast of the arms.

    Least squares in the two-way additive model. The standard error is clustered by block with the CR2
    correction and the degrees of freedom are Bell and McCaffrey's (R. M. Bell, D. F. McCaffrey, "Bias
    reduction in standard errors for linear regression with multi-stage samples", Survey Methodology 28, 2002;
    J. E. Pustejovsky, E. Tipton, J. Business & Economic Statistics 36, 2018). Where every arm is present in
    all K blocks this is exactly the one-sample t of the K contrasts, one a block, with K - 1 degrees of
    freedom.

    Args:
        logs: mean logarithms, shape (comparisons, blocks, arms), NaN where an arm was not measured.
        contrast: weight of each arm, positive for the candidate's and negative for the baseline's. Each side
            is scaled to sum to one over the arms that were measured at all.
    """
    effect, error, freedom = np.full((3, len(logs)), np.nan)
    present = ~np.isnan(logs)
    patterns, which = _patterns(present)
    for number, pattern in enumerate(patterns):
        weights = _weights(pattern, contrast)
        if weights is None:
            continue
        rows = np.flatnonzero(which == number)
        cells = logs[rows][:, pattern]
        # Centred first: exact cancellation for constant samples, whatever the unit of time.
        cells = cells - cells.mean(axis=1, keepdims=True)
        effect[rows] = cells @ weights.estimate
        error[rows] = np.linalg.norm(cells @ weights.scores, axis=1)
        freedom[rows] = weights.freedom
    effect[np.abs(effect) < TINY] = 0.0
    error[error < TINY] = 0.0
    return Effects(effect, error, freedom)


@dataclass(frozen=True, slots=True)
class _Weights:
    """What makes an estimate out of the measured cells of one pattern.

    Attributes:
        estimate: shape (cells,); the effect is its product with the cells.
        scores: shape (cells, blocks); the products are the blocks' corrected scores, and the root of the sum
            of their squares is the standard error.
        freedom: degrees of freedom.
    """

    estimate: Floats
    scores: Floats
    freedom: float


def _patterns(present: Bools) -> tuple[Bools, NDArray[np.intp]]:
    """The distinct patterns of presence, and which of them each comparison has."""
    if len(present) == 0 or (present == present[0]).all():
        return present[:1], np.zeros(len(present), dtype=np.intp)
    flat = present.reshape(len(present), -1)
    patterns, which = np.unique(flat, axis=0, return_inverse=True)
    return patterns.reshape(-1, *present.shape[1:]), which.reshape(-1)


def _weights(pattern: Bools, contrast: Floats) -> _Weights | None:
    """Weights of the cells that are present; None where they do not determine the contrast and its error."""
    sides = contrast * pattern.any(axis=0)
    gain, loss = sides[sides > 0].sum(), -sides[sides < 0].sum()
    if not (gain and loss):
        return None
    contrast = np.where(sides > 0, sides / gain, sides / loss)
    block, arm = np.nonzero(pattern)
    same_block = (block[:, None] == block[None, :]).astype(np.float64)
    within = np.eye(len(block)) - same_block / same_block.sum(axis=1, keepdims=True)
    design = within @ np.eye(pattern.shape[1])[arm]
    # The design is always singular: the default cut-off takes the rounding of its zero eigenvalue for rank.
    bread = np.linalg.pinv(design.T @ design, rcond=1e-9, hermitian=True)
    estimate = design @ bread @ contrast
    if not np.allclose(design.T @ estimate, contrast, atol=1e-9):
        return None
    residual_maker = within - design @ bread @ design.T
    scores = np.stack(
        [_score(residual_maker, estimate, np.flatnonzero(block == number)) for number in np.unique(block)],
        axis=1,
    )
    covariance = scores.T @ scores
    if np.trace(covariance) < TINY:
        return None
    return _Weights(estimate, scores, float(np.trace(covariance) ** 2 / (covariance**2).sum()))


def _score(residual_maker: Floats, estimate: Floats, cells: NDArray[np.intp]) -> Floats:
    """Weights of one block's score: its residuals, rid of the bias of fitting them (CR2)."""
    own = residual_maker[np.ix_(cells, cells)]
    values, vectors = np.linalg.eigh(own)
    kept = values > 1e-9
    root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
    return np.asarray(residual_maker[:, cells] @ root @ estimate[cells], dtype=np.float64)
