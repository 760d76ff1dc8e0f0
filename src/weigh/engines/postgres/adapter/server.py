"""A server: one postmaster over one data directory, that ends when this process ends, however it ends."""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .os_user import OsUser

_PR_SET_PDEATHSIG = 1
_START_LIMIT = 50.0
_STOP_LIMIT = 4.0
_QUIT_LIMIT = 10.0
"""Seconds of an immediate shutdown: what did not end the postmaster kills after five (``SIGKILL_CHILDREN_AFTER_SECS``),
and then it gives its shared memory back, which nobody does for a postmaster that was killed itself."""
_POLL = 0.01
_USER = "weigh"
_MESSAGE = re.compile(r"(?:FATAL|PANIC|ERROR|HINT|DETAIL):\s+(.*)")
_SIGNAL = re.compile(r"was terminated by signal (\d+)")
_LOG_TAIL = 2000
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
"""What the programs see: no PGDATA or PGOPTIONS of the user's."""

CLUSTER = (f"--username={_USER}", "--auth=trust", "--encoding=UTF8", "--no-sync")
"""How initdb makes a data directory. Who may connect is decided by its permissions: the socket lies inside."""
_BUILT_IN = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
"""Text is compared by bytes, as the other engines do; what is a letter is decided by Unicode."""
_BY_LIBC = ("--locale-provider=libc", "--locale=C.UTF-8")
"""The same before PostgreSQL 17, where the C library has it."""
_SETTINGS = {"timezone": "UTC", "log_timezone": "UTC"}
_VERSION = re.compile(r"\b(\d+)(?:\.|\b)")


class Failed(RuntimeError):
    """As of ``weigh_worker``, which is not there where a load has this module."""


def hold(folder: Path) -> int:
    """Have a scratch folder stay while one process holds the descriptor: who sweeps leaves a locked one alone.

    Raises:
        OSError: it is gone already.
    """
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    # Not every network file system locks folders.
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def initialise(programs: Path, data: Path, account: OsUser | None, swept: Path) -> None:
    """Make an empty data directory.

    Args:
        programs: folder of ``initdb``.
        data: the directory.
        account: whom it runs as; None for the user of this process.
        swept: the folder around it that others remove when weigh was killed. It stays while initdb, or the server that
            initdb fills, is there: one that loses its data aborts, and its shared memory stays for good.

    Raises:
        Failed: initdb failed.
    """
    lock = hold(swept)
    try:
        data.mkdir()
        if account:
            account.give(data)
        locale = _BUILT_IN if _major(programs) >= 17 else _BY_LIBC
        _program(programs / "initdb", [f"--pgdata={data}", *CLUSTER, *locale], account, lock)
        # The last value of a name counts; initdb has no --set before PostgreSQL 16.
        with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in _SETTINGS.items())
    finally:
        os.close(lock)


def write_back(programs: Path, data: Path, account: OsUser | None) -> None:
    """Have a data directory on its device: a crash cannot damage it, and nothing is written during a measurement."""
    # The whole file system at once: a thousand files one by one take seconds.
    method = ["--sync-method=syncfs"] if _major(programs) >= 17 else []
    _program(programs / "initdb", [f"--pgdata={data}", "--sync-only", *method], account)


