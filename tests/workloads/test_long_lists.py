"""Lists of many literals: short where a text is only looked at, and everything else where it was."""

from __future__ import annotations

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from weigh.model.errors import UsageError
from weigh.workloads.askable import refuse
from weigh.workloads.infer_schema import split
from weigh.workloads.long_lists import shortened

MANY = ", ".join(f"'10.0.{i // 250}.{i % 250}'" for i in range(1000))
NUMBERS = ",".join(map(str, range(1000)))


def literals(sql: str) -> int:
    return len(list(sqlglot.parse_one(sql, read="duckdb").find_all(sqlglot.exp.Literal)))


@pytest.mark.parametrize("values", [MANY, NUMBERS, MANY.replace("0.0", "o''k"), MANY.replace(", ", " ,\n")])
def test_a_long_list_has_few_literals_and_the_text_behind_it_stays_in_its_place(values: str) -> None:
    sql = f"SELECT count(*) FROM events WHERE src IN ({values}) AND now() > x"
    short = shortened(sql)
    assert literals(short) < 100 < literals(sql)
    assert short.index(") AND now()") == sql.index(") AND now()")
    assert len(short) == len(sql)
    with pytest.raises(UsageError, match=r"when it is asked"):
        refuse(sql, "q")


def test_two_lists_are_two_texts() -> None:
    assert shortened(f"IN ({MANY})") != shortened(f"IN ({MANY.replace('10.0.3.9', '10.0.3.8')})")


def test_what_is_split_is_not_shortened() -> None:
    first, second = split(f"SELECT 1 WHERE a IN ({MANY}, 'x;y');\n-- name: n\nSELECT 2 WHERE b IN ({NUMBERS})", "q")
    assert first.sql == f"SELECT 1 WHERE a IN ({MANY}, 'x;y')"
    assert (second.name, second.sql) == ("n", f"-- name: n\nSELECT 2 WHERE b IN ({NUMBERS})")


@given(st.lists(st.text("'a,;1 .-"), max_size=60))
def test_short_lists_and_other_texts_are_left_alone(values: list[str]) -> None:
    sql = ", ".join("'" + one.replace("'", "''") + "'" for one in values)
    assert len(shortened(sql)) == len(sql)
    assert shortened(f"f({NUMBERS[:80]})") == f"f({NUMBERS[:80]})"
