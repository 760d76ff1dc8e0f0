"""The comparison of two sessions as one self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.compare import terminal
from weigh.model import units
from weigh.render.comparison import Comparison, Row, Table, row, sentence
from weigh.render.comparison import page as rendered
from weigh.render.svg.interval import Axis

if TYPE_CHECKING:
    from weigh.compare.model import Joined
    from weigh.compare.results import CompareResults


def page(comparison: CompareResults, first: str, second: str) -> bytes:
    """The whole page; arguments as of :func:`weigh.compare.terminal.report`."""
    verdicts = comparison.headline.verdicts
    axis = Axis(verdicts, (), comparison.rules.margin)
    moved = comparison.headline.movement.ratios
    by_operation: dict[str, list[Joined]] = {}
    for one in verdicts:
        by_operation.setdefault(one.operation, []).append(one)
    groups = []
    for operation, found in by_operation.items():
        rows = [row(one, _name(one), (_ratio(one.ratio_first), _ratio(one.ratio_second)), axis) for one in found]
        if operation in moved:
            said = f"took {moved[operation]:.3f} of its earlier time"
            name = f"{comparison.first.reference} (reference)"
            rows.insert(0, Row(name=name, figures=("1", "1"), plot=axis.nothing(), verdict=said))
        groups.append((operation, rows))
    spec = comparison.first.latest.spec
    sessions = (comparison.first, comparison.second)
    return rendered(
        Comparison(
            command="compare",
            title=f"{spec.workload}: two sessions, {comparison.tier.name}",
            says=sentence(verdicts, lambda one: f"{one.contender} on {one.operation}"),
            about=terminal.heading(comparison, first, second).plain.removeprefix("weigh compare ").splitlines(),
            notices=sorted({session.latest.notice for session in sessions} - {""}),
            tier=comparison.tier,
            headings=("first", "second"),
            level=f"{100 * comparison.rules.confidence:g} %",
            axis=axis,
            groups=groups,
            notes=[terminal.moved(comparison).plain, *terminal.notes(comparison).plain.splitlines()],
            tables=[
                Table(
                    title="Contenders",
                    headings=("contender", "in the first session", "in the second session"),
                    rows=tuple(terminal.builds(comparison)),
                )
            ],
            findings=comparison.findings,
            closing="weigh run --contender A --contender B    # to be sure, measure both in one session",
        )
    )


def _name(one: Joined) -> str:
    return one.contender if one.contender == one.baseline else f"{one.contender} / {one.baseline}"


def _ratio(value: float | None) -> str:
    return f"{value:.3f}" if value is not None else units.percent(None)
