"""A13: agreement of nothing: who did not answer, or answered with nothing, is counted as agreeing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ..reading import SMALL, assert_silent, contenders, junit, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

ASKED = ("--operations", "by_action,eq_action")


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh]) -> tuple[Weigh, Run]:
    """One that fails on every question and one that refuses each, alongside honest engines."""
    weigh = fresh()
    named = contenders("duckdb=fork", "liar?lie=none", "silent=liar?lie=silent", "refuses=liar?lie=refuses")
    return weigh, weigh("gate", *named, *SMALL, *ASKED)


def answered(run: Run) -> dict[str, dict[str, Any]]:
    return {one["contender"]: one for one in run.json["answered"]}


@pytest.mark.promise(
    "The first screen says who answered how much, and a contender that answered nothing is in its first sentence"
)
def test_who_answers_nothing_is_in_the_first_sentence(run: tuple[Weigh, Run]) -> None:
    weigh, gate = run
    found = answered(gate)
    total = found["duckdb"]["questions"]
    assert {name: (one["answered"], one["errors"], one["unsupported"]) for name, one in found.items()} == {
        "duckdb": (total, 0, 0),
        "liar?lie=none": (total, 0, 0),
        "silent": (0, total, 0),
        "refuses": (0, 0, total),
    }
    first = f"2 of 4 contenders agree on all {total} questions with the ground truth; silent answered none of {total}"
    text = words(weigh("report", str(gate.evidence)).out)
    page = words((gate.evidence / "report.html").read_text())
    markdown = words(weigh("report", str(gate.evidence), "--markdown").out)
    assert text.startswith(first)
    for told in (text, page, markdown):
        assert first in told
        assert "All answers agree" not in told
    assert {(f["code"], f["contender"]) for f in gate.json["findings"] if f["code"].startswith("A13.none")} == {
        ("A13.none", "silent"),
        ("A13.none", "refuses"),
    }
    assert gate.code == 0
    tests = junit(weigh, gate)
    assert tests["answers.refuses", "questions answered"][0] == "skipped"
    assert ("answers.duckdb", "questions answered") not in tests


def test_a_run_in_which_nobody_answers_says_that_first(fresh: Callable[[], Weigh]) -> None:
    weigh = fresh()
    named = contenders("silent=liar?lie=silent", "refuses=liar?lie=refuses")
    run = weigh("run", *named, "--baseline", "silent", "--operations", "eq_action", "--scale", "2K")
    assert words(run.out).startswith("Nobody answered anything: none of ")
    assert run.code == 2


def test_an_engine_that_lacks_some_answers_the_rest(fresh: Callable[[], Weigh]) -> None:
    """The honest twin of who answers nothing: it cannot do a LIMIT, and says so."""
    weigh = fresh()
    run = weigh("gate", *contenders("duckdb=fork", "lacks=liar?lie=fails"), "--workload", "three", *SMALL)
    found = answered(run)
    assert (found["lacks"]["answered"], found["lacks"]["questions"]) == (2, 3)
    assert {f["code"] for f in run.json["findings"] if f["code"].startswith("A13")} == {"A13.some"}
    assert words(weigh("report", "latest").out).startswith(
        "1 of 2 contenders, duckdb, answered all 3 questions, in agreement with the ground truth; "
        "lacks answered 2 of 3."
    )


def test_empty_answers_are_counted_and_accuse_nobody(fresh: Callable[[], Weigh]) -> None:
    """A question whose right answer has no row, one whose answer is NULL, and one with rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    weigh = fresh()
    pq.write_table(pa.table({"id": range(100)}), weigh.folder / "t.parquet")
    (weigh.folder / "q.sql").write_text(
        "-- name: none\nSELECT id FROM t WHERE id < 0;\n-- name: sums\nSELECT sum(id) AS s FROM t WHERE id < 0;\n"
        "-- name: some\nSELECT id FROM t WHERE id < 7;\n"
    )
    weigh("init", "--data", "t.parquet", "--sql", "q.sql", "--contender", "duckdb")
    named = contenders("duckdb=fork", "liar?lie=none")
    run = weigh("gate", *named, "--quiet", "--json")
    assert_silent(run)
    assert {(one["answered"], one["empty"]) for one in run.json["answered"]} == {(3, 2)}
    said = (
        "All answers agree, 3 questions to each contender. 2 of 3 answers are empty (none, sums): agreement of nothing"
    )
    assert words(weigh("report", "latest").out).startswith(said)
    only = weigh("gate", *named, "--operations", "none", "--out", "only", "--quiet", "--json")
    assert {one["severity"] for one in only.json["findings"] if one["code"] == "A13.empty"} == {"warning"}
    told = words(weigh("report", "only/latest").out)
    assert told.startswith("Every answer is empty, to 1 question: agreement of nothing is no evidence.")
    assert only.code == 0


def test_outputs_that_nobody_compared_are_not_said_to_agree(weigh: Weigh) -> None:
    for output, first in (("none", "No answers were compared (--output none)."), ("exact", "All answers agree")):
        commands = ("--command", "one=echo 1", "--command", f"other=echo {2 if output == 'none' else 1}")
        measured = ("run", "--starts", "5", "--runs", "1") if output == "none" else ("gate", "--no-shrink")
        run = weigh(*measured, *commands, "--output", output, "--json")
        assert run.code in {0, 1, 3}
        (row,) = run.json["gate"]
        assert row["status"] == ("unverified" if output == "none" else "agreed")
        assert ("no answers were compared" in row["detail"]) is (output == "none")
        (evidence,) = (weigh.folder / "runs").glob(f"*{run.json['experiment']['id']}*")
        for report in (weigh("report", str(evidence)).out, (evidence / "report.html").read_text()):
            assert first in words(report)
            assert ("answers agree" in words(report)) is (output == "exact")
