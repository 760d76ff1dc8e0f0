"""Load: work that is offered on a schedule, and what came of it."""

from __future__ import annotations

import hashlib
import random
from typing import Literal

import msgspec

from weigh.load.budgets import Budget, RateSearch
from weigh.load.isolation.workload import IsolationWorkload
from weigh.load.recording.spec import Replay
from weigh.load.tpcc import workload as tpcc
from weigh.load.tpcc.workload import TpccWorkload
from weigh.load.ycsb.workload import YcsbWorkload
from weigh.model.units import Bytes, Seconds, count

Loop = Literal["open", "closed"]
QueryMode = Literal["simple"]
ArrivalKind = Literal["constant", "poisson", "bursts", "even-bursts", "ramp", "steps", "trace", "closed"]
QUANTILES = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)
"""What every spectrum shows, alongside the maximum."""
NAMES = ("p50", "p90", "p95", "p99", "p999", "p9999")
"""Their names in JSON."""

_INTERVALS = 120
"""Intervals of a short run: enough to see whether it is steady."""
_SHORTEST, _LONGEST = 0.05, 1.0
_DERIVED = ("tpcb-like", "simple-update")
"""Built-in scripts that pgbench made after the TPC's benchmark B."""
_SCRIPTS = 2
"""Scripts that are named."""
NOTICE = "derived from TPC-B, not comparable to published results"


class Arrivals(msgspec.Struct, frozen=True, kw_only=True):
    """When requests are due, in requests a second.

    Attributes:
        kind: ``constant`` is one every 1/rate s; ``bursts`` come at random and are of requests at random,
            ``even-bursts`` are regular; ``closed`` is the next one when the last has been answered.
        rate: the mean; of a ramp, where it begins; of a replay, that of the recording at its speed.
        peak: of bursts: the rate inside a burst over the mean.
        length_s: of bursts: how long each lasts.
        to: of a ramp: where it ends.
        rates: of steps: the rate of each.
        step_s: of steps: how long each lasts.
        times_s: of a trace that is no replay: when requests are due, since its beginning, ascending.
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
            case "trace" if self.times_s is not None:
                return sum(at < duration for at in self.times_s) / duration
            case _:
                return self.rate

    def at(self, rate: float) -> Arrivals:
        """The same kind of arrivals, at so many requests a second on average."""
        return msgspec.structs.replace(self, rate=rate)


def interval_s(duration: Seconds) -> Seconds:
    """Length of the intervals of a run of that length."""
    return min(max(duration / _INTERVALS, _SHORTEST), _LONGEST)


def _stepped(rates: tuple[float, ...], each: Seconds, duration: Seconds) -> float:
    """Mean rate of steps, of which the last goes on to the end."""
    requests, at = 0.0, 0.0
    for number, rate in enumerate(rates):
        end = duration if number == len(rates) - 1 else min(at + each, duration)
        requests += rate * max(end - at, 0.0)
        at = end
    return requests / duration


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One script in pgbench's language; chosen as often as its weight says. Without text: the built-in of its name."""

    name: str
    text: str
    weight: int = 1


class PreparedData(msgspec.Struct, frozen=True, kw_only=True):
    """A file of SQL that makes the data of an embedded server.

    Attributes:
        file: its name.
        digest: SHA-256 of it.
    """

    file: str
    digest: str


LONGEST_CRASH = 300.0
"""Seconds that a server may be down and be read back, at most: two commands, the first answer, and all rows."""

LONGEST_QUERIES = 3600.0
"""Seconds that windows with queries may go on beyond a run's length, at most."""


