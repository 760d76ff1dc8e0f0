"""Means and percentiles of one series: values known beforehand, refusals, and what is no series."""

from __future__ import annotations

import math
from itertools import accumulate
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import scipy
from scipy.fft import idct

from weigh.model.errors import UsageError
from weigh.statistics.percentiles import percentiles
from weigh.statistics.series import textbook_errors
from weigh.statistics.series.correlated_mean import Series, mean
from weigh.statistics.series.long_run_variance import batch_means, long_run, trend

DRAW = np.random.default_rng(1)
LATENCIES = DRAW.exponential(1.0, 5_000)
WANDERING = np.array(list(accumulate(DRAW.standard_normal(20_000), lambda before, kick: 0.9 * before + kick)))


def test_independent_samples() -> None:
    found = mean(LATENCIES)
    assert found.refused is None
    assert found.low is not None and found.high is not None and found.error is not None
    assert found.count == 5_000
    assert found.mean == pytest.approx(LATENCIES.mean())
    assert found.low < found.mean < found.high
    assert found.error == pytest.approx(LATENCIES.std(ddof=1) / math.sqrt(5_000), rel=0.15)
    assert found.autocorrelation_time == pytest.approx(1, rel=0.3)
    assert found.effective * found.autocorrelation_time == pytest.approx(5_000)


def test_right_skewed_samples_reach_further_up() -> None:
    found = mean(DRAW.lognormal(0, 1.5, 1_000))
    assert found.low is not None and found.high is not None
    assert found.high - found.mean > 1.05 * (found.mean - found.low)


def test_correlated_samples_are_worth_fewer() -> None:
    """The autocorrelation time of a first-order autoregression is (1 + r) / (1 - r): 19."""
    found = mean(WANDERING)
    assert found.refused is None
    assert found.autocorrelation_time == pytest.approx(19, rel=0.4)


def test_the_order_of_the_samples_is_part_of_them() -> None:
    shuffled = mean(DRAW.permutation(WANDERING))
    assert shuffled.mean == pytest.approx(mean(WANDERING).mean)
    assert shuffled.autocorrelation_time < 2 < mean(WANDERING).autocorrelation_time


def test_a_higher_confidence_is_a_wider_interval() -> None:
    wide, narrow = mean(LATENCIES, confidence=0.99), mean(LATENCIES, confidence=0.9)
    assert wide.low is not None and narrow.low is not None
    assert wide.low < narrow.low
    assert wide.error == narrow.error


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([1.0], "T3.short"),
        (LATENCIES[:30], "T3.short"),
        (WANDERING[:400], "T3.short"),
        (LATENCIES + np.linspace(0, 1, 5_000), "T4.drift"),
    ],
)
def test_refusals(values: list[float], code: str) -> None:
    found = mean(values)
    assert found.refused is not None
    assert found.refused.code == code
    assert (found.low, found.high, found.error) == (None, None, None)
    assert math.isfinite(found.effective) and math.isfinite(found.autocorrelation_time)


def test_correlation_that_is_left_at_the_coarsest_look_is_refused() -> None:
    """A hump in the middle third has no trend, and leaves effective samples enough by the estimate."""
    hump = np.concatenate([np.zeros(2_500), np.full(2_500, 0.25), np.zeros(2_500)])
    found = mean(DRAW.standard_normal(7_500) + hump)
    assert found.refused is not None
    assert found.refused.code == "T3.correlated"


def test_the_error_of_a_series_that_is_only_just_kept_has_a_surcharge() -> None:
    def surcharge(count: int) -> float:
        values = np.random.default_rng(3).standard_normal(count)
        found = mean(values)
        assert found.error is not None
        return float(found.error**2 * found.effective / values.var(ddof=1))

    assert surcharge(80) > 1.005
    assert surcharge(5_000) == pytest.approx(1, abs=0.001)


def test_a_regular_stall_is_no_wander() -> None:
    """100 stalls at equal distances: the mean of the run is known better than that of independent samples."""
    stalled = DRAW.exponential(1.0, 50_000) + 5.0 * (np.arange(50_000) % 500 < 25)
    found = mean(stalled)
    assert found.refused is None
    assert found.error is not None
    assert found.error < 1.5 * math.sqrt(1 / 50_000)


