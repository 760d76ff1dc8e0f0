"""Tests of fit against those of SciPy, which take a second to import."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from weigh.statistics.goodness_of_fit import chi_square_tails, equal_counts_p, uniform_p


@pytest.mark.parametrize("size", [20, 50, 400, 3_000])
@pytest.mark.parametrize("power", [1.0, 1.15])
def test_uniform_values_as_of_scipy(size: int, power: float) -> None:
    from scipy import stats

    values = np.random.default_rng(size).random(size) ** power
    exact = float(stats.kstest(values, "uniform").pvalue)
    assert uniform_p(values) == pytest.approx(exact, rel=0.03, abs=3e-4)


def test_chi_square_as_of_scipy() -> None:
    from scipy import stats

    counts = np.random.default_rng(5).poisson(30, 40)
    assert equal_counts_p(list(counts)) == pytest.approx(float(stats.chisquare(counts).pvalue))
    assert chi_square_tails(31.5, 20) == pytest.approx((stats.chi2.cdf(31.5, 20), stats.chi2.sf(31.5, 20)))


def test_what_a_capture_fits_imports_no_package_of_distributions() -> None:
    code = (
        "import sys, numpy as np; from weigh.capture import arrivals, parameters\n"
        "assert arrivals.fit(np.random.default_rng(1).random(200)).law == 'poisson'\n"
        "assert 'scipy.stats' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
