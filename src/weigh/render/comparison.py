"""The page of a comparison: of ``weigh compare``, ``weigh judge`` and of servers under one load."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from markupsafe import Markup

from weigh.render import words
from weigh.render.html import ExplainedCodes, templates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from weigh.model.finding import Finding
    from weigh.model.verdict import Tier, Verdict
    from weigh.render.svg.interval import Axis

V = TypeVar("V", bound="Verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One contender on one operation.

    Attributes:
        name: of the contender.
        figures: two cells before the ratio.
        ratio, interval, fcr: printed.
        plot: the interval on the table's axis.
        verdict: in words.
        sign: name of the verdict, or ``baseline``.
    """

    name: str
    figures: tuple[str, str]
    ratio: str = ""
    plot: Markup = field(default_factory=Markup)
    interval: str = ""
    fcr: str = ""
    verdict: str = "baseline"
    sign: str = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of cells, below the verdicts."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the page says.

    Attributes:
        command: ``compare``, ``judge`` or ``load``.
        title: of the window.
        says: the first sentence.
        about: lines on where the figures come from.
        notices: what every report must say.
        tier: with its reasons.
        headings: of the two figures before the ratio.
        level: of the interval, e.g. ``99 %``.
        axis: of all rows.
        groups: rows by operation.
        notes: how to read it.
        tables: further ones.
        findings: with remedies.
        closing: lines at the end: how to do better.
        grouped_by: heading of the first column: what a group of rows is about.
        figures: drawings with their captions, below the verdicts.
    """

    command: str
    title: str
    says: str
    about: Sequence[str]
    notices: Sequence[str]
    tier: Tier
    headings: tuple[str, str]
    level: str
    axis: Axis
    groups: Sequence[tuple[str, Sequence[Row]]]
    notes: Sequence[str]
    tables: Sequence[Table]
    findings: Sequence[Finding]
    closing: str
    grouped_by: str = "operation"
    figures: Sequence[tuple[str, Markup]] = ()


def row(one: Verdict, name: str, figures: tuple[str, str], axis: Axis, verdict: str = "") -> Row:
    """The row of a verdict.

    Args:
        one: the verdict.
        name: of the contender.
        figures: two cells before the ratio.
        axis: of all rows.
        verdict: in words, where they are not those of every verdict.
    """
    return Row(
        name=name,
        figures=figures,
        ratio=words.ratio(one),
        plot=axis.row(one),
        interval=_interval(one.low, one.high),
        fcr=_interval(one.low_fcr, one.high_fcr),
        verdict=verdict or words.verdict(one),
        sign=str(one.verdict),
    )


def sentence(verdicts: Iterable[V], place: Callable[[V], str]) -> str:
    """What differs, by name, and how much is the same or open."""
    groups: dict[str, list[str]] = {}
    for one in verdicts:
        groups.setdefault(str(one.verdict), []).append(place(one))
    loud = [
        f"{name.upper()}: {', '.join(places[:3])}" + (f" and {len(places) - 3} more" if len(places) > 3 else "")
        for name in ("diverged", "slower", "faster", "error")
        if (places := groups.get(name))
    ]
    calm = [
        f"{len(places)} {name}" for name, places in groups.items() if name in ("same", "small", "unresolved", "refused")
    ]
    return "; ".join([*loud, ", ".join(calm)] if calm else loud) + "." if groups else "Nothing is compared."


def page(shown: Comparison) -> bytes:
    """The whole page."""
    template = templates().get_template("comparison.html")
    text = template.render(
        shown=shown,
        explained=ExplainedCodes(),
        environment=None,
        tier=words.tier(shown.tier.name),
        claim=words.CLAIM,
        folded=True,
    )
    return text.encode()


def _interval(low: float | None, high: float | None) -> str:
    return f"{low:.2f}–{high:.2f}" if low is not None and high is not None else ""
