"""Tables that clients print for people: what is read off them, what they leave open, and what is refused."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from support import clickbench_systems as systems

forms = systems.adapter().forms

BOX = """\
┌───────┬─────────┬───────────────┬────────────┐
│   n   │    s    │       d       │     e      │
│ int64 │ varchar │ decimal(10,2) │    date    │
├───────┼─────────┼───────────────┼────────────┤
│     1 │ a│日本  │         12.50 │ 2020-01-01 │
│  NULL │ NULL    │          NULL │       NULL │
└───────┴─────────┴───────────────┴────────────┘
"""
CUT = """\
┌───────┐
│   n   │
│ int64 │
├───────┤
│     0 │
│     · │
│     9 │
└───────┘
 10 rows
(2 shown)
"""
PRETTY = """\
   ┏━━━━━━━━━━┳━━━━━━┓
   ┃        n ┃ s    ┃
   ┡━━━━━━━━━━╇━━━━━━┩
1. │ 99997497 │ ᴺᵁᴸᴸ │ -- 100.00 million
   ├──────────┼──────┤
2. │        2 │ a│b  │
   └──────────┴──────┘
"""
COMPACT = """\
   ┌────────n─┬─s────┐
1. │ 99997497 │ ᴺᵁᴸᴸ │ -- 100.00 million
   └──────────┴──────┘
   ┌────────n─┬─s────┐
2. │        2 │ a│b  │
   └──────────┴──────┘
"""
PSQL = " n |  s  \n---+-----\n 1 | x|y\n   | \n(2 rows)\n\n"
MYSQL = """\
--------------
SELECT n, s FROM t
--------------

+------+------+
| n    | s    |
+------+------+
|    1 | a|b  |
| NULL | NULL |
|    3 |      |
+------+------+
3 rows in set (0.01 sec)

Bye
"""
DATAFUSION = """\
DataFusion CLI v50.0.0
0 row(s) fetched.

