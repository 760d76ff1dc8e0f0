"""Runs of TPC-C, counted: what their judgement needs of the histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.analysis.percentiles import spectrum
from weigh.load.tpcc.results import Operation, Responses, RunCounts, TpccFigures, tpcc_figures
from weigh.load.tpcc.terminals import KINDS, LIMITED, LIMITS_S, NEW_ORDER, OPERATIONS, ROLLBACK
from weigh.statistics.histogram import EMPTY, decode, merged
from weigh.statistics.share_beyond import share_beyond

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadInterval, LoadRun
    from weigh.load.spec import LoadSpec


def of_tpcc(record: LoadRecord, runs: Sequence[RunFigures]) -> tuple[TpccFigures, ...]:
    """What is reported of each run of TPC-C; empty of another workload."""
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
    return RunCounts(
        number=run.number,
        seconds=sum(one.to_s - one.from_s for one in regular),
        operations={
            name: Operation(count=_answered(regular, name), whole=_answered(run.intervals, name)) for name in OPERATIONS
        },
        # What is answered behind the end of the schedule has waited longest.
        responses={kind: _responses(run.intervals[cut:], kind, spec) for kind in KINDS},
        refused=found.refused,
        durable=record.durable,
    )


def _responses(intervals: Sequence[LoadInterval], kind: str, spec: LoadSpec) -> Responses:
    # New-Orders that are rolled back are New-Orders (clause 5.2.5.3).
    names = (kind, ROLLBACK) if kind == NEW_ORDER else (kind,)
    measured = [[one for one in part.operations if one.name in names] for part in intervals]
    times = [merged(decode(one.response) for one in part) for part in measured]
    limit = LIMITS_S[kind]
    above, totals = [], []
    for part, waited in zip(measured, times, strict=True):
        # Longer than an hour is in no histogram, and what was given up before the limit was not answered within it.
        longest = sum(one.overflows for one in part)
        given_up = sum(one.timeouts for one in part) if spec.timeout_s < limit else 0
        above.append(min(waited.above(limit) + given_up, waited.total) + longest)
        totals.append(waited.total + longest)
    of_all = spectrum(times or [EMPTY])
    return Responses(
        p90=of_all.at(LIMITED).value,
        empirical=of_all.value_at(LIMITED),
        slow=share_beyond(above, totals, at_once=limit / spec.interval_s),
    )


def _answered(intervals: Sequence[LoadInterval], name: str) -> int:
    return sum(one.count for part in intervals for one in part.operations if one.name == name)
