"""Where a throw-away server lives, and its process: a folder on a disk, of an unprivileged user, gone when weigh is."""

from __future__ import annotations

import ctypes
import errno
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.host import scratch
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_IN_MEMORY = ("tmpfs", "ramfs")
_PR_SET_PDEATHSIG = 1
_WITHIN: ContextVar[tuple[Path | None, Mapping[str, str]]] = ContextVar("_WITHIN", default=(None, {}))
"""Place and environment of the servers that are started here."""


@contextmanager
def within(place: Path | None, environment: Mapping[str, str]) -> Iterator[None]:
    """Servers that this thread starts have their folders in a place, and these variables besides, while the body runs.

    Args:
        place: of the folders; None for the usual one.
        environment: variables.
    """
    before = _WITHIN.set((place, environment))
    try:
        yield
    finally:
        _WITHIN.reset(before)


def environment() -> Mapping[str, str]:
    """Variables that a server is started with, alongside the usual ones."""
    return _WITHIN.get()[1]


def folder() -> Path:
    """A new empty folder, named by this process, so that another weigh removes it if this one is killed.

    Raises:
        EnvironmentFault: it cannot be made.
    """
    scratch.sweep()
    where = place()
    try:
        if _WITHIN.get()[0] is not None:
            # What lies around it is removed as a whole; the path of a socket has room for 107 bytes.
            return Path(tempfile.mkdtemp(prefix="s-", dir=where))
        return scratch.folder("load", place=where)
    except OSError as error:
        raise EnvironmentFault(
            f"no room for a server: {error.strerror}", where=str(where), remedy="free space there"
        ) from error


def swept(made: Path) -> Path:
    """What is removed as a whole around a folder that :func:`folder` made: who is at work in it holds that."""
    # A file system of its own cannot be unmounted while somebody has a folder of it open.
    return made if _WITHIN.get()[0] is None else made.parent.parent


def place() -> Path:
    """Where such folders are made: on a disk where /tmp may be memory.

    A server that cannot lose power has nothing to be durable against.
    """
    if (chosen := _WITHIN.get()[0]) is not None:
        return chosen
    return scratch.USUAL if os.access(scratch.USUAL, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def copy(data: Path, to: Path) -> None:
    """Copy a file or folder that no server uses; where the file system can share blocks, nothing is copied.

    Raises:
        EnvironmentFault: it cannot be copied, e.g. because the disk is full.
    """
    done = subprocess.run(
        ["cp", "-a", "--reflink=auto", str(data), str(to)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        shutil.rmtree(to, ignore_errors=True)
        raise EnvironmentFault(
            f"the server's data cannot be copied: {' '.join(done.stderr.split())[:500]}",
            where=str(to.parent),
            remedy="free space there; with --repeats 1 nothing is copied",
        )


def in_memory(path: Path) -> bool:
    """Whether a path lies on a file system that a loss of power empties."""
    best, kind = "", ""
    with suppress(OSError):
        for line in Path("/proc/mounts").read_text().splitlines():
            where, what = line.split()[1:3]
            inside = where == "/" or str(path) == where or str(path).startswith(where + "/")
            if inside and len(where) >= len(best):
                best, kind = where, what
    return kind in _IN_MEMORY


def account() -> tuple[int, int] | None:
    """User and group that a server is to run as; None where this process is unprivileged itself.

    Raises:
        EnvironmentFault: there is no unprivileged user, or this root may not start anything as another one.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise EnvironmentFault(
            "a server must not run as root, and there is no user 'nobody' to run it as",
            remedy="run weigh as another user",
        ) from None
    try:
        with tempfile.TemporaryDirectory(prefix="weigh-account-") as trial:
            os.chown(trial, entry.pw_uid, entry.pw_gid)
            os.chown(trial, 0, 0)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EINVAL):
            raise
        raise EnvironmentFault(
            f"a server must not run as root, and this root may not make anything another user's: {error.strerror}",
            remedy="run weigh as another user, or give root its usual capabilities (CHOWN, SETUID, SETGID, KILL, "
            "DAC_OVERRIDE, FOWNER)",
        ) from None
    return entry.pw_uid, entry.pw_gid


def give(path: Path, whose: tuple[int, int] | None) -> None:
    """Make a folder the server's, and nobody else's."""
    if whose:
        os.chown(path, *whose)
    path.chmod(0o700)


def as_account(whose: tuple[int, int] | None) -> dict[str, Any]:
    """The arguments of :class:`subprocess.Popen` that make a process that user's."""
    return {"user": whose[0], "group": whose[1], "extra_groups": []} if whose else {}


def ended_with_us() -> Callable[[], None]:
    """For a child before it becomes the server: the kernel is to kill it when this process is gone, however it went."""
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def promise() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return promise


class Life:
    """The process of a server, begun; it can be killed and begun again.

    Args:
        command: that begins it.
        place: its data.
        log: what it says.
        whose: account that it runs under; None for weigh's own.

    Raises:
        OSError: it cannot be begun.
    """

    process: subprocess.Popen[bytes]

    def __init__(self, command: list[str], place: Path, log: Path, whose: tuple[int, int] | None) -> None:
        self.log = log
        self._command, self._place, self._whose = command, place, whose
        self._environment = environment()
        self.begin()

    def begin(self) -> None:
        """It begins, and need not answer yet."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._place,
                env={**os.environ, **self._environment},
                start_new_session=True,
                preexec_fn=ended_with_us(),  # noqa: PLW1509 # no thread of Python's is there to hold a lock
                **as_account(self._whose),
            )

    def crash(self) -> None:
        """It is killed, with whatever it has forked to rewrite its files: they are in its group."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """It is there no more."""
        self.process.kill()
        self.process.wait()
