"""Real engines that take differently what SQL leaves open, or lack a value of the data: none of them is accused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest

from ..own_questions import gate
from ..reading import contenders, diverged, errors, statuses, words

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


@pytest.mark.long
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
    named = contenders("duckdb=fork", "datafusion", "liar?lie=none", "liar?lie=apart", "liar?lie=openly")
    run = weigh("gate", *named, "--quiet", "--json", "--no-shrink")
    rows = {row["operation"]: str(row["detail"]) for row in run.json["gate"] if row["status"] == "diverged"}
    found = {name: re.findall(r"([^ ;]+) is wrong\b", detail) for name, detail in rows.items()}
    assert not [detail for detail in rows.values() if "against liar?lie=openly" in detail or "tells who" in detail]
    assert found == {name: ["liar?lie=openly"] for name in NARROW}


DIALECT_ROWS = """
    SELECT i::INTEGER AS id, i % 4 AS g, [0.1, 16777217, 3.3333333][1 + i % 3]::FLOAT AS single,
        TIMESTAMP '2024-01-31' + to_hours(7 * i) + to_microseconds(i) AS ts, DATE '2023-12-29' + i::INTEGER AS day,
        ['abc', 'ABC', 'äöü', 'ß', 'İ', ' x ', '', NULL][1 + i % 8] AS s, [-7, 2147483647, 3][1 + i % 3]::INTEGER AS n
    FROM range(1200) AS t(i)
