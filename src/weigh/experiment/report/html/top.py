"""The top of the page: the first screen, its rows as an interval plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen import first_screen
from weigh.model import units

if TYPE_CHECKING:
    from weigh.experiment.report.first_screen import FirstScreen
    from weigh.experiment.report.html.verdicts import Group, Verdicts
    from weigh.experiment.results.results import ExperimentResults

_ROWS = 20
"""Rows that it shows."""


@dataclass(frozen=True, slots=True)
class Top:
    """The first screen of a page.

    Attributes:
        screen: what it says.
        took: how long measuring took; empty where nobody was timed.
        groups: rows of operations that differ, the largest difference first.
        more: operations that differ and are only in the table of verdicts.
        calm: findings that ask for nothing.
    """

    screen: FirstScreen
    took: str
    groups: tuple[Group, ...]
    more: int
    calm: int


def top(results: ExperimentResults, evidence: str, judged: Verdicts | None) -> Top:
    """The first screen of a page.

    Args:
        results: what is to be said.
        evidence: name of the directory.
        judged: the table of verdicts, whose rows it shows.
    """
    screen = first_screen(results, evidence)
    shown = screen.lines[: max(_ROWS // max(len(screen.others), 1), 1)] if screen.compared else ()
    by_title = {group.title: group for group in judged.groups} if judged else {}
    return Top(
        screen=screen,
        took=units.duration(screen.took_s) if screen.took_s else "",
        groups=tuple(by_title[line.question] for line in shown if line.question in by_title),
        more=len(screen.lines) - len(shown) if screen.compared else 0,
        calm=sum(one.severity == "note" for one in results.findings),
    )
