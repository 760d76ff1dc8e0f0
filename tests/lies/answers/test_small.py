"""Lies of one row, one digit or one kind of NULL, each in a question of its own; the twin answers the same honestly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from ..reading import contenders, diverged

if TYPE_CHECKING:
    from support.command import Weigh

ROWS = """
    SELECT i::INTEGER AS id, CASE WHEN i % 23 > 0 THEN (i % 7)::SMALLINT END AS g, (i % 256 - 128)::TINYINT AS i8,
        CASE WHEN i % 13 > 0 THEN (i * 7919 % 100003 / 100)::DECIMAL(12, 2) END AS amount, i * 1.1 AS f,
        CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'a ' WHEN 3 THEN 'e' || chr(769) ELSE 'b' || i END AS s,
        lpad(i::VARCHAR, 5, '0') AS code, DATE '1899-12-30' + i::INTEGER AS d, i % 3 = 0 AS b,
        TIMESTAMP '2024-03-31 00:30:00.123456' + INTERVAL (i) MINUTE AS ts, encode(i::VARCHAR) AS bin
    FROM range(3000) AS t(i)
"""
FEW = {
    "row_lost": "SELECT id, g AS row_lost FROM t",
    "null_as_zero": "SELECT id, amount AS null_as_zero FROM t",
    "wrong_year": "SELECT id, d AS wrong_year FROM t",
    "order_off": "SELECT id, code AS order_off FROM t ORDER BY id",
}
MORE = {
    "row_twice": "SELECT id, g AS row_twice FROM t",
    "digit_cut": "SELECT id, amount AS digit_cut FROM t",
    "zero_as_null": "SELECT id, g AS zero_as_null FROM t",
    "trimmed": "SELECT id, s AS trimmed FROM t",
    "composed": "SELECT id, s AS composed FROM t",
    "empty_as_null": "SELECT id, s AS empty_as_null FROM t",
    "null_as_empty": "SELECT id, s AS null_as_empty FROM t",
    "null_as_text": "SELECT id, s AS null_as_text FROM t",
    "next_day": "SELECT id, d AS next_day FROM t",
    "hour_off": "SELECT id, ts AS hour_off FROM t",
    "micros_cut": "SELECT id, ts AS micros_cut FROM t",
    "single": "SELECT id, f AS single FROM t",
    "last_off": "SELECT id, i8 AS last_off FROM t WHERE i8 < 100",
    "zeros_cut": "SELECT id, code AS zeros_cut FROM t",
    "unknown_as_false": "SELECT id, CASE WHEN g > 3 THEN b END AS unknown_as_false FROM t",
    "one_more": "SELECT count(*) AS one_more FROM t WHERE g > 2",
    "cents_cut": "SELECT g, sum(amount) AS cents_cut FROM t GROUP BY g",
    "mean_cut": "SELECT g, avg(id) AS mean_cut FROM t GROUP BY g",
    "bytes_cut": "SELECT id, bin AS bytes_cut FROM t",
    "groups_merged": "SELECT g AS k, count(*) AS groups_merged FROM t GROUP BY g",
    "one_less": "SELECT id AS one_less FROM t LIMIT 10",
    "distinct_lost": "SELECT g AS distinct_lost FROM t",
    "sign_lost": "SELECT id, i8 AS sign_lost FROM t WHERE i8 > -128",
    "swapped": "SELECT id, g, id AS swapped FROM t",
}


@pytest.mark.parametrize("questions", [FEW, pytest.param(MORE, marks=pytest.mark.long)], ids=["few", "more"])
def test_small_lies_are_named_and_their_twin_is_not(weigh: Weigh, questions: dict[str, str]) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    folder = weigh.folder / "asked"
    folder.mkdir()
    for name, sql in questions.items():
        (folder / f"{name}.sql").write_text(sql)
    others = ("datafusion", "liar?lie=none") if questions is FEW else ("datafusion", "polars", "liar?lie=none")
    flags = ("--data", "t.parquet", "--sql", "asked", "--quiet", "--json", "--no-shrink")
    run = weigh("gate", *contenders(*others, "liar?lie=small"), *flags)
    # Contenders of one lineage that agree outvote nobody alone: with DataFusion they are two.
    assert diverged(run) == {("liar?lie=small", name) for name in questions}, run.json["gate"]
