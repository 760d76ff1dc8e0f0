"""A history as a report: for a terminal, and as a page with small multiples, each whole, and every point."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.history.candidates import LEAST
from weigh.history.entry import OTHERS
from weigh.history.report import plots, words
from weigh.model import units
from weigh.model.text import one_line
from weigh.render import blocks, page
from weigh.render.blocks import (
    Cell,
    Column,
    Facts,
    Findings,
    Fold,
    Group,
    Lines,
    Page,
    Part,
    Plot,
    Row,
    Section,
    Table,
    titled,
)
from weigh.render.terminal import report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from weigh.history.results import Candidate, HistoryResults
    from weigh.history.series import Key, Place, Series
    from weigh.render.blocks import Block, Phrase

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 40
_MOST = 60
"""Series that a terminal lists; candidates are, whatever series they are of."""
_NAME = 160
"""Characters of the name of a series."""
_FAR = 10
"""Steps of too few points that a terminal names."""
_SMALL = 600
"""Series that are drawn small: more would make a page that nobody scrolls."""
_LARGE = 60
"""Series whose every point has its story."""
_POINTS = 400
"""Points of a series whose stories are told, the last ones."""
_KEY = (("hs", "split"), ("hc", "candidate"), ("hc confirmed", "confirmed"),
        ("hc not-confirmed", "not confirmed, or the same version on both sides"))  # fmt: skip
_SYMBOL = Markup('<svg viewBox="0 0 12 14" aria-hidden="true"><path class="{}" d="M6 0V14"/></svg>{}')
_DAY = 10
"""Characters of a date."""
_FAR_TITLE = "Steps of too few points"


def text(results: HistoryResults) -> RenderableType:
    """The history for a terminal."""
    found, far = results.candidates, [f"{one_line(str(one.key), _NAME)}: {step}" for one, step in words.gross(results)]
    more = [f"and {len(far) - _FAR} more series: --json has them"] if len(far) > _FAR else []
    first = next((one for one in found if one.state == "candidate"), None)
    confirm = f"weigh history confirm {first.id}    # both versions side by side: only that decides" if first else ""
    return report(
        Lines([Part(f"weigh history {one_line(results.folder)}", "bold"), words.summary(results)]),
        Section("Candidates", [Lines([line for one in found for line in _candidate(one)])]) if found else None,
        Section(_FAR_TITLE, [Lines([*far[:_FAR], *more], indent=2)]) if far else None,
        _courses(results) if results.series else None,
        Lines(list(_notes(results)), style="dim") if results.series else None,
        Findings(results.findings),
        Lines([confirm]) if confirm else None,
    )


def html(results: HistoryResults) -> bytes:
    """The history as a page."""
    changed = {one.series.key for one in results.candidates}
    # What changed stands first; the order within is that of the terminal.
    series = sorted((one for one in results.series if one.places), key=lambda one: one.key not in changed)
    drawn = series[:_SMALL]
    anchors = {one.key: f"s{at}" for at, one in enumerate(drawn)}
    margin = units.percent(results.margin)
    far = [f"{one.key}: {step}" for one, step in words.gross(results)][:_LARGE]
    return page.page(
        Page(
            command="weigh history",
            title=titled(f"history of {one_line(results.folder, 80)}", words.summary(results)),
            heading=words.summary(results),
            head=[
                Lines(
                    [f"{results.folder}; a change of level of {margin} or more is a candidate, within one part."],
                    css="meta",
                )
            ],
            blocks=[
                *([_candidates(results, anchors)] if results.candidates else []),
                *([Section(_FAR_TITLE, [Lines(far, listed=True)], "far", listed=False)] if far else []),
                *(_drawn(results, drawn, anchors, len(series) - len(drawn)) if drawn else []),
                Findings(results.findings),
            ],
            style=Path(__file__).with_name("history.css").read_text(),
            date=max((place.entry.at for one in results.series for place in one.places), default="")[:_DAY],
        )
    )


def _candidate(one: Candidate) -> Iterator[Phrase]:
    style = {"confirmed": "bad" if one.ratio > 1 else "good", "candidate": "open"}.get(one.state, "dim")
    place = f"{one_line(str(one.series.key), _NAME)}: {words.between(one)}"
    yield Part(f"{one.id}  ", "bold"), Part(f"{words.change(one)}  ", style), place
    yield Part(f"          {words.outcome(one)}; ClickHouse's rule: {one.opinion}", "dim")


def _courses(results: HistoryResults) -> Table:
    rows = []
    for one in _listed(results):
        name = one_line(str(one.key), _NAME)
        if not one.places:
            rows.append(Row([name, "0", "", "", "", ""]))
            continue
        values = [place.value for _, place in one.part(one.places[-1].part)]
        ends = words.value(one, median(values)), words.value(one, values[-1])
        rows.append(Row([name, str(len(one.places)), str(len(one.parts)), _bars(values), *ends]))
    columns = [Column("series"), Column("points"), Column("parts"), Column("last part", whole=True)]
    columns += [Column(heading, right=True, whole=False) for heading in ("median", "last")]
    return Table(columns, [Group("", rows)])


def _listed(results: HistoryResults) -> tuple[Series, ...]:
    """All, or where there are many those with candidates first."""
    if len(results.series) <= _MOST:
        return results.series
    changed = {one.series.key for one in results.candidates}
    return tuple(sorted(results.series, key=lambda one: one.key not in changed)[:_MOST])


def _bars(values: list[float]) -> str:
    """The course of the last points, as high as they differ."""
    last = values[-_WIDTH:]
    low, high = min(last), max(last)
    if high <= low:
        return _BARS[0] * len(last)
    return "".join(_BARS[min(int(len(_BARS) * (one - low) / (high - low)), len(_BARS) - 1)] for one in last)


def _notes(results: HistoryResults) -> Iterator[str]:
    if len(results.series) > _MOST:
        left = len(results.series) - _MOST
        yield f"{left} more series: --operation NAME, --html FILE or --json shows them"
    foreign = [tools for tools in map(words.others, results.series) if tools]
    if foreign:
        yield f"{len(foreign)} series of {', '.join(dict.fromkeys(foreign))}: not weighed by weigh"
    short = sum(1 for one in results.power.values() if one.points < LEAST)
    if short:
        yield f"{short} series of fewer than {LEAST} points in the last part: no change is looked for"
    yield (
        f"a change of level of {units.percent(results.margin)} or more is a candidate, within one part; it is no "
        "verdict until both versions were measured side by side"
    )
    alone = sum(len(places) for places in results.steps.values())
    yield f"ClickHouse's rule alone finds {units.count(alone, 'step')}"


def _candidates(results: HistoryResults, anchors: dict[Key, str]) -> Section:
    ordered = sorted(results.candidates, key=lambda one: list(anchors).index(one.series.key))
    rows = [
        (
            Part(one.id, "code"),
            Markup('<a href="#{}">{}</a>').format(anchors[one.series.key], one_line(str(one.series.key), 120)),
            Part(words.change(one), "w"),
            words.between(one),
            words.outcome(one),
            one.opinion,
        )
        for one in ordered
        if one.series.key in anchors
    ]
    about = (
        "A point of a history was measured at another time than the next one, so a change of level is no verdict. ",
        Part("weigh history confirm ID", "code"),
        " measures both versions side by side.",
    )
    headings = ("id", "series", "change", "where", "side by side", "ClickHouse's rule")
    return Section("Candidates", [Lines([about]), blocks.words(headings, rows)], "candidates")


def _drawn(results: HistoryResults, drawn: list[Series], anchors: dict[Key, str], left: int) -> Iterator[Block]:
    """Every series small, and the first ones with each point."""
    candidates = {
        one.key: tuple(candidate for candidate in results.candidates if candidate.series.key == one.key)
        for one in drawn
    }
    cards = [_card(one, candidates[one.key], anchors[one.key]) for one in drawn]
    more = (f"{left} more series are not drawn: ", Part("--operation NAME", "code"), " shows those of a name.")
    yield Section(
        "Series",
        [
            Lines(["A colour is a part of one environment; no line joins two parts. Follow a drawing to enlarge it."]),
            Lines([_SYMBOL.format(css, what) for css, what in _KEY], css="key", listed=True),
            Lines([Markup('<div class="many">\n{}</div>').format(Markup().join(cards))], tag=""),
            *([Lines([more])] if left else []),
        ],
        "series",
    )
    untold = max(len(drawn) - _LARGE, 0)
    rest = (
        f"The points of {untold} more series are not told: ",
        Part("--operation NAME", "code"),
        " tells those of a name.",
    )
    articles = [_article(one, candidates[one.key], anchors[one.key]) for one in drawn[:_LARGE]]
    yield Section("Each point", [*articles, *([Lines([rest])] if untold else [])], "stories")


def _about(one: Series) -> str:
    return f"{words.measure(one)}, in order of {one.ordered_by}"


def _card(one: Series, candidates: tuple[Candidate, ...], anchor: str) -> Markup:
    changes = Markup().join(
        Markup('; <span class="w">{}</span>').format(words.change(candidate)) for candidate in candidates
    )
    last = words.value(one, one.places[-1].value)
    return Markup('<a href="#{}"{}><strong>{}</strong>{}<span class="last">{}</span><small>{}{}</small></a>\n').format(
        anchor,
        Markup(' class="moved"' if candidates else ""),
        one_line(str(one.key), 120),
        plots.small(one, candidates),
        f"last {last}",
        one_line(_about(one), 120),
        changes,
    )


def _article(one: Series, candidates: tuple[Candidate, ...], anchor: str) -> Section:
    name = str(one.key)
    near = [
        (f"{candidate.id}: {words.change(candidate)}", plots.large(one, candidates, anchor, candidate.at))
        for candidate in candidates
    ]
    splits: list[Phrase] = [
        (
            Part("Split.", "strong"),
            f" part {split.before + 1} to part {split.after + 1}: {one_line('; '.join(split.why))}",
        )
        for split in one.splits
    ]
    facts = [tuple((fact, value) for fact, value in part.items() if value) for part in one.parts]
    environments = [
        Fold(
            Markup('<span class="dot {}"></span>Environment of part {}').format(plots.colour(at), at + 1),
            [Facts(known)],
        )
        for at, known in enumerate(facts)
    ]
    return Section(
        name,
        [
            Lines([_about(one)], css="meta"),
            Plot("", plots.large(one, candidates, anchor), region=one_line(name, 120)),
            *(Fold(f"Near {title}", [Plot("", drawing, region=f"near {title}")]) for title, drawing in near),
            *([Lines(splits, css="say", listed=True)] if splits else []),
            _points(one, candidates, anchor),
            *environments,
        ],
        anchor,
        article=True,
    )


def _points(one: Series, candidates: tuple[Candidate, ...], anchor: str) -> Table:
    """The story of each point, the last ones of many."""
    edges = {at for candidate in candidates for at in (candidate.at - 1, candidate.at)}
    rows = [
        Row(_point(one, place), css="here" if at in edges else "", anchor=f"{anchor}-{at}")
        for at, place in enumerate(one.places)
    ][-_POINTS:]
    headings = ("version", "when", "value", "part", "evidence", "where it lay", "seal", "tier")
    label = f"points of {one_line(str(one.key), 120)}"
    return Table([Column(heading) for heading in headings], [Group("", rows)], label=label, tall=True)


def _point(one: Series, place: Place) -> tuple[blocks.Content, ...]:
    interval = f" ({place.low:.3f}–{place.high:.3f})" if place.low and place.high else ""
    return (
        one_line(place.version, 80),
        place.at.replace("T", " ").removesuffix("Z"),
        words.value(one, place.value) + interval,
        Markup('<span class="dot {}"></span>{}').format(plots.colour(place.part), place.part + 1),
        Cell(one_line(place.entry.evidence, 120), "id"),
        Cell(one_line(place.entry.path, 200), "path"),
        Part(place.entry.id[:12], "code"),
        "not weighed by weigh" if place.entry.kind in OTHERS else place.entry.tier,
    )
