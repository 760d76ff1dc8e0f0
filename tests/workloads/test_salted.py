"""Salted questions: one place for the number, or none."""

from __future__ import annotations

import decimal
import re

import pyarrow as pa
import pytest

from weigh.workloads.salted import column, salted, unsalted


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT a FROM t", "SELECT a, 7 AS weigh_salt FROM t"),
        ("SELECT a -- FROM here\nFROM t", "SELECT a, 7 AS weigh_salt -- FROM here\nFROM t"),
        ("SELECT DISTINCT a FROM t", "SELECT DISTINCT a, 7 AS weigh_salt FROM t"),
        ("SELECT extract(year FROM d) FROM t", "SELECT extract(year FROM d), 7 AS weigh_salt FROM t"),
        ("WITH c AS (SELECT a FROM t) SELECT a FROM c", "WITH c AS (SELECT a FROM t) SELECT a, 7 AS weigh_salt FROM c"),
        ("SELECT (SELECT max(a) FROM t) FROM u", "SELECT (SELECT max(a) FROM t), 7 AS weigh_salt FROM u"),
        ("SELECT a IS DISTINCT FROM b FROM t", "SELECT a IS DISTINCT FROM b, 7 AS weigh_salt FROM t"),
        ("SELECT a is not distinct from b FROM t", "SELECT a is not distinct from b, 7 AS weigh_salt FROM t"),
        ("SELECT a FROM t GROUP BY ALL", "SELECT a, 7 AS weigh_salt FROM t GROUP BY ALL"),
        ("SELECT 1", None),
        ("FROM t SELECT a", None),
        ("SELECT a FROM t UNION SELECT b FROM u", None),
        ("SELECT a FROM t EXCEPT SELECT b FROM u", None),
        ("(SELECT a FROM t) UNION (SELECT b FROM u)", None),
        ("SELECT 'unclosed FROM t", None),
    ],
)
def test_the_number_stands_before_the_from_of_the_query(sql: str, found: str | None) -> None:
    said = salted(sql, 7)
    term = re.compile(rf",\s+[-+()\d ]+ AS\s+{column(7)}")
    assert (said is None) == (found is None)
    if said is not None:
        (one,) = term.findall(said)
        assert eval(one.split(" AS")[0].strip(", \n")) == 7  # a sum of two numbers
        assert term.sub(", 7 AS weigh_salt", said) == found


def test_no_two_numbers_have_one_pattern() -> None:
    texts = [str(salted("SELECT a FROM t", salt)) for salt in range(10**9, 10**9 + 200)]
    assert len({column(salt) for salt in range(10**9, 10**9 + 200)}) > 195
    assert len({re.sub(r"\w+", "x", text) for text in texts}) > 20
    assert all(salted("SELECT a FROM t", salt) == salted("SELECT a FROM t", salt) for salt in range(9))


@pytest.mark.parametrize("value", [7, "7", b"7", 7.0, decimal.Decimal(7), decimal.Decimal("7.00"), " 7 "])
def test_the_number_is_taken_off_in_any_type(value: object) -> None:
    answer = unsalted(pa.table({"a": ["x", "y"], column(7): [value, value]}), 7)
    assert answer is not None
    assert answer.column_names == ["a"]


@pytest.mark.parametrize("value", [8, "8", "07", "seven", None, 7.5, b"\xff"])
def test_another_number_is_none(value: object) -> None:
    assert unsalted(pa.table({"a": ["x", "y"], column(7): [value, value]}), 7) is None
