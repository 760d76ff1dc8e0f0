"""The journal: one line of JSON for everything that happened, flushed at once.

Killing weigh at any moment loses at most the line in flight. Everything else in an evidence directory is derived
from the journal, or is a hash of what is there.
"""

from __future__ import annotations

import errno
import fcntl
import os
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.model.errors import EnvironmentFault, EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path


NAME = "journal.jsonl"
BALLAST = 1 << 20
"""Bytes set aside at the beginning, so that a disk that fills up still has room for the seal."""

_TAIL = 1 << 16
"""Bytes that hold the last event of a journal that was closed: how it ended, and why."""


class DiskFull(EnvironmentFault):
    """The evidence cannot be written any further. What was written before is intact."""


class Event(msgspec.Struct, frozen=True):
    """One line.

    Attributes:
        event: what kind of thing happened: opened, environment, workload, manifest, gate, plan, block,
            turn, look, drive, warmth, finding, resumed, end.
        body: what happened, as plain JSON.
    """

    event: str
    body: Any


class Journal:
    """An open journal that only grows.

    Args:
        folder: the attempt's directory.

    Raises:
        EnvironmentFault: another process is writing it.
        DiskFull: there is no room.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._ballast = folder / ".ballast"
        self._file = self._path.open("ab", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise EnvironmentFault(
                "another weigh is writing this evidence", where=str(folder), remedy="wait until it has ended"
            ) from error
        # A last line without its end was cut off by a kill and is not read; the next event begins a line.
        content = self._path.read_bytes()
        self._file.truncate(content.rfind(b"\n") + 1)
        self._file.seek(0, os.SEEK_END)
        try:
            self._ballast.write_bytes(b"\0" * BALLAST)
        except OSError as error:
            raise self._full(error) from error

    def append(self, event: str, body: Any) -> None:
        """Write one event.

        Raises:
            DiskFull: there is no room. The journal ends with the last complete event.
        """
        line = msgspec.json.encode(Event(event, msgspec.to_builtins(body))) + b"\n"
        end = self._file.tell()
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            os.ftruncate(self._file.fileno(), end)
            raise self._full(error) from error

    def close(self) -> None:
        """Make it durable and give the ballast back."""
        self.release()
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()

    def release(self) -> None:
        """Give the ballast back, so that the seal has room."""
        self._ballast.unlink(missing_ok=True)

    def _full(self, error: OSError) -> DiskFull:
        self.release()
        return DiskFull(
            f"the evidence cannot be written: {error.strerror}",
            where=str(self._path),
            remedy="free space, or choose another place with --out; the events written so far are intact",
        )


def read(folder: Path) -> list[Event]:
    """The complete events of a journal, in order. A torn last line is not an event.

    Raises:
        EvidenceFault: there is no journal, or a line other than the last is damaged.
    """
    path = folder / NAME
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise EvidenceFault(
            f"no journal: {error.strerror}", where=str(path), remedy="name an evidence directory of weigh"
        ) from error
    events = []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            events.append(msgspec.json.decode(line, type=Event))
        except msgspec.MsgspecError as error:
            raise EvidenceFault(
                f"line {number} is damaged: {error}",
                where=str(path),
                remedy="the evidence was edited or the disk is failing",
            ) from error
    return events


def first(folder: Path) -> Event | None:
    """The event that a journal begins with, which tells what kind of experiment it is of.

    Returns:
        None where there is no journal, or its first line is torn or damaged: :func:`read` says which.
    """
    path = folder / NAME
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return _event(file.readline())


def last(folder: Path) -> Event | None:
    """The event that a journal ends with, without reading what comes before it.

    Returns:
        None where there is no journal, its last line is torn or damaged, or longer than any ``end``.
    """
    path = folder / NAME
    if not path.is_file():
        return None
    with path.open("rb") as file:
        file.seek(-min(_TAIL, file.seek(0, os.SEEK_END)), os.SEEK_END)
        return _event(b"".join(file.read().splitlines(keepends=True)[-1:]))


def _event(line: bytes) -> Event | None:
    if not line.endswith(b"\n"):
        return None
    try:
        return msgspec.json.decode(line, type=Event)
    except msgspec.MsgspecError:
        return None


def begun(folder: Path) -> bool:
    """Whether an attempt recorded anything.

    Killed between making its directory and its first write it has no journal or an empty one; on a full disk it may
    have nothing but its end. That says nothing about the experiment, and must not spoil the other attempts. A
    journal that begins in any other way is for :func:`read` to refuse: cutting off its head does not hide an attempt.
    """
    path = folder / NAME
    if not path.is_file():
        return False
    with path.open("rb") as file:
        line = file.readline()
    if not line.endswith(b"\n"):
        return False
    try:
        return msgspec.json.decode(line, type=Event).event != "end"
    except msgspec.MsgspecError:
        return True
