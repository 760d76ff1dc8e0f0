"""The log of a witness: a file of anchors, one a line, each with the hash of the line before it."""

from __future__ import annotations

import datetime
import fcntl
import os
import threading
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import files
from weigh.evidence.anchoring.anchor import Anchor, checked
from weigh.evidence.journal import link
from weigh.model.errors import EnvironmentFault, EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

_LINE = 4096
"""Bytes of a line: more than any has."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log."""

    anchor: Anchor
    before: str = ""


class Log:
    """A log that only grows, of one process at a time.

    Args:
        path: of the file.

    Raises:
        EnvironmentFault: it cannot be written, or another process writes it.
        EvidenceFault: it was edited.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise EnvironmentFault(
                "another witness writes it", where=str(path), remedy="give each its own: --log FILE"
            ) from error
        except OSError as error:
            raise EnvironmentFault(
                f"the log cannot be written: {error.strerror}", where=str(path), remedy="name another: --log FILE"
            ) from error
        self._before = _last(path)

    def add(self, anchor: Anchor) -> Anchor:
        """Write an anchor down, durably.

        Returns:
            The same with the time of this clock.

        Raises:
            EvidenceFault: it is none.
            OSError: there is no room.
        """
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        stamped = msgspec.structs.replace(checked(anchor), at=now)
        with self._lock:
            line = msgspec.json.encode(Entry(anchor=stamped, before=self._before))
            self._file.write(line + b"\n")
            os.fsync(self._file.fileno())
            self._before = link(line)
        return stamped

    def close(self) -> None:
        """Let another one write it."""
        self._file.close()


def read(path: Path, experiment: str = "") -> list[Anchor]:
    """The anchors of a log, in order; of one experiment, or of all.

    Raises:
        EvidenceFault: it cannot be read, or was edited.
    """
    found, before = [], link(b"")
    for number, line in enumerate(_lines(path), start=1):
        try:
            entry = files.decoded(line, Entry)
            checked(entry.anchor)
        except EvidenceFault as error:
            raise EvidenceFault(f"line {number} is none of a witness: {error.what}", where=str(path)) from error
        if entry.before != before:
            raise EvidenceFault(f"line {number} does not follow from the one before it: it was edited", where=str(path))
        before = link(line)
        if experiment in ("", entry.anchor.experiment):
            found.append(entry.anchor)
    return found


def _last(path: Path) -> str:
    """The head of a log that is whole."""
    read(path)
    lines = _lines(path)
    return link(lines[-1] if lines else b"")


def _lines(path: Path) -> list[bytes]:
    try:
        content = files.content(path, files.MOST)
    except OSError as error:
        raise EvidenceFault(f"the log cannot be read: {error.strerror or error}", where=str(path)) from error
    lines = content.split(b"\n")
    if any(len(line) > _LINE for line in lines):
        raise EvidenceFault("a line is longer than any anchor", where=str(path))
    return lines[:-1]
