"""A history for a terminal."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from weigh.history.candidates import LEAST
from weigh.history.report import words
from weigh.model import units
from weigh.model.text import one_line
from weigh.render.terminal import show_findings

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weigh.history.results import Candidate, HistoryResults
    from weigh.history.series import Series

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 40
_MOST = 60
"""Series that are listed; candidates are, whatever series they are of."""


_NAME = 160
"""Characters of the name of a series."""
_FAR = 10
"""Steps of too few points that are named."""


def report(results: HistoryResults) -> RenderableType:
    """The whole history."""
    parts: list[RenderableType] = [Text(f"weigh history {one_line(results.folder)}", style="bold")]
    parts += [Text(words.summary(results)), Text()]
    if results.candidates:
        parts += [Text("Candidates", style="bold")]
        parts += [_candidate(one) for one in results.candidates]
        parts += [Text()]
    if far := list(words.gross(results)):
        parts += [Text("Steps of too few points", style="bold")]
        parts += [Text(f"  {one_line(str(one.key), _NAME)}: {step}") for one, step in far[:_FAR]]
        parts += [Text(f"  and {len(far) - _FAR} more series: --json has them")] if len(far) > _FAR else []
        parts += [Text()]
    if results.series:
        parts += [_table(results), Text(), *(_note(results)), Text()]
    if results.findings:
        parts += [Text("Findings", style="bold"), show_findings(results.findings), Text()]
    if any(one.state == "candidate" for one in results.candidates):
        first = next(one for one in results.candidates if one.state == "candidate")
        parts += [Text(f"weigh history confirm {first.id}    # both versions side by side: only that decides")]
    return Group(*parts)


def _candidate(one: Candidate) -> Text:
    text = Text()
    style = {"confirmed": "bold red" if one.ratio > 1 else "bold green", "candidate": "yellow"}.get(one.state, "dim")
    text.append(f"{one.id}  ", style="bold").append(f"{words.change(one)}  ", style=style)
    text.append(f"{one_line(str(one.series.key), _NAME)}: {words.between(one)}\n")
    text.append(f"          {words.outcome(one)}; ClickHouse's rule: {one.opinion}", style="dim")
    return text


def _table(results: HistoryResults) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("series", "points", "parts"):
        table.add_column(heading, overflow="fold")
    table.add_column("last part", no_wrap=True)
    table.add_column("median", justify="right")
    table.add_column("last", justify="right")
    for one in _listed(results):
        if not one.places:
            table.add_row(one_line(str(one.key), _NAME), "0", "", "", "", "")
            continue
        last = one.part(one.places[-1].part)
        values = [place.value for _, place in last]
        table.add_row(
            one_line(str(one.key), _NAME),
            str(len(one.places)),
            str(len(one.parts)),
            _bars(values),
            words.value(one, median(values)),
            words.value(one, values[-1]),
        )
    return table


def _listed(results: HistoryResults) -> tuple[Series, ...]:
    """All, or where there are many those with candidates first."""
    if len(results.series) <= _MOST:
        return results.series
    named = {one.series.key for one in results.candidates}
    return tuple(sorted(results.series, key=lambda one: one.key not in named)[:_MOST])


def _bars(values: list[float]) -> str:
    """The course of the last points, as high as they differ."""
    last = values[-_WIDTH:]
    low, high = min(last), max(last)
    if high <= low:
        return _BARS[0] * len(last)
    return "".join(_BARS[min(int(len(_BARS) * (one - low) / (high - low)), len(_BARS) - 1)] for one in last)


def _note(results: HistoryResults) -> list[Text]:
    notes = []
    if len(results.series) > _MOST:
        left = len(results.series) - _MOST
        notes.append(f"{left} more series: --operation NAME, --html FILE or --json shows them")
    foreign = [tools for tools in map(words.others, results.series) if tools]
    if foreign:
        notes.append(f"{len(foreign)} series of {', '.join(dict.fromkeys(foreign))}: not weighed by weigh")
    short = sum(1 for one in results.power.values() if one.points < LEAST)
    if short:
        notes.append(f"{short} series of fewer than {LEAST} points in the last part: no change is looked for")
    notes.append(
        f"a change of level of {units.percent(results.margin)} or more is a candidate, within one part; it is no "
        "verdict until both versions were measured side by side"
    )
    alone = sum(len(places) for places in results.steps.values())
    notes.append(f"ClickHouse's rule alone finds {units.count(alone, 'step')}")
    return [Text(one, style="dim") for one in notes]
