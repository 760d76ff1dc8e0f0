"""The top of the page: the first screen, its rows as an interval plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.report.html.verdicts import Group, Row, compared
from weigh.model import units

if TYPE_CHECKING:
    from weigh.experiment.report.contenders import Contenders
    from weigh.experiment.report.first_screen import FirstScreen
    from weigh.experiment.report.first_screen.screen import Line
    from weigh.experiment.report.html.verdicts import Verdicts
    from weigh.experiment.results.results import ExperimentResults

_ROWS = 20
"""Rows that it shows."""


@dataclass(frozen=True, slots=True)
class Top:
    """The first screen of a page.

    Attributes:
        screen: what it says.
        took: how long measuring took; empty where nobody was timed.
        groups: rows of templates and operations that differ, the largest difference first.
        more: operations that differ and are only in the table of verdicts.
        calm: findings that ask for nothing.
    """

    screen: FirstScreen
    took: str
    groups: tuple[Group, ...]
    more: int
    calm: int


def top(results: ExperimentResults, evidence: str, contenders: Contenders, judged: Verdicts | None) -> Top:
    """The first screen of a page.

    Args:
        results: what is to be reported.
        evidence: name of the directory.
        contenders: of the experiment.
        judged: the table of verdicts, whose rows it shows.
    """
    screen = first_screen(results, evidence)
    in_table = screen.lines[: max(_ROWS // max(len(screen.others), 1), 1)] if screen.compared else ()
    by_title = {group.title: group for group in judged.groups} if judged else {}
    return Top(
        screen=screen,
        took=units.duration(screen.took_s) if screen.took_s else "",
        groups=tuple(by_title.get(line.question) or _group(line, contenders, judged) for line in in_table)
        if judged
        else (),
        more=len(screen.lines) - len(in_table) if screen.compared else 0,
        calm=sum(one.severity == "note" for one in results.findings),
    )


def _group(line: Line, contenders: Contenders, judged: Verdicts) -> Group:
    """What the table of verdicts has no row for: a template, or one of many operations that is not told in full."""
    base, *others = contenders.everybody
    nothing = dict.fromkeys(("cv", "ratio", "interval", "fcr", "verdict"), "")
    base_row = Row(
        who=base,
        median=units.seconds(line.baseline_s) if line.baseline_s is not None else "",
        plot=judged.axis.nothing(),
        sign="baseline",
        reasons=(),
        temperature="",
        **nothing,
    )
    rows = (
        compared(who, verdict, judged.axis, units.seconds(seconds) if seconds is not None else "")
        for who, verdict, seconds in zip(others, line.verdicts, line.seconds, strict=True)
        if verdict
    )
    return Group(line.question, line.question, "by-template" if line.template else "others", (base_row, *rows))
