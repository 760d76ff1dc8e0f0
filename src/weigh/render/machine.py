"""The machine in words that all reports share: resources, bounds, processes of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.machine.unevenness import ALL
from weigh.model.units import Seconds, count, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.machine.contention import ProcessGroup
    from weigh.machine.use_method import Resource


NAMES = {"cpu": "CPU", "memory": "memory", "disk": "disk", "network": "network", "locks": "locks"}

_MOST_PROCESSES = 16
"""Names of processes that the document gives of one pair."""

_PIDS = 20
"""Ids of one name that it gives."""


def bound(share: float) -> str:
    """What was declared about contention, in words."""
    if share >= ALL:
        return "never: contention was allowed, whatever its size"
    return f"where others disturbed one side of a comparison by {percent(share)} of its CPU more than the other"


class OtherProcessRow(msgspec.Struct, frozen=True, kw_only=True):
    """Foreign processes of one name.

    Attributes:
        name: as the kernel knows it.
        cpu_s: CPU time of all of them.
        processes: how many there were.
        pids: their ids, at most 20.
    """

    name: str
    cpu_s: Seconds
    processes: int
    pids: tuple[int, ...]


class SamplerRow(msgspec.Struct, frozen=True, kw_only=True):
    """What the sampler of the machine did itself.

    Attributes:
        moments: how often it read the machine.
        seconds: that these cover.
        cpu_s: CPU time that it used.
        unreadable: sources that it could not read, and why.
    """

    moments: int
    seconds: Seconds
    cpu_s: Seconds
    unreadable: dict[str, str]


def blamed(other_processes: Sequence[ProcessGroup]) -> tuple[OtherProcessRow, ...]:
    """Processes of others, as documents have them: at most 16 names."""
    return tuple(
        OtherProcessRow(name=one.name, cpu_s=one.cpu_s, processes=len(one.pids), pids=one.pids[:_PIDS])
        for one in other_processes[:_MOST_PROCESSES]
    )


def resource(one: Resource, part: str = "turn") -> str:
    """One resource in one line; nothing of one that nothing was read of.

    Args:
        one: the resource.
        part: what the time is divided into.
    """
    parts = []
    if one.utilisation is not None:
        parts.append(f"{percent(one.utilisation, 0)} in use, {percent(one.most, 0)} in the fullest {part}")
    if one.queue is not None and one.await_s is not None:
        parts.append(f"{one.queue:,.3g} requests at once while busy, {seconds(one.await_s)} each")
    if one.saturated is not None:
        waited = f"work waited for it in {percent(one.saturated)} of the time"
        parts.append(waited if one.saturated else "never waited for")
    if one.errors:
        parts.append(count(one.errors, "error"))
    return f"{NAMES[one.name]}: {'; '.join(parts)}" if parts else ""
