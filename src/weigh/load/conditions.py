"""Under which conditions a server is measured: its CPUs and its memory, the generator's CPUs, and whether it is cold.

What was asked for is never taken for granted: CPUs are read back from the kernel while the run goes on, the limit of
memory from the control group, and what of the data is in memory is counted just before the run.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.host import cgroup, facts, page_cache, processes, storage
from weigh.host.storage import device_reads
from weigh.load.runs import ColdStart, CpusRead
from weigh.load.target import server_folder
from weigh.load.tpcc.workload import WAREHOUSE
from weigh.model import codes, units
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.resources import cpus_text, parse_cpus
from weigh.model.units import parse_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Reached, Target
    from weigh.model.cold import PutOut
    from weigh.model.units import Bytes

_GENERATOR = "weigh-load"
"""How the names of the generator's threads begin."""
_LEAST_MEMORY = 32 << 20
"""Bytes below which no server starts."""


def requested(flags: dict[str, Any], target: str) -> dict[str, Any]:
    """What flags ask for, as fields of the spec; what was not asked for is left out.

    Raises:
        UsageError: there are no such CPUs, or both sides have one, or the target has no server of its own.
    """
    found: dict[str, Any] = {}
    in_process = target.startswith("sqlite:")
    for name in ("server_cpus", "client_cpus"):
        if flags[name] is not None:
            found[name] = _cpus(f"--{name.replace('_', '-')}", flags[name])
    if flags["server_memory"] is not None:
        found["server_memory"] = memory = parse_size(flags["server_memory"])
        if memory < _LEAST_MEMORY:
            raise UsageError(f"--server-memory {flags['server_memory']}: no server starts in that", remedy="give more")
    for name, flag in (("server_cpus", "--server-cpus"), ("server_memory", "--server-memory")):
        if name in found and in_process:
            raise UsageError(
                f"{flag} is for a server, and SQLite runs in the generator's own process", remedy="leave it out"
            )
    both = set(found.get("server_cpus", ())) & set(found.get("client_cpus", ()))
    if both:
        raise UsageError(
            f"--server-cpus and --client-cpus overlap: both have CPU {cpus_text(tuple(sorted(both)))}",
            remedy="give each CPU to one of them",
        )
    if flags["cold"]:
        found["cold"] = True
    return found


def _cpus(flag: str, text: str) -> tuple[int, ...]:
    wanted = parse_cpus(text)
    allowed = facts.allowed_cpus()
    missing = tuple(cpu for cpu in wanted if cpu not in allowed)
    if missing:
        raise UsageError(
            f"{flag} {text}: CPU {cpus_text(missing)} is not there, or not allowed here",
            remedy=f"weigh may use {cpus_text(allowed)}",
        )
    return wanted


def refuse(spec: LoadSpec, target: Target) -> None:
    """Refuse conditions that cannot be had of a target; before anything is started.

    Raises:
        UsageError: somebody else runs the server, or it cannot be cold.
        EnvironmentFault: no control group can be made here, or the disk has no room for what is to be loaded.
    """
    if spec.tpcc is not msgspec.UNSET and target.restarts:
        _refuse_disk(spec.tpcc.warehouses)
    of_ours = {"--server-cpus": spec.server_cpus, "--server-memory": spec.server_memory}
    for flag, value in of_ours.items():
        if value is not msgspec.UNSET and not target.restarts:
            raise UsageError(
                f"{flag} is for a server that weigh starts, and {target.text} is somebody else's",
                remedy="set it where that server is started (taskset, CPUAffinity= and MemoryMax= of systemd)",
            )
    if spec.server_memory is not msgspec.UNSET and cgroup.usable() is None:
        raise EnvironmentFault(
            "no control group can be made here, so nothing would hold the server to --server-memory",
            remedy="run as root, or where a group is delegated to weigh (systemd-run --user --scope -p Delegate=yes)",
        )
    if spec.cold is True and target.kind == "redis":
        raise UsageError(
            f"{codes.E1}: this server holds its data in its own memory and reads all of it before it answers: it is "
            "never cold",
            remedy="leave --cold out",
        )
    if spec.cold is True and not target.restarts and target.kind != "sqlite":
        raise UsageError(
            f"{codes.E1}: {target.text} is somebody else's server: which files hold its data, and what of them is in "
            "memory, cannot be observed from here, so it can never be called cold",
            remedy="leave --cold out, or take a server that weigh starts",
        )


