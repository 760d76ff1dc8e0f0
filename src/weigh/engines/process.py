"""A life: one fresh process of one contender, from open to close.

The controller never waits without a limit and may kill a life at any moment. A time-out, a crash and running out
of memory are outcomes, not failures of weigh.
"""

from __future__ import annotations

import itertools
import os
import selectors
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from weigh.engines import replies
from weigh.engines.start_clock import StartClock
from weigh.host import cgroup, family_cpu, process_counters, processes, scratch
from weigh.host.hidden import hiding
from weigh.model.sample import Outcome
from weigh.model.store import StoreUse
from weigh_worker import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from weigh.engines.engine import Engine
    from weigh.engines.environment import Environment
    from weigh.host.cgroup import Hierarchy
    from weigh.host.family_cpu import FamilyCpu
    from weigh.model.clock_coverage import StartCost
    from weigh.model.contender import Setting
    from weigh.model.resources import Bounds
    from weigh.model.store import Requests, StoreAccess
    from weigh.model.units import Bytes, Rows, Seconds

START_TIMEOUT = 60.0
"""Seconds to import an engine and open it; a cold disk and 800 MB of library need some."""
BIND_TIMEOUT = 60.0
"""Seconds to see tables that are files: of them an engine reads little more than the headers."""
ATTACH_TIMEOUT = 3600.0
"""Seconds to see the tables of a store; a server may have to copy it first, because no two can share one."""
_LOG_TAIL = 2000
_PATIENCE = 1.0
"""Seconds in which what a worker started may put things in order after its end, as a server does."""
_MARK = "WEIGH_LIFE"
"""Environment variable by which what a worker started is known, also when it has detached itself."""
_NUMBERS = itertools.count(1)


class StoreLife(Protocol):
    """What counts the requests of one life at a store."""

    def take(self) -> Requests | None:
        """What was asked for since this was last asked; None where nobody counts any more."""

    def close(self) -> None:
        """Nothing is answered any more."""


_R = TypeVar("_R", bound=protocol.Reply)


class WorkerEnded(Exception):
    """The life is over or the request failed.

    Attributes:
        outcome: what happened.
        detail: what the engine or the kernel said.
        alive: whether the life can go on with the next request.
    """

    def __init__(self, outcome: Outcome, detail: str, *, alive: bool) -> None:
        super().__init__(f"{outcome}: {detail}")
        self.outcome = outcome
        self.detail = detail
        self.alive = alive


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCost:
    """What one request cost, by weigh's own clocks: the worker has no say in it.

    Attributes:
        seconds: from sending it to having the whole reply.
        cpu_s: CPU seconds that the worker's process was charged meanwhile; None where it is gone.
    """

    seconds: Seconds
    cpu_s: Seconds | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCost:
    """What one execution cost. What the kernel does not tell is None, never 0.

    Attributes:
        wall_s: seconds inside the worker's clock.
        rows: of the result.
        cpu_s: user and system CPU seconds of all threads inside the clock.
        peak_memory: largest resident bytes since just before the execution.
        bytes_read: from storage devices.
        bytes_written: that must go to one, such as what is spilled.
        major_faults: page faults that needed a device.
        round_trip: of the request that executed, and did nothing else: the bound of wall and CPU seconds.
        release: of the request before it, which freed the previous result and collected garbage.
        store: what was asked of a store; None of a life whose tables are files.
    """

    wall_s: Seconds
    rows: Rows
    cpu_s: Seconds | None
    peak_memory: Bytes | None
    bytes_read: Bytes | None
    bytes_written: Bytes | None
    major_faults: int | None
    round_trip: RequestCost
    release: RequestCost
    store: StoreUse | None = None


