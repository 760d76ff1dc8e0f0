"""The timeline: what the machine did under the measurement, moment by moment.

A thread of weigh reads the kernel's counters, 20 times a second unless that would cost more than 1 % of one core. A
field that cannot be read is None and never 0, and :class:`Watch` says why.
"""

from __future__ import annotations

import msgspec

from weigh.model.computed import Computed
from weigh.model.units import Bytes, Seconds


class Disk(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one block device did in a moment.

    Attributes:
        read, written: bytes in the span.
        queue: requests in flight, averaged over the span.
        await_s: mean seconds from queueing to completion of the requests that ended in the span; None where none did.
        utilisation: share of the span in which it had a request in flight. A device that serves many requests at once
            may have room left at 1.
    """

    read: Bytes
    written: Bytes
    queue: float
    await_s: Seconds | None = None
    utilisation: float


class Network(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What all network interfaces but the loopback did since they were last read.

    Attributes:
        received, sent: bytes.
        retransmits: TCP segments sent again, those over the loopback included; None where it cannot be read.
        drops: packets that the interfaces dropped.
        errors: packets that were damaged.
        overflows: connections refused because a queue of the listener was full; None where it cannot be read.
        link: share of its speed that the fullest link carried, in its busier direction; None where no link tells its
            speed.
    """

    received: Bytes
    sent: Bytes
    retransmits: int | None = None
    drops: int
    errors: int
    overflows: int | None = None
    link: float | None = None


class Moment(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One tick of the sampler: what happened from ``at`` to ``at + span``. Moments follow each other without gaps.

    A turn begins and ends between two moments. The attributes from ``cpus`` on are read twice a second and at the
    beginning and end of each turn; moments between have None there, and counts are since the last reading.

    Attributes:
        at: seconds since the attempt began at which it begins, on the clock of ``Sample.at``.
        span: seconds it covers.
        busy: CPU seconds of the whole machine: user, nice and system, without interrupts and waiting. In steps of
            10 ms, as the kernel counts.
        tracked: CPU seconds of weigh, of all contenders and of all their descendants.
        foreign: CPU seconds of all other processes; kernel threads are nobody's.
        steal: CPU seconds that the hypervisor gave to others, in steps of 10 ms.
        pressure_cpu, pressure_memory, pressure_io: share of the span in which some task was stalled for want of it.
        queue: tasks running or ready to run at the end, the sampler not counted.
        context_switches: in the span.
        disk: by device; those that never served a request are left out.
        cpus: busy share of each CPU.
        mhz: frequency of each CPU.
        network: all interfaces but the loopback.
        memory_free: bytes that nobody uses, not even as a cache.
        cached: bytes of the page cache.
        dirty: bytes that wait to be written.
        swap_used: bytes.
        swapped: pages moved in and out.
        major_faults: page faults of the whole machine that needed a device.
        oom_kills: processes that the kernel ended for want of memory.
        throttled: CPU seconds for which weigh's control group was held back by its limit.
        group_memory: bytes that weigh's control group uses.
        disk_errors: by device, failed requests; only where the driver counts them.
        memory_errors: errors of memory, mended or not; None where no controller counts them.
        cpu_throttles: how often a CPU slowed down for heat or power; None where that is not counted.
    """

    at: Seconds
    span: Seconds
    busy: Seconds | None = None
    tracked: Seconds | None = msgspec.field(name="own", default=None)
    foreign: Seconds | None = None
    steal: Seconds | None = None
    pressure_cpu: float | None = None
    pressure_memory: float | None = None
    pressure_io: float | None = None
    queue: int | None = None
    context_switches: int | None = None
    disk: dict[str, Disk] | None = None
    cpus: tuple[float, ...] | None = None
    mhz: tuple[float, ...] | None = None
    network: Network | None = None
    memory_free: Bytes | None = None
    cached: Bytes | None = None
    dirty: Bytes | None = None
    swap_used: Bytes | None = None
    swapped: int | None = None
    major_faults: int | None = None
    oom_kills: int | None = None
    throttled: Seconds | None = None
    group_memory: Bytes | None = None
    disk_errors: dict[str, int] | None = None
    memory_errors: int | None = None
    cpu_throttles: int | None = None

    @property
    def end(self) -> Seconds:
        """Seconds since the attempt began at which it ends."""
        return self.at + self.span


class ForeignProcess(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A process that is neither weigh's nor a contender's, and used CPU.

    Attributes:
        pid: its id.
        name: as the kernel knows it, 15 characters at most; never its arguments, which may hold secrets.
        cpu_s: CPU seconds since the event before, with those of the children it waited for.
    """

    pid: int
    name: str
    cpu_s: Seconds


class Watch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the sampler saw since the event before: as a rule one turn and what came before it.

    Attributes:
        moments: in order of time.
        culprits: the foreign processes that used most CPU, the greediest first, eight at most.
        cost_s: CPU seconds of the sampler itself.
        unreadable: sources that cannot be read and why; each is reported once, in the first event that lacks it.
    """

    moments: tuple[Moment, ...]
    culprits: tuple[ForeignProcess, ...] = ()
    cost_s: Seconds = 0.0
    unreadable: dict[str, str] = {}


class Watches(tuple[Watch, ...], Computed):
    """Watches of one attempt; their moments are put in order once."""
