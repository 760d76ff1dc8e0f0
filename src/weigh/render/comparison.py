"""Verdicts in a table, and what is reported of all of them: of two sessions, of other tools' numbers, of servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from weigh.model import units
from weigh.model.text import one_line
from weigh.model.verdict import VerdictName
from weigh.render import words
from weigh.render.blocks import Cell, Column, Group, Interval, Lines, Part, Row, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from weigh.model.verdict import Verdict
    from weigh.render.blocks import Cells, Content
    from weigh.render.svg.interval import Axis
    from weigh.verdict.assumptions import Assumption

V = TypeVar("V", bound="Verdict")
_NAME = 60
_LISTED = 3
"""Rows of a verdict that the sentence names."""
_DIFFERENT = (VerdictName.SLOWER, VerdictName.FASTER)
_LOUD = (VerdictName.DIVERGED, *_DIFFERENT, VerdictName.ERROR)
"""Verdicts that the sentence names by their rows; of others it counts them."""


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


def sentence(verdicts: Sequence[Verdict], other: Callable[[Verdict], str]) -> str:
    """Who differs from whom, with the ratio and its interval, and how much is the same or open.

    Args:
        verdicts: in their order.
        other: what a contender is compared with, to be put behind *than* and *as*.
    """
    if not verdicts:
        return "Nothing is compared."
    if len(verdicts) == 1:
        return f"{_alone(verdicts[0], other(verdicts[0]))}."
    groups: dict[VerdictName, list[Verdict]] = {}
    for one in verdicts:
        groups.setdefault(one.verdict, []).append(one)
    names = {one.contender for one in verdicts}
    against = f" against {_noun(other(verdicts[0]))}" if not any(name in groups for name in _DIFFERENT) else ""
    parts = []
    for name in _LOUD:
        if found := groups.get(name):
            than = f" than {other(found[0])}" if name in _DIFFERENT and len({*map(other, found)}) == 1 else ""
            more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
            listed = ", ".join(_place(one, alone=len(names) == 1) + _brief(one) for one in found[:_LISTED])
            parts.append(f"{name.upper()}{than}: {listed}{more}")
    parts += filter(None, [", ".join(_counted(found) for name, found in groups.items() if name not in _LOUD)])
    who = f"{one_line(verdicts[0].contender, _NAME)}{against}: " if len(names) == 1 else ""
    level = f" Ratios with {_level(verdicts[0])}s." if any(name in groups for name in _DIFFERENT) else ""
    return f"{who}{'; '.join(parts)}.{level}"


def _noun(other: str) -> str:
    """What a contender is compared with, where no *than* or *as* goes before it."""
    return f"that {other}" if other.startswith("in the ") else other


def _counted(found: Sequence[Verdict]) -> str:
    """How many have a verdict; of refused ones with the code of the reason that all of them have."""
    reasons_first = {one.reasons[0].code if one.reasons else "" for one in found}
    code = f" ({reasons_first.pop()})" if found[0].verdict is VerdictName.REFUSED and len(reasons_first) == 1 else ""
    return f"{len(found)} {found[0].verdict}{code}"


def _alone(one: Verdict, other: str) -> str:
    """The only verdict."""
    where = f" on {one_line(one.operation, _NAME)}" if one.operation else ""
    who, margin = one_line(one.contender, _NAME) or "it", units.percent(one.margin)
    ends = precise(one.low, one.high)
    figures = f": ratio {units.ratio(one.ratio)} ({_level(one)} {ends})" if one.ratio and ends else ""
    match one.verdict:
        case VerdictName.SLOWER | VerdictName.FASTER:
            return f"{who} is {one.verdict.upper()} than {other}{where}{figures}"
        case VerdictName.SAME:
            return f"{who} is the SAME as {other}{where}, within {margin}{figures}"
        case VerdictName.SMALL:
            return f"{who} differs from {_noun(other)}{where} by less than the {margin} that matter{figures}"
        case VerdictName.UNRESOLVED:
            return f"It is open how {who} compares with {_noun(other)}{where}{figures}"
    code = f" ({one.reasons[0].code})" if one.reasons else ""
    return f"No verdict between {who} and {_noun(other)}{where}: {one.verdict.upper()}{code}{words.plain_ratios([one])}"


def precise(low: float | None, high: float | None, dash: str = " to ") -> str:
    """An interval of a ratio, with the decimals that tell its ends apart; nothing where there is none."""
    if low is None or high is None:
        return ""
    ends = ((units.ratio(low, digits), units.ratio(high, digits)) for digits in (3, 4, 5))
    first, last = next((pair for pair in ends if pair[0] != pair[1]), (units.ratio(low), units.ratio(high)))
    return f"{first}{dash}{last}"


def _brief(one: Verdict) -> str:
    return f" {units.ratio(one.ratio)} ({precise(one.low, one.high, '-')})" if one.ratio and one.low else ""


def _place(one: Verdict, *, alone: bool) -> str:
    operation, contender = one_line(one.operation, _NAME), one_line(one.contender, _NAME)
    if alone:
        return operation or contender
    return f"{contender} on {operation}" if operation else contender


def _level(one: Verdict) -> str:
    return f"{100 * one.confidence:g} % interval"


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
