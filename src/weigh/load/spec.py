"""Load: work that is offered on a schedule, and what came of it."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

from weigh.model.units import Seconds

Loop = Literal["open", "closed"]
QueryMode = Literal["simple"]
ArrivalKind = Literal["constant", "poisson", "bursts", "ramp", "steps", "trace", "closed"]
QUANTILES = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)
"""What every spectrum shows, beside the maximum."""
NAMES = ("p50", "p90", "p95", "p99", "p999", "p9999")
"""Their names in JSON."""


class Arrivals(msgspec.Struct, frozen=True, kw_only=True):
    """When requests are due, in requests a second.

    Attributes:
        kind: ``constant`` is one every 1/rate s; ``closed`` is the next one when the last has been answered.
        rate: the mean; of a ramp, where it begins.
        peak: of bursts: the rate inside a burst over the mean.
        length_s: of bursts: how long each lasts.
        to: of a ramp: where it ends.
        rates: of steps: the rate of each.
        step_s: of steps: how long each lasts.
        times_s: of a trace: when requests are due, since its beginning, ascending.
    """

    kind: ArrivalKind = "constant"
    rate: float | None = None
    peak: float | None = None
    length_s: Seconds | None = None
    to: float | None = None
    rates: tuple[float, ...] | None = None
    step_s: Seconds | None = None
    times_s: tuple[Seconds, ...] | None = None

    def mean_rate(self, duration: Seconds) -> float | None:
        """Requests a second that it asks for over a duration; None of a closed loop."""
        match self.kind:
            case "closed":
                return None
            case "ramp":
                return ((self.rate or 0.0) + (self.to or 0.0)) / 2
            case "steps":
                return _stepped(self.rates or (), self.step_s or 1.0, duration)
            case "trace":
                return sum(at < duration for at in self.times_s or ()) / duration
            case _:
                return self.rate


def _stepped(rates: tuple[float, ...], each: Seconds, duration: Seconds) -> float:
    """Mean rate of steps, of which the last goes on to the end."""
    asked, at = 0.0, 0.0
    for number, rate in enumerate(rates):
        end = duration if number == len(rates) - 1 else min(at + each, duration)
        asked += rate * max(end - at, 0.0)
        at = end
    return asked / duration


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One script in pgbench's language; chosen as often as its weight says. Without text: the built-in of its name."""

    name: str
    text: str
    weight: int = 1


class LoadSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A load experiment, complete and in normal form. Secrets are no part of it.

    Attributes:
        workload: ``ycsb-a`` to ``ycsb-f``, or ``script``.
        scripts: of the workload ``script``.
        variables: what the scripts may use beside their own, such as ``scale``.
        target: ``postgres:embedded``, ``valkey:embedded``, ``sqlite:embedded``, ``sqlite:PATH``, or a URL without its
            password.
        arrivals: of the open loop.
        loops: one run of each.
        connections: one run of each number.
        repeats: how often the whole is done.
        duration_s: of each run.
        warmup_s: seconds left out at the beginning; None where a test decides.
        max_in_flight: requests sent and not answered, at most; None for as many as there are connections.
        timeout_s: after which a request is given up.
        interval_s: of the histograms.
        threads: of the generator.
        records: of YCSB.
        ordered_index: whether a key-value store is to keep an index of its keys, as scans need it.
        fanout: requests a page makes; None where no page is asked for.
        error_budget: share of requests that may fail before there is no throughput.
        seed: of keys, arrivals and values.
        contention: share of a run's CPU that others may use, ``weigh.model.spec.CONTENTION`` where it is left out;
            from 1 on any share is allowed. Left out it does not enter the id.
        spin: whether the generator asks the clock until a request is due, instead of sleeping.
        query_mode: of scripts: ``simple`` where their statements are sent as text each time, and not prepared once.
    """

    workload: str
    target: str
    arrivals: Arrivals
    scripts: tuple[Script, ...] = ()
    variables: dict[str, int] = {}
    loops: tuple[Loop, ...] = ("open",)
    connections: tuple[int, ...] = (16,)
    repeats: int = 1
    duration_s: Seconds = 60.0
    warmup_s: Seconds | None = None
    max_in_flight: int | None = None
    timeout_s: Seconds = 30.0
    interval_s: Seconds = 1.0
    threads: int = 1
    records: int = 100_000
    ordered_index: bool = False
    fanout: int | None = None
    error_budget: float = 0.001
    seed: int = 42
    contention: float | msgspec.UnsetType = msgspec.UNSET
    query_mode: QueryMode | msgspec.UnsetType = msgspec.UNSET
    spin: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines the experiment."""
        text = msgspec.json.encode(msgspec.to_builtins(self), order="deterministic")
        return hashlib.sha256(text).hexdigest()[:12]

    @property
    def in_process(self) -> bool:
        """Whether the engine runs in the generator's process."""
        return self.target.startswith("sqlite:")

    @property
    def letter(self) -> str | None:
        """Of the YCSB workload, ``A`` to ``F``; None of another one."""
        return self.workload[-1].upper() if self.workload.startswith("ycsb-") else None


class TargetRead(msgspec.Struct, frozen=True, kw_only=True):
    """A target as it described itself.

    Attributes:
        kind: protocol: ``postgres`` or ``redis``; or ``sqlite``, in the generator's process.
        product: what it calls itself.
        version: its own word.
        embedded: whether weigh started it, and ends it.
        same_host: whether it runs on the machine of the generator; None where that cannot be told.
        in_force: settings read back: name -> {value, default}; those that differ and those that decide.
        undurable: settings that let an acknowledged write be lost, each in a few words; empty where it is durable.
        durable: None where its settings could not be read.
        cycles: what it does regularly: name -> seconds.
        unread: why its settings could not be read.
        tls: of a server reached by URL: ``off``, ``require`` (encrypted, whoever it is), ``verify`` (its certificate
            checked).
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
        failed: intended time to error or time-out; of requests that are in no other histogram.
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
    """What the generator saw between two moments, in seconds since the run began."""

    from_s: Seconds
    to_s: Seconds
    operations: tuple[OperationInterval, ...]
    in_flight: int = 0
    queued: int = 0
    client_cpu_s: Seconds = 0.0
    reconnects: int = 0


class LoadSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The generator's account of a whole run; requests are counted, times are seconds.

    Attributes:
        scheduled: due during the run.
        in_time: answered or failed before the schedule ended; None in a document that does not tell.
        unsent: due and never sent.
        in_flight_at_end: sent, and not answered when it ended.
        clock_jumps: moments in which the clocks of the machine disagreed.
        verified_reads: answers that were compared with what had been written.
        violations: the first that contradicted it.
        violation_count: how many did; None where it is the number of ``violations``.
        reconnect_s: spent on opening lost connections again.
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


class LoadRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a load experiment.

    Attributes:
        number: from 1.
        loop: open or closed.
        connections: that it had.
        repeat: from 1.
        intervals: in order.
        summary: None where it was broken off.
        at: seconds since the attempt began at which its schedule began, on the clock of the sampler's moments; None
            in evidence of before there were any.
    """

    number: int
    loop: Loop
    connections: int
    repeat: int
    at: Seconds | None = None
    intervals: tuple[LoadInterval, ...] = ()
    summary: LoadSummary | None = None


CONFIDENCE = 0.95
