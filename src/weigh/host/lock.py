"""The machine-wide lock: one measurement at a time."""

from __future__ import annotations

import datetime
import errno
import fcntl
import os
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_LONGEST = 4096
"""Bytes; more than any holder writes."""
_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says while the lock is held.

    Attributes:
        pid: process id of the holder.
        what: it is doing.
        since: when it took the lock, ISO 8601 in UTC.
    """

    pid: int
    what: str
    since: str


def lock_path() -> Path:
    """The same file for every user and every checkout of this machine; WEIGH_LOCK names another for tests."""
    return Path(os.environ.get("WEIGH_LOCK") or Path(tempfile.gettempdir()) / "weigh.lock")


@contextmanager
def measuring(what: str) -> Iterator[None]:
    """Hold the lock. The kernel frees it when the process ends, however it ends.

    Not a lock-file library: the file also names its holder, and theirs truncate it before they wait.

    Raises:
        EnvironmentFault: another measurement is going, it is named; or the file cannot be the lock.
    """
    path = lock_path()
    try:
        descriptor = _opened(path)
    except OSError as error:
        link = error.errno == errno.ELOOP
        raise EnvironmentFault(
            f"the measurement lock cannot be opened: {'it is a symbolic link' if link else error.strerror}",
            where=str(path),
            remedy="remove the file, or set WEIGH_LOCK to a path that you can write",
        ) from error
    _check(descriptor, path)
    with os.fdopen(descriptor, "r+b") as file:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _taken(_holder(file)) from None
        if os.fstat(descriptor).st_size and _holder(file) is None:
            raise _no_lock(path, "something else is written in it")
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        file.seek(0)
        file.truncate(0)
        file.write(msgspec.json.encode(Holder(pid=os.getpid(), what=what, since=now)))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _opened(path: Path) -> int:
    """The file; anything but what weigh made there is left as it is, whoever put it there."""
    try:
        return os.open(path, _FLAGS)
    except FileNotFoundError:
        pass
    try:
        # O_CREAT only where it is needed: in /tmp the kernel refuses it on somebody else's file, even to root.
        descriptor = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        # Another weigh made it meanwhile; or it is a link to nowhere, which is refused.
        return os.open(path, _FLAGS)
    # Every user of the machine takes the same lock, whatever the umask of the first.
    os.fchmod(descriptor, 0o666)
    return descriptor


def _check(descriptor: int, path: Path) -> None:
    """It is truncated below: so it must be a file, and of one name, or somebody else's is emptied."""
    status = os.fstat(descriptor)
    why = "" if stat.S_ISREG(status.st_mode) else "it is no regular file"
    why = why or ("it is a hard link to another file" if status.st_nlink != 1 else "")
    if why:
        os.close(descriptor)
        raise _no_lock(path, why)


def _holder(file: BinaryIO) -> Holder | None:
    """Who holds it, as the file says; None where it says nothing of the kind."""
    file.seek(0)
    try:
        return msgspec.json.decode(file.read(_LONGEST), type=Holder)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _no_lock(path: Path, why: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"this is not the measurement lock: {why}",
        where=str(path),
        remedy="set WEIGH_LOCK to a path of its own, or remove what is there if nobody needs it",
    )


def _taken(holder: Holder | None) -> EnvironmentFault:
    who = f"process {holder.pid} ({holder.what}, since {holder.since})" if holder else "another process"
    return EnvironmentFault(
        f"a measurement is already going on this machine: {who}",
        remedy="wait for it to end, or end it: two measurements at once spoil both",
    )
