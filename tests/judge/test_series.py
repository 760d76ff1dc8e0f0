"""Series of other tools: what is cut, what is refused, and what stands alongside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from support.samples import judged
from weigh.model.verdict import TierName

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def series(path: Path, values: NDArray[np.float64]) -> Path:
    np.savetxt(path, values, header="latency_ms", comments="", fmt="%.9f")
    return path


@pytest.fixture
def flat() -> NDArray[np.float64]:
    return np.random.default_rng(5).normal(10, 1, 3_000)


def test_a_flat_series_has_its_mean_and_its_percentiles(tmp_path: Path, flat: NDArray[np.float64]) -> None:
    results = judged(series(tmp_path / "log.csv", flat))
    (one,) = results.series
    assert one.mean.low is not None
    assert one.mean.high is not None
    assert one.mean.low < 0.010 < one.mean.high
    assert one.naive.mean == pytest.approx(flat.mean() / 1000)
    assert [(part.q, part.resolved) for part in one.percentiles] == [
        (0.5, True),
        (0.9, True),
        (0.99, True),
        (0.999, False),
    ]
    assert results.tier.name is TierName.SUGGESTIVE
    assert "T10.run" in {reason.code for reason in results.tier.reasons}
    assert (results.verdicts, results.baseline, int(results.exit_code(strict=True))) == ((), None, 0)


@pytest.mark.promise(
    "What comes before a series settles is left out of its mean and percentiles, and a note (`L4`) says how much."
)
def test_a_warm_up_is_left_out_and_said(tmp_path: Path, flat: NDArray[np.float64]) -> None:
    results = judged(series(tmp_path / "log.csv", np.concatenate([flat[:500] + 20, flat])))
    (one,) = results.series
    assert 400 <= one.left_out <= 700
    assert one.mean.count + one.left_out == 3_500
    assert one.mean.mean == pytest.approx(0.010, rel=0.02)
    assert [finding.code for finding in results.findings] == ["L4"]


@pytest.mark.promise("A series that never settles has no interval.")
def test_a_series_that_never_settles_has_no_interval(tmp_path: Path, flat: NDArray[np.float64]) -> None:
    results = judged(series(tmp_path / "log.csv", flat + np.linspace(0, 30, len(flat))))
    (one,) = results.series
    assert one.mean.refused is not None
    assert one.mean.low is None
    assert results.tier.name is TierName.INADMISSIBLE
    assert int(results.exit_code(strict=True)) == 3
    assert int(results.exit_code()) == 3


def test_two_logs_show_their_series_and_have_no_verdict(tmp_path: Path, flat: NDArray[np.float64]) -> None:
    results = judged(series(tmp_path / "old.csv", flat), series(tmp_path / "new.csv", flat * 1.1))
    assert [one.reasons[0].code for one in results.verdicts] == ["T10.starts"]
    assert [one.contender for one in results.series] == ["old", "new"]


def test_values_of_one_contender_are_one_series_in_their_order() -> None:
    results = judged("pyperf/old.json")
    (one,) = results.series
    assert one.mean.count == 10
    assert one.mean.refused is not None


def test_a_histogram_has_values_and_no_intervals() -> None:
    results = judged("hlog/rate.hlog")
    (one,) = results.series
    assert one.percentiles == ()
    assert [part.q for part in one.quantiles] == [0.5, 0.9, 0.99, 0.999, 0.9999]


def test_the_document_is_plain(tmp_path: Path, flat: NDArray[np.float64]) -> None:
    plain = judged(series(tmp_path / "log.csv", flat)).document()
    assert plain["schema"] == "weigh/judge/1"
    (one,) = msgspec.json.decode(msgspec.json.encode(plain))["series"]
    assert one["steady"]["shape"] == "flat"
    assert one["quantiles"] == []
