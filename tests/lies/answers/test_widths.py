"""Engines that count in integers of different widths: none of them is accused, and nobody else is excused by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from ..own_questions import gate
from ..reading import contenders, diverged, statuses

if TYPE_CHECKING:
    from support.command import Weigh

ROWS = """
    SELECT i AS id, (i * 37 % 256)::UTINYINT AS u8, (i * 91 % 256)::UTINYINT AS v8, (i * 37 % 256 - 128)::TINYINT AS i8,
        (i * 77777 % 65536)::USMALLINT AS u16, (i * 77777 % 65536 - 32768)::SMALLINT AS i16,
        (i * 1234567891 % 4294967296 - 2147483648)::INTEGER AS i32, (i * 1234567891 % 4294967296)::UINTEGER AS u32,
        9223372036854775807 - i % 9 AS i64, i % 50 AS a, i % 70 AS b, DATE '2024-01-01' + (i % 365)::INTEGER AS d
    FROM range(1, 2000) AS t(i)
"""
NARROW = {
    "difference": "SELECT sum(u8 - v8) AS v FROM t",
    "condition": "SELECT count(*) AS v FROM t WHERE i32 + i32 > 0",
    "negative": "SELECT sum(-i8) AS v FROM t",
    "absolute": "SELECT sum(abs(i8)) AS v FROM t",
    "largest": "SELECT max(u16 - u8) AS v FROM t",
    "mean": "SELECT avg(i32 + i32) AS v FROM t",
    "product": "SELECT sum(u32 * u32) AS v FROM t",
    "doubled": "SELECT id, u8 * 2 AS v FROM t",
    "squares": "SELECT i16 * i16 AS k, count(*) AS v FROM t GROUP BY i16 * i16",
    "order": "SELECT id, u8 - v8 AS v FROM t ORDER BY u8 - v8, id LIMIT 20",
    "within": "SELECT count(*) AS v FROM (SELECT u8 + v8 AS k FROM t) AS s WHERE k > 300",
    "having": "SELECT u8 % 5 AS k, count(*) AS v FROM t GROUP BY u8 % 5 HAVING max(u8 * 2) > 300",
    "month": "SELECT sum(extract(month FROM d) * 100) AS v FROM t",
    "narrowed": "SELECT sum(CAST(i32 AS TINYINT)) AS v FROM t",
    "large": "SELECT max(i64 + id) AS v FROM t",
    "default": "SELECT id, coalesce(i32, 0) + i32 AS v FROM t",
    "branch": "SELECT id, CASE WHEN id > 9 THEN i32 ELSE 0 END + i32 AS v FROM t",
    "counted": "SELECT sum(CASE WHEN u8 + v8 > 300 THEN 1 ELSE 0 END) AS v FROM t",
    "more": "SELECT count(CASE WHEN u8 + v8 > 300 THEN 1 END) + 1 AS v FROM t",
    "root": "SELECT sum(CAST(ceil(sqrt(u8 + v8)) AS BIGINT)) AS v FROM t",
    "filter": "SELECT sum(id) FILTER (WHERE u8 + v8 > 300) + 0 AS v FROM t",
    "power": "SELECT id, power(u8, 2) AS v FROM t",
    "shift": "SELECT id, u8 << 4 AS v FROM t",
}
WIDE = {
    "wide": "SELECT sum(a + b) AS n FROM t",
    "cast": "SELECT sum(CAST(u8 AS BIGINT) - CAST(v8 AS BIGINT)) AS n FROM t",
}
"""Of these no value leaves its type."""


def test_who_wraps_and_who_widens_are_honest_and_who_is_off_by_one_is_wrong(weigh: Weigh) -> None:
    questions = {"condition": NARROW["condition"], "wide": WIDE["wide"]}
    run = gate(weigh, ROWS, questions, "polars", "sqlite", "liar?lie=openly")
    assert statuses(run) == {"condition": "left_open", "wide": "diverged"}
    assert diverged(run) == {("liar?lie=openly", "wide")}


EXCUSED = {
    "condition": "SELECT count(*) AS n FROM t WHERE u8 + v8 > 300",
    "order": "SELECT id, a AS n FROM t ORDER BY u8 + v8, id",
    "cast": "SELECT id, CAST(a AS INTEGER) AS n FROM t",
    "doubled": "SELECT id, u8 + v8 AS n FROM t",
    "unordered": "SELECT id, u8 + v8 AS n FROM t ORDER BY n",
}
"""What engines of other widths may answer otherwise, but not in any way."""


def test_widths_excuse_what_they_change_and_no_other_number(weigh: Weigh) -> None:
    honest, liar = "liar?lie=wide", "liar?lie=wide&by=1"
    run = gate(weigh, ROWS, EXCUSED, "polars", "datafusion", honest, liar)
    assert diverged(run) == {(liar, name) for name in EXCUSED}, run.json["gate"]


@pytest.mark.long
@pytest.mark.parametrize(
    "named",
    [("polars", "datafusion", "chdb"), ("duckdb", "datafusion", "polars", "chdb", "sqlite", "postgres")],
    ids=["three", "six"],
)
def test_nobody_is_accused_of_the_width_of_its_integers(weigh: Weigh, named: tuple[str, ...]) -> None:
    run = gate(weigh, ROWS, NARROW | WIDE, *named)
    assert not [(row["operation"], row["detail"]) for row in run.json["gate"] if row["status"] == "diverged"]
    assert {statuses(run)[name] for name in WIDE} == {"agreed"}
    assert statuses(run)["difference"] == "left_open"


@pytest.mark.long
def test_nobody_is_accused_of_the_type_that_64_bits_of_both_signs_have_together(weigh: Weigh) -> None:
    with duckdb.connect() as connection:
        large = "(18446744073709551615 - 9000000000000000::HUGEINT * i)::UBIGINT"
        rows = f"SELECT i AS id, {large} AS u64 FROM range(1, 2000) AS t(i)"
        connection.execute(f"COPY ({rows}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    (weigh.folder / "q.sql").write_text("SELECT sum(u64 - id) AS v FROM t")
    named = contenders("duckdb", "datafusion", "chdb", "postgres")
    run = weigh("gate", *named, "--data", "t.parquet", "--sql", "q.sql", "--quiet", "--json", "--no-shrink")
    assert statuses(run) == {"q": "left_open"}
    assert not diverged(run)


@pytest.mark.long
def test_a_sum_that_wraps_in_64_bits_excuses_none_that_is_off_by_the_width_of_others(weigh: Weigh) -> None:
    honest, liar = "liar?lie=wide", "liar?lie=wide&by=4294967296"
    run = gate(weigh, ROWS, {"beyond": "SELECT sum(i64) AS n FROM t"}, "datafusion", "polars", honest)
    assert statuses(run) == {"beyond": "left_open"}, run.json["gate"]
    run = gate(weigh, ROWS, {"beyond": "SELECT sum(i64) AS n FROM t"}, "datafusion", "polars", honest, liar)
    assert {one for one, _ in diverged(run)} == {liar}, run.json["gate"]


NOT_SO_FAR = {
    "counted": "SELECT a, count(*) AS n FROM t GROUP BY a",
    "one_more": "SELECT id, a + 1 AS n FROM t",
    "products": "SELECT sum(a * b) AS n FROM t",
    "absolute": "SELECT id, abs(i32) AS n FROM t",
    "tripled": "SELECT id, i32 * 3 AS n FROM t",
}
"""A number that is greater by 2^32 is beyond what the data can give, or the same question in 64 bits says so."""


@pytest.mark.long
def test_what_the_data_cannot_give_has_wrapped_around_nowhere(weigh: Weigh) -> None:
    honest, liar = "liar?lie=wide", "liar?lie=wide&by=4294967296"
    run = gate(weigh, ROWS, NOT_SO_FAR, "polars", "sqlite", honest, liar)
    assert diverged(run) == {(liar, name) for name in NOT_SO_FAR}, run.json["gate"]
