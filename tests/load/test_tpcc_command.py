"""`weigh load tpcc` on an embedded server: its data, and what must hold of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN

if TYPE_CHECKING:
    from support.command import Run, Weigh
    from support.once import Once


@pytest.fixture
def tpcc(weigh: Weigh, once: Once) -> Run:
    """One warehouse: its rows, and two seconds of transactions."""
    flags = ("--warehouses", "1", "--rate", "20", "--duration", "2s", "--connections", "4", "--quiet", "--json")
    return once("tpcc", lambda: weigh("load", "tpcc", "--target", "postgres:embedded", *flags))


def test_its_rows_are_those_of_the_specification_and_the_conditions_hold_before_and_after(tpcc: Run) -> None:
    assert tpcc.code in RAN, tpcc.err
    assert tpcc.json["experiment"]["notice"] == "derived from TPC-C, not audited, not comparable to published results"
    asked = tpcc.json["answers"]["invariants"]
    assert all(one["holds"] for one in asked), [one for one in asked if not one["holds"]]
    for after, rest in ((False, 5), (True, 1)):
        names = [one["name"] for one in asked if one["after"] is after]
        assert names[:12] == [f"condition {number}" for number in range(1, 13)]
        assert len(names) == 12 + rest
    assert not tpcc.codes & {"L6.invariant", "L6.broken", "A8.unchecked"}


def test_the_page_has_its_transactions_and_folds_what_held(tpcc: Run) -> None:
    page = (tpcc.evidence / "report.html").read_text()
    assert "<details><summary>What must hold, and the SQL that asks: 18 conditions</summary>" in page
    assert page.count('<th scope="row">new-order</th>') == 1
    assert "<summary>What it lacks of a run of TPC-C</summary>" in page
    assert "1 answers" not in page


@pytest.mark.long
def test_the_conditions_hold_where_agents_share_the_terminals(weigh: Weigh) -> None:
    flags = ("--warehouses", "3", "--agents", "local:3", "--duration", "8s", "--quiet", "--json")
    run = weigh("load", "tpcc", "--target", "postgres:embedded", *flags)
    assert run.code in RAN, run.err
    invariants = run.json["answers"]["invariants"]
    assert all(one["holds"] for one in invariants), [one for one in invariants if not one["holds"]]
    for after in (False, True):
        names = [one["name"] for one in invariants if one["after"] is after]
        assert names[:12] == [f"condition {number}" for number in range(1, 13)]
    agents = run.json["runs"][0]["agents"]
    assert len(agents) == 3
    assert sum(one["count"] for one in agents) == run.json["runs"][0]["requests"]["answered"] > 0
    assert not run.codes & {"L6.invariant", "L6.broken", "A8.unchecked"}
