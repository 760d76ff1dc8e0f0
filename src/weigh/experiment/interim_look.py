"""Looks: what was observed between two blocks, and what followed from it, where sampling stops on precision."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.units import Seconds

Stop = Literal["", "reached", "budget", "starts"]


class Width(msgspec.Struct, frozen=True, kw_only=True):
    """How wide the interval of one comparison is by now.

    Attributes:
        operation: of the comparison.
        contender: the candidate.
        starts: blocks in which both sides were measured, those of earlier attempts included.
        half: half-width of the interval of the logarithm of the ratio; None where the samples cannot tell.
        needed: starts in all at which it is expected to reach the target; None beyond reason, or where it has.
    """

    operation: str
    contender: str
    starts: int
    half: float | None
    needed: int | None = None


class InterimLook(msgspec.Struct, frozen=True, kw_only=True):
    """One look between two blocks. Everything but ``at`` follows from the samples before it.

    Attributes:
        block: the block after which it was.
        at: seconds since the beginning of the measurement.
        widths: of the live comparisons.
        narrow: live operations whose comparisons are all within the target.
        retired: those that are measured no more from now on.
        decided: those of them that are retired because they are decided, though not every interval is narrow.
        contended: those that would be, but others disturbed one side of a comparison so much more that it would have no
            verdict.
        rounds: turns of every arm from now on, by operation; empty where this look did not choose them.
        next_s: what the next block is expected to take.
        stop: why sampling ends; empty where it goes on.
    """

    block: int
    at: Seconds
    widths: tuple[Width, ...]
    narrow: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    contended: tuple[str, ...] = ()
    rounds: dict[str, int] = {}
    next_s: Seconds = 0.0
    stop: Stop = ""
