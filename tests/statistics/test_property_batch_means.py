"""Batch means are those of the whole series, however it was cut; its order is observed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weigh._native import BatchMeans
from weigh.statistics.series.correlated_mean import Series, mean

DETERMINISTIC = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=settings.default.max_examples // 4,
    suppress_health_check=list(HealthCheck),
)
BLOCK = 4096


def drawn(count: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Correlated and skewed samples."""
    draw = np.random.default_rng(seed)
    return np.asarray(np.cumsum(draw.standard_normal(count)) / 50 + draw.exponential(1.0, count), dtype=np.float64)


def series_of(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Series:
    series = Series()
    series.add(values)
    return series


def means_of(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> BatchMeans:
    means = BatchMeans()
    means.push(pa.table({"samples": pa.array(values)}))
    return means


@DETERMINISTIC
@given(count=st.integers(1, 30_000), seed=st.integers(0, 99), cuts=st.lists(st.integers(0, 30_000), max_size=6))
def test_cuts_make_no_difference(count: int, seed: int, cuts: list[int]) -> None:
    values = drawn(count, seed)
    cut = Series()
    for part in np.split(values, sorted(min(cut, count) for cut in cuts)):
        cut.add(part)
    assert cut.mean() == mean(values)


@DETERMINISTIC
@given(power=st.integers(0, 4), blocks=st.integers(0, 4), count=st.integers(1, 9 * BLOCK), seed=st.integers(0, 99))
def test_aligned_parts_merge_into_the_whole(power: int, blocks: int, count: int, seed: int) -> None:
    """The later part is shorter than two batches of the size that divides the earlier one."""
    size = BLOCK << power
    later = drawn(min(count, 2 * size - 1), seed)
    values = np.concatenate([drawn(blocks * size, seed + 100), later])
    parts = means_of(values[: blocks * size])
    parts.merge(means_of(later))
    whole = means_of(values)
    assert parts.count == whole.count
    for found, wanted in zip(parts.moments(), whole.moments(), strict=True):
        assert found[:2] == wanted[:2]
        for a, b in zip(found[2:], wanted[2:], strict=True):
            assert (a is None) == (b is None)
            if a is not None and b is not None:
                assert a == pytest.approx(b, rel=1e-6, abs=1e-9)
    assert parts.batches(512)[1] == pytest.approx(whole.batches(512)[1], rel=1e-9)


@DETERMINISTIC
@given(counts=st.lists(st.integers(1, 9_000), min_size=2, max_size=8), seed=st.integers(0, 99))
def test_any_parts_keep_the_samples(counts: list[int], seed: int) -> None:
    values = drawn(sum(counts), seed)
    parts = Series()
    for part in np.split(values, np.cumsum(counts)[:-1]):
        parts.merge(series_of(part))
    found, wanted = parts.mean(), mean(values)
    assert found.count == wanted.count
    assert found.mean == pytest.approx(wanted.mean)


@DETERMINISTIC
@given(seed=st.integers(0, 99))
def test_another_order_has_another_autocorrelation_time(seed: int) -> None:
    values = drawn(20_000, seed)
    shuffled = np.random.default_rng(seed).permutation(values)
    one, other = mean(values), mean(shuffled)
    assert one.mean == pytest.approx(other.mean)
    assert one.autocorrelation_time > 5 * other.autocorrelation_time


@DETERMINISTIC
@given(seed=st.integers(0, 99), scale=st.floats(1e-6, 1e6), shift=st.floats(-1e3, 1e3))
def test_the_interval_moves_with_the_unit(seed: int, scale: float, shift: float) -> None:
    values = np.random.default_rng(seed).exponential(1.0, 3_000)
    one, other = mean(values), mean((values + shift) * scale)
    assert (one.refused is None) == (other.refused is None)
    if one.low is not None and one.high is not None:
        assert other.low == pytest.approx((one.low + shift) * scale, rel=1e-6, abs=1e-6 * scale)
        assert other.high == pytest.approx((one.high + shift) * scale, rel=1e-6, abs=1e-6 * scale)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pa.table({"samples": pa.array([1, 2])}), "not 64-bit floats"),
        (pa.table({"samples": pa.array([1.0, None])}), "null"),
        (pa.table({"a": pa.array([1.0]), "b": pa.array([1.0])}), "2 columns"),
        (pa.table({"samples": pa.array([1.0, float("nan")])}), "sample 1 is NaN"),
        (pa.table({"samples": pa.chunked_array([[1.0], [float("inf")]])}), "not a finite number"),
    ],
)
def test_what_batch_means_do_not_take(table: pa.Table, said: str) -> None:
    means = means_of(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match=said):
        means.push(table)
    assert means.count == 2


def test_slices_of_a_column_are_read_from_where_they_begin() -> None:
    values = drawn(10_000, 1)
    means = BatchMeans()
    means.push(pa.table({"samples": pa.array(values)}).slice(3_000))
    assert means.batches(512) == means_of(values[3_000:]).batches(512)
