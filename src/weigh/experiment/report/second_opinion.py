"""The second opinion: another rule's word on the same executions, beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.model import units
from weigh.model.verdict import SecondOpinionName
from weigh.render import words
from weigh.verdict.clickhouse_rule import UNSTABLE

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import SecondOpinion

NAMES = {"clickhouse": "ClickHouse's rule"}
"""What a rule is called."""
NOTE = (
    "D: difference of the medians. T: what 99 % of all ways to deal the same executions out to the two stay below. "
    "|D| <= T: no difference; |D| <= 5 %: too small; T >= 10 %: unstable; otherwise changed. It knows no starts and "
    "changes no verdict."
)


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison.

    Attributes:
        operation, contender: compared.
        difference, threshold: D and T in words.
        runs: executions of both sides.
        theirs, ours: the two words.
        sign: our verdict's name.
    """

    operation: str
    contender: str
    difference: str
    threshold: str
    runs: str
    theirs: str
    ours: str
    sign: str


def rows(results: ExperimentResults) -> tuple[Row, ...]:
    """Every comparison of wall time that has a second opinion."""
    return tuple(
        Row(
            operation=question(one.operation, one.temperature),
            contender=one.contender,
            difference=f"{100 * opinion.difference:+.1f} %",
            threshold=units.percent(opinion.threshold),
            runs=f"{opinion.runs[0]}, {opinion.runs[1]}",
            theirs=_theirs(opinion),
            ours=words.verdict(one),
            sign=str(one.verdict),
        )
        for one in results.headline.verdicts
        if (opinion := one.second_opinion)
    )


def _theirs(opinion: SecondOpinion) -> str:
    """Their word; as printed, a difference below T is never called unstable, and that is shown."""
    hidden = opinion.name is SecondOpinionName.NO_DIFFERENCE and opinion.threshold >= UNSTABLE
    return f"{opinion.name}, though T is {units.percent(UNSTABLE, 0)} or more" if hidden else str(opinion.name)
