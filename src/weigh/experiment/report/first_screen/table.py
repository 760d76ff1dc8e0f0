"""The table of the first screen: cells, and how many rows there is room for; a terminal and Markdown print the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen.headline import amounts
from weigh.experiment.report.first_screen.pair import ALIKE, is_open, loss, not_compared
from weigh.experiment.report.first_screen.screen import Group
from weigh.model import units
from weigh.model.verdict import VerdictName
from weigh.render import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.report.first_screen.screen import FirstScreen, Line, Mean
    from weigh.model.verdict import Verdict

NAME = 12
"""Characters of a contender's name that a heading of a terminal has room for."""
_WORD = {
    VerdictName.SAME: "same",
    VerdictName.SMALL: "same",
    VerdictName.UNRESOLVED: "open",
    VerdictName.REFUSED: "open",
    VerdictName.DIVERGED: "WRONG",
}


_OPEN = "? "
"""Before a ratio that decides nothing, where several contenders leave no room to say it."""


@dataclass(frozen=True, slots=True)
class Row:
    """Cells from left to right, with the names of their verdicts where they have one."""

    cells: tuple[str, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """What is printed in columns.

    Attributes:
        headings: of the columns.
        rows: operations that differ; where nothing is compared, all.
        means: over all operations, in the columns of the rows; none where there are no rows.
        rest: differences that there was no room for, then what does not differ.
        note: how to read it; empty where that is plain.
    """

    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    means: tuple[Row, ...]
    rest: tuple[Group, ...]
    note: str


def table(screen: FirstScreen, most: int, *, wide: bool = True, name: int = NAME) -> Table:
    """The table with so many rows of operations.

    Args:
        screen: what is to be reported.
        most: rows of operations; one that there is no room for is in a group.
        wide: whether there is room for intervals alongside the ratios of several contenders.
        name: characters of a contender's name that a heading has room for; a longer one is replaced.
    """
    lines, rest = screen.lines[:most], screen.lines[most:]
    groups = (*_beyond(screen, rest), *_left(screen, lines))
    if not screen.compared:
        rows = tuple(_alone(one) for one in lines)
        return Table(("operation", "median", "longest", "CV", "noise"), rows, (), groups, "")
    figures = any(one.interval for one in screen.means)
    if not lines:
        return Table((), (), (), groups, " ".join(map(_sentence, screen.means)))
    if len(screen.others) == 1:
        names = (heading(screen.baseline, "baseline", name), heading(screen.others[0], "contender", name))
        interval = f"{screen.confidence} interval" if wide else screen.confidence
        return Table(
            ("operation", *names, "ratio", interval, "what it means"),
            tuple(_pair(one) for one in lines),
            tuple(_mean(one) for one in screen.means),
            groups,
            "",
        )
    marks = tuple(heading(other, f"#{at}", name) for at, other in enumerate(screen.others, 1))
    return Table(
        ("operation", heading(screen.baseline, "baseline", name), *marks),
        tuple(_matrix(one, wide=wide, figures=figures) for one in lines),
        tuple(_means(screen, wide=wide)),
        groups,
        f"Ratio to {screen.baseline}, above 1 takes longer"
        + (f" ({screen.confidence} interval{'' if figures else '; of a mean: range'})" if wide else "")
        + (
            f"; {_OPEN.strip()} is open."
            if any(_open(one, figures) for line in lines for one in line.verdicts)
            else "."
        ),
    )


def heading(contender: str, otherwise: str, room: int) -> str:
    """A contender's name, or what stands for it where there is no room for it."""
    return contender if len(contender) <= room else otherwise


def numbered(screen: FirstScreen, made: Table) -> tuple[str, ...]:
    """The sentences; where a column is headed by a number, they say whose it is."""
    numbers = {name: f"#{at}" for at, name in enumerate(screen.others, 1) if f"#{at}" in made.headings}

    def members(clauses: str) -> str:
        found = (number for name, number in numbers.items() if clauses.startswith((f"{name}: ", f"{name}, ")))
        return " ".join((*list(found)[:1], clauses))

    return tuple(map(members, screen.says))


def _sentence(one: Mean) -> str:
    """A mean without a table."""
    who = "" if one.temperature == "hot" else f", {one.temperature}"
    return (
        f"{one.contender}{who}: geometric mean of {one.operations} ratios {one.mean:.3f}, from {one.low:.3f} to "
        f"{one.high:.3f}."
    )


def _pair(one: Line) -> Row:
    verdict = one.verdicts[0]
    assert verdict is not None
    cells = (
        one.question,
        units.seconds(one.baseline_s),
        units.seconds(one.seconds[0]),
        words.ratio(verdict),
        _interval(verdict.low, verdict.high),
        words.verdict(verdict) if one.matters else _calm(verdict),
    )
    return Row(cells, ("", "", "", "", "", _sign(verdict)))


def _mean(one: Mean) -> Row:
    when = "" if one.temperature == "hot" else f", {one.temperature}"
    label = f"geometric mean of {one.operations}{when}"
    interval = _interval(*one.interval) if one.interval else ""
    spread = (
        f"{words.interval(one.low, one.high, ' to ')} each"
        if one.interval
        else f"from {units.ratio(one.low)} to {units.ratio(one.high)}"
    )
    return Row((label, "", "", units.ratio(one.mean), interval, spread), ("",) * 6)


def _matrix(one: Line, *, wide: bool, figures: bool) -> Row:
    cells = tuple(_cell(verdict, wide=wide, figures=figures) for verdict in one.verdicts)
    signs = tuple(_sign(verdict) if verdict else "" for verdict in one.verdicts)
    return Row((one.question, units.seconds(one.baseline_s), *cells), ("", "", *signs))


def _calm(verdict: Verdict) -> str:
    if verdict.verdict in ALIKE:
        return f"same within {units.percent(verdict.margin, 0)}"
    return "open" if is_open(verdict) else words.verdict(verdict)


def _sign(verdict: Verdict) -> str:
    return "open" if is_open(verdict) and verdict.ratio else str(verdict.verdict)


def _cell(verdict: Verdict | None, *, wide: bool, figures: bool) -> str:
    if verdict is None:
        return ""
    if not_compared(verdict):
        return "not compared"
    has_figure = figures and verdict.ratio and verdict.verdict is not VerdictName.DIVERGED
    if not has_figure and (verdict.verdict in (*_WORD, VerdictName.ERROR) or verdict.ratio is None):
        if verdict.verdict is VerdictName.ERROR:
            return loss(verdict) + words.plain_ratios([verdict])
        return _WORD.get(verdict.verdict, "open") + words.plain_ratios([verdict])
    interval = f" ({words.interval(verdict.low, verdict.high)})" if wide and verdict.low and verdict.high else ""
    return f"{_OPEN if _open(verdict, figures) else ''}{units.ratio(verdict.ratio or 0.0, 2)}{interval}"


def _open(verdict: Verdict | None, figures: bool) -> bool:
    """Whether a cell has a ratio that decides nothing."""
    return bool(verdict and figures and verdict.ratio and is_open(verdict))


def _means(screen: FirstScreen, *, wide: bool) -> Iterator[Row]:
    """Geometric means of all contenders, a row a temperature."""
    for temperature in dict.fromkeys(one.temperature for one in screen.means):
        found = {one.contender: one for one in screen.means if one.temperature == temperature}
        cells = [_spread(found[name], wide=wide) if name in found else "" for name in screen.others]
        label = "geomean" if temperature == "hot" else f"geomean, {temperature}"
        judged = next((one for one in found.values() if one.interval), None)
        label += f" of {judged.operations}" if judged else ""
        yield Row((label, "", *cells), ("",) * (2 + len(cells)))


def _spread(one: Mean, *, wide: bool) -> str:
    low, high = one.interval or (one.low, one.high)
    return units.ratio(one.mean, 2) + (f" ({words.interval(low, high)})" if wide else "")


def _alone(one: Line) -> Row:
    timing = one.alone
    cells = (
        one.question,
        units.seconds(timing.median if timing else None),
        units.seconds(timing.max if timing else None),
        units.percent(timing.cv if timing else None),
        units.percent(one.noise),
    )
    return Row(cells, ("",) * 5)


def _interval(low: float | None, high: float | None) -> str:
    return f"{low:.2f} - {high:.2f}" if low is not None and high is not None else ""


def _left(screen: FirstScreen, lines: Sequence[Line]) -> Iterator[Group]:
    """The groups; what is the same, or open, and has a row is not named again."""
    rows = {one.question for one in lines}
    for group in screen.groups:
        if group.rows:
            without = [name for name, row in zip(group.questions, group.rows, strict=True) if row not in rows]
            above = len(group.questions) - len(without)
            yield replace(group, questions=(*without, *([f"{above} of those above"] if above else [])))
            continue
        questions = tuple(one for one in group.questions if one not in rows or group.sign not in ALIKE)
        if questions:
            yield replace(group, questions=questions)


def _beyond(screen: FirstScreen, rest: Sequence[Line]) -> Iterator[Group]:
    """Differences that there was no room for, by direction."""
    rest = [one for one in rest if one.matters]
    if not rest:
        return
    if len(screen.others) != 1:
        ratios = [one.ratio for line in rest for one in line.verdicts if one and one.ratio]
        spread = f", ratios {min(ratios):.2f} to {max(ratios):.2f}" if ratios else ""
        yield Group(tuple(one.question for one in rest), "", f"differ{spread} (--verbose)")
        return
    for name in (VerdictName.SLOWER, VerdictName.FASTER):
        same = [(one, one.verdicts[0]) for one in rest if one.verdicts[0] and one.verdicts[0].verdict is name]
        if same:
            meaning = f"{str(name).upper()}, {amounts([verdict for _, verdict in same if verdict])}"
            yield Group(tuple(one.question for one, _ in same), str(name), meaning)
