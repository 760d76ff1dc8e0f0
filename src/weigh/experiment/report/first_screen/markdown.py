"""The first screen in Markdown, for a comment on a pull request or the summary of a CI job: about 20 lines."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen.table import numbered, table
from weigh.model import units
from weigh.model.text import one_line
from weigh.render import shape
from weigh.render.markdown import code, row, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.report.first_screen.screen import FirstScreen
    from weigh.experiment.report.first_screen.table import Table

_LINES = 20
"""Lines in all; operations that there is no room for are named in one line for each direction."""
_LEAST = 4
"""Rows of operations, however much else there is to say."""
_NAME = 200
"""Characters of a contender's name in a heading."""
_NAMES = 60
"""Characters of the names in a row that many operations share."""


def markdown(screen: FirstScreen) -> str:
    """The sentences, the table, and how to do it again."""
    return "\n".join(_lines(screen))


def _lines(screen: FirstScreen) -> list[str]:
    made = table(screen, len(screen.lines), name=_NAME)
    head, tail = [*_head(screen, numbered(screen, made))], [*_tail(screen, made.note)]
    other = len(head) + len(tail) + len(screen.groups) + len(made.means)
    # The heading of the table, the line below it, an empty one above it and one after it.
    made = table(screen, max(_LINES - other - 4, _LEAST), name=_NAME)
    body = ["", *_table(made)] if made.rows or made.rest else []
    return [*head, *body, *([""] if tail else []), *tail]


def _head(screen: FirstScreen, says: Sequence[str]) -> Iterator[str]:
    """The sentences, the tier and the time."""
    yield from (f"**{text(sentence)}**  " for sentence in screen.wrong)
    yield from (f"**{text(sentence)}.**  " for sentence in screen.warning[:1])
    first, *others = says or ("",)
    if first:
        yield f"**{text(first)}**" + ("  " if others else "")
    if len(screen.others) > 1:
        yield from (f"{text(sentence)}  " for sentence in others)
    elif others:
        yield text(" ".join(others))
    tier = text(screen.why) or (f"{str(screen.tier).upper()}." if screen.tier else "")
    took = f"Measured in {units.duration(screen.took_s)}." if screen.took_s else ""
    if tier or took:
        yield ""
        yield " ".join(filter(None, (tier, took)))
    yield from (f"{text(sentence.rstrip('.'))}." for sentence in screen.warning[1:])


def _tail(screen: FirstScreen, note: str) -> Iterator[str]:
    """How to read the table, totals and CPU time, the machine, and how to do it again."""
    yield from (
        text(sentence) + "  " for sentence in filter(None, (note, screen.builds, *screen.context, screen.notice))
    )
    notes = f"{screen.notes} ({code(f'weigh report {quote(screen.evidence)} --notes')})." if screen.notes else ""
    if last := " ".join(filter(None, (text(screen.machine), notes))):
        yield last
    if screen.again:
        yield ""
        yield f"Again: {code(screen.again)}"


def _table(made: Table) -> Iterator[str]:
    headings = made.headings or ("operation", "what it means")
    yield row([text(one) for one in headings])
    yield row(["---" if at == 0 or one == "what it means" else "--:" for at, one in enumerate(headings)])
    for one in made.rows:
        yield row([text(cell) for cell in one.cells])
    for group in made.rest:
        names = shape.listed([*map(one_line, group.questions)], _NAMES)
        yield row([text(names), *[""] * (len(headings) - 2), text(group.meaning)])
    for one in made.means:
        yield row([text(cell) for cell in one.cells])
