"""Runs whose histories were recorded, and the server that they are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.isolation.results import isolation

if TYPE_CHECKING:
    from weigh.load.isolation.results import IsolationFigures
    from weigh.load.record import LoadRecord


def of_isolation(record: LoadRecord) -> tuple[IsolationFigures, ...]:
    """What is said of the isolation of each run; empty of another workload."""
    if record.environment is None:
        return ()
    target = record.environment.target
    return isolation(record.spec.isolation, record.isolation, target.kind, target.product)
