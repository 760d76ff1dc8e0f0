"""Parameters of a user's queries: what is one, and which cases they make."""

from __future__ import annotations

import pytest

from weigh.model.errors import UsageError
from weigh.model.operation import Case, Literal, fill
from weigh.workloads.parameters import braced, check, grid, names


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT $1, $2, $10, $1", ["1", "2", "10"]),
        ("SELECT {city}, $city, $day", ["city", "day"]),
        ("SELECT '$1 {x}', \"$2\", $$ $3 $$ -- $4\n /* {y} */", []),
        ("SELECT {'a': 1}, [1], a$1, t.$x", ["x"]),
        ("SELECT 'open", []),
    ],
)
def test_what_is_a_parameter(sql: str, found: list[str]) -> None:
    assert names(sql) == found


def test_only_parameters_are_written_otherwise() -> None:
    assert braced("SELECT $1 + $10, '$1', {a} FROM t -- $1") == "SELECT {1} + {10}, '$1', {a} FROM t -- $1"


def test_every_combination_is_a_case() -> None:
    found = grid({"a": [1, 2], "b": "x", "q": {"a": [3, 4]}}, "q", ["a", "b"], (), "q.sql")
    assert [(case.name, case.literals) for case in found] == [
        ("a=3, b=x", {"a": 3, "b": "x"}),
        ("a=4, b=x", {"a": 4, "b": "x"}),
    ]
    assert all(case.timed for case in found)


def test_a_case_has_literals_of_its_own() -> None:
    own = (Case(name="rome", literals={"a": "Rome"}, timed=False),)
    assert grid({"b": [1, 2]}, "q", ["a", "b"], own, "q.sql") == [
        Case(name="rome, b=1", literals={"a": "Rome", "b": 1}),
        Case(name="rome, b=2", literals={"a": "Rome", "b": 2}),
    ]


def test_without_parameters_there_is_one_case() -> None:
    assert grid({}, "q", [], (), "q.sql") == [Case(name="only", timed=True)]


def test_what_has_no_value_and_what_is_too_many() -> None:
    with pytest.raises(UsageError, match="the parameter a has no value") as caught:
        grid({}, "q", ["a"], (), "q.sql")
    assert "[sql.parameters]" in caught.value.remedy
    with pytest.raises(UsageError, match="more than 1,000 combinations"):
        grid({"a": list(range(40)), "b": list(range(40))}, "q", ["a", "b"], (), "q.sql")


def test_a_value_that_nobody_asks_for() -> None:
    with pytest.raises(UsageError, match="no query has the parameter 'b'"):
        check({"b": 1}, {"q": ["a"]})
    with pytest.raises(UsageError, match="there is no query 'p'"):
        check({"p": {"a": 1}}, {"q": ["a"]})
    check({"a": 1, "q": {"a": 2}}, {"q": ["a"]})


def test_values_are_filled_in_at_once_and_as_the_dialect_writes_them() -> None:
    values: dict[str, Literal] = {"a": "{b}", "b": "x\\y"}
    assert fill("{a} {b} {c}", values) == "'{b}' 'x\\y' {c}"
    assert fill("{b}", values, "clickhouse") == "'x\\\\y'"
