"""Student's t, central and not, as arrays. Missing degrees of freedom (NaN) give NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.special import special

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats


def quantile(level: float | Floats, freedom: Floats) -> Floats:
    """Half-width, in standard errors, of the two-sided interval at ``level``."""
    return np.asarray(special.stdtrit(freedom, (1 + level) / 2), dtype=np.float64)


def two_sided(statistic: Floats, freedom: Floats) -> Floats:
    """P(|T| >= statistic) for statistics of at least zero; infinity gives 0."""
    return np.asarray(2 * special.stdtr(freedom, -statistic), dtype=np.float64)


def detectable(level: float, power: float, freedom: Floats) -> Floats:
    """The true effect, in standard errors, that a two-sided test at 1 - ``level`` finds with ``power``.

    The noncentrality of the t distribution whose upper tail beyond the critical value is ``power``; the far
    tail is left out (below 1e-5 at 99 % and 80 %).
    """
    distinct, where = np.unique(freedom, return_inverse=True)
    found = special.nctdtrinc(distinct, 1 - power, quantile(level, distinct))
    return np.asarray(found, dtype=np.float64)[where]