@dataclass(slots=True)
class _Asked:
    """A request that is on its way."""

    what: str
    timeout: Seconds
    until: Seconds
    began_ns: int
    cpu_s: Seconds | None
    family_s: Seconds = 0.0


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
    ) -> None:
        limit = bounds.memory if bounds else None
        self._group: cgroup.Group | None = None
        self.family: FamilyCpu | None = None
        self.store: StoreLife | None = None
        """How it is known at the store of its tables; closed with it."""
        self.inside_cpu_s = 0.0
        """CPU seconds of the family while executions were asked for."""
        self._starting = StartClock()
        self.folder = scratch.folder("life")
        self._memory = scratch.folder("answer", in_memory=True)
        self._answers = 0
        self._place: Path | None = None
        self._loads = itertools.count(1)
        self._channel, theirs = socket.socketpair()
        package = Path(protocol.__file__).parent
        (self.folder / "lib").mkdir()
        # Only the worker package becomes importable, not what happens to be installed beside it.
        (self.folder / "lib" / package.name).symlink_to(package)
        (self.folder / "scratch").mkdir()
        self._mark = f"{os.getpid()}-{next(_NUMBERS)}-{time.monotonic_ns()}"
        self._family: list[processes.Process] = []
        self._over = False
        processes.adopt()
        log = (self.folder / "log").open("wb")
        with log, theirs:
            self._process = subprocess.Popen(
                hiding(hidden, [str(environment.python), "-P", "-m", "weigh_worker", str(theirs.fileno())]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs.fileno()],
                cwd=self.folder / "scratch",
                env=_clean_environment(self.folder / "lib", self._mark),
                start_new_session=True,
            )
        self._oom_kills = _oom_kills()
        try:
            if groups is not None and limit is not None:
                self._group = cgroup.Group(groups, limit)
                # Before it is told what to open: a thread pool or a server that it starts is in the group too.
                self._group.add(self._process.pid)
            two = groups is not None and groups.version == 2
            self.family = family_cpu.account(
                self.pid, f"{_MARK}={self._mark}", self._group.folder if self._group and two else None
            )
            self._ask(
                "open",
                protocol.Reply,
                START_TIMEOUT,
                adapter=str(engine.adapter),
                settings=settings,
                scratch=str(self.folder / "scratch"),
                affinity=bounds.affinity if bounds else (),
                ingests=ingests,
            )
        except BaseException:
            self.kill()
            raise
        self._starting.opened()

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self._process.pid

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs that the kernel lets one or another of its threads run on; none when it is gone."""
        return processes.cpus(self.family.pids() if self.family else [self.pid])

    @property
    def threads(self) -> int:
        """Threads of all its processes that are alive now."""
        return processes.threads(self.family.pids() if self.family else [self.pid])

    @property
    def memory(self) -> Bytes | None:
        """Bytes that its control group allows, read back; None without one."""
        return self._group.limit if self._group else None

    def _ask(self, what: str, kind: type[_R], timeout: Seconds, **fields: Any) -> tuple[_R, RequestCost]:
        """One request, its reply, and what it cost.

        Raises:
            WorkerEnded: the engine refused, the process timed out, crashed or ran out of memory, or what it replied
                is no such reply.
        """
        asked = self._send(what, timeout, **fields)
        try:
            body = protocol.receive(self._channel, asked.until)
        except (TimeoutError, protocol.Disconnected, protocol.Malformed, OSError) as error:
            raise self._ended(asked, error) from None
        return self._replied(asked, kind, body, time.perf_counter_ns())

    def _send(self, what: str, timeout: Seconds, **fields: Any) -> _Asked:
        """The first half of a request; raises as ``_ask``."""
        asked = _Asked(what, timeout, time.monotonic() + timeout, 0, None)
        try:
            self._channel.settimeout(0)
            with suppress(BlockingIOError):
                # Whoever replies before being asked did not do then what it replies to.
                if self._channel.recv(1, socket.MSG_PEEK):
                    raise protocol.Malformed("it came before it was asked for")
            asked.family_s = self.family.seconds() if self.family else 0.0
            asked.cpu_s = process_counters.cpu_seconds(self.pid)
            asked.began_ns = time.perf_counter_ns()
            protocol.send(self._channel, {"do": what, **fields}, asked.until)
        except (TimeoutError, protocol.Disconnected, protocol.Malformed, OSError) as error:
            raise self._ended(asked, error) from None
        return asked

    def _replied(self, asked: _Asked, kind: type[_R], body: bytes, ended_ns: int) -> tuple[_R, RequestCost]:
        """The second half of a request, when its reply is there; raises as ``_ask``."""
        cpu_s = process_counters.cpu_seconds(self.pid)
        if asked.what == "run" and self.family:
            self.inside_cpu_s += self.family.seconds() - asked.family_s
        cost = RequestCost(
            seconds=(ended_ns - asked.began_ns) / 1e9,
            cpu_s=None if cpu_s is None or asked.cpu_s is None else cpu_s - asked.cpu_s,
        )
        try:
            return replies.read(body, kind, asked.timeout), cost
        except replies.Refused as refused:
            raise WorkerEnded(Outcome(refused.kind), str(refused), alive=True) from None
        except replies.BadReply as bad:
            if not bad.in_step:
                self.kill()
            raise WorkerEnded(Outcome.ERROR, _malformed(asked.what, bad), alive=bad.in_step) from None

    def _ended(self, asked: _Asked, error: Exception) -> WorkerEnded:
        """Why there is no reply; the life is over."""
        if isinstance(error, TimeoutError):
            self.kill()
            return WorkerEnded(
                Outcome.TIMEOUT, f"no whole reply to '{asked.what}' within {asked.timeout:g} s", alive=False
            )
        if isinstance(error, protocol.Malformed):
            self.kill()
            return WorkerEnded(Outcome.ERROR, _malformed(asked.what, error), alive=False)
        return self._obituary(asked.what)

    def version(self) -> str:
        """The engine's own word on its version."""
        return self._ask("version", protocol.VersionReply, START_TIMEOUT)[0].engine

    def settings(self) -> dict[str, dict[str, protocol.Scalar]]:
        """Settings in force: name -> {value, default}."""
        return self._ask("settings", protocol.SettingsReply, START_TIMEOUT)[0].values

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
            described = None if catalog is None else {"kind": catalog[0], "locations": catalog[1]}
            self._ask("bind", protocol.Reply, timeout or BIND_TIMEOUT, tables=tables, catalog=described, **reached)

    def load(self, tables: dict[str, list[str]], store: Path, timeout: float) -> None:
        """Make the engine's own copy of the tables in an empty folder."""
        with self._starting.tables("load", self.family):
            self._ask("load", protocol.Reply, timeout, tables=tables, store=str(store))

    def attach(self, store: Path, tables: list[str], timeout: float = ATTACH_TIMEOUT) -> None:
        """Make the tables of a store visible."""
        with self._starting.tables("attach", self.family):
            self._ask("attach", protocol.Reply, timeout, store=str(store), tables=tables)

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
        return self._ask("begin_ingest", protocol.GuaranteeReply, timeout, table=table, paths=paths, place=str(place))

    def stored(self, timeout: Seconds) -> tuple[Path, RequestCost]:
        """Have every row of the table that was loaded last written as an Arrow IPC stream: as ``answer``."""
        self._answers += 1
        path = self._memory / f"{self._answers}.arrow"
        return path, self._ask("stored", protocol.Reply, timeout, path=str(path))[1]

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
        return self._ask("files", protocol.FilesReply, START_TIMEOUT)[0].paths

    def servers(self) -> list[int]:
        """Processes of this machine that work for the engine and were not started by it."""
        return self.declared().pids

    def declared(self) -> protocol.ServersReply:
        """What works for the engine beside its own process and its queries, as its adapter says."""
        return self._ask("servers", protocol.ServersReply, START_TIMEOUT)[0]

    def prepare(self, sql: str, timeout: Seconds) -> RequestCost:
        """Hand over the query that ``run`` executes; what that cost lies outside the clock."""
        return self._ask("prepare", protocol.Reply, timeout, sql=sql)[1]

    def release(self, timeout: Seconds) -> RequestCost:
        """Have the previous result freed and garbage collected, outside the clock: what ``run`` needs before it."""
        return self._ask("release", protocol.Reply, timeout)[1]

    def run(self, timeout: Seconds, released: RequestCost | None = None) -> RunCost:
        """Execute the query under the clock.

        Args:
            timeout: seconds that each request may take.
            released: what ``release`` cost, where it was called after the last run; without it, it is called now.
        """
        before = released or self.release(timeout)
        asked = self.store.take() if self.store else None
        counters = process_counters.Counters(self.pid)
        reply, cost = self._ask("run", protocol.RunReply, timeout)
        return _run_cost(reply, cost, before, counters, self._used(asked))

    def _used(self, before: Requests | None) -> StoreUse | None:
        """What an execution asked of the store that has just ended."""
        inside = self.store.take() if self.store else None
        return StoreUse(inside=inside, before=before) if inside and before else None

    def answer(self, timeout: Seconds) -> tuple[Path, RequestCost]:
        """Have the last result written as an Arrow IPC stream to memory-backed storage.

        Returns:
            The file, which the caller unlinks before the next turn, and what writing it cost.
        """
        self._answers += 1
        path = self._memory / f"{self._answers}.arrow"
        return path, self._ask("answer", protocol.Reply, timeout, path=str(path))[1]

    def close(self) -> None:
        """End the life politely, or not."""
        if self._process.poll() is None:
            self._family = processes.family(self._process.pid)
            with suppress(WorkerEnded, OSError):
                self._ask("close", protocol.CloseReply, 5.0)
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
        mark = f"{_MARK}={self._mark}"
        processes.end([*self._family, *processes.adopted(mark, self._process.pid)], _PATIENCE)
        self._channel.close()
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

    def _obituary(self, what: str) -> WorkerEnded:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        code = self._process.poll()
        tail = self.log_tail()
        self.kill()
        said = f"; it printed: {tail}" if tail else ""
        if code == -signal.SIGKILL and _oom_kills() > self._oom_kills:
            return WorkerEnded(Outcome.OUT_OF_MEMORY, f"ended by the kernel during '{what}'{said}", alive=False)
        how = f"signal {signal.Signals(-code).name}" if code and code < 0 else f"exit code {code}"
        return WorkerEnded(Outcome.CRASH, f"the process ended during '{what}' with {how}{said}", alive=False)


