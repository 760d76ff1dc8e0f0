"""A7: another row of a tie, order, scale or type called wrong; or wrong answers that pass for such."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb
import pytest

from ..reading import SMALL, assert_silent, contenders, detail, diverged, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

OPERATIONS = ("unordered", "ties", "quotients", "ordered", "days")
LIAR = "liar?lie=wrong-forms"
SHAPES = ("--workload", "shapes", *SMALL)
TWIN = "liar?lie=other-forms"
NOTES = (
    "ties: A7: 15 rows tie at the limit; any that tie are right (",
    "quotients: A7: quotients differ by up to ",
    "ordered: A7: bytes for the text of action: compared by value (1 of ",
    "days: A7: text for the dates of first_day: compared by value (1 of ",
)


@pytest.fixture(scope="module")
def gate(fresh: Callable[[], Weigh]) -> Run:
    """A liar that lies on each operation, and the twin that takes every liberty there is."""
    return fresh()("gate", *contenders("duckdb=fork", TWIN, LIAR), *SHAPES, "--no-shrink")


def test_each_lie_is_found_and_nobody_else_is_accused(gate: Run) -> None:
    assert diverged(gate) == {(LIAR, operation) for operation in OPERATIONS}
    assert gate.code == 1


@pytest.mark.parametrize(
    ("operation", "shown"),
    [
        ("quotients", "mean_bytes: 10545.723166, not 10545.723163"),
        ("ordered", "row 1 in order, action: 'throttle', not 'alert'"),
        ("ties", "dst_port: "),
        ("unordered", "row 124, action: 'throttle ', not 'throttle'"),
        ("days", "row 'alert', first_day: 2026-01-04 00:00:00, not 2026-01-05 00:00:00"),
    ],
)
def test_what_differs_is_shown(gate: Run, operation: str, shown: str) -> None:
    assert shown in detail(gate, operation)


def test_the_twin_agrees_with_the_truth_and_the_report_says_how(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", TWIN), *SHAPES)
    assert_silent(run)
    text = words((run.evidence / "report.txt").read_text())
    for note in NOTES:
        assert note in text


def test_the_twin_agrees_with_another_engine_and_the_report_says_how(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", TWIN), *SHAPES, "--no-truth")
    assert_silent(run)
    text = words((run.evidence / "report.txt").read_text())
    for note in NOTES:
        assert note in text


def test_where_no_liberty_is_taken_there_is_no_note(twins: Run) -> None:
    assert "A7" not in (twins.evidence / "report.txt").read_text()


ORDERED = {
    "one": "SELECT g, count(*) AS n FROM t GROUP BY g ORDER BY g",
    "two": "SELECT g, h, count(*) AS n FROM t GROUP BY g, h ORDER BY h DESC, g",
    "star": "SELECT * FROM t ORDER BY g, id DESC",
    "placed": "SELECT g, count(*) AS n FROM t GROUP BY g ORDER BY g NULLS FIRST",
    "cut": "SELECT g, count(*) AS n FROM t GROUP BY g ORDER BY g LIMIT 100",
}


def test_who_does_not_sort_is_found_where_a_value_is_null_and_who_has_it_first_is_not_accused(weigh: Weigh) -> None:
    """SQLite puts NULLs first, DuckDB last."""
    with duckdb.connect() as connection:
        rows = "SELECT i AS id, nullif(i % 7, 6) AS g, nullif(i % 3, 2) AS h FROM range(200) AS t(i)"
        connection.execute(f"COPY ({rows}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    folder = weigh.folder / "ordered"
    folder.mkdir()
    for name, sql in ORDERED.items():
        (folder / f"{name}.sql").write_text(sql)
    made = weigh("init", "--data", "t.parquet", "--sql", "ordered", "--contender", "duckdb")
    assert (made.code, "A7.order" in made.out + made.err) == (0, False)
    honest = contenders("duckdb=fork", "sqlite")
    run = weigh("gate", *honest, *contenders("liar?lie=unsorted"), "--quiet", "--json", "--no-shrink")
    assert diverged(run) == {("liar?lie=unsorted", name) for name in ORDERED}
    assert "row 1 in order, g: 5, not 0" in detail(run, "one")
    assert run.code == 1
    twins = weigh("gate", *honest, "--quiet", "--json", "--no-shrink")
    assert_silent(twins)
    (twin,) = (weigh.folder / "runs").glob(f"*{twins.json['experiment']['id']}*")
    checks = json.loads((twin / "gate.json").read_text())["checks"]
    noted = {one["operation"] for one in checks if "elsewhere in the order by g" in str(one.get("notes"))}
    assert noted == {"one", "two", "star", "cut"}
