"""A life: one fresh process of one contender, from open to close.

The controller never waits without a limit and may kill a life at any moment. A time-out, a crash and running out
of memory are outcomes, not failures of weigh.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.host import cgroup, scratch
from weigh.model.sample import Outcome
from weigh_worker import protocol

if TYPE_CHECKING:
    from types import TracebackType

    from weigh.engines.engine import Engine
    from weigh.engines.environment import Environment
    from weigh.host.cgroup import Hierarchy
    from weigh.model.contender import Setting
    from weigh.model.resources import Bounds
    from weigh.model.units import Bytes

START_TIMEOUT = 60.0
"""Seconds to import an engine and open it; a cold disk and 800 MB of library need some."""
ATTACH_TIMEOUT = 3600.0
"""Seconds to see the tables of a store; a server may have to copy it first, because no two can share one."""
_LOG_TAIL = 2000


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
            self.ask(
                "open",
                START_TIMEOUT,
                adapter=str(engine.adapter),
                settings=settings,
                scratch=str(self.folder / "scratch"),
                affinity=bounds.affinity if bounds else (),
            )
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self._process.pid

    @property
    def cpus(self) -> tuple[int, ...]:
        """CPUs that the kernel lets it run on; none when it is gone."""
        with suppress(OSError):
            return tuple(sorted(os.sched_getaffinity(self.pid)))
        return ()

    @property
    def memory(self) -> Bytes | None:
        """Bytes that its control group allows, read back; None without one."""
        return self._group.limit if self._group else None

    def ask(self, what: str, timeout: float, **fields: Any) -> dict[str, Any]:
        """One request and its reply.

        Raises:
            LifeEnded: the engine refused, or the process timed out, crashed or ran out of memory.
        """
        self._channel.settimeout(timeout)
        try:
            protocol.send(self._channel, {"do": what, **fields})
            reply = protocol.receive(self._channel)
        except TimeoutError:
            self.kill()
            raise WorkerEnded(Outcome.TIMEOUT, f"no reply to '{what}' within {timeout:g} s", alive=False) from None
        except (protocol.Disconnected, OSError, ValueError):
            raise self._obituary(what) from None
        error = reply.get("error")
        if error:
            outcome = Outcome(error["kind"])
            raise WorkerEnded(outcome, f"{error['type']}: {error['text']}", alive=True)
        return reply

    def version(self) -> str:
        """The engine's own word on its version."""
        return str(self.ask("version", START_TIMEOUT)["engine"])

    def settings(self) -> dict[str, dict[str, Any]]:
        """Settings in force: name -> {value, default}."""
        values: dict[str, dict[str, Any]] = self.ask("settings", START_TIMEOUT)["values"]
        return values

    def bind(self, tables: dict[str, list[str]], timeout: float = START_TIMEOUT) -> None:
        """Make the tables visible under their names."""
        self.ask("bind", timeout, tables=tables)

    def attach(self, store: Path, tables: list[str], timeout: float = ATTACH_TIMEOUT) -> None:
        """Make the tables of a store visible."""
        self.ask("attach", timeout, store=str(store), tables=tables)

    def files(self) -> list[str]:
        """Files that hold the data of its tables; none where nobody can tell which they are."""
        return [str(path) for path in self.ask("files", START_TIMEOUT)["paths"]]

    def servers(self) -> list[int]:
        """Processes of this machine that work for the engine and were not started by it."""
        return [int(pid) for pid in self.ask("servers", START_TIMEOUT)["pids"]]

    def answer(self, timeout: float) -> tuple[Path, dict[str, Any]]:
        """Have the last result written as an Arrow IPC stream to memory-backed storage.

        Returns:
            The file, which the caller unlinks before the next turn, and what writing it cost.
        """
        self._answers += 1
        path = self._memory / f"{self._answers}.arrow"
        return path, self.ask("answer", timeout, path=str(path))

    def close(self) -> None:
        """End the life politely, or not."""
        if self._process.poll() is None:
            with suppress(WorkerEnded, OSError):
                self.ask("close", 5.0)
        self.kill()

    def kill(self) -> None:
        """End the life now, with everything it started, and remove its folders."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)
        self._channel.close()
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


def _clean_environment(lib: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return {**kept, "PYTHONPATH": str(lib), "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC"}


def _oom_kills() -> int:
    with suppress(OSError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
