"""A search as it is reported: the rate with its interval, what was not reached, the curve, and its rates proven."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.rate_search_records import CLOSED, bucket, searched
from weigh.load.budgets import Budget
from weigh.load.rate_search.verify import departure
from weigh.load.report.document import document
from weigh.load.report.report import page, plain
from weigh.load.results import load_results
from weigh.model.errors import ExitCode

if TYPE_CHECKING:
    from weigh.load.results import LoadResults

LIMIT = 600.0
TRUTH = LIMIT / 0.9


@pytest.fixture(scope="module")
def found() -> LoadResults:
    return load_results(searched(bucket(LIMIT)))


def test_the_rate_that_is_found_stands_first(found: LoadResults) -> None:
    search = found.rate_search
    assert search
    assert search.threshold
    assert search.sustained
    assert search.broken
    assert search.status == "found"
    assert search.threshold.low <= TRUTH <= search.threshold.high
    assert search.sustained < TRUTH < search.broken
    assert found.exit_code() == ExitCode.OK
    text = " ".join(plain(found, "evidence").split())
    assert f"The highest rate with p90<=50ms is {search.threshold.rate:,.4g}/s (95 % interval" in text
    assert "BROKEN" in text
    # What went through in the closed loop is no capacity.
    assert f"{CLOSED:,.4g}/s went through in a closed loop, with p90 200 ms" in text


def test_a_rate_that_is_too_high_refuses_no_experiment(found: LoadResults) -> None:
    assert str(found.tier.name) == "suggestive"
    assert found.rate_search
    assert found.headline
    assert {one.verdict for one in found.rate_search.probes} == {"kept", "broken"}
    # The run that is shown is the one at the highest rate that kept the budget.
    assert found.headline.probe_rate == found.rate_search.sustained


def test_the_document_has_the_search_and_every_run(found: LoadResults) -> None:
    said = document(found, "evidence")
    search = said["rate_search"]
    assert search["budgets"][0]["text"] == "p90<=50ms"
    assert search["threshold"]["low"] < search["threshold"]["rate"] < search["threshold"]["high"]
    assert len(said["runs"]) == 1 + len(search["probes"])
    assert search["closed_loop"]["achieved"] == pytest.approx(CLOSED)
    assert [one["run"] for one in search["probes"]] == [run["number"] for run in said["runs"][1:]]


def test_the_page_draws_the_curve(found: LoadResults) -> None:
    text = page(found, "evidence").decode()
    assert 'id="rate-search"' in text
    assert 'aria-label="p90 at' in text
    # Kept, broken, and the closed loop.
    for css in ("rk", "rb", "rc", "rl", "mean"):
        assert f'<path class="{css}"' in text


@pytest.mark.promise("evidence whose rates are not those that it asks for fails (`R4.figures`)")
def test_rates_that_the_search_does_not_ask_for_are_found_out(found: LoadResults) -> None:
    record = found.record
    assert departure(record) == ""
    first, probe, *others = record.runs
    moved = msgspec.structs.replace(probe, rate=probe.rate - 1)
    assert departure(msgspec.structs.replace(record, runs=(first, moved, *others)))
    left_out = msgspec.structs.replace(record, runs=(first, *others))
    assert departure(left_out)


def test_what_no_rate_keeps() -> None:
    found = load_results(searched(lambda _: 0.5))
    assert found.rate_search
    assert (found.rate_search.status, found.exit_code()) == ("broken", ExitCode.INCONCLUSIVE)
    assert "is broken at every rate that could be tried" in plain(found, "evidence")


def test_what_is_kept_at_the_highest_rate_that_was_asked_for() -> None:
    found = load_results(searched(lambda _: 0.0))
    assert found.rate_search
    assert (found.rate_search.status, found.exit_code()) == ("kept", ExitCode.OK)
    text = " ".join(plain(found, "evidence").split())
    assert "p90<=50ms is kept at 1,500/s, the highest rate that was asked for" in text
    assert "L3.throughput" not in text


def test_a_search_that_ends_too_early_gives_the_bounds_that_it_knows() -> None:
    found = load_results(searched(bucket(LIMIT), most=2))
    assert found.rate_search
    assert (found.rate_search.status, found.exit_code()) == ("unresolved", ExitCode.INCONCLUSIVE)
    text = " ".join(plain(found, "evidence").split())
    count = len(found.rate_search.probes)
    assert re.search(r"OPEN: p90<=50ms was kept at 450/s and .*broken at 675/s, which is not enough", text)
    assert re.search(rf"was enough for {count} probes; at that pace give --budget \d+m(30s)?\.", text)
    assert "L3.unresolved" in text
    sooner = " ".join(plain(load_results(searched(bucket(LIMIT), most=1)), "evidence").split())
    assert "OPEN: p90<=50ms was kept at 450/s, and which is the highest is not known yet: " in sooner


def test_a_percentile_too_far_out_for_the_time_is_said() -> None:
    found = load_results(searched(lambda _: 0.0, most=0, probe_s=6.0, budgets=(Budget(q=0.9, limit_s=0.05),)))
    assert found.rate_search
    far = msgspec.structs.replace(
        found.record,
        spec=msgspec.structs.replace(
            found.record.spec,
            find_rate=msgspec.structs.replace(found.rate_search.search, budgets=(Budget(q=0.9999, limit_s=0.05),)),
        ),
    )
    again = load_results(far)
    assert again.rate_search
    assert again.rate_search.ended == "unresolvable"
    assert "takes longer than 6.00 s" in " ".join(plain(again, "evidence").split())