"""
DIALECTS = {
    "single_equal": "SELECT id, single = 0.1 AS e FROM t WHERE id < 40",
    "single_in": "SELECT count(*) AS n FROM t WHERE single IN (0.1, 3.3333333)",
    "single_sum": "SELECT sum(single) AS a FROM t",
    "single_counted": "SELECT id, single * 3 AS a, sqrt(single) AS b FROM t WHERE id < 40",
    "seconds": "SELECT id, extract(second FROM ts) AS a FROM t WHERE id < 40",
    "milliseconds": "SELECT id, date_part('millisecond', ts) AS a FROM t WHERE id < 40",
    "zone": "SELECT id, ts AT TIME ZONE 'Europe/Berlin' AS a FROM t WHERE id < 10",
    "shifted": "SELECT id, n << 2 AS a FROM t WHERE n > 0 AND id < 40",
    "caret": "SELECT id, 2 ^ 3 AS a FROM t WHERE id < 3",
    "place": "SELECT id, strpos(s, 'ü') AS a FROM t WHERE id < 40 AND s IS NOT NULL",
    "letters": "SELECT id, upper(s) AS a, lower(s) AS b FROM t WHERE id < 40",
    "similar": "SELECT count(*) AS n FROM t WHERE s SIMILAR TO '(a|A)'",
    "first": "SELECT id, unicode(s) AS a FROM t WHERE id < 40",
    "next_day": "SELECT id, day + 1 AS a FROM t WHERE id < 40",
    "at_a_text": "SELECT count(*) AS n FROM t WHERE ts = '2024-01-31 00:00:00'",
    "beside_a_day": "SELECT count(*) AS n FROM t WHERE ts > day",
    "cast_to_text": "SELECT id, CAST(s AS STRING) AS a FROM t WHERE id < 40",
    "a_table_of_no_name": "SELECT id, position('b' IN s) AS a FROM t WHERE id < 40 AND s IS NOT NULL",
    "united": "SELECT g AS a FROM t UNION SELECT id FROM t WHERE id < 9 ORDER BY a",
    "all_united": "SELECT g AS a FROM t WHERE id < 9 UNION ALL SELECT id FROM t WHERE id < 9 ORDER BY a",
    "mean_span": "SELECT avg(ts - TIMESTAMP '2024-01-31') AS a FROM t WHERE id < 300",
    "mean_moment": "SELECT g, avg(ts) AS a FROM t GROUP BY g",
    "mean_days": "SELECT avg(day - DATE '2023-12-29') AS a FROM t",
    "near_quotients": "SELECT round(id / 100.0) AS k, count(DISTINCT g) AS n FROM t GROUP BY round(id / 100.0)",
}


@pytest.mark.parametrize(
    "named",
    [
        pytest.param(("duckdb=fork", "polars"), marks=pytest.mark.long),
        pytest.param(("duckdb=fork", "polars", "sqlite"), marks=pytest.mark.long),
        pytest.param(("duckdb", "datafusion", "polars", "chdb", "sqlite", "postgres"), marks=pytest.mark.long),
    ],
    ids=["two", "three", "six"],
)
def test_dialects_accuse_nobody(weigh: Weigh, named: tuple[str, ...]) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({DIALECT_ROWS}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    folder = weigh.folder / "asked"
    folder.mkdir()
    for name, sql in DIALECTS.items():
        (folder / f"{name}.sql").write_text(sql)
    flags = ("--data", "t.parquet", "--sql", "asked", "--quiet", "--json", "--no-shrink")
    run = weigh("gate", *contenders(*named), *flags)
    assert not errors(run)
    assert not [(row["operation"], row["detail"]) for row in run.json["gate"] if row["status"] == "diverged"]
    assert run.code in (0, 3)


@pytest.mark.long
def test_a_place_in_a_null_is_none(weigh: Weigh) -> None:
    """Polars has 0 for it, and the standard NULL."""
    asked = {"place": "SELECT id, strpos(s, 'B') AS a FROM t WHERE s = 'ABC' OR s IS NULL"}
    run = gate(weigh, DIALECT_ROWS, asked, "duckdb", "datafusion", "polars")
    assert diverged(run) == {("polars", "place")}, run.json["gate"]


@pytest.mark.long
def test_json_and_names_of_columns_accuse_nobody(weigh: Weigh) -> None:
    """Each engine writes JSON as it likes, and `inf` is a number to ClickHouse."""
    rows = "SELECT i AS id, concat('{\"a\": ', i, ', \"b\": [1, 2]}')::JSON AS doc, i AS inf FROM range(9) AS t(i)"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    (weigh.folder / "q.sql").write_text(
        "-- name: docs\nSELECT id, doc FROM t;\n-- name: most\nSELECT max(inf) AS m FROM t"
    )
    assert weigh("init", "--data", "t.parquet", "--sql", "q.sql", "--contender", "duckdb").code == 0
    names = contenders("duckdb", "chdb", "pyarrow", "datafusion")
    run = weigh("gate", *names, "--quiet", "--json", "--no-shrink")
    assert not errors(run), run.json["findings"]
    assert {row["operation"]: row["status"] for row in run.json["gate"]} == {"docs": "agreed", "most": "left_open"}


ZEROS = (
    "SELECT i AS id, 0.0::DOUBLE AS x, CASE WHEN i % 2 = 0 THEN '-0.0'::DOUBLE ELSE 0.0 END AS z FROM range(40) AS t(i)"
)
OF_ZEROS = {
    "one": "SELECT id, 1.0 / x AS infinity_turned FROM t WHERE x = 0",
    "both": "SELECT id, 1.0 / z AS infinity_unsigned FROM t WHERE z = 0",
}


@pytest.mark.long
def test_the_sign_of_an_infinity_is_open_where_the_data_has_both_zeros_alone(weigh: Weigh) -> None:
    liar = "liar?lie=small"
    run = gate(weigh, ZEROS, OF_ZEROS, "datafusion", "polars", "liar?lie=none", liar)
    assert diverged(run) == {(liar, "one")}, run.json["gate"]
    assert statuses(run)["both"] == "left_open"


FORMS_ROWS = """
    SELECT i AS id, i % 11 AS v, i / 4 AS f, (i / 100)::DECIMAL(15, 2) AS d,
        [0.1, 16777217, 3.3333333][1 + i % 3]::FLOAT AS single,
        ['abc', 'ABC', 'äöü', 'ß', 'b', ' x ', '', NULL][1 + i % 8] AS s
    FROM range(1, 1200) AS t(i)
