"""Which columns of an answer are in the order that its query wants."""

from __future__ import annotations

import pyarrow as pa
import pytest

from weigh.workloads.infer_schema import any_rows, describe, unchecked_order
from weigh.workloads.order_columns import nulls_open

TABLE = pa.table({"id": [1, 2], "name": ["a", "b"], "hole": [None, 3]})
"""What a star stands for."""


def order(sql: str, answer: pa.Table = TABLE) -> list[str]:
    return describe(sql, answer).ordered_by


@pytest.mark.parametrize(
    "by",
    [
        "id", "t.id", "T.ID", "ID", "(id)", "((t.id))", "1", "id DESC NULLS LAST", "id, hash(name)", 'id, lower(name)',
    ],
)  # fmt: skip
@pytest.mark.parametrize("what", ["SELECT *", "SELECT t.*", "", "SELECT DISTINCT *", "SELECT id, name, hole"])
def test_a_column_is_found_however_it_is_written(what: str, by: str) -> None:
    assert order(f"{what} FROM t ORDER BY {by}") == ["id"]


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM t ORDER BY name DESC, id", ["name", "id"]),
        ('SELECT * FROM t ORDER BY name COLLATE "C"', ["name"]),
        ("WITH c AS (SELECT 1) SELECT * FROM c ORDER BY ID", ["id"]),
        ("SELECT * FROM t UNION ALL SELECT * FROM u ORDER BY id", ["id"]),
        ("SELECT * FROM t JOIN u USING (id) ORDER BY id", ["id"]),
        ("SELECT id, name, x AS hole FROM t ORDER BY ALL DESC", ["id", "name", "hole"]),
        ("SELECT * FROM t ORDER BY ALL", ["id", "name", "hole"]),
        ("SELECT * FROM t ORDER BY hole, id", ["hole", "id"]),
        ("SELECT id, count(*) AS name, 1 AS hole FROM t GROUP BY id ORDER BY count(*) DESC, ID", ["name", "id"]),
    ],
)
def test_columns_of_an_order(sql: str, columns: list[str]) -> None:
    assert order(sql) == columns


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t ORDER BY hash(id)",
        "SELECT * FROM t ORDER BY name COLLATE nocase",
        "SELECT * FROM t ORDER BY other",
        "SELECT * FROM t JOIN u ON t.a = u.a ORDER BY u.id",
        "SELECT * FROM t ORDER BY u.id",
        "SELECT * REPLACE (-id AS id) FROM t ORDER BY id",
        "SELECT -id AS id, name, hole FROM t ORDER BY t.id",
        "SELECT -id AS ID, name, hole FROM t ORDER BY id",
        "SELECT *, unnest(s) FROM t ORDER BY s.id",
        "SELECT t.*, u.* FROM t, u ORDER BY id",
    ],
)
def test_an_order_that_the_answer_does_not_tell_is_named(sql: str) -> None:
    found = describe(sql, TABLE)
    assert found.ordered_by == []
    assert unchecked_order(sql, found)
    assert not any_rows(sql, found)
    assert any_rows(f"{sql} LIMIT 1", describe(f"{sql} LIMIT 1", TABLE))


def test_a_name_that_two_columns_have_is_none() -> None:
    twice = pa.table([[1], [2]], names=["id", "ID"])
    assert order("SELECT * FROM t ORDER BY Id", twice) == []
    assert order("SELECT * FROM t ORDER BY ID", twice) == ["ID"]


def test_a_query_that_wants_no_order_has_none_unchecked() -> None:
    sql = "SELECT *, row_number() OVER (ORDER BY hash(id)) FROM t"
    assert not unchecked_order(sql, describe(sql, TABLE))


@pytest.mark.parametrize("values", [pa.array([[1], [2]]), pa.array(["a", "b"]).dictionary_encode()])
def test_values_that_engines_order_differently_leave_the_order_unchecked(values: pa.Array) -> None:
    assert order("SELECT * FROM t ORDER BY part, id", TABLE.append_column("part", values)) == []


@pytest.mark.parametrize(
    ("by", "wanted"),
    [
        ("hole, id", (2, 0)),
        ("hole NULLS FIRST, id DESC", (0,)),
        ("hole DESC NULLS LAST, id nulls first", ()),
        ("3 NULLS LAST, id", (0,)),
        ("hole, hole NULLS LAST, id", (2, 0)),
        ("lower(name) NULLS LAST, hole, id", (2, 0)),
    ],
)
def test_where_nulls_stand_is_open_unless_it_is_written(by: str, wanted: tuple[int, ...]) -> None:
    assert nulls_open(f"SELECT * FROM t ORDER BY {by}", [2, 0], TABLE.column_names) == wanted


def test_nulls_first_of_a_window_says_nothing_of_the_rows() -> None:
    sql = "SELECT id, name, sum(id) OVER (ORDER BY id NULLS FIRST) AS hole FROM t ORDER BY hole"
    assert nulls_open(sql, [2], TABLE.column_names) == (2,)
    assert nulls_open("SELECT * FROM t ORDER BY ALL NULLS LAST", [0, 1, 2], TABLE.column_names) == ()
