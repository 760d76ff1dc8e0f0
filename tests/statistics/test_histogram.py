"""Histograms of the wire format, against the library that others read them with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from support.load_records import HOUR, encoded
from weigh.model.errors import EvidenceFault
from weigh.statistics.histogram import EMPTY, decode, merged

if TYPE_CHECKING:
    from numpy.typing import NDArray


def theirs(seconds: NDArray[np.float64]) -> HdrHistogram:
    made = HdrHistogram(1, HOUR, 3)
    for value in seconds:
        made.record_value(round(value * 1e9))
    return made


@pytest.fixture(scope="module")
def times() -> NDArray[np.float64]:
    rng = np.random.default_rng(7)
    # Ten thousand, so that all ranks are whole numbers: of others the library takes the nearest, and we the next.
    return np.concatenate([rng.lognormal(-8, 2, 9_997), [2e-7, 90.0, 1_200.0]])


def test_it_reads_what_the_library_wrote(times: NDArray[np.float64]) -> None:
    ours, library = decode(theirs(times).encode().decode()), theirs(times)
    assert ours.total == library.get_total_count() == len(times)
    for q in (0.0001, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0):
        assert ours.quantile(q) == pytest.approx(library.get_value_at_percentile(100 * q) * 1e-9, rel=1e-12), q
    assert ours.mean == pytest.approx(library.get_mean_value() * 1e-9, rel=1e-9)
    assert ours.max == pytest.approx(times.max(), rel=1e-3)


def test_what_these_tests_write_is_the_format(times: NDArray[np.float64]) -> None:
    theirs_read = HdrHistogram.decode(encoded(times))
    assert theirs_read.get_total_count() == len(times)
    assert theirs_read.get_value_at_percentile(99) == theirs(times).get_value_at_percentile(99)


def test_merged_parts_are_the_whole(times: NDArray[np.float64]) -> None:
    parts = [decode(encoded(part)) for part in np.array_split(times, 7)]
    whole, together = decode(encoded(times)), merged([EMPTY, *parts])
    assert np.array_equal(whole.tops, together.tops)
    assert np.array_equal(whole.counts, together.counts)


def test_above_counts_what_a_quantile_leaves() -> None:
    found = decode(encoded(np.arange(1, 1001) * 1e-3))
    assert found.above(found.quantile(0.99)) == 10
    assert found.above(2.0) == 0
    assert EMPTY.quantile(0.5) is EMPTY.mean is EMPTY.max is None


@pytest.mark.parametrize("damage", ["HISTFAAAAB", "not base64!", encoded([1e-3])[:-12], "AAAA" * 20])
def test_a_damaged_one_is_an_error_with_a_remedy(damage: str) -> None:
    with pytest.raises(EvidenceFault, match="damaged"):
        decode(damage)
