"""The text of a bug report."""

from __future__ import annotations

import msgspec

from support.screen_forms import form
from weigh.experiment.report.bug import bug
from weigh.experiment.report.first_screen import first_screen
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.gate import Check, Difference

replace = msgspec.structs.replace


def test_it_has_the_query_the_cells_who_expected_it_and_the_command() -> None:
    found = form("mixed")
    assert bug(found) == ""
    assert found.gate is not None
    cell = Difference(row="Rome", column="n", expected="5", got="4")
    check = Check(
        operation="q3", case="only", contender="new", status=GateStatus.DIVERGED, witness="old", differences=(cell,)
    )
    small = codes.A1_REPRODUCER.finding(
        contender="new",
        operation="q3",
        text="SELECT 1: over 2 rows",
        remedy="uv run runs/x/reproducers/q3/reproduce.py",
    )
    wrong = replace(found, gate=replace(found.gate, checks=(check,)), findings=(small,))
    text = bug(wrong)
    workload = found.record.workload
    assert workload is not None
    assert next(one.sql for one in workload.operations if one.name == "q3").strip() in text
    for part in ("a wrong answer to q3", str(cell), "Expected by:", "over 2 rows", small.remedy):
        assert part in text
    assert first_screen(wrong, "runs/x").wrong[-1] == f"new, q3 again: {small.remedy}"