def _refuse_disk(warehouses: int) -> None:
    place = server_folder.place()
    free, needed = shutil.disk_usage(place).free, warehouses * WAREHOUSE
    if needed > free:
        raise EnvironmentFault(
            f"{units.count(warehouses, 'warehouse')} of TPC-C need about {units.size(needed)}, and {units.size(free)} "
            "are free",
            where=str(place),
            remedy="choose fewer --warehouses, or free space there",
        )


@contextmanager
def on(cpus: tuple[int, ...] | msgspec.UnsetType) -> Iterator[None]:
    """This thread, and what it starts, on some CPUs while the body runs; on all where none are named."""
    if cpus is msgspec.UNSET:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def limited(reached: Reached, memory: Bytes | msgspec.UnsetType) -> Iterator[Bytes | None]:
    """A server held to a limit of memory while the body runs; the limit in force, read back.

    Raises:
        EnvironmentFault: the kernel refuses the group or a process.
    """
    if memory is msgspec.UNSET or reached.process is None:
        yield None
        return
    place = cgroup.usable()
    if place is None:
        raise EnvironmentFault("no control group can be made here any more", remedy="run it again as root")
    group = cgroup.Group(place, memory)
    try:
        try:
            # Whoever is started meanwhile is started by one that is inside, or seen at the next look.
            for _ in range(2):
                for one in processes.family(reached.process):
                    with suppress(ProcessLookupError):
                        group.add(one.pid)
        except OSError as error:
            raise EnvironmentFault(
                f"the server cannot be put into a control group: {error.strerror}", where=str(group.folder)
            ) from error
        # What was read until now is counted elsewhere.
        put_out(reached)
        yield group.limit
    finally:
        group.remove()


def read_back(run: int, reached: Reached) -> CpusRead:
    """The CPUs that the kernel lets the server's and the generator's threads run on, now."""
    return CpusRead(
        run=run,
        server=_allowed(one.pid for one in processes.family(reached.process)) if reached.process else None,
        client=_allowed([os.getpid()], _GENERATOR),
    )


def _allowed(pids: Any, begins: str = "") -> str | None:
    found: set[int] = set()
    for pid in pids:
        for status in Path(f"/proc/{pid}/task").glob("*/status"):
            with suppress(OSError, UsageError):
                lines = dict(line.partition(":")[::2] for line in status.read_text().splitlines())
                if lines["Name"].strip().startswith(begins):
                    found.update(parse_cpus(lines["Cpus_allowed_list"].strip()))
    return cpus_text(tuple(sorted(found))) or None


def put_out(reached: Reached) -> PutOut:
    """Have what is dirty written, and put what the server's files hold out of memory: how that was done."""
    how: PutOut = "drop_caches" if page_cache.drop() else "eviction"
    page_cache.evict(_files(reached))
    return how


def refuse_memory(reached: Reached) -> None:
    """Refuse data that lies in memory and nowhere else.

    Raises:
        EnvironmentFault: it does.
    """
    if reached.data is not None and (found := storage.place(reached.data)).kind == "memory":
        raise EnvironmentFault(
            f"{codes.E1}: the server's data lies in memory ({found.filesystem or 'a device in memory'}): it can never "
            "be cold",
            where=str(reached.data),
            remedy="leave --cold out, or put it on storage",
        )


def cold_start(run: int, reached: Reached) -> ColdStart:
    """Put the data out of memory, and count what is left of it there."""
    how = put_out(reached)
    files = _files(reached)
    return ColdStart(
        run=run,
        put_out=how,
        files=len(files),
        bytes=page_cache.size(files),
        left=page_cache.count(files),
        devices=device_reads.bytes_read(_devices(reached)),
    )


def read_since(before: ColdStart, reached: Reached) -> ColdStart:
    """The same with what the devices below the data have read since."""
    now = device_reads.bytes_read(_devices(reached))
    read = {name: now[name] - was for name, was in before.devices.items() if name in now}
    return msgspec.structs.replace(before, devices=read)


def _files(reached: Reached) -> Sequence[str]:
    if reached.tables is None:
        return ()
    found = []
    for one in reached.tables:
        found += [str(file) for file in (one.rglob("*") if one.is_dir() else [one]) if file.is_file()]
    return sorted(found)


def _devices(reached: Reached) -> tuple[str, ...]:
    return tuple(device.name for device in storage.place(reached.data).devices) if reached.data else ()
