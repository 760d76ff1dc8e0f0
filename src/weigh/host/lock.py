"""The machine-wide lock: one measurement at a time."""

from __future__ import annotations

import datetime
import fcntl
import json
import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator


def lock_path() -> Path:
    """The same file for every user and every checkout of this machine; WEIGH_LOCK names another for tests."""
    return Path(os.environ.get("WEIGH_LOCK") or Path(tempfile.gettempdir()) / "weigh.lock")


@contextmanager
def measuring(what: str) -> Iterator[None]:
    """Hold the lock. The kernel frees it when the process ends, however it ends.

    Not a lock-file library: the file also names its holder, and theirs truncate it before they wait.

    Raises:
        EnvironmentFault: another measurement is going; it is named.
    """
    path = lock_path()
    try:
        descriptor = _opened(path)
    except OSError as error:
        raise EnvironmentFault(
            f"the measurement lock cannot be opened: {error.strerror}",
            where=str(path),
            remedy="remove the file, or set WEIGH_LOCK to a path that you can write",
        ) from error
    with os.fdopen(descriptor, "r+b") as file:
        with suppress(OSError):
            os.fchmod(descriptor, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _taken(file.read()) from None
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "what": what, "since": now}).encode())
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR)
    except FileNotFoundError:
        # O_CREAT only where it is needed: in /tmp the kernel refuses it on somebody else's file, even to root.
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)


def _taken(text: bytes) -> EnvironmentFault:
    holder: dict[str, Any] = {}
    with suppress(ValueError):
        holder = json.loads(text)
    who = f"process {holder['pid']} ({holder['what']}, since {holder['since']})" if holder else "another process"
    return EnvironmentFault(
        f"a measurement is already going on this machine: {who}",
        remedy="wait for it to end, or end it: two measurements at once spoil both",
    )
