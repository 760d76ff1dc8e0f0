"""A life: one fresh process of one contender, from open to close. The controller may kill it at any moment."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.engines import bytecode, surroundings
from weigh.engines.exchange import Exchange, WorkerEnded, died
from weigh.engines.run_cost import RunCost, run_cost, unmetered
from weigh.engines.start_clock import StartClock
from weigh.host import cgroup, processes, scratch
from weigh.host.hidden import hiding
from weigh.host.processes import family_cpu, guard, priority, process_counters
from weigh.model.data.store import StoreUse
from weigh.model.errors import EnvironmentFault, refusal, remedy_of
from weigh.model.sample import Outcome
from weigh_worker import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from weigh.engines.engine import Engine
    from weigh.engines.environment import Environment
    from weigh.engines.exchange import Connections, RequestCost
    from weigh.engines.run_cost import Meter, StoreLife
    from weigh.host.cgroup import Hierarchy
    from weigh.host.processes.family_cpu import FamilyCpu
    from weigh.model.clock_coverage import StartCost
    from weigh.model.contender import Setting
    from weigh.model.data.store import Requests, StoreAccess
    from weigh.model.resources import Bounds
    from weigh.model.units import Bytes, Seconds

BIND_TIMEOUT = 60.0
"""Seconds to see tables that are files."""
ATTACH_TIMEOUT = 3600.0
"""Seconds to see the tables of a copy; a server may have to copy it first, because no two can share one."""
_LOG_TAIL = 2000
_PATIENCE = 10.0
"""Seconds in which what a worker started may put things in order after its end; a hung PostgreSQL needs five."""


class WorkerProcess:
    """The controller's end of one worker.

    Args:
        engine: what is opened.
        environment: where it runs.
        settings: the engine's settings.
        bounds: what it may use.
        groups: where control groups can be made, for a bound of memory.
        hidden: folders that it finds empty.
        ingests: whether it is to load tables under the clock.
        readable: files and folders that its queries may reach, where others wrote them; None where they are the user's.
        hosts: whether they may reach other hosts all the same, as objects of a store.
    """

    def __init__(
        self,
        engine: Engine,
        environment: Environment,
        settings: dict[str, Setting],
        bounds: Bounds | None = None,
        groups: Hierarchy | None = None,
        hidden: Sequence[Path] = (),
        *,
        ingests: bool = False,
        readable: Sequence[Path] | None = None,
        hosts: bool = False,
    ) -> None:
        limit = bounds.memory if bounds else None
        self._group: cgroup.Group | None = None
        self.family: FamilyCpu | None = None
        self.store: StoreLife | None = None
        """How it is known at the store of its tables; closed with it."""
        self.metered: Meter = unmetered
        self.connections: Connections | None = None
        self._sql = ""
        self._starting = StartClock()
        self.folder = scratch.folder("life")
        self._memory = scratch.folder("answer", in_memory=True)
        self._answers = 0
        self._place: Path | None = None
        self._loads = itertools.count(1)
        self._mark = guard.new_mark()
        self._family: list[processes.Process] = []
        self._closing_s = engine.closing_s
        self._reports = engine.statistics
        self._starting_s = engine.starting_s
        self._over = False
        processes.adopt()
        bounded = readable is not None and engine.confined
        compiled, self._oom_kills = self._begin(engine, environment, hidden, confined=bounded), cgroup.oom_kills()
        self.exchange = Exchange(self._channel, self.pid, self)
        self.counters = process_counters.Counters(self.pid)
        try:
            if groups is not None and limit is not None:
                self._group = cgroup.Group(groups, limit)
                # Before it is told what to open: a thread pool or a server that it starts is in the group too.
                self._group.add(self._process.pid)
            two = groups is not None and groups.version == 2
            self.family = family_cpu.account(
                self.pid, f"{guard.MARK}={self._mark}", self._group.folder if self._group and two else None
            )
            self.exchange.family = self.family
            self.exchange.decide(self._starting_s)
            self.exchange.ask(
                "open",
                protocol.Reply,
                self._starting_s,
                adapter=str(engine.adapter),
                compiled=str(compiled),
                settings=settings,
                scratch=str(self.folder / "scratch"),
                affinity=bounds.affinity if bounds else (),
                ingests=ingests,
                part=engine.adapter_part,
                confined=None
                if readable is None
                else surroundings.bounds(
                    engine, environment, readable, [self.folder / "scratch", self._memory], hosts=hosts
                ),
            )
        except BaseException:
            self.kill()
            raise
        self._starting.opened()

    def _begin(self, engine: Engine, environment: Environment, hidden: Sequence[Path], *, confined: bool) -> Path:
        """Start the process; the file with the adapter's modules. Where it cannot be started nothing is left."""
        try:
            self._channel, theirs = socket.socketpair()
            with theirs:
                compiled = bytecode.put(engine.adapter, self.folder / "lib")
                (self.folder / "scratch").mkdir()
                serve = [str(environment.python), "-P", "-m", "weigh_worker", str(theirs.fileno())]
                with (self.folder / "log").open("wb") as log:
                    self._process = subprocess.Popen(
                        hiding(hidden, serve, self.folder / "hidden"),
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        pass_fds=[theirs.fileno()],
                        cwd=self.folder / "scratch",
                        env={
                            **surroundings.variables(self.folder, engine.keys, confined=confined),
                            guard.MARK: self._mark,
                        },
                        start_new_session=True,
                    )
        except BaseException as error:
            for folder in (self.folder, self._memory):
                shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                what, where = f"{engine.name} cannot be started: {refusal(error)}", error.filename or self.folder.parent
                ours = Path(where).is_relative_to(self.folder.parent)
                raise EnvironmentFault(what, where=str(where), remedy=remedy_of(error, temporary=ours)) from error
            raise
        return compiled

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self._process.pid

    @property
    def inside_cpu_s(self) -> Seconds:
        """CPU seconds of the family while executions were asked for."""
        return self.exchange.inside_cpu_s

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs that the kernel lets one or another of its threads run on; none when it is gone."""
        return processes.cpus(self.family.pids() if self.family else [self.pid])

    @property
    def threads(self) -> int:
        """Threads of all its processes that are alive now."""
        return processes.threads(self.family.pids() if self.family else [self.pid])

    @property
    def priority(self) -> str:
        """How they are scheduled where that is not as they were started, e.g. ``nice -5, started with nice 0``."""
        return priority.changed(self.family.pids() if self.family else [self.pid])

    @property
    def memory(self) -> Bytes | None:
        """Bytes that its control group allows, read back; None without one."""
        return self._group.limit if self._group else None

    def version(self) -> str:
        """The engine's own word on its version."""
        return self.exchange.ask("version", protocol.VersionReply, self._starting_s)[0].engine

    def settings(self, names: Sequence[str] | None = None) -> dict[str, dict[str, protocol.Scalar]]:
        """Settings in force: name -> {value, default}; with names at least these, perhaps without their defaults."""
        only = {} if names is None else {"names": list(names)}
        return self.exchange.ask("settings", protocol.SettingsReply, self._starting_s, **only)[0].values

    def bind(
        self,
        tables: dict[str, list[str]],
        timeout: Seconds | None = None,
        *,
        catalog: tuple[str, dict[str, str]] | None = None,
        store: StoreAccess | None = None,
    ) -> None:
        """Make the tables visible under their names.

        Args:
            tables: their files, by name.
            catalog: table format, and by table where its description is, for a contender that reads through it.
            timeout: seconds that it may take; None: ``BIND_TIMEOUT``.
            store: how the files are reached where they are objects.
        """
        reached = {"store": msgspec.to_builtins(store)} if store else {}
        with self._starting.tables("bind", self.family):
            self.exchange.deeds.given(path for paths in tables.values() for path in paths)
            described = None if catalog is None else {"kind": catalog[0], "locations": catalog[1]}
            limit = timeout or BIND_TIMEOUT
            self.exchange.ask("bind", protocol.Reply, limit, tables=tables, catalog=described, **reached)

    def load(self, tables: dict[str, list[str]], copy: Path, timeout: float) -> None:
        """Make the engine's own copy of the tables in an empty folder."""
        with self._starting.tables("load", self.family):
            self.exchange.ask("load", protocol.Reply, timeout, tables=tables, copy=str(copy))

    def attach(self, copy: Path, tables: list[str], timeout: float = ATTACH_TIMEOUT) -> None:
        """Make the tables of a copy visible."""
        with self._starting.tables("attach", self.family):
            self.exchange.ask("attach", protocol.Reply, timeout, copy=str(copy), tables=tables)

    def begin_ingest(
        self, table: str, paths: list[str], under: Path, timeout: Seconds
    ) -> tuple[protocol.GuaranteeReply, RequestCost]:
        """Make the next execution the loading of a table, into a fresh place.

        Args:
            table: its name.
            paths: its Parquet files.
            under: folder in which this life makes a place of its own, gone when the life is over.
            timeout: seconds that it may take.
        """
        if self._place is None:
            under.mkdir(parents=True, exist_ok=True)
            self._place = scratch.made("weigh-load", under)
            # A server may have to run as another user.
            self._place.chmod(0o755)
        place = self._place / str(next(self._loads))
        place.mkdir()
        return self.exchange.ask(
            "begin_ingest", protocol.GuaranteeReply, timeout, table=table, paths=paths, place=str(place)
        )

    def stored(self, timeout: Seconds) -> tuple[Path, RequestCost]:
        """Have every row of the table that was loaded last written as an Arrow IPC stream: as ``answer``."""
        return self._written("stored", timeout)

    def start_cost(self, contender: str, block: int | None = None, start: int | None = None) -> StartCost:
        """What it cost until its tables were there.

        Args:
            contender: whose it is.
            block: number of the block that it belongs to.
            start: number of the life.
        """
        return self._starting.cost(self.folder / "scratch", contender, block, start)

    def files(self) -> list[str]:
        """Files that hold the data of its tables; none where nobody can tell which they are."""
        return self.exchange.ask("files", protocol.FilesReply, self._starting_s)[0].paths

    def servers(self) -> list[int]:
        """Processes of this machine that work for the engine and were not started by it."""
        return self.declared().pids

    def declared(self) -> protocol.ServersReply:
        """What works for the engine alongside its own process and its queries, as its adapter says."""
        return self.exchange.ask("servers", protocol.ServersReply, self._starting_s)[0]

    def prepare(self, sql: str, timeout: Seconds, *, partial: bool = False) -> RequestCost:
        """Hand over the query that ``run`` executes, of all columns or those that it has; outside the clock."""
        self._sql = sql
        return self.exchange.ask("prepare", protocol.Reply, timeout, sql=sql, partial=partial)[1]

    def release(self, timeout: Seconds) -> RequestCost:
        """Have the previous result freed and garbage collected, outside the clock: what ``run`` needs before it."""
        return self.exchange.ask("release", protocol.Reply, timeout)[1]

    def run(self, timeout: Seconds, released: RequestCost | None = None) -> RunCost:
        """Execute the query under the clock.

        Args:
            timeout: seconds that each request may take.
            released: what ``release`` cost, where it was called after the last run; without it, it is called now.
        """
        before = released or self.release(timeout)
        requests = self.store.take() if self.store else None
        self.counters.begin()
        with self.metered(self._sql) as costs:
            reply, cost = self.exchange.ask("run", protocol.RunReply, timeout)
            costs.append(run_cost(reply, cost, before, self.counters, self.used(requests), self.reported(timeout)))
        return costs[0]

    def reported(self, timeout: Seconds) -> protocol.StatisticsReply | None:
        """What the system itself reports of the last execution; None where its adapter asks nothing."""
        return self.exchange.ask("statistics", protocol.StatisticsReply, timeout)[0] if self._reports else None

    def used(self, before: Requests | None) -> StoreUse | None:
        """What an execution asked of the store that has just ended."""
        inside = self.store.take() if self.store else None
        return StoreUse(inside=inside, before=before) if inside and before else None

    def answer(self, timeout: Seconds) -> tuple[Path, RequestCost]:
        """Have the last result written as an Arrow IPC stream to memory-backed storage.

        Returns:
            The file, which the caller unlinks before the next turn, and what writing it cost.
        """
        return self._written("answer", timeout)

    def _written(self, what: str, timeout: Seconds) -> tuple[Path, RequestCost]:
        self._answers += 1
        path = self._memory / f"{self._answers}.arrow"
        return path, self.exchange.ask(what, protocol.Reply, timeout, path=str(path))[1]

    def close(self) -> None:
        """End the life politely, or not: in the middle of a query, when weigh is interrupted, at once."""
        if self._process.poll() is None and not self.exchange.awaited:
            self._family = processes.family(self._process.pid)
            with suppress(WorkerEnded, OSError):
                self.exchange.ask("close", protocol.CloseReply, self._closing_s)
        self.kill()

    def kill(self) -> None:
        """End the life now, with everything it started, and remove its folders."""
        if self._over:
            return
        self._over = True
        if self._process.poll() is None:
            # While it stands still nothing is started any more, and what it started is still its own.
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self._process.pid, signal.SIGSTOP)
            self._family = processes.family(self._process.pid)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=10)
        left = processes.adopted(f"{guard.MARK}={self._mark}", self._process.pid)
        processes.end([*self._family, *left], _PATIENCE)
        self.exchange.close()
        self.counters.close()
        if self.store:
            self.store.close()
        if self.family:
            self.family.close()
        if self._group:
            self._group.remove()
        for folder in (self.folder, self._memory, *([self._place] if self._place else [])):
            shutil.rmtree(folder, ignore_errors=True)

    def log_tail(self) -> str:
        """The end of what the process printed."""
        with suppress(OSError):
            return (self.folder / "log").read_bytes()[-_LOG_TAIL:].decode(errors="replace").strip()
        return ""

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.kill()

    def obituary(self, what: str) -> WorkerEnded:
        """Why the process is dead, that was to do ``what``."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        code = self._process.poll()
        tail = self.log_tail()
        self.kill()
        ended = died(what, code, tail, out_of_memory=cgroup.oom_kills() > self._oom_kills)
        if self.connections and ended.outcome is Outcome.LOST:
            self.connections.lose()
        return ended
