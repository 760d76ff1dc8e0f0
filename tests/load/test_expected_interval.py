"""A closed loop's log, corrected as HdrHistogram does it, and labelled as an estimate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.command import RAN, Weigh
from support.load_flags import NONE
from weigh.load.analysis.expected_interval import estimate, sentence
from weigh.load.config import make
from weigh.model.errors import UsageError
from weigh.statistics.histogram import EMPTY, Histogram, corrected

if TYPE_CHECKING:
    from support.command import Run


def histogram(values: dict[int, int]) -> Histogram:
    """Counts by whole microseconds, each a bucket of its own."""
    tops = np.array(sorted(values), dtype=float) * 1e-6
    return Histogram(tops, tops, np.array([values[one] for one in sorted(values)], dtype=np.int64))


def by_hand(values: dict[int, int], interval: int) -> list[int]:
    """HdrHistogram's loop: ``for (missing = value - interval; missing >= interval; missing -= interval)``."""
    found = []
    for value, count in values.items():
        found += [value] * count
        missing = value - interval
        while missing >= interval:
            found += [missing] * count
            missing -= interval
    return sorted(found)


@pytest.mark.parametrize("interval", [7, 100, 1_000, 9_999])
def test_it_is_what_hdrhistograms_loop_adds(interval: int) -> None:
    values = {5: 1_000, 300: 20, 1_000: 7, 12_345: 3, 100_000: 1}
    wanted = by_hand(values, interval)

    found = corrected(histogram(values), interval * 1e-6)

    assert found.total == len(wanted)
    for q in (0.5, 0.9, 0.99, 0.999, 1.0):
        exact = wanted[max(int(np.ceil(q * len(wanted))), 1) - 1] * 1e-6
        # Added values are kept to three digits.
        assert found.quantile(q) == pytest.approx(exact, rel=1.1e-3), q


def test_one_stall_is_felt_by_those_who_would_have_come() -> None:
    """Ten connections every millisecond for 20 s, and a second of standstill: 5 % of the requests waited up to it."""
    closed = histogram({200: 190_000, 1_000_000: 10})
    assert closed.quantile(0.99) == pytest.approx(2e-4)
    assert corrected(closed, 1e-3).quantile(0.99) == pytest.approx(0.8, rel=0.01)


def test_what_was_never_late_is_left_as_it_is() -> None:
    calm = histogram({200: 10, 999: 5, 1_999: 1})
    assert corrected(calm, 1e-3).total == 16
    assert corrected(EMPTY, 1e-3).total == 0


def test_an_interval_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="not positive"):
        corrected(histogram({5: 1}), 0)
    with pytest.raises(ValueError, match="cannot be counted"):
        corrected(histogram({3_600_000_000: 10_000_000}), 1e-9)
    assert estimate(histogram({3_600_000_000: 10_000_000}), 1e-9) is None


@pytest.mark.promise("It is labelled an estimate, not a measurement on schedule, and has no interval.")
def test_it_is_called_an_estimate() -> None:
    found = estimate(histogram({200: 100, 10_000: 1}), 1e-3)
    assert found is not None
    assert found.estimate
    assert (found.measured, found.added) == (101, 9)
    assert sentence(found).startswith("An estimate, not a measurement on schedule")


def test_an_open_loop_needs_none() -> None:
    with pytest.raises(UsageError, match="corrects a closed loop"):
        make(("ycsb-b",), "valkey:embedded", {**NONE, "rate": "5", "expected_interval": "1ms"})
    with pytest.raises(UsageError, match="cannot be"):
        make(("ycsb-b",), "valkey:embedded", {**NONE, "closed": True, "expected_interval": "0s"})


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Run:
    weigh = Weigh(tmp_path_factory.mktemp("interval"))
    return weigh(
        "load", "ycsb-c", "--target", "sqlite:embedded", "--records", "500", "--connections", "2", "--both", "--rate",
        "200", "--duration", "700ms", "--expected-interval", "0.01ms", "--quiet", "--json",
    )  # fmt: skip


def test_only_the_closed_loop_is_corrected(both: Run) -> None:
    assert both.code in RAN, both.err
    found = {run["loop"]: run.get("corrected") for run in both.json["runs"]}
    assert found["open"] is None
    assert found["closed"]["estimate"] is True
    assert found["closed"]["added"] > 0
    for name in ("report.txt", "report.html"):
        assert "An estimate, not a measurement on schedule" in " ".join((both.evidence / name).read_text().split())


def test_another_tools_log_is_corrected_too(both: Run, weigh: Weigh) -> None:
    log = str(both.evidence / "histograms.hlog")
    plain, better = weigh("judge", log, "--json"), weigh("judge", "--expected-interval", "0.01ms", log, "--json")
    assert plain.code == better.code
    assert "an estimate, not a measurement on schedule" in json.dumps(better.json)
    assert "an estimate, not a measurement on schedule" not in json.dumps(plain.json)
    (weigh.folder / "a.csv").write_text("1\n2\n3\n")
    refused = weigh("judge", "--expected-interval", "1ms", "a.csv")
    assert refused.code == 2
    assert "corrects an HdrHistogram log" in refused.err
