"""What must hold of TPC-C's tables, judged on answers made by hand; the SQL itself is asked in test_tpcc_command.py."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from markupsafe import Markup

from support.load_records import spec
from weigh.load.gate import findings, report
from weigh.load.gate.results import GateResults, gate_results
from weigh.load.gate_events import Answer, GateRecord, InvariantAnswers
from weigh.load.tpcc import conditions
from weigh.load.tpcc.workload import workload
from weigh.render.blocks import Fold, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.render.blocks import Row

TWO = spec(10, workload="tpcc", target="postgres:embedded", tpcc=workload(2, 1))
_DOCS = Path(__file__).parents[3] / "docs" / "reference" / "workloads.md"


def _answer(broken: int, example: str | None) -> Answer:
    return Answer(kind="rows", rows=((str(broken), example),), count=1)


def _asked(*, after: bool, broken: dict[str, str] | None = None, failed: str = "") -> InvariantAnswers:
    asked = conditions.required(2, after=after)
    found = {} if broken is None else broken
    answers = tuple(_answer(1, found[one.name]) if one.name in found else _answer(0, None) for one in asked)
    return InvariantAnswers(run=1, after=after, answers=() if failed else answers, failed=failed)


def printed(found: GateResults) -> tuple[Fold, Sequence[Row]]:
    """What a page shows of them, and their rows."""
    (fold,) = (one for one in report.blocks(found) if isinstance(one, Fold))
    (table,) = fold.blocks
    assert isinstance(table, Table)
    return fold, table.groups[0].rows


def _judged(*asked: InvariantAnswers) -> GateResults:
    found = gate_results(GateRecord(invariants=asked), TWO, (), "PostgreSQL")
    assert found is not None
    return found


def test_what_holds_before_and_after_is_no_finding() -> None:
    found = _judged(_asked(after=False), _asked(after=True))
    assert [*findings.findings(found, TWO, 1)] == []
    assert [*findings.reasons(found, TWO, 1)] == []
    assert [*report.lines(found)] == [
        "Before run 1: 12 of 12 consistency conditions and 5 of 5 checks of the rows held",
        "After run 1: 12 of 12 consistency conditions and 1 of 1 check of the rows held",
    ]
    fold, rows = printed(found)
    assert not fold.open
    assert rows[7].cells[1] == ("before run 1: holds", Markup("<br>"), "after run 1: holds")
    assert callable(sql := rows[7].cells[2])
    assert "<pre>WITH broken" in sql()


@pytest.mark.promise("it counts the rows that break the condition, and names one")
@pytest.mark.parametrize("number", range(1, 13))
@pytest.mark.parametrize("after", [False, True])
def test_a_broken_condition_is_named_with_a_row_that_breaks_it(number: int, after: bool) -> None:
    name = f"condition {number}"
    broken = _asked(after=after, broken={name: "w_id 1: w_ytd 300001.00"})
    found = _judged(broken) if not after else _judged(_asked(after=False), broken)
    [finding] = [one for one in findings.findings(found, TWO, 1) if one.code.startswith("L6")]
    assert finding.code == ("L6.invariant" if after else "L6.broken")
    assert f"{name} (" in finding.text
    assert "is broken by 1 row: w_id 1: w_ytd 300001.00" in finding.text
    fold, rows = printed(found)
    assert fold.open
    assert [f"{row.cells[0]}".partition(":")[0] for row in rows if "broken by" in f"{row.cells[1]}"] == [name]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((_asked(after=False),), "was not asked after any run"),
        (
            (_asked(after=False), _asked(after=True, failed="timed out")),
            "could not be asked after every run (timed out)",
        ),
    ],
)
def test_conditions_that_nobody_asked_are_no_proof(asked: tuple[InvariantAnswers, ...], said: str) -> None:
    found = _judged(*asked)
    [finding] = findings.findings(found, TWO, 1)
    assert finding.code == "A8.unchecked"
    assert said in finding.text
    [reason] = findings.reasons(found, TWO, 1)
    assert said in reason.text


def test_the_documentation_has_every_condition() -> None:
    text = " ".join(_DOCS.read_text().split())
    for one in conditions.CONDITIONS:
        assert one.sentence[1:] in text, one.name
