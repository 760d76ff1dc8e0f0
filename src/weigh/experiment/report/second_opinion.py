"""The second opinion: another rule's word on the same executions, alongside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.model import units
from weigh.model.verdict import SecondOpinionName
from weigh.render import blocks, words
from weigh.render.blocks import Cell, Column, Group, Row, Table
from weigh.verdict.clickhouse_rule import UNSTABLE

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import SecondOpinion
    from weigh.render.blocks import Block

NAMES = {"clickhouse": "ClickHouse's rule"}
"""What a rule is called."""
_NOTE = (
    "D: difference of the medians. T: what 99 % of all ways to deal the same executions out to the two stay below. "
    "|D| <= T: no difference; |D| <= 5 %: too small; T >= 10 %: unstable; otherwise changed. It knows no starts and "
    "changes no verdict."
)


def parts(results: ExperimentResults) -> list[Block]:
    """Every comparison of wall time that has a second opinion, and how to read it; nothing where none has."""
    rows = []
    for one in results.headline.verdicts:
        if opinion := one.second_opinion:
            place, runs = question(one.operation, one.temperature), f"{opinion.runs[0]}, {opinion.runs[1]}"
            figures = (f"{100 * opinion.difference:+.1f} %", units.percent(opinion.threshold), runs, _theirs(opinion))
            ours = Cell(words.verdict(one), str(one.verdict))
            rows.append(Row([f"{place}, {one.contender}", place, one.contender, *figures, ours]))
    columns = [
        Column("operation, contender", form="terminal"),
        *(Column(one, form="page") for one in ("operation", "contender")),
        *(Column(one, right=True) for one in ("D", "T", "executions")),
        Column(NAMES.get(str(results.record.spec.rule), "")),
        Column("weigh"),
    ]
    return [Table(columns, [Group("", rows)], label=None), blocks.small(_NOTE)] if rows else []


def _theirs(opinion: SecondOpinion) -> str:
    """Their word; as printed, a difference below T is never called unstable, and that is shown."""
    hidden = opinion.name is SecondOpinionName.NO_DIFFERENCE and opinion.threshold >= UNSTABLE
    return f"{opinion.name}, though T is {units.percent(UNSTABLE, 0)} or more" if hidden else str(opinion.name)
