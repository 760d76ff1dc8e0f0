"""What is computed of quotients, NULL in windows and UUIDs in order: who says how it takes them is excused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..own_questions import gate
from ..reading import diverged

if TYPE_CHECKING:
    from support.command import Weigh

ROWS = """
    SELECT i AS id, i % 4 AS g, (i * 7 % 1000 / 100)::DECIMAL(15, 2) AS d, (1 + i % 90 / 10)::DECIMAL(9, 2) AS e,
        CASE WHEN i % 3 > 0 THEN i END AS f, md5(i::VARCHAR)::UUID AS u
    FROM range(1, 1200) AS t(i)
"""
QUESTIONS = {
    "mean": "SELECT g, avg(d / e) AS n FROM t GROUP BY g",
    "sum": "SELECT g, sum(d / e) AS n FROM t GROUP BY g",
    "per_cent": "SELECT id, d / e * 100 AS n FROM t WHERE id < 50",
    "quotient_of_one": "SELECT id, (d / 3) / (e + 1) AS n FROM t WHERE id < 50",
    "of_integers": "SELECT g, sum(id) / count(*) AS n FROM t GROUP BY g",
    "of_sums": "SELECT g, sum(d * e) / sum(d) * 100 AS n FROM t GROUP BY g",
}
OTHERS = {
    "least": "SELECT g, min(u) AS u FROM t GROUP BY g",
    "first": "SELECT DISTINCT g, first_value(f) OVER (PARTITION BY g ORDER BY id) AS f FROM t",
}


@pytest.mark.parametrize(
    "named",
    [("duckdb=fork", "datafusion"), pytest.param(("duckdb", "datafusion", "polars", "chdb"), marks=pytest.mark.long)],
)
def test_what_is_computed_of_a_quotient_accuses_nobody_and_excuses_no_wrong_number(
    weigh: Weigh, named: tuple[str, ...]
) -> None:
    liar = "liar?lie=openly"
    run = gate(weigh, ROWS, QUESTIONS, *named, "sqlite", "liar?lie=none", liar)
    assert diverged(run) == {(liar, name) for name in QUESTIONS}, run.json["gate"]


@pytest.mark.long
def test_who_is_right_on_unseen_rows_alone_is_named_for_what_it_says_of_the_given_ones(weigh: Weigh) -> None:
    liar = "liar?lie=given&by=1199"
    run = gate(weigh, ROWS, QUESTIONS, "datafusion", "polars", liar)
    assert diverged(run) == {(liar, name) for name in QUESTIONS}, run.json["gate"]


@pytest.mark.long
def test_null_in_windows_and_uuids_in_order_excuse_who_says_so_alone(weigh: Weigh) -> None:
    liar = "liar?lie=excused"
    run = gate(weigh, ROWS, OTHERS, "duckdb", "datafusion", "chdb", "liar?lie=none", liar)
    assert diverged(run) == {(liar, name) for name in OTHERS}, run.json["gate"]


@pytest.mark.long
def test_the_order_of_a_union_and_the_digits_of_a_deviation_accuse_nobody_and_excuse_no_other_number(
    weigh: Weigh,
) -> None:
    liar = "liar?lie=openly"
    rows = "SELECT i AS id, i % 7 AS g, i * 7919 % 1000003 * 10000::BIGINT AS v FROM range(1, 3000) AS t(i)"
    asked = {
        "united": "SELECT 'y' || g AS k, count(*) AS n FROM t GROUP BY g "
        "UNION ALL SELECT 'x' || g, sum(v) FROM t GROUP BY g ORDER BY n DESC",
        "deviation": "SELECT g, stddev_samp(v) AS s, count(*) AS n FROM t GROUP BY g",
    }
    run = gate(weigh, rows, asked, "duckdb", "datafusion", "chdb", "postgres", "liar?lie=none", liar)
    assert diverged(run) == {(liar, name) for name in asked}, run.json["gate"]


@pytest.mark.long
def test_the_last_bits_of_a_quotient_of_integers_accuse_nobody(weigh: Weigh) -> None:
    """Who multiplies by a reciprocal has other ones, as Polars, and to DataFusion the quotient is an integer."""
    rows = "SELECT i AS id, (i * 7919 % 1009 - 300)::INTEGER AS v FROM range(1500) AS t(i)"
    liar = "liar?lie=openly"
    run = gate(weigh, rows, {"q": "SELECT id, v / 7 AS n FROM t"}, "datafusion", "polars", "sqlite", liar)
    assert diverged(run) == {(liar, "q")}, run.json["gate"]
