"""Runs of TPC-C, counted: what their judgement needs of the histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.tpcc.results import Operation, RunCounts, TpccFigures, tpcc_figures
from weigh.load.tpcc.terminals import NEW_ORDER, OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadInterval, LoadRun

_LIMITED = 0.9
"""The percentile that has a limit."""


def of_tpcc(record: LoadRecord, runs: Sequence[RunFigures]) -> tuple[TpccFigures, ...]:
    """What is said of each run of TPC-C; empty of another workload."""
    workload = record.spec.tpcc
    if not workload:
        return ()
    raw = {run.number: run for run in record.runs}
    counted = {run.number: _counted(record, raw[run.number], run) for run in runs if run.number in raw}
    return tpcc_figures(workload, record.tpcc, counted)


def _counted(record: LoadRecord, run: LoadRun, found: RunFigures) -> RunCounts:
    spec = record.spec.varied(run.rate, run.duration_s)
    cut = found.settled.intervals if found.settled else 0
    regular = [one for one in run.intervals if one.to_s <= spec.duration_s + spec.interval_s / 2][cut:]
    figures = {one.name: one for one in found.operations}
    operations = {}
    for name in OPERATIONS:
        own = figures.get(name)
        p90 = own.response.at(_LIMITED) if own else None
        operations[name] = Operation(
            count=_answered(regular, name),
            whole=_answered(run.intervals, name),
            p90=p90.value if p90 and p90.resolved else None,
            exceedances=p90.exceedances if p90 else 0.0,
        )
    return RunCounts(
        number=run.number,
        seconds=sum(one.to_s - one.from_s for one in regular),
        new_orders=_answered(regular, NEW_ORDER),
        operations=operations,
        refused=found.refused,
        durable=record.durable,
    )


def _answered(intervals: Sequence[LoadInterval], name: str) -> int:
    return sum(one.count for part in intervals for one in part.operations if one.name == name)
