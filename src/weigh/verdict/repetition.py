"""Repetitions: whether a question that was asked before costs too little compared with one that nobody asked. Pure."""

from __future__ import annotations

from typing import NamedTuple

FLOOR = 2e-3
"""Seconds by which they must differ: below, nothing can be reported."""
WALL_SHARE = 0.2
CPU_SHARE = 0.05
"""Share of the unseen question's cost below which the repetition was not executed. CPU seconds are judged more
strictly: waiting adds none, so a cache that waits in order not to be noticed shows in them.
"""


class Cost(NamedTuple):
    """Of an execution: seconds, and CPU seconds; None where the engine works in other processes."""

    wall_s: float
    cpu_s: float | None


def remembered(repeated: Cost, unseen: Cost, share: float | None = None) -> bool:
    """Whether the unseen question takes so much more that the repeated one cannot have been executed.

    Args:
        repeated: cost of a question that was asked before.
        unseen: cost of one like it that nobody asked.
        share: in place of both shares.
    """
    if _too_little(repeated.wall_s, unseen.wall_s, share or WALL_SHARE):
        return True
    if repeated.cpu_s is None or unseen.cpu_s is None:
        return False
    return _too_little(repeated.cpu_s, unseen.cpu_s, share or CPU_SHARE)


def _too_little(repeated: float, unseen: float, share: float) -> bool:
    return unseen - repeated > FLOOR and repeated < share * unseen