def test_constant_samples() -> None:
    found = mean(np.full(1_000, 0.25))
    assert (found.low, found.mean, found.high, found.error) == (0.25, 0.25, 0.25, 0.0)
    assert (found.effective, found.refused) == (1_000, None)


def test_a_series_far_from_zero_keeps_its_digits() -> None:
    near, far = mean(LATENCIES), mean(LATENCIES + 1e9)
    assert far.error == pytest.approx(near.error, rel=1e-4)


def test_the_units_do_not_matter() -> None:
    seconds, micros = mean(WANDERING), mean(1e6 * WANDERING)
    assert seconds.error is not None
    assert micros.error == pytest.approx(1e6 * seconds.error)
    assert micros.effective == pytest.approx(seconds.effective)


@pytest.mark.parametrize("values", [pa.array(LATENCIES), LATENCIES[::1].tolist(), LATENCIES.astype(">f8")])
def test_what_holds_the_samples_does_not_matter(values: object) -> None:
    assert mean(values) == mean(LATENCIES)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["batch", "naive", "kolaczkowski", "newey-west", "quadratic-spectral"])
@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf], [[1.0], [2.0]], ["a"]])
def test_what_is_no_series(values: list[float], method: str) -> None:
    with pytest.raises(UsageError) as caught:
        mean(values, method=method)  # type: ignore[arg-type]
    assert caught.value.remedy


def test_nothing_of_a_bad_part_is_added() -> None:
    series = Series()
    series.add([1.0, 2.0])
    with pytest.raises(UsageError):
        series.add([3.0, math.nan])
    assert series.count == 2


def test_arguments_out_of_range() -> None:
    with pytest.raises(UsageError):
        mean(LATENCIES, confidence=95)
    with pytest.raises(UsageError):
        mean(LATENCIES, method="bootstrap")  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        percentiles(LATENCIES, [99])
    with pytest.raises(UsageError):
        percentiles([], [0.5])


def test_the_long_run_variance_of_white_noise_is_its_variance() -> None:
    found = long_run(DRAW.standard_normal(512))
    assert found is not None
    assert found.variance == pytest.approx(1, rel=0.35)
    assert not found.left
    assert long_run(np.zeros(8)) is None


def test_what_curvature_remains_is_extrapolated_to_frequency_zero() -> None:
    """Means whose spectrum is exactly 5 exp(-0.4 f^2), f from 0 to 1."""
    frequency = np.arange(16) / 15
    coefficients = np.sqrt(5 * np.exp(-0.4 * frequency**2)) * (frequency > 0)
    found = long_run(idct(coefficients, type=2, norm="ortho"))
    assert found is not None
    assert found.variance == pytest.approx(5, rel=0.02)
    assert found.freedom == pytest.approx(15 / (1 + 16 / 9))


def test_trend() -> None:
    line = np.arange(80.0)
    assert trend(line) == pytest.approx(0, abs=1e-12)
    assert trend(np.ones(80)) is None
    assert trend(line[:7]) is None
    found = trend(np.tile([1.0, -1.0, -1.0, 1.0], 2))
    assert found == pytest.approx(1)


@pytest.mark.parametrize(("count", "size", "batches"), [(512, 1, 512), (1_025, 2, 512), (100_000, 256, 390)])
def test_batches(count: int, size: int, batches: int) -> None:
    found, means = batch_means(np.arange(float(count)))
    assert (found, len(means)) == (size, batches)
    assert means[1] - means[0] == size


