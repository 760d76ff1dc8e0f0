"""Dates that a type of an engine lacks, and lists without a member: nobody is accused, and nobody else is excused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..own_questions import gate
from ..reading import diverged

if TYPE_CHECKING:
    from support.command import Weigh

ROWS = """
    SELECT i AS id, CASE WHEN i % 9 = 0 THEN NULL WHEN i % 9 = 1 THEN [] ELSE [i, i % 3] END AS l,
        TIMESTAMP '1960-01-01' + INTERVAL (i * 20) DAY AS m, TIMESTAMP '2024-01-01' + INTERVAL (i) DAY AS now_
    FROM range(900) AS t(i)
"""
OPEN = {
    "lists": "SELECT id, unnest(l) AS v FROM t",
    "counted": "SELECT count(*) AS c, sum(e) AS v FROM (SELECT unnest(l) AS e FROM t) AS q",
    "dates": "SELECT id, CAST(m AS DATE) AS v FROM t",
    "grouped": "SELECT CAST(m AS DATE) AS v, count(*) AS c FROM t GROUP BY 1",
    "filtered": "SELECT count(*) AS v FROM t WHERE CAST(m AS DATE) < DATE '1965-01-01'",
}
WRONG = {"days": "SELECT id, CAST(now_ AS DATE) AS next_day FROM t"}


@pytest.mark.parametrize(
    "named",
    [("duckdb=fork", "polars"), pytest.param(("duckdb", "datafusion", "polars", "chdb"), marks=pytest.mark.long)],
    ids=["two", "four"],
)
def test_what_a_type_lacks_accuses_nobody(weigh: Weigh, named: tuple[str, ...]) -> None:
    questions = OPEN if len(named) > 2 else {"lists": OPEN["lists"], "counted": OPEN["counted"]}
    run = gate(weigh, ROWS, questions, *named)
    assert not diverged(run), run.json["gate"]


@pytest.mark.long
def test_who_is_a_day_off_is_wrong_beside_them(weigh: Weigh) -> None:
    run = gate(weigh, ROWS, WRONG, "datafusion", "polars", "liar?lie=small")
    assert diverged(run) == {("liar?lie=small", "days")}
