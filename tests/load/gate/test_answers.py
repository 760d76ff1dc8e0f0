"""Answers of different servers to the same statement: the same by value, whatever text they came as."""

from __future__ import annotations

import msgspec
import pytest

from weigh.load.gate import answers, checks
from weigh.load.gate_events import Answer, Answered, Column, Order, Statement, StatementAnswers, read
from weigh.model.answer import GateStatus

INT, NUMERIC, DOUBLE, BOOL, DATE, TEXT = 23, 1700, 701, 16, 1082, 25


def rows(*cells: tuple[str | None, ...], oids: tuple[int, ...] = (0,)) -> Answer:
    columns = tuple(Column(name=f"c{place}", oid=oid) for place, oid in enumerate(oids))
    return Answer(kind="rows", columns=columns, rows=cells, count=len(cells))


@pytest.mark.parametrize(
    ("one", "other", "agrees"),
    [
        (rows(("1.50",), oids=(NUMERIC,)), rows(("1.5",)), True),
        (rows(("t",), oids=(BOOL,)), rows(("1",)), True),
        (rows(("2024-02-01",), oids=(DATE,)), rows(("2024-02-01 00:00:00",)), True),
        (rows(("0.30000000000000004",), oids=(DOUBLE,)), rows(("0.3",), oids=(DOUBLE,)), True),
        (rows(("0.31",), oids=(DOUBLE,)), rows(("0.3",), oids=(DOUBLE,)), False),
        (rows(("007",), oids=(TEXT,)), rows(("7",)), False),
        (rows(("007",)), rows(("7",)), False),
        (rows((None,)), rows(("",)), False),
        (rows(("1",), ("2",)), rows(("2",), ("1",)), True),
        (rows(("1",), ("1",)), rows(("1",)), False),
        (rows(("1",)), Answer(kind="count", count=1), False),
        (Answer(kind="count", count=1), Answer(kind="count", count=2), False),
        (Answer(kind="error", code="42P01", text="a"), Answer(kind="error", code="42P01", text="b"), True),
        (rows(("9" * 40,)), rows(("9" * 40,)), True),
    ],
)
def test_values_decide(one: Answer, other: Answer, agrees: bool) -> None:
    assert answers.same(one, other, None).agrees is agrees
    assert answers.same(other, one, None).agrees is agrees


def test_the_order_counts_where_the_query_has_one() -> None:
    one, other = rows(("1",), ("2",)), rows(("2",), ("1",))
    assert not answers.same(one, other, Order(ordered_by=(0,))).agrees
    assert answers.same(one, other, Order()).agrees


def test_rows_of_a_limit_without_an_order_prove_nothing() -> None:
    found = answers.same(rows(("1",), ("2",)), rows(("3",), ("4",)), Order(limit=0))
    assert found.agrees
    assert found.open


def test_long_answers_are_compared_by_their_digest_as_far_as_that_goes() -> None:
    def long(digest: str | None, oid: int, count: int = 9) -> Answer:
        return Answer(kind="rows", columns=(Column(name="a", oid=oid),), count=count, digest=digest)

    assert answers.same(long("a", INT), long("a", INT), None).agrees
    assert not answers.same(long("a", INT), long("b", INT), None).agrees
    assert not answers.same(long("a", INT), long("a", INT, 8), None).agrees
    # 1.5 and 1.50 have other texts; and what was not read is not known.
    for other in (long("b", NUMERIC), long(None, NUMERIC)):
        found = answers.same(long("a", NUMERIC), other, None)
        assert found.agrees
        assert found.open


STATEMENT = Statement(script="look", line=1, text="SELECT a FROM t WHERE b = :b", does="reads")


def asked(value: str, *, text: str = STATEMENT.text, again: str | None = None) -> StatementAnswers:
    one = Answered(script="look", line=1, set=1, statement="", parameters=("1",), answer=rows((value,)))
    statement = Statement(script="look", line=1, text=text, does="reads")
    other = {} if again is None else {0: rows((again,))}
    return StatementAnswers(statements=(statement,), answers=(one,), again=other)


@pytest.mark.parametrize(
    ("given", "lineage", "status"),
    [
        ({"a": asked("1"), "b": asked("1")}, {"a": "x", "b": "y"}, GateStatus.AGREED),
        ({"a": asked("1"), "b": asked("1")}, {"a": "x", "b": "x"}, GateStatus.UNVERIFIED),
        ({"a": asked("1"), "b": asked("2")}, {"a": "x", "b": "x"}, GateStatus.DIVERGED),
        ({"a": asked("1"), "b": asked("2", again="3")}, {"a": "x", "b": "y"}, GateStatus.UNVERIFIED),
        (
            {"a": asked("1", text="SELECT random()"), "b": asked("2", text="SELECT random()")},
            {"a": "x", "b": "y"},
            GateStatus.UNVERIFIED,
        ),
    ],
)
def test_contenders_vote(given: dict[str, StatementAnswers], lineage: dict[str, str], status: GateStatus) -> None:
    found = checks.between(given, lineage)
    [word] = checks.concluded(found, given.values(), given)
    assert (word.status if word.contenders else GateStatus.UNVERIFIED) is status


def test_what_was_answered_otherwise_comes_back_from_the_journal() -> None:
    once = asked("1", again="3")
    journalled = msgspec.json.decode(msgspec.json.encode(once))
    assert read("gate-statements", journalled) == once


def test_one_that_is_outvoted_is_named() -> None:
    given = {"a": asked("1"), "b": asked("1"), "c": asked("2")}
    [word] = checks.concluded(checks.between(given, {"a": "x", "b": "y", "c": "z"}), given.values(), given)
    assert word.contenders["c"] is GateStatus.DIVERGED
    assert word.contenders["a"] is GateStatus.AGREED
    assert "c0: 2, not 1" in word.detail
