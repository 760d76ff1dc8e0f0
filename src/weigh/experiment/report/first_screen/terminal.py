"""The first screen on a terminal: 80 columns, and 24 lines for up to 10 operations."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from rich.console import Group as Lines
from rich.text import Text

from weigh.experiment.report.first_screen.table import Row, Table, numbered, table
from weigh.model import units
from weigh.model.text import one_line
from weigh.model.verdict import TierName
from weigh.render import shape
from weigh.render.terminal import TIER_STYLE, VERDICT_STYLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import ConsoleOptions, RenderableType

    from weigh.experiment.report.first_screen.screen import FirstScreen

HEIGHT = 24
_FEW = 10
"""Operations that fit one screen; each further one may have a line of its own."""
_LEAST, _MOST = 4, 40
"""Rows of operations, however much else there is to say."""
_GAP = 2
_NARROWEST = 40
_LONGEST_NAME = 34
_NAME = 14
"""Characters of an operation's name for which a figure of one comparison gives way; a longer one is cut."""
_SHORT = 8
"""Characters of a contender's name in a heading where not all columns fit."""
_SENTENCES = 3
"""Sentences that are one paragraph; more have a line each."""
_SHOUTED = {
    "SLOWER": "bold red", "FASTER": "bold green", "WRONG": "bold red",
    "No verdict": "bold yellow", "Not complete": "bold yellow",
}  # fmt: skip
_SIGNS = {str(name): style for name, style in VERDICT_STYLE.items()} | {"open": "dim"}


class Screen:
    """The first screen, as wide as there is room for, and 80 columns at most.

    Args:
        screen: what is to be reported.
    """

    def __init__(self, screen: FirstScreen) -> None:
        self._screen = screen

    def __rich_console__(self, console: object, options: ConsoleOptions) -> Iterator[RenderableType]:
        """The first screen as wide as the console, within the widths that it is laid out for."""
        yield _text(self._screen, max(min(shape.WIDTH, options.max_width), _NARROWEST))


def screen_text(screen: FirstScreen) -> RenderableType:
    """The first screen."""
    return Screen(screen)


def _text(screen: FirstScreen, width: int) -> RenderableType:
    # How wide the columns are does not hang on how many rows there are.
    head, tail = (
        [*_head(screen, numbered(screen, _fitting(screen, len(screen.lines), width)), width)],
        [*_tail(screen, width)],
    )
    operations = sum(one.matters for one in screen.lines) + sum(len(one.questions) for one in screen.groups)
    height = HEIGHT + max(0, operations - _FEW)
    # An empty line above the table, its heading, and one below.
    room = height - len(head) - len(tail) - len(screen.groups) - len(screen.means) - 3 - bool(screen.others[1:])
    most = min(max(room, _LEAST), _MOST)
    if len(screen.others) > 1 and len(screen.lines) <= _LEAST + 2:
        # Those that would be left out take hardly more lines than what would stand for them.
        most = max(most, len(screen.lines))
    elif len(screen.lines) > most:
        # What there is no room for has a line for each direction.
        most = max(most - 2, _LEAST)
    body = [*_body(_fitting(screen, most, width), width)]
    between = [Text()] if body else []
    return Lines(*head, *between, *body, *([Text()] if tail else []), *tail)


def _head(screen: FirstScreen, says: Sequence[str], width: int) -> Iterator[Text]:
    """The sentences, with the tier and the time at the right edge."""
    right = []
    if screen.tier is not None:
        right.append(f"[{str(screen.tier).upper()}]")
    if screen.took_s:
        right.append(units.duration(screen.took_s))
    room = width - (max(map(len, right)) + _GAP if right else 0)
    first, *paragraphs = [*_paragraphs(screen, says)] or [""]
    lines = shape.wrapped(first, width)
    if len(lines) == 1 and len(lines[0]) > room:
        # The answer has a line of its own.
        right = ["", *right]
    else:
        lines = shape.wrapped(first, room)
    for one in paragraphs:
        lines += shape.wrapped(one, room, then="     " if one.startswith("#") else "  ")
    for line, word in shape.side_by_side(lines, right, width):
        text = _line(line)
        text.highlight_words(_SHOUTED, "bold")
        for shouted, style in _SHOUTED.items():
            text.highlight_words([shouted], style)
        if word.startswith("[") and screen.tier is not None:
            text.append(word, style=TIER_STYLE[screen.tier])
        else:
            text.append(word)
        yield text
    if screen.why:
        style = "red" if screen.tier is TierName.INADMISSIBLE else "yellow"
        yield from (_line(line, style) for line in _at_most(shape.wrapped(screen.why, width), 2, width))
    for sentence in screen.warning[1:]:
        yield from (
            _line(line, "yellow") for line in _at_most(shape.wrapped(f"{sentence.rstrip('.')}.", width), 3, width)
        )


def _paragraphs(screen: FirstScreen, says: Sequence[str]) -> Iterator[str]:
    yield from (one_line(sentence, 600) for sentence in screen.wrong)
    yield from (f"{sentence}." for sentence in screen.warning[:1])
    if len(screen.others) > 1 or len(says) > _SENTENCES:
        yield from says
    elif says:
        yield " ".join(says)