+----------+---+
| count(*) | s |
+----------+---+
| 5        |   |
+----------+---+
1 row(s) fetched.
"""
ROWS = "(1, 'it''s', 0.30000000000000004)\n(None, 'a\\n|', 2.0)\n"
PLAIN = "(1, \"it's\", datetime.date(2020, 1, 1), Decimal('1.50'), True)\n"


def read(name: str, raw: str, sql: str = "", texts: frozenset[str] = frozenset()) -> Any:
    form = forms.form(name)
    table = pa.ipc.open_stream(io.BytesIO(form.columns(raw.encode(), sql, texts))).read_all()
    assert form.rows(raw.encode()) == table.num_rows
    return table


def left_open(table: Any) -> dict[str, str]:
    return {one.name: one.metadata[b"weigh.shown"].decode() for one in table.schema if one.metadata}


@pytest.mark.parametrize(("name", "raw", "values", "open_"), [
    (
        "duckdb", BOX,
        {"n": [1, None], "s": ["a│日本", None], "d": [Decimal("12.50"), None], "e": [datetime.date(2020, 1, 1), None]},
        {"s": "blanks breaks null"},
    ),
    ("clickhouse", PRETTY, {"n": [99997497, 2], "s": [None, "a│b"]}, {"s": "blanks"}),
    ("clickhouse", COMPACT, {"n": [99997497, 2], "s": [None, "a│b"]}, {"s": "blanks"}),
    ("psql", PSQL, {"n": [1, None], "s": ["x|y", None]}, {"s": "blanks empty"}),
    ("mysql", MYSQL, {"n": [1, None, 3], "s": ["a|b", None, ""]}, {"s": "blanks null"}),
    ("datafusion", DATAFUSION, {"count(*)": [5], "s": [None]}, {"s": "blanks empty"}),
])  # fmt: skip
def test_a_table_is_read_by_its_name_and_by_its_sign(
    name: str, raw: str, values: dict[str, list[object]], open_: dict[str, str]
) -> None:
    for form in (name, "auto"):
        table = read(form, raw)
        assert table.to_pydict() == values
        assert left_open(table) == open_


def test_rows_of_psql_have_the_names_of_the_query() -> None:
    raw = "Timing is on.\n 1 | x   \n 2 |   \n\n"
    table = read("psql-t", raw, "SELECT count(*), kind AS k FROM t GROUP BY k")
    assert table.column_names == ["COUNT(*)", "k"]
    assert [column.to_pylist() for column in table.columns] == [[1, 2], ["x", None]]
    assert left_open(table) == {"k": "blanks empty"}


def test_what_python_prints_is_whole() -> None:
    table = read("python", PLAIN, "SELECT n, s, d, m, b FROM t")
    assert [column.to_pylist() for column in table.columns] == [
        [1], ["it's"], [datetime.date(2020, 1, 1)], [Decimal("1.50")], [True],
    ]  # fmt: skip
    assert not left_open(table)
    assert read("python", ROWS, "SELECT a, b, c FROM t").column("c").to_pylist() == [0.30000000000000004, 2.0]


def test_columns_of_text_stay_text() -> None:
    assert read("psql", " k \n---\n 1\n(1 row)\n", texts=frozenset({"k"})).to_pydict() == {"k": ["1"]}


def test_no_rows_are_told_where_there_are_names() -> None:
    assert read("duckdb", "┌───────┐\n│   n   │\n│ int64 │\n└───────┘\n 0 rows\n").to_pydict() == {"n": []}
    assert read("psql", " n \n---\n(0 rows)\n\n").to_pydict() == {"n": []}


_JSON = '{"elapsed": 0.01, "index": 3}\n'
_RECORD = "Row 1:\n──────\na: 1\nb: x\n"
_LIST = BOX.replace("varchar", "int32[]")


@pytest.mark.parametrize(("name", "raw", "words"), [
    ("duckdb", CUT, "leaves rows out: (2 shown)"),
    ("duckdb", _LIST, "the column s is of type int32[]"),
    ("duckdb", "┌───┐\n│ n │\n├───┤\n│ 1 │\n└───┘\n", "a box without a row of types"),
    ("clickhouse", PRETTY.replace("a│b  │", "a   ↴│"), "a text with a line break"),
    ("clickhouse", COMPACT + "\n  Showed first 2.\n", "leaves rows out: Showed first 2."),
    ("clickhouse", PRETTY.replace("a│b", "aa⋯"), "cut off"),
    ("psql", " s  \n----\n x +\n y \n(1 row)\n", "a text with a line break"),
    ("psql", PSQL.replace("(2 rows)", "(3 rows)"), "a table of 2 lines that says 3 rows"),
    ("psql", " 1 | x\n", "with psql -t say weigh.answer=psql-t"),
    ("psql-t", " 1 | x|y\n", "a row of 3 cells where the query has 2 columns"),
    ("psql-t", " 1 | x+\n 2 | y\n", "a text with a line break, or one that ends in +"),
    ("psql-t", "Timing is on.\n\n", "no rows, and no names"),
    ("mysql", MYSQL.replace("3 rows", "4 rows"), "a table of 3 lines that says 4 rows"),
    ("mysql", MYSQL + MYSQL, "several tables"),
    ("datafusion", DATAFUSION + "(First 40 displayed)\n", "leaves rows out"),
    ("python", "__import__('os').getcwd()\n", "no row as Python prints it"),
    ("python", "(1, 2)\n(1,)\n", "rows of different numbers of cells"),
    ("python", "('x', 1)\n(1, 1)\n", "values of several kinds"),
    ("auto", _JSON, "its time and no answer"),
    ("auto", "shape: (1, 1)\n┌─────┐\n", "a data frame of polars"),
    ("auto", _RECORD, "a record of a line for each column"),
    ("auto", "+---+\n| n |\n+---+\n| 1 |\n+---+\n", "not which client's: say it (weigh.answer, one of duckdb"),
    ("auto", "", "it printed nothing"),
])  # fmt: skip
@pytest.mark.promise("A table that leaves rows out is no answer, and refused.")
def test_what_does_not_tell_the_answer_is_refused(name: str, raw: str, words: str) -> None:
    with pytest.raises(ValueError) as raised:
        forms.form(name).columns(raw.encode(), "SELECT n, s FROM t")
    assert words in str(raised.value)
