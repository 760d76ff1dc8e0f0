"""ClickHouse's median is that of a sample, as its documentation says: nobody is accused, no other engine excused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb

from ..reading import contenders

if TYPE_CHECKING:
    from support.command import Weigh

ROWS = "SELECT i AS id, i % 3 AS g, (i * 7919) % 100003 / 8 AS v FROM range(60000) AS t(i)"
QUESTIONS = {
    "whole": "SELECT median(v) AS n FROM t",
    "groups": "SELECT g, count(*) AS c, median(v) AS n FROM t GROUP BY g",
    "few": "SELECT median(v) AS n FROM t WHERE id < 1000",
}


def test_the_median_of_a_sample_is_no_wrong_answer_and_excuses_none(weigh: Weigh) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    folder = weigh.folder / "asked"
    folder.mkdir()
    for name, sql in QUESTIONS.items():
        (folder / f"{name}.sql").write_text(sql)
    flags = ("--data", "t.parquet", "--sql", "asked", "--quiet", "--json", "--no-shrink")

    run = weigh("gate", *contenders("duckdb=fork", "polars", "chdb"), *flags)
    assert {row["operation"]: row["status"] for row in run.json["gate"]} == {
        "whole": "left_open",
        "groups": "left_open",
        "few": "agreed",
    }
    assert run.code == 3
    alone = weigh("gate", *contenders("chdb"), *flags)
    assert {row["status"] for row in alone.json["gate"]} == {"unverified"}
    liar = weigh("gate", *contenders("duckdb", "datafusion", "chdb", "liar?lie=openly"), *flags)
    wrong = {row["operation"]: re.findall(r"([^ ;]+) is wrong\b", str(row["detail"])) for row in liar.json["gate"]}
    assert wrong == {name: ["liar?lie=openly"] for name in QUESTIONS}
