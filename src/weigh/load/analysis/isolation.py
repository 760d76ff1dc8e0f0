"""Runs whose histories were recorded, and the server that they are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.isolation.results import isolation
from weigh.model.units import count

if TYPE_CHECKING:
    from weigh.load.isolation.record import IsolationRun
    from weigh.load.isolation.results import IsolationFigures
    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadRun


def of_isolation(record: LoadRecord) -> tuple[IsolationFigures, ...]:
    """What is reported of the isolation of each run; empty of another workload."""
    if record.environment is None:
        return ()
    target = record.environment.target
    runs = [_without_other_lives(record, one) for one in record.isolation]
    unread = {run.number: _unread(run) for run in record.runs}
    return isolation(record.spec.isolation, runs, target.kind, target.product, unread)


def _without_other_lives(record: LoadRecord, run: IsolationRun) -> IsolationRun:
    """What a server lost that ended itself is no matter of isolation."""
    if not any(window.died and window.run == run.run for window in record.windows):
        return run
    return msgspec.structs.replace(run, history=None, unchecked="a history ends with the life of its server")


def _unread(run: LoadRun) -> str:
    """Why a violation may have gone unnoticed."""
    number = sum(one.contradictions for part in run.intervals for one in part.operations)
    return f"{count(number, 'answer')} of the server could not be read" if number else ""
