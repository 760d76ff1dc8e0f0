"""An agent's machine while it offered a load."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weigh.load.agents.model import AgentMachine, Chrony
from weigh.machine.moments import amounts, in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.machine.timeline import Watch
    from weigh.model.units import Seconds

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_GROUPS = Path("/sys/fs/cgroup")
_CHRONY = ("chronyc", "-n", "-c", "tracking")
_SYSTEM_OFFSET, _ROOT_DELAY, _ROOT_DISPERSION = 4, 10, 11
"""Columns of what it prints."""


def boot() -> str:
    """The identity of this machine since it was started; its name where the kernel does not say."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return os.uname().nodename


def chrony() -> Chrony | None:
    """What chrony says of the wall clock; None where there is none, or it follows nobody."""
    try:
        printed = subprocess.run(_CHRONY, capture_output=True, text=True, timeout=2, check=True).stdout
        columns = printed.strip().split(",")
        offset = abs(float(columns[_SYSTEM_OFFSET]))
        bound = offset + float(columns[_ROOT_DISPERSION]) + float(columns[_ROOT_DELAY]) / 2
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return None
    return None if columns[0] in ("", "00000000") else Chrony(offset_s=offset, bound_s=bound)


def throttled() -> Seconds | None:
    """For how long the kernel has held this process's control group back; None where it has no limit of CPU."""
    try:
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            if controllers == "" or "cpu" in controllers.split(","):
                found = _throttled(_GROUPS / ("cpu" if controllers else ""), group)
                if found is not None:
                    return found
    except (OSError, ValueError):
        return None
    return None


def _throttled(root: Path, group: str) -> Seconds | None:
    """Of a group of either version of control groups."""
    folder = root / group.lstrip("/")
    # In a container its own group is the root.
    folder = folder if (folder / "cpu.stat").is_file() else root
    with suppress(OSError, ValueError, KeyError, IndexError):
        stat = dict(line.split() for line in (folder / "cpu.stat").read_text().splitlines())
        if (limit := folder / "cpu.max").is_file():
            return None if limit.read_text().split()[0] == "max" else int(stat["throttled_usec"]) / 1e6
        limited = int((folder / "cpu.cfs_quota_us").read_text()) > 0
        return int(stat["throttled_time"]) / 1e9 if limited else None
    return None


def during(
    watches: Sequence[Watch], begin: Seconds, end: Seconds, throttled_s: Seconds | None, unread: str
) -> AgentMachine:
    """What others used of the machine between two moments of the sampler's clock.

    Args:
        watches: what it saw.
        begin: seconds.
        end: seconds.
        throttled_s: as of :class:`AgentMachine`.
        unread: why nobody watched.
    """
    moments = [one for one in in_order(watches) if one.end > begin and one.at < end]
    length = max(end - begin, 1e-9)
    if not moments or any(one.foreign is None for one in moments):
        return AgentMachine(throttled_s=throttled_s, unread=unread or "the sampler did not cover all of it")
    at, long = np.array([begin]), np.array([length])
    foreign, steal, used = (
        float(amounts(moments, of, at, long)[0])
        for of in (lambda one: one.foreign, lambda one: one.steal, lambda one: one.group)
    )
    cpu = max(used, length)
    return AgentMachine(foreign=foreign / cpu, steal=steal / cpu, throttled_s=throttled_s)
