"""A4: two contenders read different rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import ONCE, SMALL, assert_silent, contenders, errors, timed, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

LIARS = ("liar?lie=fewer-rows", "liar?lie=stale-copy")


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh]) -> Run:
    """One loses a row in a thousand; the other reads a copy with as many rows, some of them old."""
    return fresh()("run", *contenders("duckdb=fork", *LIARS), *SMALL, *ONCE, "--operations", "eq_action,distinct")


@pytest.mark.promise(
    (
        "A contender that fails one is **disqualified**: nothing of it is compared, its verdicts are "
        "REFUSED with this reason, and the run exits 1."
    ),
    (
        "Up to 2 million rows, `SELECT *` of every table is digested through the contender and compared "
        "with the digest of the files."
    ),
)
def test_both_are_named_and_not_compared(run: Run) -> None:
    assert errors(run) == {("A4.rows", liar) for liar in LIARS}
    # Nobody asked them: that the others agree says nothing of their answers.
    assert "All other answers agree" in words((run.evidence / "report.txt").read_text())
    assert {name for name, _ in timed(run)} == {"duckdb"}
    assert {verdict["verdict"] for verdict in run.json["verdicts"]} <= {"refused"}
    assert run.code == 1


@pytest.mark.promise("If the baseline is disqualified, nothing is measured.")
def test_with_a_baseline_that_is_disqualified_nothing_is_measured(weigh: Weigh) -> None:
    run = weigh("run", *contenders(LIARS[0], "duckdb=fork"), *SMALL, *ONCE, "--operations", "eq_action")
    assert errors(run) == {("A4.rows", LIARS[0])}
    assert not run.json["timings"]
    assert not {verdict["verdict"] for verdict in run.json["verdicts"]} - {"refused"}
    assert "is disqualified (A4.rows)" in (run.evidence / "report.txt").read_text().replace("\n  ", " ")
    assert run.code == 1
    assert weigh("verify", str(run.evidence)).code == 0


def test_it_says_how_many_rows_were_read(run: Run) -> None:
    found = {f["contender"]: f["text"] for f in run.json["findings"] if f["code"] == "A4.rows"}
    assert "19981" in found["liar?lie=fewer-rows"]
    assert found["liar?lie=stale-copy"].count(":20000:") == 2


def test_it_shows_a_cell_that_differs(run: Run) -> None:
    found = {f["contender"]: f["text"] for f in run.json["findings"] if f["code"] == "A4.rows"}
    assert ", bytes: " in found["liar?lie=stale-copy"]
    assert "(row): 0 times, not 1 times" in found["liar?lie=fewer-rows"]


@pytest.mark.promise(
    "Above that, the row count and some 100,000 rows are: those whose value in one column leaves a "
    "remainder that is drawn for this run, so that nobody can know which (`A4.sampled`)"
)
@pytest.mark.long
def test_of_a_large_table_drawn_rows_are_compared(weigh: Weigh) -> None:
    scale = ("--scale", "2200K", "--quiet", "--json", "--operations", "eq_action", "--no-shrink")
    run = weigh("gate", *contenders("duckdb=fork", "liar?lie=copy", "liar?lie=stale-copy"), *scale)
    assert errors(run) == {("A4.rows", "liar?lie=stale-copy")}
    assert {f["contender"] for f in run.json["findings"] if f["code"] == "A4.sampled"} == {
        "duckdb",
        "liar?lie=copy",
        "liar?lie=stale-copy",
    }


def test_a_copy_with_the_same_rows_reads_the_same_rows(weigh: Weigh, twins: Run) -> None:
    run = weigh("gate", *contenders("duckdb=fork", "liar?lie=copy"), *SMALL, "--operations", "eq_action")
    assert not errors(run)
    assert run.code == 0
    assert_silent(twins)
