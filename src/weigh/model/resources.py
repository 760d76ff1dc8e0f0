"""Parity: what every contender is given alike, and what each one then says that it has."""

from __future__ import annotations

import re

import msgspec

from weigh.model.errors import UsageError
from weigh.model.units import Bytes

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
MOST_CPUS = 8192
"""What the kernel can be built for."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What a contender may use, equal for all.

    Attributes:
        affinity: CPUs, ascending; empty for all that weigh itself may use.
        memory: bytes that a control group holds it to; None for no group.
    """

    affinity: tuple[int, ...] = ()
    memory: Bytes | None = None


class ResourcesRead(msgspec.Struct, frozen=True, kw_only=True):
    """What a life may use, as the kernel and the running engine say.

    Attributes:
        cpus: that the kernel lets it run on, each thread of each of its processes together.
        threads: as the engine says; None where it says nothing.
        threads_counted: threads of all its processes, as the kernel counts; idle ones and the interpreter's too.
        priority: how the kernel schedules its thread of the highest priority, and how it was started; empty where that
            is the same.
        memory: the engine's own limit in its own words; empty where it says nothing.
        spill: the folder that it spills to, in its own words.
        spill_on: on what that lies.
        group: bytes that its control group allows; None where weigh made none.
        sizes: settings that say how large a system by URL is, in its own words; left out of all others.
        declared: which of ``threads``, ``memory`` and ``spill`` are as the contender's settings asked.
    """

    cpus: tuple[int, ...] = ()
    threads: int | None = None
    threads_counted: int | None = msgspec.field(name="threads_seen", default=None)
    priority: str = ""
    memory: str = ""
    spill: str = ""
    spill_on: str = ""
    group: Bytes | None = None
    declared: tuple[str, ...] = ()
    sizes: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


class WorkerRead(msgspec.Struct, frozen=True, kw_only=True):
    """One life at its end. Body of the journal's event ``worker``."""

    block: int
    start: int
    arm: str
    contender: str
    resources: ResourcesRead = msgspec.field(name="told")


def parse_cpus(text: str) -> tuple[int, ...]:
    """CPUs as the kernel writes lists of them: ``0-3,8`` is (0, 1, 2, 3, 8).

    Raises:
        UsageError: it has another form, or names no CPU.
    """
    found: set[int] = set()
    for part in text.replace(" ", "").split(","):
        match = _RANGE.fullmatch(part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not low <= high < MOST_CPUS:
            raise UsageError(f"'{text}' is not a list of CPUs", remedy="write numbers and ranges: 0-3,8")
        found.update(range(low, high + 1))
    return tuple(sorted(found))


def cpus_text(cpus: tuple[int, ...]) -> str:
    """The shortest list: (0, 1, 2, 3, 8) is ``0-3,8``."""
    runs: list[list[int]] = []
    for cpu in cpus:
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)
