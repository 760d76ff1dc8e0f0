"""The percentiles of the first screen of a load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.load.report import words
from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.analysis.percentiles import Spectrum
    from weigh.load.results import Group, LoadResults

SHOWN = (0.5, 0.9, 0.99, 0.999)
"""Percentiles that have a column."""
_OPERATIONS = 6
"""Operations that have a row."""
_GROUPS = 8
"""Kinds of runs that have one."""
_NAME = 34
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        name: of a time, an operation, or a kind of run.
        cells: a percentile in each, and the longest time; in brackets what is not resolved.
        meaning: what the times are; empty of operations.
        refused: whether the run does not count.
    """

    name: str
    cells: tuple[str, ...]
    meaning: str = ""
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The table.

    Attributes:
        headings: of its columns, that of the names first and that of the meanings last.
        rows: at least one.
        note: what is to be known to read it, in sentences; empty where nothing is.
    """

    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str


def table(results: LoadResults) -> Table | None:
    """The table; None where no request was answered."""
    groups = [group for group in results.groups if group.first.operations and group.first.whole.count]
    if not groups:
        return None
    if len(groups) > 1:
        first, rows, more = "response", _kinds(groups[:_GROUPS]), len(groups) - _GROUPS
    else:
        operations = groups[0].first.operations
        first, rows, more = "", _single(groups[0]), len(operations) - 1 - _OPERATIONS
    notes = [*_notes(rows, max(len(group.runs) for group in groups))]
    if more > 0:
        notes.append(f"{more} more {'kinds of runs' if len(groups) > 1 else 'operations'}: --verbose.")
    return Table(headings=(first, *map(words.percentile_name, SHOWN), "max", ""), rows=rows, note=" ".join(notes))


def _kinds(groups: Sequence[Group]) -> tuple[Row, ...]:
    """What a user waits in each kind of run."""
    return tuple(
        _row(words.group_name(group), group.first.whole.response, "refused" if group.first.refused else "", group)
        for group in groups
    )


def _single(group: Group) -> tuple[Row, ...]:
    """One kind of run: all operations, then each."""
    whole, *single = group.first.operations
    return (
        _row("response", whole.response, "what a user waits", group),
        _row("service", whole.service, "what the server took", group),
        *(_row(one_line(one.name, _NAME), one.response, "", group) for one in single[:_OPERATIONS]),
    )


def _row(name: str, spectrum: Spectrum, meaning: str, group: Group) -> Row:
    return Row(name, (*(_cell(spectrum, q) for q in SHOWN), units.seconds(spectrum.max)), meaning, group.first.refused)


def _cell(spectrum: Spectrum, q: float) -> str:
    """A percentile; in brackets what the run saw, where it is not resolved."""
    found = spectrum.at(q)
    if found.resolved:
        return units.seconds(found.value)
    seen = spectrum.seen_at(q)
    return f"({units.seconds(seen)})" if seen is not None else "-"


def _notes(rows: Sequence[Row], repeats: int) -> Iterator[str]:
    if repeats > 1:
        yield f"Of the first of {repeats} runs."
    if all(row.refused for row in rows):
        yield "The run is refused: this is what it saw, and it does not count."
    elif any(cell.startswith("(") for row in rows for cell in row.cells):
        yield "In brackets: seen, by too few independent requests for a percentile."
