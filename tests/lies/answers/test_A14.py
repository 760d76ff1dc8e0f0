"""A14: the checker is wrong itself, or a wrong value passes for another form."""

from __future__ import annotations

import decimal
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from ..own_questions import gate
from ..reading import SMALL, contenders, errors, statuses

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

LIAR, TWIN, COUNTS = "liar?lie=odd-values", "liar?lie=odd-forms", "liar?lie=odd-counts"
ROWS = """
    SELECT i::INTEGER AS id, i::BIGINT * 3 AS big, (i / 8)::DOUBLE AS d, i % 2 = 0 AS yes,
           concat('1f07baf9-1122-3344-5566-77889900', lpad(i::VARCHAR, 4, '0'))::UUID AS u, i * INTERVAL 1 DAY AS span,
           (i / 100)::DECIMAL(9, 2) AS price, DATE '9999-12-31' - i::INTEGER AS until, TIME '01:02:03' AS clock,
           TIMESTAMP '2024-02-29 12:34:56.789' + i * INTERVAL 1 DAY AS at, encode(concat('é', i)) AS raw
    FROM range(40) AS t(i)
"""


def asked(weigh: Weigh, rows: str, *names: str) -> Run:
    """The gate over a table ``t`` of these rows."""
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n FROM t")
    assert weigh("init", "--data", "t.parquet", "--sql", "q.sql", "--contender", "duckdb").code == 0
    return weigh("gate", *contenders(*names), "--quiet", "--json", "--no-shrink")


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh]) -> Run:
    """Every value in another type, in two ways, and in one of them another value."""
    return asked(fresh(), ROWS, "duckdb=fork", TWIN, COUNTS, LIAR)


def test_values_in_another_type_are_equal_and_others_are_not(run: Run) -> None:
    assert errors(run) == {("A4.rows", LIAR)}
    (found,) = [one["text"] for one in run.json["findings"] if one["code"] == "A4.rows"]
    assert "other values in u, span, price, at;" in found
    assert "7 of 11 columns right" in found


@pytest.mark.promise("values in another type are compared by value, and the form is named (`A14.form`)")
def test_the_forms_are_named(run: Run) -> None:
    said = {one["text"] for one in run.json["findings"] if one["code"] == "A14.form" and one["contender"] == TWIN}
    assert "UUIDs as text and as bytes in u of t: the same values as in the files" in said
    for form in (
        "text for the intervals in span",
        "text for the decimals in price",
        "text for the dates in until",
        "text for the times in clock",
    ):
        assert f"{form} of t: the same values as in the files" in said
    counted = {one["text"] for one in run.json["findings"] if one["code"] == "A14.form" and one["contender"] == COUNTS}
    for form in (
        "doubles for the integers in big",
        "text for the booleans in yes",
        "doubles for the decimals in price",
        "integers for the dates in until",
        "integers for the times in clock",
        "integers for the timestamps in at",
    ):
        assert f"{form} of t: the same values as in the files" in counted
    # The honest engine itself hands out UUIDs as text, and that is no lie either.
    assert [one["contender"] for one in run.json["findings"] if "UUIDs" in one["text"]].count("duckdb") == 1


def test_netflow_in_other_types_is_netflow(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", LIAR, TWIN), *SMALL, "--no-shrink", "--operations", "by_action")
    assert errors(run) == {("A4.rows", LIAR)}


def test_months_of_intervals_accuse_who_changes_them_and_nobody_else(weigh: Weigh) -> None:
    # The parquet crate by itself leaves them out.
    months = "SELECT 1 AS id, INTERVAL '1 year 2 months 3 days' AS span UNION ALL SELECT 2, INTERVAL '30 days'"
    run = asked(weigh, months, "duckdb=fork", "pyarrow", LIAR)
    assert errors(run) == {("A4.rows", LIAR)}
    assert not [one for one in run.json["findings"] if one["code"] == "A14.readers"]


def test_a_row_that_is_missing_is_found_all_the_same(weigh: Weigh) -> None:
    rows = "SELECT i AS event_id, uuid() AS u FROM range(1, 3000) AS t(i)"
    run = asked(weigh, rows, "duckdb=fork", "liar?lie=fewer-rows", "liar?lie=copy")
    assert errors(run) == {("A4.rows", "liar?lie=fewer-rows")}


def test_a_column_that_an_engine_cannot_read_takes_no_other_one_with_it(weigh: Weigh) -> None:
    """Polars has decimals of 38 digits, and DuckDB more than it: one column is named, and the rest is compared."""
    prices = pa.array([decimal.Decimal(i) for i in range(40)], pa.decimal256(60, 2))
    rows = pa.table({"id": range(40), "price": prices})
    questions = {"ids": "SELECT sum(id) AS n FROM t", "prices": "SELECT id, price FROM t"}
    run = gate(weigh, rows, questions, "duckdb", "polars")
    assert not errors(run)
    found = {one["code"]: one["text"] for one in run.json["findings"] if one["contender"] == "polars"}
    assert found["A14.unchecked"].startswith("column price of t is not compared with the files: error: ")
    assert "A4.unread" not in found
    assert {(row["operation"], row["status"]) for row in run.json["gate"]} >= {("ids", "agreed"), ("prices", "error")}


def test_intervals_of_polars_are_structs_of_the_same_values(weigh: Weigh) -> None:
    rows = "SELECT i AS id, to_months(i::INTEGER % 3) + to_days(i::INTEGER) AS span FROM range(40) AS t(i)"
    run = gate(weigh, rows, {"spans": "SELECT id, span FROM t"}, "duckdb", "polars@1.35.2")
    assert not errors(run)
    assert statuses(run) == {"spans": "agreed"}
    forms = [one["text"] for one in run.json["findings"] if one["code"] == "A14.form"]
    assert "structs for the intervals in span of t: the same values as in the files" in forms
