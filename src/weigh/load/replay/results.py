"""How a replay kept to its recording. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.recording.record import Planned, Template
from weigh.model.units import Seconds
from weigh.statistics.histogram import decode, merged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.recording.record import ReplayRecord
    from weigh.load.runs import LoadRun
    from weigh.load.spec import LoadSpec

LATE = 0.001
"""Seconds after its moment from which a statement is late: logs tell milliseconds."""
_MATTERS = 0.01
"""Share of late statements from which it is reported."""


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How one run kept to the recorded times.

    Attributes:
        run: its number.
        due, sent: statements.
        behind: that waited more than a millisecond for the answer to an earlier one of their connection.
        generator: that left more than a millisecond late although their connection was free.
        longest_s: the longest wait for an earlier answer.
        speed: that was reached: how many times as fast as recorded what was answered in time came.
    """

    run: int
    due: int
    sent: int
    behind: int
    generator: int
    longest_s: Seconds | None
    speed: float | None


class TemplateFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A statement without its values.

    Attributes:
        template: as it was recorded.
        recorded_mean_s: mean of what it took then; None where that is not known.
        share: of the recorded time of all statements that are replayed; None likewise.
    """

    template: Template
    recorded_mean_s: Seconds | None
    share: float | None


class ReplayResults(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Attributes:
        trace: name of what was replayed.
        digest: of it.
        speed: that was asked for.
        read_only: whether writes were left out or refused.
        prepare: file of SQL that made the data; empty where weigh made none.
        planned: what was to be sent.
        paces: by run.
        templates: those with figures of their own, the longest recorded time first.
    """

    trace: str
    digest: str
    speed: float
    read_only: bool
    prepare: str
    planned: Planned
    paces: tuple[Pace, ...] = msgspec.field(name="kept")
    templates: tuple[TemplateFigures, ...]

    @property
    def left_out(self) -> int:
        """Statements of the trace that are not replayed."""
        return sum(self.planned.left_out.values())

    @property
    def late(self) -> tuple[Pace, ...]:
        """Runs in which more statements were late than may be."""
        return tuple(one for one in self.paces if one.behind > _MATTERS * max(one.due, 1))


def replay_results(record: ReplayRecord | None, spec: LoadSpec, runs: Sequence[LoadRun]) -> ReplayResults | None:
    """Compute it; None of other loads."""
    if record is None or not spec.replay:
        return None
    planned = record.planned
    whole = sum(one.recorded_s for one in planned.templates)
    return ReplayResults(
        trace=spec.replay.trace,
        digest=spec.replay.digest,
        speed=spec.replay.speed,
        read_only=spec.replay.read_only,
        prepare=spec.replay.prepare,
        planned=planned,
        paces=tuple(_pace(run, spec.replay.speed) for run in runs),
        templates=tuple(
            TemplateFigures(
                template=one,
                recorded_mean_s=one.recorded_s / one.calls if one.recorded_s and one.calls else None,
                share=one.recorded_s / whole if whole else None,
            )
            for one in planned.templates
        ),
    )


def _pace(run: LoadRun, speed: float) -> Pace:
    operations = [one for part in run.intervals for one in part.operations]
    free = merged(decode(one.lag_free) for one in operations)
    late = merged(decode(one.lag_late) for one in operations)
    summary = run.summary
    due = summary.scheduled if summary else free.total
    in_time = summary.in_time if summary else None
    return Pace(
        run=run.number,
        due=due,
        sent=summary.sent if summary else free.total,
        behind=free.above(LATE),
        generator=late.above(LATE),
        longest_s=free.max,
        speed=speed * in_time / due if due and in_time is not None else None,
    )
