"""How the kernel schedules threads: policy, real-time priority and nice value."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.host.processes import thread_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DEADLINE = 6
"""SCHED_DEADLINE, which ``os`` has no name for (sched(7))."""
_ABOVE = {_DEADLINE: 2, os.SCHED_FIFO: 1, os.SCHED_RR: 1, os.SCHED_IDLE: -1}
"""Policies that come before those of usual threads, or after them."""
_NAMES = {
    _DEADLINE: "SCHED_DEADLINE",
    os.SCHED_FIFO: "SCHED_FIFO",
    os.SCHED_RR: "SCHED_RR",
    os.SCHED_IDLE: "SCHED_IDLE",
}
_RESET_ON_FORK = 0x40000000
"""A flag alongside the policy, not a policy (sched_setscheduler(2))."""


class Priority(NamedTuple):
    """Of a thread; the larger one is scheduled first.

    Attributes:
        above: whether its policy comes before the usual ones, or after them.
        real_time: priority within a real-time policy.
        raised: the negative of its nice value.
        policy: of the kernel.
    """

    above: int
    real_time: int
    raised: int
    policy: int

    def __str__(self) -> str:
        """For people: ``nice -5``, ``SCHED_FIFO 10``."""
        if self.policy not in _NAMES:
            return f"nice {-self.raised}"
        return f"{_NAMES[self.policy]} {self.real_time}" if self.real_time else _NAMES[self.policy]


def changed(pids: Iterable[int]) -> str:
    """The priority with which processes computed, where it is not that of this one; empty where it is, or unknown.

    It is the highest with which, or with a higher one, half of their CPU time was used by threads that are alive:
    ClickHouse, for one, gives a thread that looks after its memory nice -20, which executes nothing and has a few
    percent of it. Threads inherit their priority: who has another one has set it.

    Args:
        pids: processes that this one started.
    """
    found = sorted(_threads(pids), reverse=True)
    weigh_cpu, total = _of(os.getpid()), sum(used for _, used in found)
    used_so_far = 0
    for priority, used in found:
        used_so_far += used
        if 2 * used_so_far >= total:
            return "" if priority[:3] == weigh_cpu[:3] else f"{priority}, started with {weigh_cpu}"
    return ""


def _threads(pids: Iterable[int]) -> Iterator[tuple[Priority, int]]:
    """Every thread, with the nanoseconds of CPU time that it used."""
    for pid in pids:
        for thread in thread_ids([pid]):
            # It may have ended meanwhile.
            with suppress(OSError, ValueError):
                used = int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0])
                yield _of(thread), used


def _of(thread: int) -> Priority:
    policy = os.sched_getscheduler(thread) & ~_RESET_ON_FORK
    above, real_time = _ABOVE.get(policy, 0), os.sched_getparam(thread).sched_priority
    return Priority(above, real_time, 0 if above > 0 else -os.getpriority(os.PRIO_PROCESS, thread), policy)
