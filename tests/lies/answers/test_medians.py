"""ClickHouse's median is that of a sample, as its documentation says: nobody is accused, no other engine excused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest

from ..reading import contenders

if TYPE_CHECKING:
    from support.command import Weigh

ROWS = "SELECT i AS id, i % 3 AS g, (i * 7919) % 100003 / 8 AS v FROM range(60000) AS t(i)"
QUESTIONS = {
    "whole": "SELECT median(v) AS n FROM t",
    "groups": "SELECT g, count(*) AS c, median(v) AS n FROM t GROUP BY g",
    "few": "SELECT median(v) AS n FROM t WHERE id < 1000",
}


FLAGS = ("--data", "t.parquet", "--sql", "asked", "--quiet", "--json", "--no-shrink")


@pytest.fixture(autouse=True)
def own(weigh: Weigh) -> None:
    """Rows and questions."""
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    folder = weigh.folder / "asked"
    folder.mkdir()
    for name, sql in QUESTIONS.items():
        (folder / f"{name}.sql").write_text(sql)


def test_the_median_of_a_sample_is_no_wrong_answer(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", "polars", "chdb"), *FLAGS)
    assert {row["operation"]: row["status"] for row in run.json["gate"]} == {
        "whole": "left_open",
        "groups": "left_open",
        "few": "agreed",
    }
    assert run.code == 3


@pytest.mark.long
def test_alone_it_is_not_accused(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("chdb"), *FLAGS)
    assert {row["status"] for row in run.json["gate"]} == {"unverified"}


def test_it_excuses_no_other_number(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", "datafusion", "chdb", "liar?lie=openly"), *FLAGS)
    wrong = {row["operation"]: re.findall(r"([^ ;]+) is wrong\b", str(row["detail"])) for row in run.json["gate"]}
    assert wrong == {name: ["liar?lie=openly"] for name in QUESTIONS}
