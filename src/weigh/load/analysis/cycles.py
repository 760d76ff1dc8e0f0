"""What the target of a load does now and then, and how much of it a run holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.activity.cycles import Cycle, cycles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.load.activity.kinds import RunActive
    from weigh.load.record import LoadRecord


def of_load(record: LoadRecord, activity: Mapping[int, RunActive]) -> tuple[Cycle, ...]:
    """The cycles of a load; ``activity`` is that of its runs, by their numbers."""
    target = record.environment.target if record.environment else None
    return cycles(target.cycles if target else {}, list(activity.values()), record.spec.duration_s)
