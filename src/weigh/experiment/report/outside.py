"""What no clock contains, for people: CPU outside the clocks, and what starts and loading cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults

CPU_HEADINGS = ("operation", "contender", "reported", "outside", "other processes", "between turns")
CPU_NOTE = (
    "CPU an execution, medians. Reported: taking the query, executing, handing out the answer. Outside: used by its "
    "processes at other times. Other processes: used while its clock ran, by others than the one that reports. Between "
    "turns: share of one CPU while others had theirs."
)
START_HEADINGS = ("contender", "tables", "engine", "tables", "CPU", "memory", "disk")
START_NOTE = (
    "Medians over the starts; in no time. Loaded: once, for all starts. Memory: by which its own grew with the tables. "
    "Disk: what it wrote for itself."
)
_HOW = {"bind": "bound where they lie", "attach": "opened", "load": "loaded"}


def cpu_rows(results: ExperimentResults) -> tuple[tuple[str, ...], ...]:
    """A row for each operation and contender."""
    return tuple(
        (
            one.operation,
            one.contender,
            units.seconds(one.told_s),
            units.seconds(one.outside_s) + (f" ({one.background})" if one.background else ""),
            units.seconds(one.processes_s),
            "not seen" if one.between is None else units.percent(one.between),
        )
        for one in results.outside
    )


def start_rows(results: ExperimentResults) -> tuple[tuple[str, ...], ...]:
    """A row for each contender, and one more where it loads."""
    return tuple(
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
    )


def tables(results: ExperimentResults) -> tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...], str], ...]:
    """Title, headings, rows and note of both."""
    return (
        ("What starts cost", START_HEADINGS, start_rows(results), START_NOTE),
        ("CPU outside the clocks", CPU_HEADINGS, cpu_rows(results), CPU_NOTE),
    )
