"""Suspects: the most telling first, and who may witness against them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weigh.answers.votes import UNDECIDED, conclude
from weigh.engines.engine import Engine, Switch
from weigh.engines.environment import Environment
from weigh.engines.prepared import PreparedContender, cache_folder
from weigh.experiment.reproducer.candidates import divergences, references, remote
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.contender import Contender
from weigh.model.gate import Check, Difference, Gate
from weigh.model.operation import Case, Filter, Operation, Workload

if TYPE_CHECKING:
    from weigh.experiment.reproducer.candidates import Refutation

SHORT = "SELECT count(*) AS n FROM t WHERE a = {a}"
LONG = "SELECT b, count(*) AS n FROM t WHERE a = {a} GROUP BY b ORDER BY b"
CASES = tuple(Case(name=f"case-{number}", literals={"a": number}, timed=number == 0) for number in range(4))
WORKLOAD = Workload(
    name="w",
    dataset="d",
    operations=tuple(
        Operation(
            name=name,
            sql=sql,
            schema=ResultSchema(columns=(Column(name="n", kind="integer"),)),
            cases=CASES,
            filter=Filter(table="t", predicate="a = {a}"),
            dialect={"swap": "SELECT 0"},
        )
        for name, sql in (("long", LONG), ("short", SHORT), ("other", f"{SHORT} "))
    ),
)


def ready(name: str, lineage: str, *, script: str = "ask", copies: bool = False, **settings: str) -> PreparedContender:
    engine = Engine(
        name=name,
        lineage=lineage,
        adapter=Path("none"),
        dialect=lineage,
        threads="threads",
        copies=copies,
        script=script,
        switches=(Switch(name="push-down off", settings={"push": 0}),),
    )
    return PreparedContender(
        contender=Contender(name=name, engine=name, settings=dict(settings)),
        engine=engine,
        environment=Environment(python=Path(sys.executable), key="k", lock=""),
        settings={},
        cache=Path("none"),
    )


def wrong(contender: str, operation: str, *cases: int, witness: str = "ground truth", detail: str = "") -> list[Check]:
    return [
        Check(
            operation=operation,
            case=f"case-{case}",
            contender=contender,
            status=GateStatus.DIVERGED,
            witness=witness,
            detail=detail,
            differences=(Difference(row="", column="n", got="3", expected="7"),),
        )
        for case in cases
    ]


def right(contender: str, status: GateStatus = GateStatus.AGREED) -> list[Check]:
    return [
        Check(operation=one.name, case=case.name, contender=contender, status=status)
        for one in WORKLOAD.operations
        for case in CASES
    ]


def gate(*checks: list[Check]) -> Gate:
    every = [check for some in checks for check in some]
    names = list(dict.fromkeys(check.contender for check in every))
    return Gate(operations=conclude(every, {"long": 4, "short": 4, "other": 4}, names), checks=tuple(every), truth=True)


def heard(found: Gate, *contenders: PreparedContender, operation: str = "short") -> list[Refutation]:
    by_name = {one.name: one for one in contenders}
    suspect = next(one for one in divergences(found, WORKLOAD, by_name) if one.operation.name == operation)
    return list(references(suspect, found, by_name, cache_folder()))


@pytest.mark.promise("each contender once before one of them twice, short queries first.")
def test_each_contender_once_before_any_twice_and_short_queries_before_long_ones() -> None:
    found = gate(wrong("a", "long", 0), wrong("a", "short", 1), wrong("b", "long", 0, 1, 2), wrong("b", "other", 3))
    order = divergences(found, WORKLOAD, {name: ready(name, name) for name in "ab"})
    assert [(one.ready.name, one.operation.name) for one in order] == [
        ("a", "short"), ("b", "other"), ("b", "long"), ("a", "long"),
    ]  # fmt: skip
    assert order[2].wrong == 3
    found = gate(wrong("a", "short", 0), wrong("a", "other", 1), wrong("b", "long", 0))
    order = divergences(found, WORKLOAD, {name: ready(name, name) for name in "ab"})
    assert [one.ready.name for one in order] == ["a", "b", "a"]


def test_of_two_that_differ_undecided_one_is_shrunk_and_the_other_is_the_witness() -> None:
    found = gate(
        wrong("a", "short", 0, witness="b", detail=UNDECIDED), wrong("b", "short", 0, witness="a", detail=UNDECIDED)
    )
    a, b = ready("a", "a", script=""), ready("b", "b")
    (one,) = divergences(found, WORKLOAD, {"a": a, "b": b})
    assert one.ready is b, "the one whose engine has a script"
    assert one.undecided
    assert heard(found, a, b)[0].party.ready is a


def test_strangers_come_before_relatives_and_whoever_is_wrong_is_no_witness() -> None:
    old, new = ready("old", "click"), ready("new", "click")
    slow, quick, liar = ready("slow", "store", copies=True), ready("quick", "quick"), ready("liar", "liar")
    away = ready("away", "away", **{"weigh.url": "postgres://there"})
    found = gate(
        wrong("old", "short", 0, 2), wrong("liar", "short", 1),
        *(right(name) for name in ("new", "slow", "quick", "away")),
    )  # fmt: skip
    parties = [one.party for one in heard(found, old, new, slow, quick, liar, away)]
    assert [one.name for one in parties] == ["quick", "slow", "weigh's own DuckDB 2.0.0", "new"]
    assert remote(away)
    assert parties[2].ready.engine.lineage == "duckdb"


def test_the_questions_are_those_that_went_wrong_in_the_words_of_each() -> None:
    found = gate(wrong("old", "short", 0, 2, detail="from its execution 3 on"), right("other"))
    first = heard(found, ready("old", "click"), ready("other", "swap"))[0]
    assert [(check.case, question.sql, question.witness) for check, question in first.questions] == [
        ("case-0", "SELECT count(*) AS n FROM t WHERE a = 0", ("SELECT 0",)),
        ("case-2", "SELECT count(*) AS n FROM t WHERE a = 2", ("SELECT 0",)),
    ]
    assert {question.times for _, question in first.questions} == {3}
    assert first.kinds == {("n", False, False, -1)}


@pytest.mark.parametrize(
    ("witness", "changed", "files"),
    [
        ("itself with push-down off", {"push": 0}, 1),
        ("itself with one thread", {"threads": 1}, 1),
        ("itself with the same rows in more files", {}, 4),
    ],
)
def test_alone_an_engine_witnesses_against_itself(witness: str, changed: dict[str, int], files: int) -> None:
    duck = ready("duck", "duckdb")
    found = gate(wrong("duck", "short", 1, witness=witness), right("duck", GateStatus.UNVERIFIED))
    (one,) = heard(found, duck)
    assert (dict(one.party.changed), one.party.files, one.party.ready) == (changed, files, duck)


def test_the_parts_of_a_filter_are_the_last_witness() -> None:
    found = gate(wrong("duck", "short", 1, witness="its own count: p + not p + p is null = all"))
    (one,) = heard(found, ready("duck", "duckdb"))
    ((_, question),) = one.questions
    assert question.sql == "SELECT count(*) AS n FROM t WHERE (a = 1)"
    assert question.witness == (
        "SELECT count(*) AS n FROM t",
        "SELECT count(*) AS n FROM t WHERE NOT (a = 1)",
        "SELECT count(*) AS n FROM t WHERE (a = 1) IS NULL",
    )


def test_alone_of_the_lineage_of_the_only_other_witness_there_is_none() -> None:
    assert not heard(gate(wrong("duck", "short", 1)), ready("duck", "duckdb"))
    several = gate(wrong("duck", "short", 1), right("newer"))
    assert [one.party.name for one in heard(several, ready("duck", "duckdb"), ready("newer", "duckdb"))] == ["newer"]