class TestTextbook:
    """Against the definitions, written out."""

    values = WANDERING[:200]

    def test_kolaczkowski_is_the_code_of_the_text(self) -> None:
        centre, count = self.values.mean(), len(self.values)
        square = sum((value - centre) ** 2 for value in self.values) / count
        covariance = 0.0
        for lag in range(1, min(count, math.ceil(math.sqrt(count)))):
            weight = 1 - lag / count
            for i in range(lag, count):
                covariance += 2 * (self.values[i] - centre) * (self.values[i - lag] - centre) * weight
        wanted = math.sqrt(max(square + covariance / count, 0) / count)
        assert textbook_errors.kolaczkowski(self.values) == pytest.approx(wanted)

    def test_error_by_cutoff(self) -> None:
        found = textbook_errors.error_by_cutoff(self.values, [0, 14, 199])
        assert found[0] == pytest.approx(self.values.std() / math.sqrt(200))
        assert found[1] == pytest.approx(textbook_errors.kolaczkowski(self.values))
        assert found[1] > 2 * found[0]

    @pytest.mark.parametrize("rule", [textbook_errors.newey_west, textbook_errors.quadratic_spectral])
    def test_automatic_bandwidths(self, rule: object) -> None:
        """About right for a long autoregression, whose standard error is 10 / sqrt(N)."""
        assert callable(rule)
        assert rule(WANDERING) == pytest.approx(10 / math.sqrt(20_000), rel=0.3)
        assert rule(np.ones(100)) == 0

    def test_kernels(self) -> None:
        """With lag-one correlation 1/2 and N = 100 the bandwidths are those of the formulas."""
        draw = np.random.default_rng(2)
        values = scipy.signal.lfilter([1.0], [1.0, -0.5], draw.standard_normal(100))
        covariances = textbook_errors.autocovariance(values)
        memory = covariances[1] / covariances[0]
        width = 1.1447 * (4 * memory**2 / ((1 - memory) ** 2 * (1 + memory) ** 2) * 100) ** (1 / 3)
        total = covariances[0] + 2 * sum((1 - k / width) * covariances[k] for k in range(1, 100) if k < width)
        assert textbook_errors.newey_west(values) == pytest.approx(math.sqrt(total / 100))
        width = 1.3221 * (4 * memory**2 / (1 - memory) ** 4 * 100) ** (1 / 5)
        total = covariances[0]
        for k in range(1, 100):
            angle = 6 * math.pi * k / width / 5
            weight = 25 / (12 * math.pi**2 * (k / width) ** 2) * (math.sin(angle) / angle - math.cos(angle))
            total += 2 * weight * covariances[k]
        assert textbook_errors.quadratic_spectral(values) == pytest.approx(math.sqrt(total / 100))


def test_percentiles_of_independent_samples() -> None:
    median, high, rare = percentiles(LATENCIES, [0.5, 0.99, 0.999])
    for found, truth in ((median, math.log(2)), (high, math.log(100))):
        assert found.resolved
        assert found.value is not None and found.low is not None and found.high is not None
        assert found.low < found.value < found.high
        assert found.low <= truth * 1.1 and found.high >= truth * 0.9
    assert high.exceedances <= 50
    assert (rare.resolved, rare.value, rare.low, rare.high) == (False, None, None, None)
    assert rare.exceedances == pytest.approx(5)


def test_exceedances_in_clusters_are_fewer() -> None:
    (clustered,) = percentiles(WANDERING, [0.95])
    (shuffled,) = percentiles(DRAW.permutation(WANDERING), [0.95])
    assert clustered.exceedances < 0.4 * shuffled.exceedances
    assert None not in (clustered.low, clustered.high, shuffled.low, shuffled.high)
    assert clustered.high - clustered.low > 1.5 * (shuffled.high - shuffled.low)  # type: ignore[operator]


def test_clusters_as_long_as_the_run_leave_a_percentile_unresolved() -> None:
    hump = np.concatenate([np.zeros(2_500), np.full(2_500, 0.4), np.zeros(2_500)])
    (found,) = percentiles(np.random.default_rng(4).standard_normal(7_500) + hump, [0.5])
    assert found.exceedances > 20
    assert (found.resolved, found.value) == (False, None)


def test_percentiles_of_low_tails_and_constants() -> None:
    (low,) = percentiles(LATENCIES, [0.01])
    assert low.resolved
    (constant,) = percentiles(np.full(1_000, 2.0), [0.9])
    assert (constant.low, constant.value, constant.high) == (2.0, 2.0, 2.0)


def test_the_code_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "concept" / "series.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    names = {"latencies": LATENCIES, "parts": np.split(LATENCIES, 5)}
    exec(code, names)
    assert names["found"] == mean(LATENCIES)
    assert names["series"].mean() == mean(LATENCIES)  # type: ignore[attr-defined]
