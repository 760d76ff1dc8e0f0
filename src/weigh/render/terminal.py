"""Blocks in a terminal, and what its other reports share: styles, intervals, findings, the tier."""

from __future__ import annotations

import copy
import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from weigh.model.text import one_line, visible
from weigh.model.verdict import TierName, VerdictName
from weigh.render import blocks, shape, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType

    from weigh.model.finding import Finding
    from weigh.model.verdict import Tier


PLAIN_WIDTH = 118
"""Columns of the report that is kept with the evidence."""


VERDICT_STYLE = {
    VerdictName.SLOWER: "bold red",
    VerdictName.FASTER: "bold green",
    VerdictName.SAME: "green",
    VerdictName.SMALL: "green",
    VerdictName.UNRESOLVED: "yellow",
    VerdictName.REFUSED: "yellow",
    VerdictName.DIVERGED: "bold red",
    VerdictName.ERROR: "red",
}


TIER_STYLE = {
    TierName.CONCLUSIVE: "bold green",
    TierName.SUGGESTIVE: "bold yellow",
    TierName.INADMISSIBLE: "bold red",
}


STYLES = {
    "strong": "bold",
    "bold": "bold",
    "small": "dim",
    "dim": "dim",
    "fine": "green",
    "open": "yellow",
    "bad": "bold red",
    "good": "bold green",
    "broken": "bold yellow",
    "refusal": "bold red",
    "explained": "bold",
}
"""Of blocks, besides those of verdicts."""


_SEVERITY_STYLE = {"error": "bold red", "warning": "yellow", "note": "dim"}


class ReportConsole(Console):
    """The door through which every report goes: what evidence, data, engines and files say is text and nothing else.

    Brackets and colons in a name are what they are; what a terminal would obey is shown instead.

    Args:
        options: as of :class:`rich.console.Console`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def on_broken_pipe(self) -> None:
        """Whoever read it has ended: the command line knows what that means; rich would end with 1."""
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As rich does it, with the texts made visible before anything is laid out by their widths."""
        for segment in super().render(renderable, options):
            if segment.control is None and not segment.text.isprintable():
                yield Segment(visible(segment.text), segment.style)
            else:
                yield segment


class FittedTable:
    """A table that leaves out columns where they do not fit, rather than break what must be read.

    Args:
        table: with all its columns.
        optional: headings of columns that may be left out, the first one first.
    """

    def __init__(self, table: Table, *optional: str) -> None:
        self._table = table
        self._optional = optional

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[RenderableType]:
        """The table with as many columns as fit, and what was left out."""
        left_out: list[str] = []
        fitted = self._table
        # The kept form has all of them, however long the names are.
        for heading in self._optional if options.max_width < PLAIN_WIDTH else ():
            if _needed(fitted) <= options.max_width:
                break
            retained = [column for column in fitted.columns if str(column.header) != heading]
            if len(retained) < len(fitted.columns):
                left_out.append(heading)
                fitted = copy.copy(fitted)
                fitted.columns = [replace(column, _index=at) for at, column in enumerate(retained)]
        yield fitted
        if left_out:
            yield Text(f"(no room for {', '.join(filter(None, left_out))}: a wider terminal, or --json)", style="dim")


_NAME_LEAST, _NAME_ROOM, _WORDS_ROOM, _SPACE = 9, 20, 16, 3
"""Characters that the first column and others that wrap are at least given, and those between two columns."""


def _needed(table: Table) -> int:
    """Characters that a table needs to be read."""
    total = _SPACE * (len(table.columns) - 1)
    for at, column in enumerate(table.columns):
        longest = max((len(str(cell)) for cell in (column.header, *column.cells)), default=0)
        room = longest if column.no_wrap else _WORDS_ROOM if at else _NAME_ROOM
        total += min(longest, room)
    return total


def plain_text(renderable: RenderableType) -> str:
    """A report without colour at a fixed width: the form that is kept and verified."""
    console = ReportConsole(file=io.StringIO(), width=PLAIN_WIDTH, color_system=None, force_terminal=False)
    console.print(renderable, crop=False)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def show_tier(tier: Tier) -> RenderableType:
    """What the evidence is good for, and why it is not good for more."""
    rows: list[RenderableType] = [Text(words.tier(tier.name), style=TIER_STYLE[tier.name])]
    for reason in tier.reasons:
        text = Text(f"{reason.code} ", style="bold").append(one_line(reason.text), style="not bold")
        rows.append(Padding(text, (0, 0, 0, 2)))
        for command in reason.commands or ():
            # Not wrapped by the console: what is copied must run. A short one may redirect, which has no quotes.
            first, text_of_it = "    $ ", one_line(command, 2_000)
            lines = [first + text_of_it] if len(first + text_of_it) <= shape.WIDTH else shape.command(text_of_it, first)
            rows += [Text(line, style="dim", no_wrap=True, overflow="ignore") for line in lines]
    return Group(*rows)


