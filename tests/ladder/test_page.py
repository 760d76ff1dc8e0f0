"""The ladder as a page and for a terminal: well-formed, complete, and text from outside is text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import experiment_records
from support.hostile_records import HOSTILE, hostile
from support.html_pages import Reader, assert_codes_explained, assert_sound
from weigh.experiment.results.results import experiment_results
from weigh.ladder.cost import Cost
from weigh.ladder.plan import LadderPlan
from weigh.ladder.report import report
from weigh.ladder.results import LadderResults, Rung, assembled
from weigh.model.answer import GateStatus
from weigh.model.contender import Variation
from weigh.model.gate import UNDECIDED
from weigh.render.terminal import ReportConsole

if TYPE_CHECKING:
    from weigh.experiment.record import Record


def rung(scale: float, record: Record) -> Rung:
    """The record as if it were of that scale."""
    there = msgspec.structs.replace(record, spec=msgspec.structs.replace(record.spec, scale=scale))
    return Rung(scale=scale, evidence=f"20261121-{scale:g}-1", results=experiment_results([there]))


def two_rungs(*, evil: bool = False) -> LadderResults:
    """A noisy rung and a quiet one."""
    records = [experiment_records.record(noise=noise) for noise in (0.3, 0.002)]
    if evil:
        records = [hostile(record) for record in records]
    rungs = (rung(0.1, records[0]), rung(1.0, records[1]))
    plan = LadderPlan(scales=(0.1, 1.0, 10.0), experiments=("a", "b", "c"), command=f"weigh ladder {HOSTILE * evil}")
    return assembled(plan, rungs)


def widths() -> LadderResults:
    """One rung of a contender in two widths, with its COST."""
    names = [contender.name for contender in experiment_records.record().spec.contenders]
    members = dict(zip(names, (1, 2, 4), strict=True))
    plan = LadderPlan(
        scales=(1.0,),
        experiments=("a",),
        variations=(Variation(contender="e", key="threads", threads=True, members=members),),
    )
    cost = Cost(
        operation="q1", contender="e", scale=1.0, against=names[0], width=4, member=names[2], ratio=0.5, low=0.4,
        high=0.6, tried=(2, 4),
    )  # fmt: skip
    return assembled(plan, (rung(1.0, experiment_records.record()),), (cost,))


def plain(summary: LadderResults) -> str:
    console = ReportConsole(file=io.StringIO(), width=118, color_system=None)
    console.print(report.text(summary, "runs/ladder-1"))
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


@pytest.mark.parametrize("made", [two_rungs, lambda: two_rungs(evil=True), widths])
def test_every_page_is_well_formed_and_loads_nothing(made: object) -> None:
    assert callable(made)
    assert_sound(report.html(made()).decode())
    assert_codes_explained(report.html(made()).decode())


def test_text_from_outside_is_text() -> None:
    summary = two_rungs(evil=True)
    text = report.html(summary).decode()
    assert "<script" not in text
    assert "{{7*7}}" in Reader(text).text
    assert "<script" in plain(summary)


def test_every_rung_has_its_row_and_every_plot_its_marks() -> None:
    summary = two_rungs()
    text = report.html(summary).decode()
    for one in summary.ladder.series:
        assert len(one.steps) == 2
    # Two plots of three lines for each of two operations.
    assert text.count('<path class="l') == 2 * 2 * 3
    assert "SF 0.1" in text
    assert "SF 1" in text


def test_widths_are_drawn_against_the_setting() -> None:
    text = report.html(widths()).decode()
    assert "Median time against the setting" in text
    for said in (text, plain(widths())):
        assert "4 threads" in said


@pytest.mark.parametrize(
    ("detail", "word"), [("the truth contradicts it", "contradicted"), (UNDECIDED, "differing, who is right is open")]
)
def test_a_contradicted_or_differing_contender_stands_beside_its_rung(detail: str, word: str) -> None:
    record = experiment_records.record()
    assert record.gate is not None
    one = record.gate.operations[0]
    name = record.spec.contenders[1].name
    wrong = msgspec.structs.replace(
        one, status=GateStatus.DIVERGED, contenders={**one.contenders, name: GateStatus.DIVERGED}
    )
    checks = tuple(
        msgspec.structs.replace(check, status=GateStatus.DIVERGED, detail=detail)
        if (check.operation, check.contender) == (one.operation, name)
        else check
        for check in record.gate.checks
    )
    gate = msgspec.structs.replace(record.gate, operations=(wrong, *record.gate.operations[1:]), checks=checks)
    rungs = (rung(0.1, msgspec.structs.replace(record, gate=gate)), rung(1.0, record))
    summary = assembled(LadderPlan(scales=(0.1, 1.0), experiments=("a", "b")), rungs)
    assert summary.exit_code() == 1
    for text in (report.html(summary).decode(), plain(summary)):
        assert f"{word}: {name}" in text
