"""Limits: what control groups (cgroups, version 1 and 2) leave of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host import cgroup
from weigh.host.knobs.cores import allowed
from weigh.host.knobs.knob import Knob
from weigh.model import units

if TYPE_CHECKING:
    from weigh.host.knobs.read import KnobRead
    from weigh.host.sysfs import Machine

_MOUNT = "/sys/fs/cgroup"


def folders(machine: Machine, controller: str) -> list[str]:
    """The folders of the groups that this process is in, its own first, then those around it.

    In a container the mount shows only what is below the container's own group, whose name in /proc is another.
    """
    found: list[str] = []
    for line in (machine.text("/proc/self/cgroup") or "").splitlines():
        number, _, rest = line.partition(":")
        names, _, group = rest.partition(":")
        if number == "0":
            mounts = [_MOUNT]
        elif controller in names.split(","):
            mounts = [f"{_MOUNT}/{names}", f"{_MOUNT}/{controller}"]
        else:
            continue
        mount = next((path for path in mounts if machine.exists(path)), None)
        if mount is None:
            continue
        parts = [part for part in group.split("/") if part not in ("", "..")]
        tries = (f"{mount}/{'/'.join(parts[:length])}".rstrip("/") for length in range(len(parts), -1, -1))
        found += [path for path in dict.fromkeys(tries) if machine.exists(path)]
    return found


class CpuLimit(Knob):
    """A quota of CPU time."""

    name = "cpu_limit"
    tunable = False

    def available(self) -> bool:
        """Where there are control groups."""
        return bool(folders(self.machine, "cpu"))

    def _quotas(self) -> list[tuple[float, float]]:
        """(CPUs, period in seconds) of every group that has one."""
        found = []
        for folder in folders(self.machine, "cpu"):
            new = (self.machine.text(f"{folder}/cpu.max") or "max max").split()
            old = [self.machine.text(f"{folder}/cpu.cfs_{name}_us") for name in ("quota", "period")]
            for quota, period in (new, old):
                if quota and period and quota.isdigit() and period.isdigit() and int(period):
                    found.append((int(quota) / int(period), int(period) * 1e-6))
        return found

    def show(self) -> KnobRead:
        """A quota below the CPUs stops whoever uses them all, for the rest of each period."""
        if not self.available():
            return self.unseen("no control groups are shown")
        quotas = self._quotas()
        here = len(allowed(self.machine))
        if not quotas or min(quotas)[0] >= here > 0:
            return self.fine(None, "no quota of CPU time")
        quota, period = min(quotas)
        return self.spoils(
            f"{quota:g} CPUs",
            f"a quota of {quota:g} CPUs on {units.count(here, 'CPU')}: who uses more stands still for the rest of "
            f"every {units.seconds(period)}",
            "lift the quota (docker run --cpus, resources.limits.cpu), or give whole CPUs with a set (--cpuset-cpus)",
        )


class MemoryLimit(Knob):
    """A limit of memory."""

    name = "memory_limit"
    tunable = False

    def available(self) -> bool:
        """Where there are control groups."""
        return cgroup.hierarchy(self.machine) is not None

    def show(self) -> KnobRead:
        """Engines that look at the machine plan with more than there is, and cached files count too."""
        if not self.available():
            return self.unseen("no control groups are shown")
        limit, memory = cgroup.allowed_memory(self.machine), memory_bytes(self.machine)
        if limit is None or (memory is not None and limit >= memory):
            return self.fine(None, "no limit below the memory of the machine")
        text = units.size(limit)
        return self.spoils(
            text,
            f"{text} of {units.size(memory)} may be used, cached files included: an engine that asks the machine "
            "plans with more",
            "lift the limit, or give every contender its own memory limit below it (--memory-limit)",
            "note",
        )


def memory_bytes(machine: Machine) -> int | None:
    """Memory of the machine."""
    for line in (machine.text("/proc/meminfo") or "").splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    return None
