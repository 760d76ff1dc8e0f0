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


@dataclass(frozen=True, slots=True)
class Top:
    """The first screen of a page.

    Attributes:
        screen: what it says.
        took: how long measuring took; empty where nobody was timed.
        groups: rows of operations that differ, the largest difference first; where nothing is compared, all.
        calm: findings that ask for nothing.
    """

    screen: FirstScreen
    took: str
    groups: tuple[Group, ...]
    calm: int


def top(results: ExperimentResults, evidence: str, judged: Verdicts | None) -> Top:
    """The first screen of a page.

    Args:
        results: what is to be said.
        evidence: name of the directory.
        judged: the table of verdicts, whose rows it shows.
    """
    screen = first_screen(results, evidence)
    by_title = {group.title: group for group in judged.groups} if judged else {}
    return Top(
        screen=screen,
        took=units.duration(screen.took_s) if screen.took_s else "",
        groups=tuple(by_title[line.question] for line in screen.lines if line.question in by_title),
        calm=sum(one.severity == "note" for one in results.findings),
    )