"""
FORMS = {
    "letters": "SELECT upper(s) AS k, count(*) AS n FROM t GROUP BY upper(s)",
    "cast": "SELECT count(*) AS n FROM t WHERE CAST(v + 0.5 AS INTEGER) > 3",
    "rounded": "SELECT round(f + 0.5) AS k, count(*) AS n FROM t GROUP BY round(f + 0.5)",
    "single": "SELECT count(*) AS n FROM t WHERE single > 0.1",
    "quotient": "SELECT count(*) AS n FROM t WHERE d / 3 > 0.67",
    "quotients": "SELECT k, count(*) AS n FROM (SELECT d / 3 AS k FROM t) AS s GROUP BY k",
    "tripled": "SELECT single * 3 AS k, count(*) AS n FROM t GROUP BY single * 3",
}
"""A filter or a group of what engines take differently excuses no other number: it is asked in one form for all."""


@pytest.mark.long
def test_a_filter_and_a_group_excuse_no_wrong_number(weigh: Weigh) -> None:
    liar = "liar?lie=openly"
    run = gate(weigh, FORMS_ROWS, FORMS, "datafusion", "polars", liar)
    assert diverged(run) == {(liar, name) for name in FORMS}, run.json["gate"]


@pytest.mark.long
def test_a_filter_and_a_group_that_engines_take_differently_accuse_nobody(weigh: Weigh) -> None:
    run = gate(weigh, FORMS_ROWS, FORMS, "datafusion", "polars", "liar?lie=none")
    assert not diverged(run), run.json["gate"]
    assert "left_open" in statuses(run).values()


IN_ORDER_ROWS = """
    SELECT i AS id, i % 11 AS v, i % 3 AS g, CASE WHEN i % 5 > 0 THEN i / 4 END AS f FROM range(600) AS t(i)
"""
IN_ORDER = {
    "first": "SELECT id, first_value(v) OVER (PARTITION BY g ORDER BY v % 2) AS n FROM t",
    "cut": "SELECT f AS k, id AS n FROM t ORDER BY k LIMIT 10",
    "inner": "SELECT count(*) AS c, sum(id) AS n FROM (SELECT id FROM t ORDER BY f LIMIT 7) AS s",
    "ranks": "SELECT id, rank() OVER (ORDER BY f) AS n FROM t",
}


@pytest.mark.long
def test_an_open_order_excuses_nobody_who_is_right_on_unseen_rows_alone(weigh: Weigh) -> None:
    liar = "liar?lie=given&by=600"
    run = gate(weigh, IN_ORDER_ROWS, IN_ORDER, "datafusion", "polars", "sqlite", liar)
    assert diverged(run) == {(liar, name) for name in IN_ORDER}, run.json["gate"]


@pytest.mark.long
def test_an_open_order_accuses_nobody(weigh: Weigh) -> None:
    run = gate(weigh, IN_ORDER_ROWS, IN_ORDER, "datafusion", "polars", "sqlite", "chdb", "liar?lie=none")
    assert not diverged(run), run.json["gate"]
    assert set(statuses(run).values()) == {"left_open"}


LETTERS_ROWS = """
    SELECT i AS id, ['ab', 'Zürich', 'äöü', 'a_b', 'A\\nb', 'x y', '', NULL][1 + i % 8] AS s,
        DATE '2024-01-01' + i::INTEGER AS d, 1 + i / 4 AS f
    FROM range(200) AS t(i)
"""
IN_LETTERS = {
    "words": r"SELECT s AS k, count(*) AS n FROM t WHERE s ~ '^\w+$' GROUP BY s",
    "alphabet": "SELECT s AS k, count(*) AS n FROM t WHERE s ~ '^[[:alpha:]]+$' GROUP BY s",
    "bounds": r"SELECT count(*) AS n FROM t WHERE s ~ '\bab\b'",
    "padded": "SELECT id, lpad(s, 3, '.') AS n FROM t",
    "escaped": r"SELECT count(*) AS n FROM t WHERE s = 'A\nb'",
    "base": "SELECT id, log(2, f) AS n FROM t",
    "weeks": "SELECT id, date_diff('week', d, DATE '2024-02-03') AS n FROM t",
    "edits": "SELECT id, levenshtein(s, 'Zurich') AS n FROM t",
}
"""Engines take regular expressions, bytes, backslashes and arguments as they document it: each is right."""


@pytest.mark.long
def test_dialects_of_texts_accuse_nobody(weigh: Weigh) -> None:
    run = gate(weigh, LETTERS_ROWS, IN_LETTERS, "duckdb", "datafusion", "polars", "chdb", "postgres")
    assert not diverged(run), run.json["gate"]
    assert set(statuses(run).values()) == {"left_open"}


IN_ASCII = {
    "digits": "SELECT count(*) AS n FROM t WHERE s ~ '[0-9A-Z]'",
    "padded": "SELECT id, lpad(CAST(id AS VARCHAR), 3, '0') AS k, id AS n FROM t",
}


def test_dialects_of_texts_excuse_nobody_of_one_dialect(weigh: Weigh) -> None:
    liar = "liar?lie=openly"
    run = gate(weigh, LETTERS_ROWS, IN_ASCII, "datafusion", "liar?lie=none", liar)
    assert diverged(run) == {(liar, name) for name in IN_ASCII}, run.json["gate"]


REMAINDER_ROWS = """
    SELECT i AS id, i - 150 AS w, (i - 150) / 8 AS f, ((i - 150) * 37 / 100)::DECIMAL(12, 2) AS d, 1 + i % 9 AS bb,
        i::UBIGINT * 1234567890123 AS u, i % 3 AS z, CASE WHEN i % 50 = 49 THEN 'inf'::DOUBLE ELSE i * 1.25 END AS x,
        ['abc', 'éabcdef', 'e' || chr(769) || 'x', 'a' || chr(13) || chr(10) || 'b', chr(9) || 'q', '3rd o''neil',
         chr(160) || 'q' || chr(160), 'zürich'][1 + i % 8] AS s
    FROM range(300) AS t(i)
