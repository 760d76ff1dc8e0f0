"""The record of a load experiment: its journal as nouns, and what is derived from the journal alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weigh.evidence import files, journal, timeline
from weigh.evidence.seal import json_bytes
from weigh.evidence.sealing import End
from weigh.host.knobs.read import KnobRead
from weigh.load import gate_events
from weigh.load.activity.model import RunActivity
from weigh.load.agents.model import AgentRun, Agents
from weigh.load.disturbances.record import QueryAnswer, Window
from weigh.load.durability import settings
from weigh.load.durability.record import Crash
from weigh.load.histogram_log import hlog
from weigh.load.isolation.record import IsolationRun
from weigh.load.recording import record as replay
from weigh.load.runs import (
    ColdStart,
    CpusRead,
    LoadInterval,
    LoadRun,
    LoadSummary,
    Prepared,
    ServerUse,
    TableRows,
    TargetRead,
)
from weigh.load.spec import LoadSpec, Loop
from weigh.load.tpcc.account import TpccRun
from weigh.load.waits.model import RunWaits
from weigh.model.data.storage import Place
from weigh.model.errors import EvidenceFault
from weigh.model.finding import Finding
from weigh.model.machine.calibration import Calibration
from weigh.model.machine.timeline import Watch
from weigh.model.units import Bytes, Seconds

if TYPE_CHECKING:
    from pathlib import Path

OPENED = "load"
"""The first event of its journal."""
HLOG = "histograms.hlog"
When = Literal["loaded", "before", "after"]


class LoadOpened(msgspec.Struct, frozen=True, kw_only=True):
    """The first event: what is to be done."""

    attempt: int
    spec: LoadSpec
    anchor_key: str | msgspec.UnsetType = msgspec.UNSET
    """Public key that signs its anchors."""


class LoadEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """Where and against what it ran.

    Attributes:
        weigh: version of weigh.
        command: the command that does it again.
        host: facts of the generator's machine.
        target: as it described itself.
        lock: packages of the target's environment, where weigh started it.
        apart: whether the server may be on this machine and cannot be told from others there; left out of evidence
            of before anybody watched.
        knobs: settings and states of the machine that move times; left out of evidence that did not read them.
        storage: where its data lies; None where that is not on this machine, or not known.
    """

    weigh: str
    command: str
    host: dict[str, Any]
    target: TargetRead
    lock: str = ""
    apart: bool | msgspec.UnsetType = msgspec.UNSET
    knobs: tuple[KnobRead, ...] | msgspec.UnsetType = msgspec.UNSET
    storage: Place | None = None


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """Rows that were loaded before the first run, and how long it took.

    Attributes:
        found: whether nothing was loaded, because the rows of an earlier load were there as it had left them.
        skipped: statements of a file that were left out, since they ask for owners, roles, extensions or settings that
            this server has not; each with what it said.
    """

    rows: int
    seconds: Seconds
    found: bool = False
    skipped: tuple[str, ...] = ()


class RunBegun(msgspec.Struct, frozen=True, kw_only=True):
    """A run begins.

    Attributes:
        life, rate, duration_s, at: as of :class:`weigh.load.runs.LoadRun`.
    """

    number: int
    loop: Loop
    connections: int
    repeat: int
    life: int = 1
    rate: float | None = None
    duration_s: Seconds | None = None
    at: Seconds | None = None


class RunInterval(msgspec.Struct, frozen=True, kw_only=True):
    """An interval of a run."""

    run: int
    interval: LoadInterval


class RunEnded(msgspec.Struct, frozen=True, kw_only=True):
    """A run came to its end."""

    run: int
    summary: LoadSummary
    server: ServerUse | None = None


class MemoryLimit(msgspec.Struct, frozen=True, kw_only=True):
    """The limit of the server's memory in force in a life of it, read back; None where it cannot be read."""

    bytes: Bytes | None


