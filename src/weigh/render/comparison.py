"""Verdicts in a table, and what is said of all of them: of two sessions, of other tools' numbers, of servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from weigh.model import units
from weigh.model.text import one_line
from weigh.render import words
from weigh.render.blocks import Cell, Column, Group, Interval, Lines, Part, Row, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from weigh.model.verdict import Verdict
    from weigh.render.blocks import Cells, Content
    from weigh.render.svg.interval import Axis
    from weigh.verdict.assumptions import Assumption

V = TypeVar("V", bound="Verdict")


def row(one: Verdict, name: Content, figures: Cells, axis: Axis, *, verdict: str = "", more: Sequence[str] = ()) -> Row:
    """The row of a verdict.

    Args:
        one: the verdict.
        name: of the contender.
        figures: a cell of each.
        axis: of all rows.
        verdict: in words, where they are not those of every verdict.
        more: cells before the verdict.
    """
    ends = Interval(one.low, one.high), Interval(one.low_fcr, one.high_fcr)
    result = Cell(verdict or words.verdict(one), str(one.verdict))
    return Row([name, *figures, words.ratio(one), lambda: axis.row(one), *ends, *more, result])


def base(name: Content, figures: Cells, axis: Axis, about: Content = "baseline", more: Sequence[str] = ()) -> Row:
    """The row of what the others are compared with."""
    return Row([name, *figures, "", axis.nothing, "", "", *more, about], css="base")


def table(
    groups: Mapping[str, Sequence[Row]],
    figures: Sequence[Column],
    axis: Axis,
    level: str,
    *,
    command: str,
    more: Sequence[Column] = (),
    optional: Sequence[str] = (),
    grouped_by: str = "operation",
) -> Table:
    """The table of all verdicts.

    Args:
        groups: rows, as of :func:`row` and :func:`base`, by what they are about.
        figures: columns between the names and the ratios.
        axis: of all rows.
        level: of the intervals, e.g. ``99 %``.
        command: of weigh.
        more: columns before the verdict.
        optional: columns that may be left out, as of :class:`Table`.
        grouped_by: what the rows are about.
    """
    columns = [
        Column("contender"),
        *figures,
        Column("ratio", right=True),
        Column(axis.head, form="page", css="ax"),
        Column(level, right=True),
        Column("FCR", right=True),
        *more,
        Column("verdict"),
    ]
    found = [Group(name, rows, otherwise="all") for name, rows in groups.items()]
    return Table(columns, found, optional, grouped_by, css=f"vt {command}", wide=False)


def style(command: str, first: str, second: str) -> str:
    """Rules of style for the table where it is narrow, with the headings of its two figures."""
    narrow = "".join(
        f'.vt.{command} td:nth-last-child({at})::before{{content:"{heading} "}}'
        for at, heading in ((7, first), (6, second))
    )
    return f".say.notes li{{overflow-wrap:anywhere}}\n@media screen and (max-width:1099px){{{narrow}}}\n"


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


def counted(verdicts: Iterable[Verdict]) -> str:
    """How many there are of each verdict; empty where there is none."""
    counts: dict[str, int] = {}
    for one in verdicts:
        counts[str(one.verdict)] = counts.get(str(one.verdict), 0) + 1
    return ", ".join(f"{count} {name}" for name, count in counts.items()) + "." if counts else ""


def reasons(verdicts: Iterable[V], place: Callable[[V], str], most: int = 600) -> Iterator[str]:
    """Each kind of reason once, with its first example: the JSON has them all.

    Args:
        verdicts: with their reasons.
        place: where one is, in words.
        most: characters of a reason.
    """
    groups: dict[str, list[str]] = {}
    for one in verdicts:
        for reason in one.reasons:
            groups.setdefault(reason.code, []).append(f"{place(one)}: {one_line(reason.text, most)}")
    for code, texts in groups.items():
        yield f"{code}: {texts[0]}" + (f" (and {units.count(len(texts) - 1, 'more row')})" if len(texts) > 1 else "")


def notes(lines: Sequence[str]) -> Lines:
    """How to read the figures."""
    return Lines(lines, style="dim", css="say notes", listed=True)


def assumptions(every: Iterable[Assumption]) -> list[Lines]:
    """What is assumed, and what follows where it does not hold."""
    lines = [(Part(f"{one.name.capitalize()}.", "strong"), f" {one.assumes} If not: {one.fails}") for one in every]
    # Sealed pages have an empty line after the list.
    return [Lines(lines, css="say", listed=True), Lines([""], tag="")]