"""
REMAINDERS = {
    "below_zero": "SELECT id, w % 7 AS r FROM t",
    "renamed": "SELECT k, id % 7 AS r FROM (SELECT id AS k, w FROM t) AS s(k, id)",
    "of_a_name": "WITH c(k, id) AS (SELECT id, w FROM t) SELECT k, id % 7 AS r FROM c",
    "united": "SELECT k, id % 7 AS r FROM (SELECT id AS k, id FROM t UNION ALL SELECT id + 1000, w FROM t) AS s",
    "rounded": "SELECT k, round(id) AS r FROM (SELECT id AS k, id FROM t UNION ALL SELECT id + 1000, f FROM t) AS s",
    "cast": "SELECT k, CAST(id AS BIGINT) AS r FROM (SELECT id AS k, f FROM t) AS s(k, id)",
    "unsigned": "SELECT id, u % bb AS r FROM t",
    "half": "SELECT id, f % 0.5 AS r FROM t",
    "infinite": "SELECT id, x % 3 AS r FROM t",
    "decimals": "SELECT id, d % 0.7 AS r FROM t",
    "logarithm": "SELECT id, ln(z) AS r FROM t",
    "two_names": "SELECT id AS k, w AS id FROM t",
    "part": "SELECT id, substr(s, 3, 2) AS r FROM t",
    "reversed": "SELECT id, reverse(s) AS r FROM t",
    "trimmed": "SELECT id, trim(s) AS r FROM t",
    "initials": "SELECT id, initcap(s) AS r FROM t",
}
"""Names that stand for something else than the column of that name, fractions in decimals and in doubles, letters."""


@pytest.mark.long
def test_remainders_names_and_letters_accuse_nobody(weigh: Weigh) -> None:
    run = gate(weigh, REMAINDER_ROWS, REMAINDERS, "duckdb", "datafusion", "polars", "chdb", "sqlite")
    assert not diverged(run), run.json["gate"]


IN_WHOLES = {
    "remainder": "SELECT id, id % 7 AS n FROM t",
    "of_a_name": "SELECT k, id % 7 AS n FROM (SELECT id AS k, bb AS id FROM t) AS s",
    "of_a_union": "SELECT k, v % 7 AS n FROM (SELECT id AS k, bb AS v FROM t UNION ALL SELECT id + 999, z FROM t) AS s",
}


@pytest.mark.long
def test_remainders_of_whole_numbers_excuse_nobody(weigh: Weigh) -> None:
    liar = "liar?lie=openly"
    letters = {"left": "SELECT id, left('ab  ' || 'cd', 4) AS trimmed FROM t"}
    run = gate(weigh, REMAINDER_ROWS, IN_WHOLES, "datafusion", "polars", "sqlite", "chdb", liar)
    assert diverged(run) == {(liar, name) for name in IN_WHOLES}, run.json["gate"]
    liar = "liar?lie=small"
    run = gate(weigh, REMAINDER_ROWS, letters, "datafusion", "polars", "chdb", "liar?lie=none", liar)
    assert (liar, "left") in diverged(run), run.json["gate"]