class Crashes(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Crashes of the server, one in each run.

    Attributes:
        number: how many.
        kill: command that kills a server of the user's; empty where weigh does it.
        start: command that starts it again on its data; likewise.
        power_loss: whether its disk loses power with it, and what was not forced there is gone.
    """

    number: int
    kill: str = ""
    start: str = ""
    power_loss: bool = False


Nemesis = Literal["kill", "pause", "partition", "latency", "full-disk", "slow-disk", "clock"]
"""A fault, by the name that Jepsen's nemeses have."""


class Disturbances(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What happens in every run: faults, statements, or queries.

    Attributes:
        nemeses: faults, each once a run.
        during: statements that are executed one after another, once in every block.
        queries, scale, operations: workload of ``weigh run`` whose queries are asked meanwhile, the scale of its data,
            and which of them; empty for all.
        name: of statements or queries, for people.
        notice: what every report must say of the queries' workload.
        kill, start: as of :class:`Crashes`.
    """

    nemeses: tuple[Nemesis, ...] = ()
    during: tuple[str, ...] = ()
    queries: str = ""
    scale: float | None = None
    operations: tuple[str, ...] = ()
    name: str = ""
    notice: str = ""
    kill: str = ""
    start: str = ""


class LoadSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A load experiment, complete and in normal form. Secrets are no part of it.

    Attributes:
        workload: ``ycsb-a`` to ``ycsb-f``, ``ycsb`` for one of its own properties, ``replay``, ``tpcc``,
            ``isolation``, or ``script``.
        scripts: of the workload ``script``.
        variables: what the scripts may use as well as their own, such as ``scale``: whole numbers, and texts of others,
            as they stand in a statement.
        target: ``postgres:embedded``, ``valkey:embedded``, ``sqlite:embedded``, ``sqlite:PATH``, or a URL without its
            password.
        arrivals: of the open loop.
        loops: one run of each.
        connections: one run of each number, in random order.
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
        ycsb: of the workload ``ycsb``: what it is made of.
        tpcc, isolation: of the workloads of these names, likewise.
        expected_interval_s: seconds between two requests of a connection by which a closed loop is corrected.
        server_cpus, client_cpus: that the server, and the generator, may run on; all where they are left out.
        server_memory: bytes of memory that a control group holds the server to.
        cold: whether every run begins with a server that has nothing of its data in memory.
        spin: whether the generator asks the clock until a request is due, instead of sleeping.
        find_rate: the search for a rate, of which each run has its own; left out where there is none.
        require: what must hold at the rate; left out where nothing must.
        expect: of HTTP: what each answer must be besides a success; left out where nothing more is expected.
        query_mode: of scripts: ``simple`` where their statements are sent as text each time, and not prepared once.
        replay: of the workload ``replay``: what is replayed.
        prepare: of scripts: what makes their data. Left out it does not enter the id.
        crash: crashes of the server: as many repeats, with one in each. Left out it does not enter the id.
        disturbances: what happens while it goes on. Left out it does not enter the id.
        agents: where the agents are placed that offer the load together: rate, connections and requests in flight are
            of all of them, threads of each. Left out it does not enter the id.
    """

    workload: str
    target: str
    arrivals: Arrivals
    scripts: tuple[Script, ...] = ()
    variables: dict[str, int | str] = {}
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
    ycsb: YcsbWorkload | msgspec.UnsetType = msgspec.UNSET
    tpcc: TpccWorkload | msgspec.UnsetType = msgspec.UNSET
    isolation: IsolationWorkload | msgspec.UnsetType = msgspec.UNSET
    expected_interval_s: Seconds | msgspec.UnsetType = msgspec.UNSET
    server_cpus: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    client_cpus: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    server_memory: Bytes | msgspec.UnsetType = msgspec.UNSET
    cold: bool | msgspec.UnsetType = msgspec.UNSET
    spin: bool | msgspec.UnsetType = msgspec.UNSET
    replay: Replay | msgspec.UnsetType = msgspec.UNSET
    prepare: PreparedData | msgspec.UnsetType = msgspec.UNSET
    crash: Crashes | msgspec.UnsetType = msgspec.UNSET
    disturbances: Disturbances | msgspec.UnsetType = msgspec.UNSET
    agents: str | msgspec.UnsetType = msgspec.UNSET
    find_rate: RateSearch | msgspec.UnsetType = msgspec.UNSET
    require: tuple[Budget, ...] | msgspec.UnsetType = msgspec.UNSET
    expect: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines the experiment."""
        text = msgspec.json.encode(msgspec.to_builtins(self), order="deterministic")
        return hashlib.sha256(text).hexdigest()[:12]

    @property
    def order(self) -> tuple[tuple[int, int, Loop], ...]:
        """Repeat, connections and loop of each run, in the order in which they are made.

        Repeats outside, so that what changes over the session touches all kinds alike; inside each the numbers of
        connections in random order, so that a server or a machine that changes steadily is not taken for the effect of
        more connections. The loops of one number stand side by side.
        """
        order = random.Random(self.seed)
        return tuple(
            (repeat, connections, loop)
            for repeat in range(1, self.repeats + 1)
            for connections in order.sample(self.connections, len(self.connections))
            for loop in self.loops
        )

    def varied(self, rate: float | None, duration_s: Seconds | None) -> LoadSpec:
        """The spec as one run has it.

        Args:
            rate: requests a second on average, where a run has its own; of arrivals that have one rate.
            duration_s: its length, likewise.
        """
        arrivals = self.arrivals if rate is None else self.arrivals.at(rate)
        if duration_s is None:
            return msgspec.structs.replace(self, arrivals=arrivals)
        return msgspec.structs.replace(
            self, arrivals=arrivals, duration_s=duration_s, interval_s=interval_s(duration_s)
        )

    @property
    def title(self) -> str:
        """The workload's name for people; of scripts theirs, where they are few."""
        if not self.scripts:
            return self.workload
        few = len(self.scripts) <= _SCRIPTS
        return " and ".join(one.name for one in self.scripts) if few else count(len(self.scripts), "script")

    @property
    def notice(self) -> str:
        """What every report must say of the workload; empty where nothing must be reported."""
        derived = any(not one.text and one.name in _DERIVED for one in self.scripts)
        of_load = tpcc.NOTICE if self.tpcc else NOTICE if derived else ""
        return "; ".join(one for one in (of_load, self.disturbances.notice if self.disturbances else "") if one)

    @property
    def fresh_lives(self) -> bool:
        """Whether every run is to have a server of its own, where weigh can start one."""
        return (
            self.repeats > 1
            or bool(self.find_rate)
            or self.cold is True
            or self.server_memory is not msgspec.UNSET
            # What makes the data once need not be able to make it twice.
            or self.prepare is not msgspec.UNSET
        )

    @property
    def in_process(self) -> bool:
        """Whether the engine runs in the generator's process."""
        return self.target.startswith("sqlite:")

    @property
    def is_ycsb(self) -> bool:
        """Whether it is a workload of YCSB, whose data weigh loads and whose answers it checks."""
        return self.letter is not None or self.ycsb is not msgspec.UNSET

    @property
    def has_tables(self) -> bool:
        """Whether it has tables of its own, which weigh makes wherever it runs."""
        return self.is_ycsb or bool(self.tpcc) or self.isolation is not msgspec.UNSET

    @property
    def terminals(self) -> bool:
        """Whether users at TPC-C's terminals ask, who wait for their answers by definition."""
        return self.tpcc is not msgspec.UNSET and self.tpcc.terminals

    @property
    def scans(self) -> bool:
        """Whether it scans YCSB's keys in their order."""
        return self.letter == "E" or (self.ycsb is not msgspec.UNSET and self.ycsb.mix["scan"] > 0)

    @property
    def letter(self) -> str | None:
        """Of one of YCSB's six workloads, ``A`` to ``F``; None of another one."""
        return self.workload[-1].upper() if self.workload.startswith("ycsb-") else None


CONFIDENCE = 0.95
