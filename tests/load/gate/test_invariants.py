"""A script's own invariants: what is read, and what is refused with its line."""

from __future__ import annotations

import pytest

from support import load_records
from weigh.load.gate import invariants, invariants_checked
from weigh.load.gate_events import Answer, Column, InvariantAnswers
from weigh.load.spec import Arrivals, Script
from weigh.model.errors import UsageError


def with_line(line: str) -> Script:
    return Script(name="a", text=f"{line}\nSELECT 1")


def written(text: str) -> list[invariants.Question]:
    return list(invariants.written(Script(name="pay", text=text)))


@pytest.mark.parametrize(
    ("line", "sql", "expected"),
    [
        ("-- invariant: SELECT sum(a) - 1 FROM t = 0", "SELECT sum(a) - 1 FROM t", "0"),
        ("--invariant:select count(*) from t where a <> b = 0;", "select count(*) from t where a <> b", "0"),
        ("  -- Invariant : SELECT max(name) FROM t = 'it''s'", "SELECT max(name) FROM t", "'it''s'"),
        ("-- invariant: SELECT bool_and(a = b) FROM t = true", "SELECT bool_and(a = b) FROM t", "true"),
        ("-- invariant: WITH x AS (SELECT 1) SELECT 2 = -1.5e3", "WITH x AS (SELECT 1) SELECT 2", "-1.5e3"),
        ("-- invariant: SELECT count(*) FROM t WHERE (done) = 0", "SELECT count(*) FROM t WHERE (done)", "0"),
    ],
)  # fmt: skip
def test_the_last_equals_sign_says_what_the_value_must_be(line: str, sql: str, expected: str) -> None:
    [found] = written(f"SELECT 1;\n{line}\n")
    assert (found.sql, found.expected, found.line) == (sql, expected, 2)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("-- invariant: DELETE FROM t", "no query"),
        ("-- invariant: SELECT count(*) FROM t", "what its value must be"),
        ("-- invariant: SELECT count(*) FROM t = now()", "what its value must be"),
        ("-- invariant: SELECT count(*) FROM t WHERE balance = 0", "WHERE balance is left"),
        ("-- invariant:", "no query"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(line: str, word: str) -> None:
    with pytest.raises(UsageError) as error:
        written(f"\n\n{line}\nSELECT 1;")
    assert word in error.value.what
    assert error.value.where == "script pay, line 3"
    assert error.value.remedy


def test_an_ordinary_comment_is_none() -> None:
    assert not written("-- invariants are fine\nSELECT 1; -- invariant: SELECT 1 = 1\n")


@pytest.mark.parametrize(
    ("value", "expected", "holds"),
    [
        ("0", "0", True), ("0.00", "0", True), ("-0", "0", True), ("1", "0", False), ("t", "true", True),
        ("1", "true", True), ("0", "true", False), (None, "null", True), (None, "0", False), ("x", "0", False),
        ("it's", "'it''s'", True), ("0.30", "0.3", True),
    ],
)  # fmt: skip
def test_values_are_compared_and_not_their_text(value: str | None, expected: str, holds: bool) -> None:
    spec = load_records.spec(1, workload="script", scripts=(with_line(f"-- invariant: SELECT 1 = {expected}"),))
    answer = Answer(kind="rows", columns=(Column(name="a"),), rows=((value,),), count=1)
    asked = InvariantAnswers(run=1, after=False, answers=(answer,))
    [found] = invariants_checked.written(spec, asked)
    assert found.holds is holds


@pytest.mark.parametrize(
    "answer",
    [
        Answer(kind="error", code="42P01", text="no such table"),
        Answer(kind="rows", columns=(Column(name="a"),), count=0),
        Answer(kind="rows", columns=(Column(name="a"), Column(name="b")), rows=(("1", "1"),), count=1),
        Answer(kind="count", count=1),
        None,
    ],
)
def test_what_is_no_single_value_is_neither_held_nor_broken(answer: Answer | None) -> None:
    spec = load_records.spec(1, workload="script", scripts=(with_line("-- invariant: SELECT 1 = 1"),))
    given = () if answer is None else (answer,)
    [found] = invariants_checked.written(spec, InvariantAnswers(run=1, after=True, answers=given))
    assert found.holds is None
    assert found.detail


def test_pgbenchs_tables_are_asked_for_its_own_scripts_alone() -> None:
    def kinds(*names: str, own: bool, text: str = "") -> list[str]:
        scripts = tuple(Script(name=name, text=text) for name in names)
        spec = load_records.spec(1, workload="script", scripts=scripts, arrivals=Arrivals(rate=1))
        return [one.script or one.kind for one in invariants.questions(spec, own=own)]

    assert kinds("tpcb-like", "select-only", own=True) == ["sums", "accounts", "tellers", "branches"]
    assert kinds("tpcb-like", "simple-update", own=True) == ["sums", "accounts"]
    assert kinds("simple-update", own=False) == ["sums"]
    assert kinds("select-only", own=True) == []
    assert kinds("tpcb-like", own=False, text="SELECT 1") == []
