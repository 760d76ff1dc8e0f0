"""Whatever is found of a question, nobody is found wrong on it and said to be open at once."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from weigh.answers.votes import conclude, vote
from weigh.experiment.gate.gate import acquitted
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.gate import UNDECIDED, Check, Gate
from weigh.model.operation import Case, Operation

SCHEMA = ResultSchema(columns=(Column(name="n", kind="integer"),))
CASES = (Case(name="one", timed=True), Case(name="two"))


def test_a_row_blames_or_is_open_and_never_both() -> None:
    blamed = opened = 0
    for seed in range(400):
        chance = random.Random(seed)
        sql = chance.choice(("SELECT count(*) AS n FROM t", "SELECT n / 2 AS n FROM t"))
        operation = Operation(name="q", sql=sql, cases=CASES, schema=SCHEMA)
        workload: Any = SimpleNamespace(operation=lambda _name, operation=operation: operation)
        names = ["a", "b", "c", "d"][: chance.choice((2, 3, 4))]
        lineage = {name: chance.choice(("x", "y", "z")) for name in names}
        answers = {
            (name, "q", case.name): pa.table({"n": [chance.choice((1, 1, 2, 3))]}) for name in names for case in CASES
        }
        checks: list[Check] = []
        for case in CASES:
            tables = {name: answers[name, "q", case.name] for name in names}
            checks += vote(operation, case, tables, lineage)
        # Some are found wrong besides: by themselves, or on rows that nobody had seen.
        for name in names:
            if chance.random() < 0.3:
                case_name = chance.choice(CASES).name
                wrong_by_itself = {"operation": "q", "case": case_name, "contender": name}
                checks.append(Check(**wrong_by_itself, status=GateStatus.DIVERGED, witness="itself with one thread"))
        checks = acquitted(checks, answers, workload, lineage, {})
        operations = conclude(checks, {"q": len(CASES)}, names)
        gate = Gate(checks=tuple(checks), operations=operations, truth=False, reads={})
        (row,) = operations
        parts = row.detail.split("; ")
        wrong = {name for name in names if any(one.startswith(f"{name} is wrong") for one in parts)}
        assert wrong == set(gate.refuted), seed
        open_ = {name for names_ in gate.undecided.values() for name in names_}
        assert not wrong & open_, seed
        assert not (wrong and UNDECIDED in row.detail), (seed, row.detail)
        # Nobody is said to differ from nothing but an answer that was found wrong.
        for check in checks:
            if check.detail == UNDECIDED:
                assert not set(check.witness.split(", ")) & wrong, (seed, check)
        blamed += bool(wrong)
        opened += bool(open_)
    assert blamed > 100
    assert opened > 30
