"""What a load's report says beside its figures: answers that nobody checked (A8), the data's size (D7), where it lies
(E2), and whose name a workload has (R7)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weigh.load.spec import NOTICE

from ..loading import YCSB
from ..reading import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

BRIEF = ("--target", "sqlite:embedded", "--closed", "--duration", "300ms", "--quiet", "--json")


@pytest.fixture(scope="module")
def scripts(fresh: Callable[[], Weigh]) -> Run:
    """Statements whose answers nobody knows, under a name that is the TPC's."""
    return fresh()("load", "tpcb-like", "--connections", "1", *BRIEF)


@pytest.fixture(scope="module")
def checked(fresh: Callable[[], Weigh]) -> Run:
    """Reads and writes of values that are checked."""
    return fresh()("load", *YCSB, *BRIEF)


@pytest.mark.promise(
    "What nobody checked is reported (`A8.unchecked`: which statements, and why) and keeps the tier at suggestive."
)
def test_answers_that_nobody_checks_are_not_called_right(fresh: Callable[[], Weigh]) -> None:
    weigh = fresh()
    (weigh.folder / "one.sql").write_text("CREATE TABLE IF NOT EXISTS t (a int);\nINSERT INTO t VALUES (1);\n")
    run = weigh("load", "one.sql", "--connections", "1", "--protocol", "simple", *BRIEF)
    assert "A8.unchecked" in run.codes
    assert run.json["tier"]["name"] == "suggestive"
    [said] = [one["text"] for one in run.json["tier"]["reasons"] if one["code"] == "A8"]
    assert "2 of 2 statements" in said
    assert "no invariant says what the writes must leave" in said
    assert {one["status"] for one in run.json["answers"]["statements"]} == {"unverified"}
    assert run.json["runs"][0]["verified_reads"] == 0


def test_of_its_own_scripts_weigh_knows_the_answers_and_what_they_leave(scripts: Run) -> None:
    answers = scripts.json["answers"]
    assert "A8" not in {one["code"] for one in scripts.json["tier"]["reasons"]}
    assert {(one["status"], one["witness"]) for one in answers["statements"]} == {("agreed", "what weigh loaded")}
    assert [one["holds"] for one in answers["invariants"]] == [True] * 7
    for name in ("report.txt", "report.html"):
        assert "5 agreed with what weigh loaded" in words((scripts.evidence / name).read_text())


def test_where_values_are_checked_nothing_is_said_of_it(checked: Run) -> None:
    assert "A8.unchecked" not in checked.codes
    assert "A8" not in {one["code"] for one in checked.json["tier"]["reasons"]}
    assert checked.json["runs"][0]["verified_reads"] > 0
    [back] = checked.json["answers"]["read_back"]
    assert back["read"] == 200
    assert back["wrong"] == back["missing"] == back["failed"] == 0


@pytest.mark.promise(
    "The report says how large the server's data is, by its own word; for a server on this machine also the "
    "memory and their ratio (`D7.memory` below 1), and for one that weigh started, or a file of SQLite, on "
    "what storage it lies (`E2.memory` and its like where that is no disk of this machine)."
)
def test_every_report_says_how_large_the_data_is_and_where(scripts: Run, checked: Run) -> None:
    for run in (scripts, checked):
        found = run.json["working_set"]
        assert found["data_bytes"] == run.json["load"]["data_bytes"] > 10_000
        assert found["in_memory"]
        assert found["ratio"] == found["data_bytes"] / found["memory_bytes"]
        assert "D7.memory" in run.codes
        assert run.json["storage"]["kind"]
        for name in ("report.txt", "report.html"):
            assert ": in-memory, on " in words((run.evidence / name).read_text())


@pytest.mark.promise(
    "Reports of `tpcb-like` and `simple-update` say that they are derived from TPC-B and not comparable to "
    "published results."
)
def test_a_workload_made_after_the_tpcs_says_that_it_is_none(scripts: Run, weigh: Weigh) -> None:
    assert scripts.json["experiment"]["notice"] == NOTICE
    for text in (
        (scripts.evidence / "report.txt").read_text(),
        (scripts.evidence / "report.html").read_text(),
        weigh("report", str(scripts.evidence)).out,
    ):
        # It may begin a sentence.
        assert NOTICE[1:] in words(text)


def test_another_workload_has_no_such_notice(checked: Run) -> None:
    assert checked.json["experiment"]["notice"] is None
    for name in ("report.txt", "report.html"):
        assert "TPC" not in (checked.evidence / name).read_text()


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no shared memory here")
def test_data_in_memory_is_no_disk(fresh: Callable[[], Weigh]) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        flags = ("--closed", "--duration", "300ms", "--quiet", "--json")
        run = fresh()("load", *YCSB, "--target", f"sqlite:{folder}/shop.db", *flags)
    assert run.json["storage"]["kind"] == "memory"
    assert {"E2.memory", "E7.not_durable"} <= run.codes


def test_data_on_a_disk_is_not_said_to_be_elsewhere(checked: Run) -> None:
    if checked.json["storage"]["kind"] == "memory":
        pytest.skip("the throw-away file lies in memory here")
    assert "E2.memory" not in checked.codes