def run_together(workers: Sequence[WorkerProcess], timeout: Seconds) -> list[RunCost | WorkerEnded]:
    """Have several workers execute at the same moment; each of the round trips ends when its own reply is there.

    Args:
        workers: that were handed a query each.
        timeout: seconds that each request may take.

    Returns:
        What each one's execution cost, or why it has none; in the order of the workers.
    """
    found: dict[int, RunCost | WorkerEnded] = {}
    before: dict[int, tuple[RequestCost, process_counters.Counters]] = {}
    asked_before: dict[int, Requests | None] = {}
    asked: dict[int, _Asked] = {}
    arrived: dict[int, tuple[bytes, int]] = {}
    for place, worker in enumerate(workers):
        try:
            before[place] = worker.release(timeout), process_counters.Counters(worker.pid)
            asked_before[place] = worker.store.take() if worker.store else None
        except WorkerEnded as ended:
            found[place] = ended
    if found:
        # Alone it would answer another question.
        alone = WorkerEnded(Outcome.ERROR, "the other side of the duet did not get as far", alive=True)
        return [found.get(place, alone) for place in range(len(workers))]
    with selectors.DefaultSelector() as waiting:
        for place, worker in enumerate(workers):
            try:
                asked[place] = worker._send("run", timeout)
            except WorkerEnded as ended:
                found[place] = ended
                continue
            worker._channel.settimeout(0)
            waiting.register(worker._channel, selectors.EVENT_READ, (place, protocol.Incoming()))
        while waiting.get_map():
            until = min(asked[key.data[0]].until for key in waiting.get_map().values())
            ready = waiting.select(max(0.0, until - time.monotonic()))
            now = time.perf_counter_ns()
            late = [] if ready else [key for key in waiting.get_map().values() if asked[key.data[0]].until <= until]
            for key in late:
                place, _ = key.data
                waiting.unregister(key.fileobj)
                found[place] = workers[place]._ended(asked[place], TimeoutError())
            for key, _ in ready:
                place, incoming = key.data
                try:
                    body = incoming.take(workers[place]._channel)
                except BlockingIOError:
                    continue
                except (protocol.Disconnected, protocol.Malformed, OSError) as error:
                    waiting.unregister(key.fileobj)
                    found[place] = workers[place]._ended(asked[place], error)
                    continue
                if body is not None:
                    waiting.unregister(key.fileobj)
                    arrived[place] = body, now
    for place, (body, ended_ns) in arrived.items():
        try:
            reply, cost = workers[place]._replied(asked[place], protocol.RunReply, body, ended_ns)
            found[place] = _run_cost(reply, cost, *before[place], workers[place]._used(asked_before[place]))
        except WorkerEnded as ended:
            found[place] = ended
    return [found[place] for place in range(len(workers))]


def _run_cost(
    reply: protocol.RunReply,
    round_trip: RequestCost,
    release: RequestCost,
    counters: process_counters.Counters,
    store: StoreUse | None,
) -> RunCost:
    # What is done by other processes is not in the counters of this one.
    spent = process_counters.Spent(None, None, None, None) if reply.cpu_s is None else counters.spent()
    return RunCost(
        wall_s=reply.wall_s,
        rows=reply.rows,
        cpu_s=reply.cpu_s,
        **spent._asdict(),
        round_trip=round_trip,
        release=release,
        store=store,
    )


def _malformed(what: str, problem: Exception) -> str:
    return f"the worker's reply to '{what}' is malformed: {problem}"


def _clean_environment(lib: Path, mark: str) -> dict[str, str]:
    # Nor anybody's keys: an engine has those that were made up for it.
    foreign = ("PYTHON", "VIRTUAL_ENV", "AWS_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    return {**kept, "PYTHONPATH": str(lib), "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC", _MARK: mark}


def _oom_kills() -> int:
    with suppress(OSError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