class RowsRead(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows a server held.

    Attributes:
        when: ``loaded`` in the life whose data the others begin with, ``before`` a run, or ``after`` one.
        run: its number; 0 before the first.
        life: of the server; 0 for that in which the data was loaded.
        tables: those of the load.
        unread: why they could not be read; empty where they were.
    """

    when: When
    run: int
    life: int
    tables: dict[str, TableRows]
    unread: str = ""


class LoadRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the journal of a load experiment says.

    Attributes:
        environment: None where the target could not be reached.
        loaded: None where nothing was loaded.
        prepared: what was so just before the clock of each run.
        rows: which rows the server held, each time that it was asked.
        gate: what was asked outside the clock; None where nothing was.
        after: the target as it described itself after the last run; None where it was not asked, or the same.
        cpus: that server and generator had, of each run; where they were asked for.
        cold: what of the data was in memory at the beginning of each run; where it was to be cold.
        memory: limit of the server's memory in force, in each of its lives; where one was asked for.
        calibrations: what fixed work took before each run and after the last, while nobody asked the server anything.
        watches: what the sampler saw, moment by moment.
        waits: what the server's sessions waited for, in order.
        crashes: of the server, in order.
        windows: in which something else happened to it, and in which nothing did; likewise.
        queries: that were asked alongside the load, as each was answered before it.
        activity: what the server did besides answering, in order.
        replay: what was replayed, and what came of it; None of other loads.
        tpcc: what each run of TPC-C asked for, and what its tables held afterwards.
        isolation: what the history of each run of the workload ``isolation`` shows.
        agents: who offered the load; None where weigh itself did.
        agent_runs: what each of them did in each run.
        end: None where it was killed.
    """

    attempt: int
    spec: LoadSpec
    environment: LoadEnvironment | None = None
    loaded: Loaded | None = None
    prepared: tuple[Prepared, ...] = ()
    rows: tuple[RowsRead, ...] = ()
    gate: gate_events.GateRecord | None = None
    after: TargetRead | None = None
    runs: tuple[LoadRun, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    cpus: tuple[CpusRead, ...] = ()
    cold: tuple[ColdStart, ...] = ()
    memory: tuple[Bytes | None, ...] = ()
    findings: tuple[Finding, ...] = ()
    watches: tuple[Watch, ...] = ()
    waits: tuple[RunWaits, ...] = ()
    crashes: tuple[Crash, ...] = ()
    windows: tuple[Window, ...] = ()
    queries: tuple[QueryAnswer, ...] = ()
    activity: tuple[RunActivity, ...] = ()
    replay: replay.ReplayRecord | None = None
    tpcc: tuple[TpccRun, ...] = ()
    isolation: tuple[IsolationRun, ...] = ()
    agents: Agents | None = None
    agent_runs: tuple[AgentRun, ...] = ()
    end: End | None = None

    @property
    def knobs(self) -> tuple[KnobRead, ...]:
        """The knobs as they were read; none in evidence that did not read them."""
        found = self.environment.knobs if self.environment else msgspec.UNSET
        return () if found is msgspec.UNSET else found

    @property
    def undurable(self) -> tuple[str, ...]:
        """What may lose an acknowledged write, each in a few words."""
        target = self.environment.target if self.environment else None
        return settings.undurable(target, self.after, self.spec, self.prepared, self.runs)

    @property
    def durable(self) -> bool | None:
        """Whether every acknowledged write was kept; None where that is not known."""
        if self.environment is None:
            return None
        if self.undurable:
            return False
        # Whatever the settings say.
        accounts = [one.account for one in self.crashes] + [one.account for one in self.windows]
        lost = any(one and (one.lost or one.missing) for one in accounts)
        return False if lost else self.environment.target.durable

    @property
    def host(self) -> dict[str, Any]:
        """Facts of the generator's machine; none where they were not read."""
        return self.environment.host if self.environment else {}


def is_load(folder: Path) -> bool:
    """Whether a directory is that of a load experiment."""
    event = journal.first(folder)
    return event is not None and event.event == OPENED


def read(folder: Path) -> LoadRecord:
    """The record, finished or not.

    Raises:
        EvidenceFault: there is no journal of a load experiment, or it is damaged.
    """
    events = journal.read(folder)
    if not events or events[0].event != OPENED:
        raise EvidenceFault(
            "it is no load experiment", where=str(folder), remedy="name a directory that weigh load printed"
        )
    with journal.believed(folder):
        return _read(events)


def read_spec(folder: Path) -> LoadSpec:
    """What an attempt was asked to do, without reading what came of it.

    Raises:
        EvidenceFault: its journal does not begin with it.
    """
    return journal.opening(folder, OPENED, LoadOpened).spec


_ONE: dict[str, type[Any]] = {
    "environment": LoadEnvironment,
    "loaded": Loaded,
    "after": TargetRead,
    "agents": Agents,
    "end": End,
}
"""What the events say that are fields of the record by their own name: the last one counts."""
_MANY: dict[str, tuple[str, type[Any]]] = {
    "prepared": ("prepared", Prepared),
    "rows": ("rows", RowsRead),
    "calibration": ("calibrations", Calibration),
    "crash": ("crashes", Crash),
    "window": ("windows", Window),
    "query": ("queries", QueryAnswer),
    "cpus": ("cpus", CpusRead),
    "cold": ("cold", ColdStart),
    "waits": ("waits", RunWaits),
    "activity": ("activity", RunActivity),
    "tpcc": ("tpcc", TpccRun),
    "isolation": ("isolation", IsolationRun),
    "agent": ("agent_runs", AgentRun),
    "finding": ("findings", Finding),
}
"""Events that are added to a field as they are: its name, and what they say."""


def _read(events: list[journal.Event]) -> LoadRecord:
    opened = msgspec.convert(events[0].body, LoadOpened)
    one: dict[str, Any] = {}
    many: dict[str, list[Any]] = {}
    begun: dict[int, RunBegun] = {}
    intervals: dict[int, list[LoadInterval]] = {}
    ended: dict[int, RunEnded] = {}
    outside: list[gate_events.Event] = []
    replayed: list[replay.Event] = []
    for event in events[1:]:
        match event.event:
            case name if name in _ONE:
                one[name] = files.converted(event.body, _ONE[name])
            case name if name in _MANY:
                field, kind = _MANY[name]
                many.setdefault(field, []).append(files.converted(event.body, kind))
            case name if name in replay.EVENTS:
                replayed.append(replay.read(name, event.body))
            case name if name in gate_events.EVENTS:
                outside.append(gate_events.read(name, event.body))
            case "run":
                run = files.converted(event.body, RunBegun)
                begun[run.number] = run
                intervals[run.number] = []
            case "interval":
                part = files.converted(event.body, RunInterval)
                intervals[part.run].append(part.interval)
            case "summary":
                done = files.converted(event.body, RunEnded)
                ended[done.run] = done
            case "watch":
                watch = timeline.unpack(files.converted(event.body, timeline.Columns))
                many.setdefault("watches", []).append(watch)
            case "server memory":
                many.setdefault("memory", []).append(files.converted(event.body, MemoryLimit).bytes)
    lists: dict[str, Any] = {field: tuple(values) for field, values in many.items()}
    return LoadRecord(
        attempt=opened.attempt,
        spec=opened.spec,
        runs=tuple(_run(run, intervals[number], ended.get(number)) for number, run in begun.items()),
        gate=gate_events.gathered(outside),
        replay=replay.gathered(replayed),
        **one,
        **lists,
    )


def _run(begun: RunBegun, intervals: list[LoadInterval], ended: RunEnded | None) -> LoadRun:
    return LoadRun(
        number=begun.number,
        loop=begun.loop,
        connections=begun.connections,
        repeat=begun.repeat,
        life=begun.life,
        rate=begun.rate,
        duration_s=begun.duration_s,
        at=begun.at,
        intervals=tuple(intervals),
        summary=ended.summary if ended else None,
        server=ended.server if ended else None,
    )


def derived(record: LoadRecord) -> dict[str, bytes]:
    """Every file that follows from the journal alone, by name."""
    found = {"spec.json": json_bytes(record.spec)}
    if record.environment is not None:
        found["environment.json"] = json_bytes(record.environment)
    if any(run.intervals for run in record.runs):
        found[HLOG] = hlog(record.runs).encode()
    return found


def watched_runs(record: LoadRecord) -> timeline.Timeline:
    """What was observed, and when the schedule of each run began and its last interval ended."""
    return timeline.Timeline(
        attempt=record.attempt,
        watches=record.watches,
        columns={"run": "int32", "loop": "string", "connections": "int32"},
        spans=[
            (
                run.at,
                run.at + run.intervals[-1].to_s,
                {"run": run.number, "loop": run.loop, "connections": run.connections},
            )
            for run in record.runs
            if run.at is not None and run.intervals
        ],
    )
