"""Real engines that take differently what SQL leaves open, or lack a value of the data: none of them is accused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb

from ..reading import contenders, errors, words

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
    assert not [row["operation"] for row in run.json["gate"] if " is wrong" in str(row["detail"])]
    assert {row["operation"] for row in run.json["gate"] if row["status"] == "left_open"} == {"counted", "both"}
    assert not [row["operation"] for row in run.json["gate"] if row["status"] == "diverged"]
    assert run.code == 3
    text = words(weigh("report", "latest").out)
    assert (
        "Answers differ on 1 of 2 operations, and the question leaves it open: both, not timed, nobody wrong." in text
    )
    assert not re.search("INADMISSIBLE|WRONG|DIFFERENT|ho is right", text)
    skipped = weigh("export", "latest", "--format", "junit").out
    assert ("<failure" in skipped, "<skipped" in skipped) == (False, True)


NARROW_ROWS = """
    SELECT i AS id, i // 5 AS g, CASE WHEN i % 7 = 0 THEN 'nan'::DOUBLE ELSE i / 4 END AS f, i % 11 AS v,
        CASE i % 3 WHEN 0 THEN '-0.0'::DOUBLE WHEN 1 THEN 0 ELSE 1 END AS z
    FROM range(60) AS t(i)
"""
NARROW = {
    "not_a_number": "SELECT count(*) AS n FROM t WHERE f > 1",
    "zeros": "SELECT z, count(*) AS n FROM t GROUP BY z",
    "inner_limit": "SELECT count(*) AS c, sum(v) AS n FROM (SELECT v FROM t LIMIT 10) AS s",
    "distinct_on": "SELECT DISTINCT ON (g) g, v AS n FROM t",
    "windows": "SELECT id, row_number() OVER (PARTITION BY g ORDER BY v % 2) AS n FROM t",
    "lists": "SELECT g, any_value(v) AS n FROM t GROUP BY g",
}


def test_what_is_left_open_excuses_no_other_wrong_answer(weigh: Weigh) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({NARROW_ROWS}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    folder = weigh.folder / "narrow"
    folder.mkdir()
    for name, sql in NARROW.items():
        (folder / f"{name}.sql").write_text(sql)
    assert weigh("init", "--data", "t.parquet", "--sql", "narrow", "--contender", "duckdb").code == 0
    named = contenders("duckdb", "datafusion", "liar?lie=none", "liar?lie=apart", "liar?lie=openly")
    run = weigh("gate", *named, "--quiet", "--json", "--no-shrink")
    rows = {row["operation"]: str(row["detail"]) for row in run.json["gate"] if row["status"] == "diverged"}
    found = {name: re.findall(r"([^ ;]+) is wrong\b", detail) for name, detail in rows.items()}
    assert found == {name: ["liar?lie=openly"] for name in NARROW}
