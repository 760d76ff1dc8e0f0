"""A history as one self-contained HTML page: small multiples, each whole and near its candidates, and every point."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.history.entry import OTHERS
from weigh.history.report import plots, words
from weigh.render.html import ExplainedCodes, templates

if TYPE_CHECKING:
    from markupsafe import Markup

    from weigh.history.results import Candidate, HistoryResults
    from weigh.history.series import Series

_SMALL = 600
"""Series that are drawn small: more would make a page that nobody scrolls."""
_LARGE = 60
"""Series whose every point has its story."""
_POINTS = 400
"""Points of a series whose stories are told, the last ones."""


@dataclass(frozen=True, slots=True)
class Row:
    """The story of one point."""

    anchor: str
    version: str
    at: str
    value: str
    part: int
    css: str
    evidence: str
    path: str
    seal: str
    tier: str
    open: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A series as the page has it."""

    name: str
    anchor: str
    small: Markup
    about: str
    candidates: tuple[Candidate, ...]
    large: Markup | None
    zoomed: tuple[tuple[str, Markup], ...]
    parts: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    splits: tuple[str, ...]
    rows: tuple[Row, ...]


def page(results: HistoryResults) -> bytes:
    """The whole page."""
    named = {one.series.key for one in results.candidates}
    # What changed stands first; the order within is that of the terminal.
    series = sorted((one for one in results.series if one.places), key=lambda one: one.key not in named)
    shown = [_shown(one, results, at, whole=at < _LARGE) for at, one in enumerate(series[:_SMALL])]
    template = templates(Path(__file__).parent / "templates").get_template("history.html")
    text = template.render(
        results=results,
        summary=words.summary(results),
        far=list(words.gross(results))[:_LARGE],
        shown=shown,
        left_out=len(series) - len(shown),
        untold=max(len(shown) - _LARGE, 0),
        words=words,
        explained=ExplainedCodes(),
        environment=None,
        folded=True,
    )
    return text.encode()


def _shown(one: Series, results: HistoryResults, number: int, *, whole: bool) -> Shown:
    anchor = f"s{number}"
    own = tuple(candidate for candidate in results.candidates if candidate.series.key == one.key)
    rows = [
        Row(
            anchor=f"{anchor}-{at}",
            version=place.version,
            at=place.at.replace("T", " ").removesuffix("Z"),
            value=words.value(one, place.value) + _interval(place.low, place.high),
            part=place.part + 1,
            css=plots.colour(place.part),
            evidence=place.entry.evidence,
            path=place.entry.path,
            seal=place.entry.id[:12],
            tier="not weighed by weigh" if place.entry.kind in OTHERS else place.entry.tier,
            open=any(candidate.at in (at, at + 1) for candidate in own),
        )
        for at, place in enumerate(one.places)
    ]
    return Shown(
        name=str(one.key),
        anchor=anchor,
        small=plots.small(one, own),
        about=f"{words.measure(one)}, in order of {one.ordered_by}",
        candidates=own,
        large=plots.large(one, own, anchor) if whole else None,
        zoomed=tuple(
            (f"{candidate.id}: {words.change(candidate)}", plots.large(one, own, anchor, candidate.at))
            for candidate in own
            if whole
        ),
        parts=tuple(
            (plots.colour(at), tuple((name, value) for name, value in part.items() if value))
            for at, part in enumerate(one.parts)
        ),
        splits=tuple(
            f"part {split.before + 1} to part {split.after + 1}: {'; '.join(split.why)}" for split in one.splits
        ),
        rows=tuple(rows[-_POINTS:]) if whole else (),
    )


def _interval(low: float | None, high: float | None) -> str:
    return f" ({low:.3f}–{high:.3f})" if low and high else ""
