"""A window of a run, and what happened in it."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.load.durability.record import Account
from weigh.model.units import Seconds

Arm = Literal["with", "without", "alone"]
QueryStatus = Literal["agreed", "diverged", "unverified", "unsupported", "slow", "error"]


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a run. Moments are seconds since the schedule of its run began.

    Attributes:
        run: its number.
        block: windows that are compared have the same, from 1.
        arm: whether something happened in it; ``alone`` where queries were asked and no load was offered.
        kind: what: a nemesis, ``statement``, or ``queries``.
        from_s: when it began.
        until_s: when it ended.
        ended_s: when what happened was over: a fault was taken away, a statement answered. None where nothing
            happened, or it was never over.
        answered_s: when the server gave its first answer after a fault; None where it gave none, or nobody asked.
        died: whether the server ended itself by the fault, and was started again.
        account: what it had after the fault; None where nobody knows what the workload leaves behind.
        times: what each query took, on average over its executions in the window.
        changed: queries whose answer was another one than before any window, and how it differed.
        failed: why it could not be done, or the server did not come back; empty otherwise.
    """

    run: int
    block: int
    arm: Arm
    kind: str
    from_s: Seconds
    until_s: Seconds
    ended_s: Seconds | None = None
    answered_s: Seconds | None = None
    died: bool = False
    account: Account | None = None
    times: dict[str, Seconds] = {}
    changed: dict[str, str] = {}
    failed: str = ""


class QueryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A query of a workload, as it was asked once before any window, while nothing else went on.

    Attributes:
        run: number of the run.
        name: of the query.
        status: what its answer is; of a query that is in no window ``unsupported``, ``slow`` or ``error``.
        rows: of its answer.
        seconds: what it took; None where it is in no window.
        witnesses: who answers the same, or what is known of the data; of one that diverged, who says otherwise.
        detail: what differs, or why it was left out; empty otherwise.
    """

    run: int
    name: str
    status: QueryStatus
    rows: int = 0
    seconds: Seconds | None = None
    witnesses: tuple[str, ...] = ()
    detail: str = ""
