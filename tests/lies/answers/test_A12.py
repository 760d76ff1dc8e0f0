"""A12: answers are not computed from the data that was given."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support import evidence_files
from weigh.host import hidden
from weigh.model.sample import Outcome

from .. import own_questions
from ..reading import ONCE, SMALL, assert_silent, contenders, errors, reasons, statuses, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

ASKED = ("--operations", "eq_action,by_action,distinct")
HONEST = ("duckdb", "liar?lie=none", "liar?lie=copy")


@pytest.fixture(scope="module", params=["truth", pytest.param("no-truth", marks=pytest.mark.long)])
def run(request: pytest.FixtureRequest, fresh: Callable[[], Weigh]) -> tuple[Run, list[str]]:
    """A table of answers and rows put aside, alongside honest engines, one of which reads a copy of its own."""
    weigh = fresh()
    liars = [f"{lie}=liar?lie={lie}&diary={weigh.folder / lie}" for lie in ("table", "old-rows")]
    flags = (*SMALL, *ASKED, f"--{request.param}")
    return weigh("gate", *contenders("duckdb=fork", *HONEST[1:], *liars), *flags), ["table", "old-rows"]


def gate(run: Run) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((run.evidence / "gate.json").read_text())
    return document


@pytest.mark.promise(
    "Who still gives its answer to the data of before, though the right one is another, has it from "
    "elsewhere: a table of answers, rows that were put aside, results that other processes find."
)
def test_answers_and_rows_from_elsewhere_are_found_on_unseen_data(run: tuple[Run, list[str]]) -> None:
    found, liars = run
    # Who looks answers up is also seen as a cache (A9), where the machine leaves it the time.
    assert {(code, who) for code, who in errors(found) if not code.startswith("A9")} == {
        ("A12.answers", liar) for liar in liars
    }
    assert {who for _, who in errors(found)} == set(liars)
    assert found.code == 1


def test_nobody_else_is_accused_and_everybody_else_was_tried(run: tuple[Run, list[str]]) -> None:
    found, _ = run
    assert set(statuses(found).values()) == {"agreed"}
    moved = gate(found)["unseen"]["moved"]
    for honest in HONEST:
        assert moved[honest] == ["by_action", "distinct", "eq_action"]
    assert not {f["contender"] for f in found.json["findings"] if f["code"].startswith("A12")} & set(HONEST)


@pytest.mark.promise(
    "After the gate every contender is started once more under the same paths, and finds other rows "
    "there, which nobody can have known"
)
@pytest.mark.long
def test_the_rows_are_others_each_time(weigh: Weigh) -> None:
    seen = []
    for _ in range(2):
        flags = (*SMALL, "--operations", "by_action")
        run = weigh("gate", *contenders("duckdb=fork", "liar?lie=none"), *flags)
        assert_silent(run)
        latest = max((weigh.folder / "runs").iterdir(), key=lambda path: path.stat().st_mtime_ns)
        seen.append(json.loads((latest / "gate.json").read_text())["unseen"]["digests"]["events"])
    assert seen[0] != seen[1]


def test_own_rows_are_drawn_anew(weigh: Weigh) -> None:
    """Nobody knows what is right; who does not notice that rows are gone differs from who does."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (weigh.folder / "queries").mkdir()
    (weigh.folder / "queries" / "total.sql").write_text("SELECT count(*) AS n, sum(id) AS total FROM events")
    toml = '[[column]]\nname = "n"\nkind = "integer"\n[[column]]\nname = "total"\nkind = "integer"\n'
    (weigh.folder / "queries" / "total.toml").write_text(toml)
    pq.write_table(pa.table({"id": range(3_000)}), weigh.folder / "events.parquet")
    (weigh.folder / "weigh.toml").write_text(
        '[experiment]\nworkload = "sql"\n[sql.tables]\nevents = "events.parquet"\n'
    )
    table = f"table=liar?lie=table&diary={weigh.folder / 'table'}"
    run = weigh("gate", *contenders("duckdb=fork", "liar?lie=none", table), "--quiet", "--json")
    assert errors(run) == {("A12.answers", "table")}
    assert gate(run)["unseen"]["moved"] == {"duckdb": ["total"], "liar?lie=none": ["total"], "table": []}


