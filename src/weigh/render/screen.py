"""The first screen of a report in a terminal, and the same in Markdown: what matters, and where to go on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from shlex import quote
from typing import TYPE_CHECKING

from rich.text import Text

from weigh.model import units
from weigh.model.text import one_line
from weigh.render import shape
from weigh.render.markdown import code
from weigh.render.markdown import text as escaped
from weigh.render.terminal import TIER_STYLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.console import ConsoleOptions, RenderableType

    from weigh.model.finding import Finding
    from weigh.model.verdict import TierName
    from weigh.render.blocks import Table

_NARROWEST = 40
_GAP = 2
_WHY = 3
"""Lines that the first reason for the tier may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """The sentences, a table, and where to go on.

    Attributes:
        says: sentences, the one that matters most first.
        alarms: words that are not to be overlooked, with their styles.
        tier: what it is good for.
        why: why it is not good for more; empty where it is.
        goes_on: what ends a reason that is too long.
        size: how much was measured, e.g. ``3 runs``; empty where nothing was.
        under: what was offered to whom, and what it must not be taken for.
        table: lines of so many columns at most; nothing where there is none.
        rest: what stands below it.
        notes: findings, counted; empty where there are none.
        evidence: the directory, as the reader is to write it.
        page: whether it holds a page.
        again: the command; empty where it is not known.
    """

    says: Sequence[str]
    tier: TierName
    why: str
    under: Sequence[str]
    notes: str
    evidence: str
    page: bool
    again: str
    size: str = ""
    goes_on: str = ""
    alarms: Mapping[str, str] = field(default_factory=dict)
    table: Callable[[int], Iterable[RenderableType]] | None = None
    rest: Sequence[str] = ()

    def __rich_console__(self, console: object, options: ConsoleOptions) -> Iterator[RenderableType]:
        """As wide as there is room for, and 80 columns at most."""
        width = max(min(shape.WIDTH, options.max_width), _NARROWEST)
        yield from self._head(width)
        if self.table:
            yield Text()
            yield from self.table(width)
        yield Text()
        yield from self._tail(width)

    def _head(self, width: int) -> Iterator[Text]:
        """The sentences, with the tier and the size at the right edge."""
        right = [f"[{str(self.tier).upper()}]", *([self.size] if self.size else [])]
        room = width - max(map(len, right)) - shape.INDENT
        lines = [line for sentence in self.says for line in shape.wrapped(one_line(sentence, 1000), room)]
        for left, word in shape.side_by_side(lines, right, width):
            text = line(left)
            for alarm, style in self.alarms.items():
                text.highlight_words([alarm], style)
            yield text.append(word, style=TIER_STYLE[self.tier] if word.startswith("[") else "")
        for sentence in self.under:
            yield from (line(one, "dim") for one in shape.wrapped(one_line(sentence, 600), width))
        why = shape.wrapped(one_line(self.why, 600), width) if self.why else []
        if len(why) > _WHY:
            room = width - len(self.goes_on)
            last = shape.wrapped(why[_WHY - 1].strip(), room)[0] + self.goes_on
            why = [*why[: _WHY - 1], last]
        yield from (line(one, TIER_STYLE[self.tier].removeprefix("bold ")) for one in why)

    def _tail(self, width: int) -> Iterator[Text]:
        for sentence in self.rest:
            yield from map(line, shape.wrapped(one_line(sentence, 600), width))
        evidence = quote(self.evidence)
        if self.notes:
            yield from map(line, shape.packed([f"{self.notes}:", f"weigh report {evidence} --notes"], width=width))
        page = [f"{self.evidence}/report.html"] if self.page else []
        yield from map(line, shape.packed([*page, f"weigh open {evidence}"], "  Page:    ", "   ", width))
        if self.again:
            yield from map(line, shape.command(self.again, "  Again:   ", width))

    def markdown(self, about: str, *parts: Iterable[str]) -> str:
        """The same for a comment on a pull request or the summary of a CI job.

        Args:
            about: the tier, and what it is of.
            parts: lines of tables and notes, in Markdown.
        """
        first, *others = self.says
        lines = [f"**{escaped(first)}**" + ("  " if others else ""), *(f"{escaped(one)}  " for one in others)]
        lines += ["", escaped(about)]
        for part in parts:
            lines += ["", *part]
        lines += ["", f"Evidence: {code(f'weigh report {quote(self.evidence)} --notes')}"]
        lines += ["", f"Again: {code(self.again)}"] if self.again else []
        return "\n".join(lines)


def compact(one: Table, width: int, left_out: Sequence[int]) -> Iterator[Text]:
    """A table without rules: words to the left, numbers to the right; columns give way where there is no room.

    Args:
        one: the table; the class of a row is ``refused`` where it does not count.
        width: columns of the screen.
        left_out: numbers of its columns that may be left out, the first one first.
    """
    rows = [(row.css, [one_line(str(cell)) for cell in row.cells]) for group in one.groups for row in group.rows]
    headings = [str(column.heading) for column in one.columns]
    widths = [max(len(cells[at]) for cells in (headings, *(cells for _, cells in rows))) for at in range(len(headings))]
    used = [*range(len(headings))]
    for at in left_out:
        if sum(widths[each] + _GAP for each in used) > width:
            used.remove(at)
    widths[0] = max(widths[0] - max(sum(widths[each] + _GAP for each in used) - width, 0), 6)
    for style, cells in (("dim", headings), *(("red" if css else "", cells) for css, cells in rows)):
        parts = [
            cells[at].rjust(widths[at]) if one.columns[at].right else shape.cut(cells[at], widths[at]).ljust(widths[at])
            for at in used
        ]
        yield line((" " * _GAP + (" " * _GAP).join(parts)).rstrip(), style)


def line(text: str, style: str = "") -> Text:
    """A line that is laid out already."""
    return Text(text, style=style, no_wrap=True, overflow="ignore")


def counted(findings: Iterable[Finding]) -> str:
    """How many findings there are of each severity: ``1 error, 2 notes``."""
    counts = Counter(one.severity for one in findings)
    return ", ".join(units.count(counts[kind], kind) for kind in ("error", "warning", "note") if counts[kind])