def show_findings(findings: tuple[Finding, ...]) -> Group:
    """Findings with their remedies."""
    rows: list[RenderableType] = []
    for finding in findings:
        text = Text()
        text.append(f"{finding.code} ", style=_SEVERITY_STYLE[finding.severity])
        place = ", ".join(part for part in (finding.contender, finding.operation) if part)
        text.append(f"{place}: " if place else "")
        text.append(one_line(finding.text))
        rows.append(Padding(text, (0, 0, 0, 2)))
        if finding.remedy:
            rows.append(Padding(Text(one_line(finding.remedy), style="dim"), (0, 0, 0, 4)))
    return Group(*rows)


def report(*parts: blocks.Block | None) -> Group:
    """Blocks one below the other, with an empty line between two; None and findings of nothing leave no line."""
    rows: list[RenderableType] = []
    for part in parts:
        if part is None or part == blocks.Findings(()):
            continue
        rows += [Text(), *_block(part)] if rows else _block(part)
    return Group(*rows)


def _block(one: blocks.Block) -> list[RenderableType]:
    match one:
        case blocks.Lines() | blocks.Table() if one.form not in ("", "terminal"):
            return []
        case blocks.Section():
            return [_phrase(one.title, "bold"), *(row for part in one.blocks for row in _block(part))]
        case blocks.Lines():
            lines = [_phrase(_short(line, one.most), STYLES.get(one.style, one.style)) for line in one.lines]
            return [Padding(line, (0, 0, 0, one.indent)) for line in lines] if one.indent else [*lines]
        case blocks.Table():
            return [_table(one)]
        case blocks.Grade():
            return [show_tier(one.tier)]
        case blocks.Findings():
            return [Text("Findings", style="bold"), show_findings(tuple(one.findings))]
        case blocks.Commands():
            return [Padding(Text(one.lines), (0, 0, 0, 2))]
    return []


def _short(one: blocks.Phrase, most: int) -> blocks.Phrase:
    """A sentence of others on one line; its spaces stay where it is one already."""
    if isinstance(one, str) and (len(one) > most or "\n" in one):
        return one_line(one, most)
    return one


def _phrase(one: blocks.Phrase, style: str = "") -> Text:
    if isinstance(one, blocks.Part):
        return Text(one.text, style=_style(one.style) or style)
    text = Text(style=style)
    for part in one if isinstance(one, tuple) else (one,):
        piece, how = (part.text, part.style) if isinstance(part, blocks.Part) else (part, "")
        text.append(piece, style=_style(how))
    return text


def _style(name: str) -> str:
    return VERDICT_STYLE[VerdictName(name)] if name in set(VerdictName) else STYLES.get(name, "")


def _table(one: blocks.Table) -> FittedTable:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    used = [at for at, column in enumerate(one.columns) if column.form in ("", "terminal")]
    if one.grouped_by and one.indent is None:
        table.add_column(one.grouped_by, overflow="fold", min_width=_NAME_LEAST)
    for at in used:
        column = one.columns[at]
        heading = _cell(column.heading)
        if one.grouped_by and one.indent is not None and at == used[0]:
            heading = Text(f"{one.grouped_by}, ").append_text(heading)
        whole = column.right if column.whole is None else column.whole
        table.add_column(
            heading.plain,
            justify="right" if column.right else "left",
            no_wrap=whole,
            overflow="ellipsis" if whole or column.right else "fold",
            min_width=column.least,
            ratio=column.share,
        )
    apart = bool(one.grouped_by) and one.indent is None
    for group in one.groups:
        if group.name:
            about = [*[""] * (len(table.columns) - 2), group.about] if group.about else []
            table.add_row(Text(group.name, style="bold"), *about)
        for row in group.rows:
            cells = [*([Text()] if apart else []), *(_cell(row.cells[at]) for at in used)]
            if group.name and cells[0]:
                cells[0] = Text(" " * (one.indent or 0)).append_text(cells[0])
            table.add_row(*cells)
    return FittedTable(table, *one.optional)


def _cell(one: blocks.Content) -> Text:
    style = ""
    if isinstance(one, blocks.Cell):
        style, one = one.style, one.text
    if isinstance(one, blocks.Interval):
        return Text(words.interval(one.low, one.high), style=_style(style))
    assert not callable(one)
    return _phrase(one, _style(style) if one else "")
