"""A14: the checker is wrong itself, or a wrong value passes for another form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from ..reading import SMALL, contenders, errors

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
