"""Deeds: what a life tried to do to others while they were measured, as findings (E9)."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from weigh.host.processes import interference
from weigh.model import codes
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from weigh.host.processes.interference import Deeds, What
    from weigh.model.finding import Finding

LEAST = 2
"""Times that a priority was raised and put back in executions: once may be a thread that an engine begins late."""
_WORDS: dict[What, str] = {
    "priority": "change the priority of",
    "cpus": "move to other CPUs",
    "signal": "stop or end",
    "memory": "write into the memory of",
    "lease": "lease a data file, so that whoever opens it waits",
    "cache": "put the data files out of memory while others had their turns",
}
_REMEDY = "it was refused, and nobody was harmed; it is not compared"
_LOCK_REMEDY = "it is not compared; nothing of the data files needs to be locked to read them"


def findings(contender: str, deeds: Deeds, whose: Mapping[int, str]) -> Iterator[Finding]:
    """What is to be reported of a life.

    Args:
        contender: whose it is.
        deeds: of it.
        whose: contenders by the process id of their workers.
    """
    of_files = Counter(one.what for one in deeds.attempted if not one.whom)
    others = Counter((one.what, _named(one.whom, whose)) for one in deeds.attempted if one.whom)
    if others:
        text = "; ".join(f"{_WORDS[what]} {whom} ({count(times, 'time')})" for (what, whom), times in others.items())
        yield codes.E9_OTHERS.finding(contender=contender, text=f"it tried to {text}", remedy=_REMEDY)
    if of_files:
        text = "; ".join(f"{_WORDS[what]} ({count(times, 'time')})" for what, times in of_files.items())
        yield codes.E9_FILES.finding(contender=contender, text=f"it tried to {text}", remedy=_REMEDY)
    if min(deeds.raised, deeds.lowered) >= LEAST:
        yield codes.E9_TURN.finding(
            contender=contender,
            text=f"it raised its own priority while it executed, {count(deeds.raised, 'time')} in a life, and put it "
            "back before it could be read at the end",
            remedy="its adapter, or what it loads, must leave its priority alone; it is not compared",
        )


def locked(contender: str, victim: str, kind: str) -> Finding:
    """That it holds a lock on the data in somebody else's turn."""
    return codes.E9_FILES.finding(
        contender=contender,
        text=f"it holds a lock on a data file ({kind} in /proc/locks) while {victim} has its turn",
        remedy=_LOCK_REMEDY,
    )


def _named(pid: int, whose: Mapping[int, str]) -> str:
    return interference.life_of(pid, {**whose, os.getpid(): "weigh itself"}) or "another process of weigh's"