def _fitting(screen: FirstScreen, most: int, width: int) -> Table:
    """The table with intervals where all columns fit."""
    made = table(screen, most)
    # Whose operation it is comes before the intervals of several contenders, and before their names in headings.
    for wide, name in ((True, _SHORT), (False, _SHORT)):
        if _width(made, width, _LONGEST_NAME) > width:
            made = table(screen, most, wide=wide, name=name)
    # Of one comparison: the interval, the ratio, and what either takes; the operation and what it means stay.
    for column in (4, 3, 2, 1) if made.headings[-1:] == ("what it means",) else ():
        if _width(made, width, _NAME) > width:
            made = _without(made, column)
    return made


def _width(made: Table, width: int, name: int) -> int:
    """What the table needs where the names of operations have so many characters, if they are that long."""
    widths = _widths(made, width)
    longest = max((len(row.cells[0]) for row in made.rows), default=0)
    return max(widths[0], min(longest, name)) + sum(widths[1:]) + _GAP * len(widths)


def _without(made: Table, column: int) -> Table:
    def rows(every: Sequence[Row]) -> tuple[Row, ...]:
        return tuple(
            Row(one.cells[:column] + one.cells[column + 1 :], one.signs[:column] + one.signs[column + 1 :])
            for one in every
        )

    headings = made.headings[:column] + made.headings[column + 1 :]
    return replace(made, headings=headings, rows=rows(made.rows), means=rows(made.means))


def _widths(made: Table, width: int) -> list[int]:
    """Of the columns; the name of an operation is cut where it is longer than its column."""
    if not made.headings:
        return [width // 2]
    # The name of a mean reaches into the next columns, which are empty.
    rows = [made.headings, *(row.cells for row in made.rows), *(("", *row.cells[1:]) for row in made.means)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(made.headings))]
    others = sum(widths[1:]) + _GAP * len(widths)
    return [max(min(widths[0], _LONGEST_NAME, width - others), 6), *widths[1:]]


def _body(made: Table, width: int) -> Iterator[Text]:
    """The table: what matters, then what does not."""
    widths = _widths(made, width)
    if made.rows:
        yield _columns(made.headings, widths, ("dim",) * len(widths), made)
    for row in made.rows:
        yield _columns(row.cells, widths, tuple(_SIGNS.get(sign, "") for sign in row.signs), made)
    for group in made.rest:
        yield from _group(group.questions, group.meaning, _SIGNS.get(group.sign, ""), widths, width)
    for row in made.means:
        empty = next((at for at, cell in enumerate(row.cells[1:], 1) if cell), len(row.cells))
        joined = sum(widths[:empty]) + _GAP * (empty - 1)
        text = _columns(("", *row.cells[1:]), widths, ("bold",) * len(widths), made)
        yield _line("  " + shape.cut(row.cells[0], joined).ljust(joined) + text.plain[_GAP + joined :], "bold")
    if made.note:
        yield from (_line(line, "dim") for line in shape.wrapped(made.note, width))


def _columns(cells: Sequence[str], widths: Sequence[int], styles: Sequence[str], made: Table) -> Text:
    """One row: names to the left, figures to the right, what they mean to the left."""
    text = _line("")
    for at, (cell, width, style) in enumerate(zip(cells, widths, styles, strict=True)):
        left = at == 0 or made.headings[at] == "what it means"
        fitted = shape.cut(one_line(cell), width)
        text.append(" " * _GAP)
        text.append(fitted.ljust(width) if left else fitted.rjust(width), style=style)
    text.rstrip()
    return text


def _group(questions: Sequence[str], meaning: str, style: str, widths: Sequence[int], width: int) -> Iterator[Text]:
    """Names, and what is reported of them: alongside them where there is room, else below."""
    column = sum(widths[:-1]) + _GAP * len(widths) if len(widths) > 1 else width // 2
    start = min(column, width - len(meaning))
    if start < width // 3:
        yield _line(f"  {shape.listed([*map(one_line, questions)], width - 2)}")
        yield from (_line(line, style) for line in shape.wrapped(meaning, width, first="    ", then="    "))
        return
    names = shape.cut(shape.listed([*map(one_line, questions)], start - 2 * _GAP), start - 2 * _GAP)
    text = _line(f"  {names}".ljust(start))
    text.append(meaning, style=style)
    yield text


def _tail(screen: FirstScreen, width: int) -> Iterator[Text]:
    """Totals and CPU time, the machine, and where to go on."""
    for sentence in screen.context:
        yield from map(_line, _at_most(shape.wrapped(sentence, width), 3, width))
    if screen.notice:
        yield from map(_line, shape.wrapped(f"Note: {screen.notice.rstrip('.')}.", width))
    notes = f"{screen.notes[:1].upper()}{screen.notes[1:]}:" if screen.notes else ""
    command = f"weigh report {quote(screen.evidence)} --notes" if screen.notes else ""
    machine = shape.wrapped(screen.machine, width - shape.INDENT, "", "")
    combined = f"{notes} {command}".strip()
    notes_lines = [combined] if len(combined) <= width - shape.INDENT else [notes, command]
    yield from map(_line, shape.packed([part for part in (*machine, *notes_lines) if part], width=width))
    opened = f"weigh open {quote(screen.evidence)}"
    page = [f"{screen.evidence}/report.html"] if screen.page else []
    yield from map(_line, shape.packed([*page, opened], "  Page:    ", "   ", width))
    if screen.again:
        yield from map(_line, shape.command(screen.again, "  Again:   ", width))


def _at_most(lines: list[str], most: int, width: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1][: width - 4]} ..."]


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ignore")
