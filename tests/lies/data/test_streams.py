"""Lies about streams and refresh functions, each alongside an honest twin, through the command line.

Rows that are lost, refreshes that are skipped or seen in halves, a query that is left out, streams one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import contenders

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once

TWIN = "twin"
LIARS = {
    "lost-row": "A4.refreshed",
    "skipped": "A4.refreshed",
    "halves": "A4.between",
    "left-out": "A1.stream",
    "sequence": "T5.sequence",
}
"""By the liar's name, what must be reported of it."""


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh], once: Once) -> Run:
    named = contenders(f"{TWIN}=liar?lie=streams", *(f"{lie}=liar?lie=streams-{lie}" for lie in LIARS))
    flags = ("--workload", "tpch", "--scale", "0.01", "--streams", "2", "--starts", "2", "--quiet", "--json")
    return once("streams", lambda: fresh()("run", *named, *flags))


@pytest.mark.long
@pytest.mark.promise("An engine that loses one refreshed row is DIVERGED, and no figure of it is shown.")
@pytest.mark.parametrize(("lie", "code"), LIARS.items())
def test_each_lie_is_found(run: Run, lie: str, code: str) -> None:
    assert run.code == 1, run.err
    assert code in {one["code"] for one in run.json["findings"] if one["contender"] == lie}


@pytest.mark.long
def test_who_lies_is_not_timed(run: Run) -> None:
    status = {one["contender"]: one["status"] for one in run.json["contenders"]}
    wrong = {lie for lie in LIARS if lie != "sequence"}
    assert {name for name, one in status.items() if one == "diverged"} == wrong
    assert not wrong & {one["contender"] for one in run.json["figures"]}


@pytest.mark.long
def test_the_twin_is_accused_of_nothing(run: Run) -> None:
    assert not [one for one in run.json["findings"] if one["contender"] == TWIN]
    assert {one["contender"]: one["status"] for one in run.json["contenders"]}[TWIN] == "agreed"
    figures = {one["name"]: one for one in run.json["figures"] if one["contender"] == TWIN}
    assert set(figures) == {"power", "throughput", "composite", "queries alone"}
    assert len(figures["composite"]["values"]) == 2


@pytest.mark.long
def test_streams_in_sequence_have_no_throughput(run: Run) -> None:
    assert {one["name"] for one in run.json["figures"] if one["contender"] == "sequence"} == {"power", "queries alone"}


@pytest.mark.long
def test_its_evidence_passes_and_says_what_it_is_not(run: Run, weigh: Weigh) -> None:
    passed = weigh("verify", str(run.evidence))
    assert passed.code == 0, passed.out + passed.err
    assert "derived from TPC-H, not comparable to published results" in (run.evidence / "report.html").read_text()


@pytest.fixture(scope="module")
def maintained(fresh: Callable[[], Weigh], once: Once) -> Run:
    lies = [lie for lie in LIARS if lie != "sequence"]
    named = contenders(f"{TWIN}=liar?lie=streams", *(f"{lie}=liar?lie=streams-{lie}" for lie in lies))
    flags = ("--workload", "tpcds", "--scale", "0.01", "--streams", "1", "--starts", "1", "--quiet", "--json")
    return once("streams-tpcds", lambda: fresh()("run", *named, *flags, timeout=900))


@pytest.mark.long
@pytest.mark.parametrize("lie", [lie for lie in LIARS if lie != "sequence"])
def test_each_lie_about_data_maintenance_is_found(maintained: Run, lie: str) -> None:
    assert maintained.code == 1, maintained.err
    assert LIARS[lie] in {one["code"] for one in maintained.json["findings"] if one["contender"] == lie}
    assert lie not in {one["contender"] for one in maintained.json["figures"]}


@pytest.mark.long
def test_the_twin_of_tpcds_is_accused_of_nothing(maintained: Run, weigh: Weigh) -> None:
    assert not [one for one in maintained.json["findings"] if one["contender"] == TWIN]
    assert {one["contender"]: one["status"] for one in maintained.json["contenders"]}[TWIN] == "agreed"
    figures = {one["name"] for one in maintained.json["figures"] if one["contender"] == TWIN}
    assert figures == {"power", "throughput", "maintenance", "composite", "queries alone"}
    passed = weigh("verify", "--sql", str(maintained.evidence))
    assert passed.code == 0, passed.out + passed.err
