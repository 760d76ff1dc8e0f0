"""Real engines that take differently what SQL leaves open, or lack a value of the data: none of them is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from ..reading import contenders, errors

if TYPE_CHECKING:
    from support.command import Weigh

ROWS = """
    SELECT i AS id, i // 5 AS g, CASE WHEN i % 7 = 0 THEN 'nan'::DOUBLE WHEN i % 5 = 0 THEN NULL ELSE i / 4 END AS f
    FROM range(60) AS t(i)
"""
QUESTIONS = {
    "counted": "SELECT count(f) AS n FROM t",
    "both": "SELECT id, id / g AS q FROM t",
}


def test_what_sql_leaves_open_and_what_an_engine_lacks_accuses_nobody(weigh: Weigh) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    folder = weigh.folder / "asked"
    folder.mkdir()
    for name, sql in QUESTIONS.items():
        (folder / f"{name}.sql").write_text(sql)
    assert weigh("init", "--data", "t.parquet", "--sql", "asked", "--contender", "duckdb").code == 0
    run = weigh("gate", *contenders("duckdb=fork", "polars", "sqlite"), "--quiet", "--json", "--no-shrink")
    assert not errors(run)
    assert not [row["operation"] for row in run.json["gate"] if " is wrong " in str(row["detail"])]
    assert {row["operation"] for row in run.json["gate"] if row["status"] == "diverged"} == {"counted", "both"}
