"""What no clock contains, for people: what loading and starts cost, and CPU outside the clocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from weigh.model import units
from weigh.model.text import one_line
from weigh.render import blocks
from weigh.render.blocks import Section

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from weigh.experiment.results.results import ExperimentResults

MOST_ROWS = 200
"""Rows of a table up to which a page has every one."""
_LOAD_HEADINGS = (
    "operation",
    "contender",
    "rows",
    "rows/s",
    "on disk",
    "of the files",
    "first answer after",
    "when it returns",
)
_DURABLE = {True: "durable", False: "NOT durable", None: "not known"}
_CPU_HEADINGS = ("operation", "contender", "reported", "outside", "other processes", "between turns")
_CPU_NOTE = (
    "CPU an execution, medians. Reported: taking the query, executing, handing out the answer. Outside: used by its "
    "processes at other times. Other processes: used while its clock ran, by others than the one that reports. Between "
    "turns: share of one CPU while others had theirs."
)
_START_HEADINGS = ("contender", "tables", "engine", "tables", "CPU", "memory", "disk")
_START_NOTE = (
    "Medians over the starts; in no time. Loaded: once, for all starts. Memory: by which its own grew with the tables. "
    "Disk: what it wrote for itself."
)
_HOW = {"bind": "bound where they lie", "attach": "opened", "load": "loaded"}


class Costs(NamedTuple):
    """A table.

    Attributes:
        title: of it.
        headings: of its columns; the first one of the operation, or of the contender.
        rows: printed; empty where there is nothing to say.
        note: how to read it.
        scoped: as of :class:`weigh.render.blocks.Table`.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    scoped: bool = True

    def sections(self, full: Collection[str] = ()) -> list[Section]:
        """The table under its title, on a page with its note; nothing where there is no row.

        Args:
            full: operations of whom a page tells everything: of many, those alone have their rows there.
        """
        rows, note = self.rows, self.note
        if full and len(rows) > MOST_ROWS:
            rows = [row for row in rows if row[0] in full]
            note += " Of the operations that are reported in full; verdicts.json has every one."
        if not rows:
            return []
        optional = [one for one in reversed(self.headings[1:]) if one != "contender"]
        table = blocks.words(self.headings, [[one_line(cell) for cell in row] for row in rows], None, optional)
        notes = [replace(blocks.small(note), form="page")] if note else []
        return [Section(self.title, [replace(table, named=False, scoped=self.scoped), *notes])]


def loads(results: ExperimentResults) -> Costs:
    """A row for each load that may be shown."""
    rows = [
        (
            one.operation,
            one.contender,
            f"{one.rows:,}",
            f"{one.rows_per_s:,.0f}",
            units.size(one.stored_bytes) if one.stored_bytes is not None else "-",
            f"{one.of_files:.2f} x" if one.of_files is not None else "-",
            units.seconds(one.first_query_s) if one.first_query_s is not None else "-",
            f"{_DURABLE[one.durable]}: {one.by}" if one.by else _DURABLE[one.durable],
        )
        for one in results.ingested
    ]
    return Costs("Loading", _LOAD_HEADINGS, rows)


def outside(results: ExperimentResults) -> Costs:
    """CPU outside the clocks: a row for each operation and contender."""
    rows = [
        (
            one.operation,
            one.contender,
            units.seconds(one.reported_s),
            units.seconds(one.outside_s) + (f" ({one.background})" if one.background else ""),
            units.seconds(one.processes_s),
            "not seen" if one.between is None else units.percent(one.between),
        )
        for one in results.outside
    ]
    return Costs("CPU outside the clocks", _CPU_HEADINGS, rows, _CPU_NOTE)


def starts(results: ExperimentResults) -> Costs:
    """A row for each contender, and one more where it loads."""
    rows = [
        (
            one.contender,
            _HOW[one.how],
            units.seconds(one.open_s),
            units.seconds(one.tables_s),
            units.seconds(one.cpu_s),
            "not told" if one.memory is None else units.size(one.memory),
            units.size(one.disk),
        )
        for one in results.start_costs
    ]
    return Costs("What starts cost", _START_HEADINGS, rows, _START_NOTE)
