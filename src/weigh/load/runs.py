"""What a load measured: runs, their intervals, and the server as it described itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.spec import Loop
from weigh.model.cold import Pages, PutOut
from weigh.model.units import Bytes, Seconds

if TYPE_CHECKING:
    from collections.abc import Iterable

_NODE = re.compile(r"node (\S+) cannot be reached")
"""Of the errors of ``crates/weigh-load/src/event_loop/cluster.rs``."""


class TargetRead(msgspec.Struct, frozen=True, kw_only=True):
    """A target as it described itself.

    Attributes:
        kind: protocol: ``clickhouse``, ``cql``, ``mysql``, ``postgres``, ``redis`` or ``http``; or ``sqlite``, in the
            generator's process.
        product: what it calls itself.
        version: its own word.
        embedded: whether weigh started it, and ends it.
        same_host: whether it runs on the machine of the generator; None where that cannot be determined.
        in_force: settings read back: name -> {value, default}; those that differ and those that decide.
        undurable: settings that let an acknowledged write be lost, each in a few words; empty where it is durable.
        durable: None where its settings could not be read.
        cycles: what it does regularly: name -> seconds.
        unread: why its settings could not be read.
        tls: of a server reached by URL: ``off``, ``require`` (encrypted, whoever it is), ``verify`` (its certificate
            checked).
        consistency: of a cluster, how many replicas answer a request, as it was declared; left out where there are
            none.
        stale: why a read may be older than a write that was acknowledged before it, by what was declared; left out
            where it may not.
        terms: what its vendor's terms say about publishing results; left out where nothing is known.
        pooler: whether a pooler hands its sessions out; left out where none was noticed.
        errors: errors that it counted since it started: name -> how many; left out where it does not count them.
    """

    kind: str
    product: str
    version: str
    embedded: bool
    same_host: bool | None = None
    in_force: dict[str, dict[str, Any]] = {}
    undurable: tuple[str, ...] = ()
    durable: bool | None = None
    cycles: dict[str, Seconds] = {}
    unread: str = ""
    tls: str | msgspec.UnsetType = msgspec.UNSET
    consistency: str | msgspec.UnsetType = msgspec.UNSET
    stale: str | msgspec.UnsetType = msgspec.UNSET
    terms: str | msgspec.UnsetType = msgspec.UNSET
    pooler: bool | msgspec.UnsetType = msgspec.UNSET
    errors: dict[str, int] | msgspec.UnsetType = msgspec.UNSET


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """A target just before the clock of a run.

    Attributes:
        data_bytes: what its data takes, by its own word; None where it does not say.
        unlogged: tables that are in no log: a crash empties them.
        written_out: whether a checkpoint wrote out what was loaded; None where none was asked for.
        refused: why there was none.
    """

    data_bytes: Bytes | None = None
    unlogged: tuple[str, ...] = ()
    written_out: bool | None = None
    refused: str = ""


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """Target and machine just before the clock of a run.

    Attributes:
        run: its number.
        ready: the target; None where it could not be asked.
        foreign: share of all CPUs that others than weigh used, the server among them.
        dirty: bytes of the page cache that waited to be written.
    """

    run: int
    ready: Ready | None
    foreign: float | None
    dirty: Bytes | None


class TableRows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a table: how many, and a digest that does not depend on their order (``weigh.load.rows``)."""

    rows: int
    digest: str


class ServerUse(msgspec.Struct, frozen=True, kw_only=True):
    """What the processes of a server used during a run.

    Attributes:
        cpu_s: CPU seconds, from before its connections were opened until they were closed.
        memory_bytes: the most that they had when it was looked at, after half and after nine tenths of the run; what
            several of them share is counted once. None where it may not be read.
        written_bytes: that they caused to be written to storage devices, over the same time as ``cpu_s``; left out
            where it may not be read, and in evidence of earlier versions.
        flushes: how often, over the same time, the devices below its data were made to keep what they had been given,
            whoever asked for it; left out where they keep it in another way, do not count, or are not known.
    """

    cpu_s: Seconds
    memory_bytes: Bytes | None = None
    written_bytes: Bytes | msgspec.UnsetType = msgspec.UNSET
    flushes: int | msgspec.UnsetType = msgspec.UNSET


class CpusRead(msgspec.Struct, frozen=True, kw_only=True):
    """CPUs that the kernel let run on, read back while a run went on; as it writes them, such as ``0-3,8``.

    Attributes:
        run: its number.
        server: of all threads of the server; None where its processes are not known.
        client: of the generator's threads; None where they could not be read.
    """

    run: int
    server: str | None
    client: str | None


class ColdStart(msgspec.Struct, frozen=True, kw_only=True):
    """What of the data was in memory when the connections of a run were opened.

    Attributes:
        run: its number.
        put_out: how memory was emptied.
        files: that hold the tables.
        bytes: of them.
        left: pages of them that were in memory; None where they cannot be counted.
        devices: bytes that anybody read from the devices below them during the run, by device.
    """

    run: int
    put_out: PutOut
    files: int
    bytes: Bytes
    left: Pages | None
    devices: dict[str, int] = {}


