"""The highest rates of several servers: what follows from their searches, what is printed, and what is verified."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import load_records
from support.html_pages import assert_codes_explained, assert_sound
from support.load_comparison_records import written
from support.rates_in_turn import in_turn
from weigh._version import __version__
from weigh.evidence.sealing import seal
from weigh.kinds.table import LOAD_COMPARISON
from weigh.load.comparison.report import files
from weigh.load.comparison.report.report import plain, to_markdown
from weigh.load.comparison.report.words import headline
from weigh.load.comparison.results import LoadComparisonResults, load_comparison_results
from weigh.model.errors import ExitCode
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.comparison.record import LoadComparisonRecord

TWICE = {"old": 400.0, "new": 800.0}


@pytest.fixture(scope="module")
def record() -> LoadComparisonRecord:
    return in_turn(TWICE, 10)


@pytest.fixture(scope="module")
def results(record: LoadComparisonRecord) -> LoadComparisonResults:
    return load_comparison_results([record])


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory, record: LoadComparisonRecord) -> Path:
    return _evidence(tmp_path_factory.mktemp("evidence"), record)


def _evidence(place: Path, record: LoadComparisonRecord) -> Path:
    folder = place / "20260102-0123456789ab-1"
    folder.mkdir()
    written(folder, record)
    files.write(folder)
    seal(folder, __version__)
    return folder


def test_the_interval_of_the_ratio_holds_it(results: LoadComparisonResults) -> None:
    (one,) = results.verdicts
    assert one.verdict is VerdictName.FASTER
    assert one.low
    assert one.high
    assert one.low < 2.0 < one.high
    assert results.rates
    for name, limit in TWICE.items():
        found = results.rates.of(name)
        assert found
        assert found.threshold
        # A tenth of the requests may be beyond the limit.
        assert found.threshold.low < limit / 0.9 < found.threshold.high
    assert results.exit_code() is ExitCode.OK


def test_a_slower_contender_than_a_declared_baseline_is_exit_code_1(record: LoadComparisonRecord) -> None:
    declared = msgspec.structs.replace(record.spec, baseline="new", baseline_declared=True)
    results = load_comparison_results([msgspec.structs.replace(record, spec=declared)])
    assert [one.verdict for one in results.verdicts] == [VerdictName.SLOWER]
    assert results.exit_code() is ExitCode.FOUND


def test_the_same_server_twice_is_not_told_apart() -> None:
    results = load_comparison_results([in_turn({"one": 500.0, "other": 500.0}, 7)])
    (one,) = results.verdicts
    assert one.verdict in (VerdictName.SAME, VerdictName.UNRESOLVED)
    assert results.rates
    first, second = (each.threshold for each in results.rates.rates)
    assert first
    assert second
    assert max(first.low, second.low) <= min(first.high, second.high)


def test_unequal_durability_forbids_a_verdict(record: LoadComparisonRecord) -> None:
    lossy = load_records.target(undurable=("appendonly is no",))
    load = record.loads["new"]
    assert load.environment
    there = msgspec.structs.replace(load, environment=msgspec.structs.replace(load.environment, target=lossy))
    results = load_comparison_results([msgspec.structs.replace(record, loads={**record.loads, "new": there})])
    (one,) = results.verdicts
    assert (one.verdict, one.reasons[0].code) == (VerdictName.REFUSED, "E7.unequal")
    assert one.ratio
    assert "No verdict between new and old: acknowledged writes survive" in plain(results, "runs/x")


@pytest.mark.promise("a server by URL has one life, for which alone the verdict holds (`T10.one_life`)")
def test_one_life_has_a_verdict_of_that_life(record: LoadComparisonRecord) -> None:
    load = record.loads["new"]
    runs = tuple(msgspec.structs.replace(run, life=1) for run in load.runs)
    one_life = msgspec.structs.replace(load, runs=runs)
    results = load_comparison_results([msgspec.structs.replace(record, loads={**record.loads, "new": one_life})])
    (one,) = results.verdicts
    assert one.verdict is not VerdictName.REFUSED
    assert (results.tier.name, results.tier.reasons[0].code) == ("suggestive", "T10.one_life")
    assert next(headline(results)) == "Of this life of new alone, not of the next start:"


def test_who_has_no_rate_is_not_compared() -> None:
    results = load_comparison_results([in_turn({"old": 400.0, "new": 5_000.0}, 5)])
    (one,) = results.verdicts
    assert (one.verdict, one.reasons[0].code, one.ratio) == (VerdictName.REFUSED, "L3.unresolved", None)
    assert any(said.startswith("new: p90<=50ms is kept at 1,500/s") for said in headline(results))


def test_attempts_are_read_together(record: LoadComparisonRecord, results: LoadComparisonResults) -> None:
    both = load_comparison_results([record, msgspec.structs.replace(record, attempt=2)])
    assert both.verdicts[0].starts == 2 * results.verdicts[0].starts
    assert both.verdicts[0].high < results.verdicts[0].high  # type: ignore[operator]


def test_every_form_has_the_ratio_and_each_rate(results: LoadComparisonResults) -> None:
    text = " ".join(plain(results, "runs/x").split())
    assert "new is FASTER than old: it carries" in text
    first, *others = headline(results)
    assert first.startswith("new is FASTER than old: it carries 2.")
    assert "times the rate of old with p90<=50ms (99 % interval" in first
    assert others[0].startswith("old carries 4")
    assert "The highest rate of each" in text
    marked = to_markdown(results, "runs/x")
    assert "| contender | highest rate |" in marked
    page = files.page(results).decode()
    assert_sound(page)
    assert_codes_explained(page)
    # Both curves in one drawing, and the names of both knees.
    (drawing,) = (part for part in page.split("<svg") if "of 2 servers against the rate" in part)
    assert ">old: " in drawing
    assert ">new: " in drawing


@pytest.mark.promise("`weigh verify` asks every search again, and sees whose turn it was")
def test_verify_computes_everything_again(evidence: Path, results: LoadComparisonResults) -> None:
    found = LOAD_COMPARISON.verify(evidence)
    assert found.problems == ()
    assert found.verdicts == 1
    said = json.loads((evidence / files.JSON).read_text())
    assert said["verdicts"][0]["metric"] == "highest_rate"
    assert [one["contender"] for one in said["rate_search"]["rates"]] == ["old", "new"]
    assert len(said["runs"]) == sum(len(load.runs) for load in results.record.loads.values())


@pytest.mark.long
def test_turns_that_are_not_the_seeds_and_rates_that_were_chosen_fail(
    record: LoadComparisonRecord, tmp_path: Path
) -> None:
    first, *others = record.blocks
    swapped = msgspec.structs.replace(first, arms=first.arms[::-1])
    load = record.loads["new"]
    closed, probe, *probes = load.runs
    assert probe.rate
    elsewhere = msgspec.structs.replace(probe, rate=0.9 * probe.rate)
    chosen = msgspec.structs.replace(load, runs=(closed, elsewhere, *probes))
    edited = msgspec.structs.replace(record, blocks=(swapped, *others), loads={**record.loads, "new": chosen})
    codes = {one.code for one in LOAD_COMPARISON.verify(_evidence(tmp_path, edited)).problems}
    assert codes == {"T5.order", "R4.figures"}