class Server:
    """A running server.

    Nothing listens on the network. The socket lies in the data directory, which only the server's user and root can
    enter, and is named to it as ``.``: a socket's path must not be longer than 107 bytes, a cache's may be.

    Args:
        programs: folder of ``postgres``.
        data: its data directory, which no other server uses.
        options: settings.
        log: where it writes what it has to say.
        account: whom it runs as; None for the user of this process.
        lock: descriptor that every process of the server is to hold open.
        environment: variables that it sees alongside the usual ones.

    Raises:
        Failed: it did not start; the text says why in its own words.
    """

    def __init__(
        self,
        programs: Path,
        data: Path,
        options: Mapping[str, str],
        log: Path,
        account: OsUser | None,
        lock: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._log = log
        # What a killed server left behind; its process id may be somebody else's by now.
        for left in (data / "postmaster.pid", *data.glob(".s.PGSQL.*")):
            left.unlink(missing_ok=True)
        ours = {**options, "listen_addresses": "", "unix_socket_directories": "."}
        with log.open("ab") as output:
            # In a session of its own: a kill of this process's group must not kill the postmaster before it can end its
            # children, who compute on to the end of their query otherwise.
            self._process = subprocess.Popen(
                [
                    str(programs / "postgres"),
                    "-D",
                    str(data),
                    *(word for name, value in ours.items() for word in ("-c", f"{name}={value}")),
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={**_ENVIRONMENT, **(environment or {})},
                pass_fds=() if lock is None else (lock,),
                start_new_session=True,
                preexec_fn=_ended_with_us(signal.SIGQUIT),  # noqa: PLW1509 # no thread of Python's is there to hold a lock
                **_as(account),
            )
        self._folder = os.open(data, os.O_PATH | os.O_DIRECTORY)
        try:
            self.connection = self._connect()
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """Process id of the postmaster."""
        return self._process.pid

    def connect(self) -> psycopg.Connection[Any]:
        """A connection to it.

        Raises:
            psycopg.OperationalError: it takes none.
        """
        return psycopg.connect(
            host=f"/proc/self/fd/{self._folder}",
            port=5432,
            user=_USER,
            dbname="postgres",
            client_encoding="UTF8",
            autocommit=True,
            prepare_threshold=None,
        )

    def _connect(self) -> psycopg.Connection[Any]:
        """The first connection, as soon as the server takes one."""
        until = time.monotonic() + _START_LIMIT
        while True:
            try:
                return self.connect()
            except psycopg.OperationalError as error:
                if self._process.poll() is not None:
                    raise Failed(f"PostgreSQL does not start: {self._complaint()}") from None
                if time.monotonic() > until:
                    raise Failed(f"PostgreSQL does not take a connection: {error}") from None
                time.sleep(_POLL)

    def stop(self, patience: float = _STOP_LIMIT) -> None:
        """End it, in order if that takes no longer than so many seconds; at once with 0, for data that nobody needs."""
        if hasattr(self, "connection"):
            self.connection.close()
        ways = (signal.SIGINT, patience), (signal.SIGQUIT, _QUIT_LIMIT), (signal.SIGKILL, _STOP_LIMIT)
        for how, limit in ways[not patience :]:
            with suppress(ProcessLookupError):
                self._process.send_signal(how)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=limit)
                break
        os.close(self._folder)

    def crash(self) -> None:
        """Kill every process of it at once: what the kernel was given is kept, and what they had in memory is gone.

        Each has a session of its own, so no signal to a group reaches them all.

        Raises:
            Failed: one of them is there still after some seconds.
        """
        # It must begin no other process meanwhile.
        self._process.send_signal(signal.SIGSTOP)
        doomed = _children(self._process.pid)
        for pid in doomed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self.connection.close()
        os.close(self._folder)
        until = time.monotonic() + _STOP_LIMIT
        while any(_lives(pid) for pid in doomed):
            if time.monotonic() > until:
                raise Failed("a process of the server did not end when it was killed")
            time.sleep(_POLL / 10)

    def bury(self) -> None:
        """The connection is lost: end this process as the server's ended, with its last words in the log.

        Does not return. weigh sees a crash, or the kernel's hand when memory ran out, and begins another life.
        """
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.5)
        tail = self._log.read_bytes()[-_LOG_TAIL:].decode(errors="replace")
        sys.stderr.write(tail)
        sys.stderr.flush()
        killed = _SIGNAL.findall(tail)
        if killed:
            os.kill(os.getpid(), int(killed[-1]))
        os._exit(1)

    def _complaint(self) -> str:
        return "; ".join(_MESSAGE.findall(self._log.read_text(errors="replace"))) or f"see {self._log}"


def _ended_with_us(how: signal.Signals) -> Callable[[], None]:
    """For the child before it becomes a program: the kernel is to send it a signal when this process is gone.

    For a server SIGQUIT, PostgreSQL's immediate shutdown: it ends every process of the server, even one in the middle
    of a query, and gives its shared memory back.
    """
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def promise() -> None:
        prctl(_PR_SET_PDEATHSIG, how)
        if os.getppid() != parent:
            os._exit(1)

    return promise


def _children(parent: int) -> list[int]:
    """The processes that a process has begun."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        # Behind the name, which may hold anything: the state, and the parent (proc(5)).
        with suppress(OSError, ValueError, IndexError):
            if int((place / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(place.name))
    return found


def _lives(pid: int) -> bool:
    """Whether a process still has its memory: one that nobody has waited for has none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def _as(account: OsUser | None) -> dict[str, Any]:
    return {"user": account.uid, "group": account.gid, "extra_groups": []} if account else {}


def _major(programs: Path) -> int:
    """The major version, by ``postgres --version``; 0 where that says nothing."""
    command = [str(programs / "postgres"), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_ENVIRONMENT)
    found = _VERSION.search(done.stdout)
    return int(found[1]) if found else 0


def _program(program: Path, arguments: list[str], account: OsUser | None, lock: int | None = None) -> None:
    # Killed with this process, and alone in its session: the server that initdb fills ends in order at the end of its
    # input. Any signal ends that one without order (bootstrap.c, bootstrap_signals), and its shared memory stays.
    done = subprocess.run(
        [str(program), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        cwd="/",
        env=_ENVIRONMENT,
        umask=0o077,
        check=False,
        pass_fds=() if lock is None else (lock,),
        start_new_session=True,
        preexec_fn=_ended_with_us(signal.SIGKILL),  # as above
        **_as(account),
    )
    if done.returncode:
        raise Failed(f"{program.name} failed: {' '.join((done.stderr or done.stdout).split())[-1000:]}")


def copy(data: Path, to: Path) -> None:
    """Copy a data directory that no server uses; where the file system can share blocks, nothing is copied.

    Raises:
        Failed: it cannot be copied, e.g. because the disk is full.
    """
    done = subprocess.run(
        ["cp", "-a", "--reflink=auto", str(data), str(to)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        shutil.rmtree(to, ignore_errors=True)
        raise Failed(f"{data} cannot be copied: {' '.join(done.stderr.split())[:500]}")