class OperationInterval(msgspec.Struct, frozen=True, kw_only=True):
    """One operation in one interval. Histograms are HdrHistogram V2, compressed, base64, in nanoseconds.

    Attributes:
        count: answered in the interval.
        errors: text of the server's error -> how often.
        timeouts: given up.
        wrong: the first answers that contradict what was written.
        wrong_count: how many did; None where it is the number of ``wrong``.
        missing: keys that should be there and are not.
        overflows: times above an hour, which are in no histogram.
        failed: intended time to error. Those requests are in no other histogram; time-outs are in response and
            service, with as long as was waited.
        response: intended time to answer.
        service: sent to answer.
        lag_free: intended time until a connection was free: the server's.
        lag_late: a connection was free until it was sent: ours.
    """

    name: str
    count: int
    response: str
    service: str
    lag_free: str
    lag_late: str
    errors: dict[str, int] = {}
    timeouts: int = 0
    wrong: tuple[Any, ...] = ()
    wrong_count: int | None = None
    missing: int = 0
    overflows: int = 0
    failed: str = ""

    @property
    def contradictions(self) -> int:
        """Answers that contradict what was written."""
        return len(self.wrong) if self.wrong_count is None else self.wrong_count


class LoadInterval(msgspec.Struct, frozen=True, kw_only=True):
    """What the generator saw between two moments, in seconds since the run began.

    Attributes:
        in_flight, queued: requests at its end: sent, and due without a connection.
        client_cpu_s: that the generator's threads computed.
        client_wait_s: in which they wanted a processor and had none; 0 where the kernel does not say.
        reconnects: connections that were opened again.
    """

    from_s: Seconds
    to_s: Seconds
    operations: tuple[OperationInterval, ...]
    in_flight: int = 0
    queued: int = 0
    client_cpu_s: Seconds = 0.0
    client_wait_s: Seconds = 0.0
    reconnects: int = 0


class LoadSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The generator's account of a whole run; requests are counted, times are seconds.

    Attributes:
        scheduled: due during the run.
        in_time: answered or failed before the schedule ended; None in a document that does not tell.
        unsent: due and never sent.
        in_flight_at_end: sent, and not answered when it ended.
        clock_jumps: moments in which the clocks of the machine disagreed.
        max_queue: requests that were due and waited for a connection at one moment, at most.
        verified_reads: answers that were compared with what had been written.
        violations: the first that contradicted it.
        violation_count: how many did; None where it is the number of ``violations``.
        reconnect_s: spent on opening lost connections again.
        longest_reconnect_s: the longest of it.
        failed_connects: attempts at that which failed.
    """

    t0_unix: float
    scheduled: int
    sent: int
    done: int
    in_time: int | None = None
    unsent: int
    in_flight_at_end: int
    seconds: Seconds
    client_cpu_s: Seconds
    clock_jumps: int = 0
    max_queue: int = 0
    overflows: int = 0
    verified_reads: int = 0
    violations: tuple[Any, ...] = ()
    violation_count: int | None = None
    reconnect_s: Seconds = 0.0
    longest_reconnect_s: Seconds = 0.0
    failed_connects: int = 0

    @property
    def gone(self) -> bool:
        """Whether the server went away and did not come back: connections were lost, and none was opened again."""
        return bool(self.failed_connects) and not self.reconnect_s


class LoadRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a load experiment.

    Attributes:
        number: from 1.
        loop: open or closed.
        connections: that it had.
        repeat: from 1.
        life: of the server, from 1: runs of one number were made against one life of it.
        rate: requests a second on average, where it is not the spec's.
        duration_s: its length, where it is not the spec's.
        intervals: in order.
        summary: None where it was broken off.
        server: what the server used; None where its processes are not known.
        at: seconds since the attempt began at which its schedule began, on the clock of the sampler's moments; None
            in evidence of before there were any.
    """

    number: int
    loop: Loop
    connections: int
    repeat: int
    life: int = 1
    rate: float | None = None
    duration_s: Seconds | None = None
    at: Seconds | None = None
    intervals: tuple[LoadInterval, ...] = ()
    summary: LoadSummary | None = None
    server: ServerUse | None = None


def unreached(errors: Iterable[str]) -> str:
    """Of a cluster the nodes that could not be reached, by the errors of requests; empty where none is named."""
    nodes = sorted({found[1] for one in errors if (found := _NODE.search(one))})
    if not nodes:
        return ""
    listed = f"{', '.join(nodes[:-1])} and {nodes[-1]}" if len(nodes) > 1 else nodes[0]
    return f"{'nodes' if len(nodes) > 1 else 'node'} {listed} of the cluster"