@pytest.mark.promise(
    "the ground truth alongside the data is hidden from contenders where weigh runs as root (each gets a"
    " mount namespace in which that folder is empty; `truth_hidden` in `gate.json`)"
)
@pytest.mark.skipif(not hidden.possible(), reason="only root may hide a folder")
def test_the_truth_is_out_of_reach(weigh: Weigh) -> None:
    diary = weigh.folder / "diary"
    run = weigh(
        "gate", *contenders("duckdb=fork", f"liar?lie=truth&diary={diary}"), *SMALL, "--operations", "by_action"
    )
    assert_silent(run)
    assert gate(run)["truth_hidden"]
    assert [path.name for path in diary.iterdir()] == ["looked"]


@pytest.mark.promise("`A12.fast` takes the verdict on that operation away until it is explained.")
def test_what_is_faster_than_memory_gets_no_verdict(weigh: Weigh) -> None:
    """It passes on unseen rows, because it computes there; and 3 MB are not looked at in microseconds."""
    named = contenders("duckdb=fork", "none=liar?lie=none", "knows=liar?lie=knows")
    flags = ("--scale", "400K", "--quiet", "--json", *ONCE, "--operations", "duration_by_proto,extremes_by_action")
    run = weigh("run", *named, *flags, WEIGH_CALIBRATION="yes")
    assert errors(run) == {("A12.fast", "knows")}
    assert {one.outcome for one in evidence_files.read_samples(run.evidence)} == {Outcome.OK}
    verdict = verdicts(run, "duration_by_proto")["knows"]
    assert verdict["verdict"] == "refused"
    assert "too fast to be true" in reasons(verdict)["A12.fast"]
    assert {f["operation"] for f in run.json["findings"] if f["code"] == "A12.fast"} == {"duration_by_proto"}
    assert run.code == 1


KEEPS = ("sums-behind-stat", "unsalted", "unsalted-guarded", "unsalted-shared", "unsalted-ahead", "copy-behind-stat")
BEHIND = dict.fromkeys(KEEPS, "A12.stale") | {"unsalted-shared": "A12.answers", "copy-behind-stat": "D9.copy"}
"""What each is found by."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("sums-behind-stat", "unsalted-guarded"), id="few"),
        pytest.param(tuple(BEHIND), id="all", marks=pytest.mark.long),
    ],
)
def keeping(request: pytest.FixtureRequest, fresh: Callable[[], Weigh]) -> tuple[Run, tuple[str, ...]]:
    """Answers, sums and copies that are used while the files look as they did, alongside who keeps nothing."""
    weigh = fresh()
    liars = [f"{lie}=liar?lie={lie}&diary={weigh.folder / lie}" for lie in request.param]
    return weigh("gate", *contenders("duckdb=fork", *HONEST[1:], "datafusion", *liars), *SMALL, *ASKED), request.param


@pytest.mark.promise(
    "Who gives its answers of before is asked for all rows. If it then reads the new ones, it keeps answers, or an "
    "index, in place of rows: `A12.stale`, disqualified."
)
def test_what_is_kept_behind_a_look_at_the_files_is_found(keeping: tuple[Run, tuple[str, ...]]) -> None:
    run, liars = keeping
    found = {one["contender"]: one["code"] for one in run.json["findings"] if one["severity"] != "note"}
    assert {liar: found.get(liar) for liar in liars} == {liar: BEHIND[liar] for liar in liars}
    assert set(found) == set(liars), "nobody else is accused, nor said to hold a copy"


@pytest.mark.long
def test_who_computes_the_same_of_any_rows_keeps_no_answers(weigh: Weigh) -> None:
    # SQLite reads the year of a text: of moments of one year the mean is the same, whatever the rows.
    rows = "SELECT i % 3 AS g, TIMESTAMP '2024-01-01' + INTERVAL (i * 37) MINUTE AS ts FROM range(2000) AS t(i)"
    asked = {"mean": "SELECT g, avg(ts) AS m FROM t GROUP BY g ORDER BY g"}
    run = own_questions.gate(weigh, rows, asked, "duckdb=fork", "polars", "sqlite")
    assert run.code == 0, run.out
    assert "A12.answers" not in run.codes
