"""The first screen of a load on a terminal."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from rich.text import Text

from weigh.model.text import one_line
from weigh.model.verdict import TierName
from weigh.render import shape
from weigh.render.terminal import TIER_STYLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import ConsoleOptions, RenderableType

    from weigh.load.report.first_screen.screen import LoadScreen
    from weigh.load.report.first_screen.table import Row, Table

_NARROWEST = 40
_WHY = 3
"""Lines that the first reason for the tier may take."""
_GOES_ON = " ..."
_GAP = 2
_SHOUTED = {"WRONG": "bold red", "REFUSED": "bold red", "NOT DURABLE": "bold red", "BROKEN": "bold red"}


class Screen:
    """As wide as there is room for, and 80 columns at most.

    Args:
        screen: what is to be said.
    """

    def __init__(self, screen: LoadScreen) -> None:
        self._screen = screen

    def __rich_console__(self, console: object, options: ConsoleOptions) -> Iterator[RenderableType]:
        """The sentences, the table, and where to go on."""
        width = max(min(shape.WIDTH, options.max_width), _NARROWEST)
        yield from _head(self._screen, width)
        if self._screen.table:
            yield Text()
            yield from _table(self._screen.table, width)
        yield Text()
        yield from _tail(self._screen, width)


def _head(screen: LoadScreen, width: int) -> Iterator[Text]:
    """The sentences, with the tier and the number of runs at the right edge."""
    right = [f"[{str(screen.tier).upper()}]", *([screen.runs] if screen.runs else [])]
    room = width - max(map(len, right)) - shape.INDENT
    lines = [line for said in screen.says for line in shape.wrapped(one_line(said, 1000), room)]
    for line, word in shape.beside(lines, right, width):
        text = _line(line)
        for shouted, style in _SHOUTED.items():
            text.highlight_words([shouted], style)
        yield text.append(word, style=TIER_STYLE[screen.tier] if word.startswith("[") else "")
    yield from (_line(line, "dim") for line in shape.wrapped(one_line(screen.under, 600), width))
    style = "red" if screen.tier is TierName.INADMISSIBLE else "yellow"
    why = shape.wrapped(one_line(screen.why, 600), width) if screen.why else []
    if len(why) > _WHY:
        room = width - len(_GOES_ON)
        why = [*why[: _WHY - 1], *shape.wrapped(why[_WHY - 1].strip(), room)[:1]]
        why[-1] += _GOES_ON
    yield from (_line(line, style) for line in why)


def _table(table: Table, width: int) -> Iterator[Text]:
    """Names to the left, times to the right; the meanings, then single percentiles give way where there is no room."""
    columns = len(table.headings)
    shown = [*range(columns)]
    cells = [_cells(row) for row in table.rows]
    widths = [max(len(row[at]) for row in (table.headings, *cells)) for at in range(columns)]
    # The longest time and the middle say most, and the tail says more than what lies between.
    for at in (columns - 1, 2, 4, 3):
        if _GAP + sum(widths[one] + _GAP for one in shown) - _GAP > width:
            shown.remove(at)
    over = _GAP + sum(widths[one] + _GAP for one in shown) - _GAP - width
    widths[0] = max(widths[0] - max(over, 0), 6)
    yield _row(table.headings, shown, widths, "dim")
    for row, texts in zip(table.rows, cells, strict=True):
        yield _row(texts, shown, widths, "red" if row.refused else "")
    yield from (_line(line, "dim") for line in shape.wrapped(table.note, width) if table.note)


def _cells(row: Row) -> tuple[str, ...]:
    return (one_line(row.name), *row.cells, row.meaning)


def _row(cells: tuple[str, ...], shown: list[int], widths: list[int], style: str) -> Text:
    last = len(cells) - 1
    parts = (
        shape.cut(cells[at], widths[at]).ljust(widths[at]) if at in (0, last) else cells[at].rjust(widths[at])
        for at in shown
    )
    return _line((" " * _GAP + (" " * _GAP).join(parts)).rstrip(), style)


def _tail(screen: LoadScreen, width: int) -> Iterator[Text]:
    """The worst moment and the machine, and where to go on."""
    for said in screen.beside:
        yield from map(_line, shape.wrapped(one_line(said, 600), width))
    if screen.notes:
        asked = f"weigh report {quote(screen.evidence)} --notes"
        yield from map(_line, shape.packed([f"{screen.notes}:", asked], width=width))
    page = [f"{screen.evidence}/report.html"] if screen.page else []
    yield from map(_line, shape.packed([*page, f"weigh open {quote(screen.evidence)}"], "  Page:    ", "   ", width))
    if screen.again:
        yield from map(_line, shape.command(screen.again, "  Again:   ", width))


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ignore")
