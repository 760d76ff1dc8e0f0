"""What a contender spends outside its clocks, as weigh sees it from its own side."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.units import Bytes, Seconds


class TurnCpu(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """CPU seconds of a contender's family of processes over one turn, and since its turn before.

    Attributes:
        block: number of the block.
        start: number of the process life.
        turn: position of the turn in the block; None for what follows the last one.
        arm: name of the arm.
        contender: name of the contender.
        operation: what was executed; empty for what follows the last turn.
        case: of the operation.
        executions: in the turn, the untimed one included.
        used: by the family from just before the query was handed over until the last answer was there.
        inside: of these, while an execution was asked for.
        reported_inside: that the worker reported for its executions; None where it cannot know (``elsewhere``).
        asides: that its own process used for taking the query and handing out the answers.
        before: used by the family since its last turn, or since it had its tables.
        before_s: how long that was, in seconds of wall time.
        first: whether it had no turn before.
        exact: whether a control group counted, so that nothing is lost.
    """

    block: int
    start: int
    turn: int | None = None
    arm: str
    contender: str
    operation: str = ""
    case: str = ""
    executions: int = 0
    used: Seconds = 0.0
    inside: Seconds = 0.0
    reported_inside: Seconds | None = msgspec.field(name="told_inside", default=None)
    asides: Seconds = 0.0
    before: Seconds = 0.0
    before_s: Seconds = 0.0
    first: bool = False
    exact: bool = True


class StartCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a fresh start costs until its tables are there; no clock contains it.

    Attributes:
        how: ``bind`` for files where they lie, ``attach`` for tables that were loaded before, ``load`` for loading
            them, which is done once for many starts.
        block: number of the block; None outside of blocks.
        start: number of the process life; None outside of blocks.
        contender: name of the contender.
        open_s: seconds until the engine was there.
        tables_s: seconds until its tables were.
        cpu_s: CPU seconds of the family, both together.
        memory: bytes by which the family's resident memory grew with the tables; None where the kernel does not tell.
        disk: bytes that it wrote for itself meanwhile: in its scratch folder, or of what was loaded.
        build: SHA-256 of the wheel that it is of, where its contender was built several times; else left out.
    """

    how: Literal["bind", "attach", "load"]
    block: int | None = None
    start: int | None = None
    contender: str = ""
    open_s: Seconds
    tables_s: Seconds
    cpu_s: Seconds
    memory: Bytes | None = None
    disk: Bytes = 0
    build: str | msgspec.UnsetType = msgspec.UNSET
