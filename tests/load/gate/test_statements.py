"""Statements in a report: a page has each in its table, and not a second time in a sentence."""

from __future__ import annotations

from weigh.load.gate import report
from weigh.load.gate.results import GateResults, StatementChecked
from weigh.model.answer import GateStatus
from weigh.render.blocks import Lines, Table


def test_a_page_says_once_that_nobody_confirmed_a_statement() -> None:
    unsaid = "nobody says what the right answer is"
    one = StatementChecked(
        script="look", line=2, statement="SELECT 1", writes=False, executions=5, status=GateStatus.UNVERIFIED,
        witness="", detail=unsaid,
    )  # fmt: skip
    blocks = report.blocks(GateResults(statements=(one,)))
    said = {each.form: " ".join(map(str, each.lines)) for each in blocks if isinstance(each, Lines)}
    assert unsaid in said["terminal"]
    assert said["page"] == "Before the clock 1 statement was asked, each with up to 5 sets of parameters"
    (table,) = (each for each in blocks if isinstance(each, Table))
    assert table.form == "page" and unsaid in str(table.groups[0].rows[0])
