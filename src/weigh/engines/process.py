"""A life: one fresh process of one contender, from open to close.

The controller never waits without a limit and may kill a life at any moment. A time-out, a crash and running out
of memory are outcomes, not failures of weigh.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from weigh.engines.start_clock import StartClock
from weigh.host import cgroup, family_cpu, processes, scratch
from weigh.model.sample import Outcome
from weigh_worker import protocol

if TYPE_CHECKING:
    from types import TracebackType

    from weigh.engines.engine import Engine
    from weigh.engines.environment import Environment
    from weigh.host.cgroup import Hierarchy
    from weigh.host.family_cpu import FamilyCpu
    from weigh.model.clock_coverage import StartCost
    from weigh.model.contender import Setting
    from weigh.model.resources import Bounds
    from weigh.model.units import Bytes

START_TIMEOUT = 60.0
"""Seconds to import an engine and open it; a cold disk and 800 MB of library need some."""
ATTACH_TIMEOUT = 3600.0
"""Seconds to see the tables of a store; a server may have to copy it first, because no two can share one."""
_LOG_TAIL = 2000

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


class WorkerProcess:
    """The controller's end of one worker.

    Args:
        engine: what is opened.
        environment: where it runs.
        settings: the engine's settings.
        bounds: what it may use.
        groups: where control groups can be made, for a bound of memory.
    """

    def __init__(
        self,
        engine: Engine,
        environment: Environment,
        settings: dict[str, Setting],
        bounds: Bounds | None = None,
        groups: Hierarchy | None = None,
    ) -> None:
        limit = bounds.memory if bounds else None
        self._group: cgroup.Group | None = None
        self.family: FamilyCpu | None = None
        self.inside_cpu_s = 0.0
        """CPU seconds of the family while executions were asked for."""
        self._starting = StartClock()
        self.folder = scratch.folder("life")
        self._memory = scratch.folder("answer", in_memory=True)
        self._answers = 0
        self._channel, theirs = socket.socketpair()
        package = Path(protocol.__file__).parent
        (self.folder / "lib").mkdir()
        # Only the worker package becomes importable, not what happens to be installed beside it.
        (self.folder / "lib" / package.name).symlink_to(package)
        (self.folder / "scratch").mkdir()
        log = (self.folder / "log").open("wb")
        with log, theirs:
            self._process = subprocess.Popen(
                [str(environment.python), "-P", "-m", "weigh_worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs.fileno()],
                cwd=self.folder / "scratch",
                env=_clean_environment(self.folder / "lib"),
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
                self._process.pid, str(self.folder), self._group.folder if self._group and two else None
            )
            self._ask(
                "open",
                protocol.Reply,
                START_TIMEOUT,
                adapter=str(engine.adapter),
                settings=settings,
                scratch=str(self.folder / "scratch"),
                affinity=bounds.affinity if bounds else (),
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

    def _ask(self, what: str, kind: type[_R], timeout: float, **fields: Any) -> _R:
        """One request and its reply.

        Raises:
            WorkerEnded: the engine refused, the process timed out, crashed or ran out of memory, or what it replied
                is no such reply.
        """
        self._send(what, timeout, **fields)
        return self._receive(what, kind, timeout)

    def _send(self, what: str, timeout: float, **fields: Any) -> None:
        """The first half of a request; raises as ``_ask``."""
        try:
            self._channel.settimeout(timeout)
            protocol.send(self._channel, {"do": what, **fields})
        except TimeoutError:
            self.kill()
            raise WorkerEnded(Outcome.TIMEOUT, f"'{what}' was not taken within {timeout:g} s", alive=False) from None
        except (protocol.Disconnected, OSError, ValueError):
            raise self._obituary(what) from None

    def _receive(self, what: str, kind: type[_R], timeout: float) -> _R:
        """The second half of a request; raises as ``_ask``."""
        try:
            self._channel.settimeout(timeout)
            reply = protocol.receive(self._channel)
        except TimeoutError:
            self.kill()
            raise WorkerEnded(Outcome.TIMEOUT, f"no reply to '{what}' within {timeout:g} s", alive=False) from None
        except (protocol.Disconnected, OSError, ValueError):
            raise self._obituary(what) from None
        error = reply.get("error")
        if error:
            refused = _decoded(what, protocol.ErrorReply, error)
            raise WorkerEnded(Outcome(refused.kind), f"{refused.type}: {refused.text}", alive=True)
        return _decoded(what, kind, reply)

    def version(self) -> str:
        """The engine's own word on its version."""
        return self._ask("version", protocol.VersionReply, START_TIMEOUT).engine

    def settings(self) -> dict[str, dict[str, Any]]:
        """Settings in force: name -> {value, default}."""
        return self._ask("settings", protocol.SettingsReply, START_TIMEOUT).values

    def bind(self, tables: dict[str, list[str]], timeout: float = START_TIMEOUT) -> None:
        """Make the tables visible under their names."""
        with self._starting.tables("bind", self.family):
            self._ask("bind", protocol.Reply, timeout, tables=tables)

    def load(self, tables: dict[str, list[str]], store: Path, timeout: float) -> None:
        """Make the engine's own copy of the tables in an empty folder."""
        with self._starting.tables("load", self.family):
            self._ask("load", protocol.Reply, timeout, tables=tables, store=str(store))

    def attach(self, store: Path, tables: list[str], timeout: float = ATTACH_TIMEOUT) -> None:
        """Make the tables of a store visible."""
        with self._starting.tables("attach", self.family):
            self._ask("attach", protocol.Reply, timeout, store=str(store), tables=tables)

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
        return self._ask("files", protocol.FilesReply, START_TIMEOUT).paths

    def servers(self) -> list[int]:
        """Processes of this machine that work for the engine and were not started by it."""
        return self.declared().pids

    def declared(self) -> protocol.ServersReply:
        """What works for the engine beside its own process and its queries, as its adapter says."""
        return self._ask("servers", protocol.ServersReply, START_TIMEOUT)

    def prepare(self, sql: str, timeout: float) -> protocol.PrepareReply:
        """Hand over the query that ``run`` executes."""
        return self._ask("prepare", protocol.PrepareReply, timeout, sql=sql)

    def run(self, timeout: float) -> protocol.RunReply:
        """Execute the query under the clock."""
        self.begin_run()
        return self.end_run(timeout)

    def begin_run(self) -> None:
        """Have it begin to execute the query; ``end_run`` waits for it. So two workers execute at the same moment."""
        if self.family:
            self.inside_cpu_s -= self.family.seconds()
        self._send("run", START_TIMEOUT)

    def end_run(self, timeout: float) -> protocol.RunReply:
        """What the execution cost that ``begin_run`` began."""
        try:
            return self._receive("run", protocol.RunReply, timeout)
        finally:
            if self.family:
                self.inside_cpu_s += self.family.seconds()

    def answer(self, timeout: float) -> tuple[Path, protocol.AnswerReply]:
        """Have the last result written as an Arrow IPC stream to memory-backed storage.

        Returns:
            The file, which the caller unlinks before the next turn, and what writing it cost.
        """
        self._answers += 1
        path = self._memory / f"{self._answers}.arrow"
        return path, self._ask("answer", protocol.AnswerReply, timeout, path=str(path))

    def close(self) -> None:
        """End the life politely, or not."""
        if self._process.poll() is None:
            with suppress(WorkerEnded, OSError):
                self._ask("close", protocol.CloseReply, 5.0)
        self.kill()

    def kill(self) -> None:
        """End the life now, with everything it started, and remove its folders."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)
        self._channel.close()
        if self.family:
            self.family.close()
        if self._group:
            self._group.remove()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self._memory, ignore_errors=True)

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


def _decoded(what: str, kind: type[_R], reply: object) -> _R:
    """A reply as its class. The worker runs in an environment of its own, and adapters are plug-ins."""
    known = {field.name for field in dataclasses.fields(kind)}
    if isinstance(reply, Mapping) and (surplus := reply.keys() - known):
        problem = f"it has fields that nobody asked for: {', '.join(sorted(surplus))}"
    else:
        try:
            return msgspec.convert(reply, kind)
        except msgspec.ValidationError as error:
            problem = str(error)
    raise WorkerEnded(Outcome.ERROR, f"the worker's reply to '{what}' is malformed: {problem}", alive=True)


def _clean_environment(lib: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return {**kept, "PYTHONPATH": str(lib), "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC"}


def _oom_kills() -> int:
    with suppress(OSError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
