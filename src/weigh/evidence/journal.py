"""The journal: one line of JSON for everything that happened, flushed at once.

Killing weigh at any moment loses at most the line in flight. Everything else in an evidence directory is derived
from the journal, or is a hash of what is there. Each line carries the hash of the one before it: a line that was
edited, removed or put in breaks the chain.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from weigh._version import __version__
from weigh.evidence import files
from weigh.model.errors import EnvironmentFault, EvidenceFault
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path


NAME = "journal.jsonl"
BALLAST = 1 << 20
"""Bytes set aside at the beginning, so that a disk that fills up still has room for the seal."""

_PREPARATIONS = frozenset(
    {
        *("opened", "load", "environment", "workload", "finding", "anchor", "agents", "manifest", "layout", "catalog"),
        *(
            "loaded",
            "rows",
            "life",
            "cpus",
            "server memory",
            "recorded",
            "prepared",
            "calibration",
            "watch",
            "run",
            "end",
        ),
    }
)
"""Events that precede every answer and every time."""
_TAIL = 1 << 16
"""Bytes that hold the last event of a journal that was closed: how it ended, and why."""


class DiskFull(EnvironmentFault):
    """The evidence cannot be written any further. What was written before is intact."""


class Damaged(EvidenceFault):
    """There is no journal, or a line of it is none of an event."""


T = TypeVar("T")


class Event(msgspec.Struct, frozen=True):
    """One line.

    Attributes:
        event: what kind of thing happened: opened, environment, workload, manifest, layout, gate, plan, block,
            turn, look, drive, cache_state, finding, resumed, end.
        body: what happened, as plain JSON.
        before: hash of the line before it, as :func:`link` makes it; of the first line, of nothing.
    """

    event: str
    body: Any
    before: str = ""


class _Link(msgspec.Struct, frozen=True):
    """A line of which nothing but its place is asked."""

    event: str
    before: str = ""


def link(line: bytes) -> str:
    """What the next line carries: the first half of the BLAKE3 of a line without its end, 32 hex digits."""
    from weigh._native import hash_bytes

    return hash_bytes(line)[:32]


class Journal:
    """An open journal that only grows.

    Args:
        folder: the attempt's directory.

    Raises:
        EnvironmentFault: another process is writing it.
        EvidenceFault: what is in it was edited.
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
        if number := edited(folder):
            self._file.close()
            raise EvidenceFault(
                f"line {number} of the journal does not follow from the one before it: it was edited",
                where=str(folder),
                remedy="leave out --resume: an edited attempt is not continued",
            )
        # A last line without its end was cut off by a kill and is not read; the next event begins a line.
        whole, last = 0, b""
        self._count = 0
        for line in _lines(self._path):
            if line.endswith(b"\n"):
                whole, last, self._count = whole + len(line), line[:-1], self._count + 1
        self._before = link(last)
        self._stamps: Callable[[str, int, str], Sequence[Any]] | None = None
        self.anchor_key: str | msgspec.UnsetType = msgspec.UNSET
        """The public key that signs its anchors; left out where it has none."""
        self._file.truncate(whole)
        self._file.seek(0, os.SEEK_END)
        try:
            self._ballast.write_bytes(b"\0" * BALLAST)
        except OSError as error:
            raise self._full(error) from error

    @property
    def folder(self) -> Path:
        """The attempt's directory, for what is kept alongside it."""
        return self._path.parent

    def append(self, event: str, body: Any) -> None:
        """Write one event.

        Raises:
            DiskFull: there is no room. The journal ends with the last complete event.
        """
        line = msgspec.json.encode(Event(event, body, self._before)) + b"\n"
        end = self._file.tell()
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            os.ftruncate(self._file.fileno(), end)
            raise self._full(error) from error
        self._before, self._count = link(line[:-1]), self._count + 1
        stamps: Sequence[Any] = ()
        if self._stamps:
            # What is known elsewhere has to be here after a power cut as well: what lacks it looks made anew.
            os.fsync(self._file.fileno())
            stamps = self._stamps(event, self._count, self._before)
        # Nothing follows the end: that it was anchored is known elsewhere alone.
        for stamp in stamps if event != "end" else ():
            self.append("anchor", stamp)

    def anchor(self, stamps: Callable[[str, int, str], Sequence[Any]], key: str) -> None:
        """Have its head kept elsewhere from now on.

        Args:
            stamps: receives each event, the number of lines and their head, and says what was sent.
            key: public key that signs what is sent.
        """
        self._stamps, self.anchor_key = stamps, key

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
    return list(events(folder))


def events(folder: Path, kinds: Collection[str] = ()) -> Iterator[Event]:
    """The same, one at a time: all together take many times the room of the file.

    Args:
        folder: of the evidence.
        kinds: events that are wanted; empty for all. What others say is not decoded.

    Raises:
        EvidenceFault: as :func:`read`, when it comes to it.
    """
    path = folder / NAME
    try:
        for number, line in enumerate(_lines(path), start=1):
            if not line.endswith(b"\n"):
                continue
            if not kinds or _decoded(line[:-1], number, path, _Link).event in kinds:
                yield _decoded(line[:-1], number, path, Event)
    except OSError as error:
        raise Damaged(
            f"no journal: {error.strerror}", where=str(path), remedy="name an evidence directory of weigh"
        ) from error


def _decoded(line: bytes, number: int, path: Path, kind: type[T]) -> T:
    try:
        return files.decoded(line, kind)
    except EvidenceFault as error:
        raise Damaged(
            f"line {number} is damaged: {error.what}",
            where=str(path),
            remedy="the evidence was edited or the disk is failing",
        ) from error


def edited(folder: Path) -> int:
    """The number, from 1, of the first line that does not carry the hash of the one before it; 0 where all do.

    Raises:
        EvidenceFault: a line is damaged.
        OSError: there is no journal.
    """
    path = folder / NAME
    before = link(b"")
    for number, line in enumerate(_lines(path), start=1):
        if line.endswith(b"\n"):
            if _decoded(line[:-1], number, path, _Link).before != before:
                return number
            before = link(line[:-1])
    return 0


def links(folder: Path) -> Iterator[str]:
    """The hash of every complete line, as the next one carries it.

    Raises:
        OSError: there is no journal.
    """
    for line in _lines(folder / NAME):
        if line.endswith(b"\n"):
            yield link(line[:-1])


def _lines(path: Path) -> Iterator[bytes]:
    """One after another, so that no more than one is in memory.

    Raises:
        OSError: there is no such regular file, or a line is longer than any event.
    """
    with files.opened(path) as file:
        while line := file.readline(files.DOCUMENT):
            if len(line) == files.DOCUMENT:
                raise OSError(errno.EFBIG, f"a line is longer than the {files.DOCUMENT >> 20} MiB that any event has")
            yield line


def first(folder: Path) -> Event | None:
    """The event that a journal begins with, which tells what kind of experiment it is of.

    Returns:
        None where there is no journal, or its first line is torn or damaged: :func:`read` says which.
    """
    return _event(_first_line(folder))


def opening(folder: Path, name: str, form: type[T]) -> T:
    """What the first event says, which is the one of that name.

    Raises:
        EvidenceFault: the journal does not begin with it.
    """
    event = first(folder)
    if event is None or event.event != name:
        raise misbegun(folder)
    try:
        return files.converted(event.body, form)
    except EvidenceFault:
        raise misbegun(folder) from None


def misbegun(folder: Path) -> EvidenceFault:
    """That a journal begins with something else."""
    return EvidenceFault("its journal does not begin as it should", where=str(folder), remedy="see `weigh verify`")


@contextmanager
def believed(folder: Path) -> Iterator[None]:
    """While events are read, and a record is made of what they say.

    Raises:
        EvidenceFault: they say what no record can hold, or as :func:`events`.
    """
    try:
        yield
    except Damaged:
        raise
    except (EvidenceFault, msgspec.ValidationError, TypeError, KeyError, ValueError) as error:
        wrote = _writer(folder)
        by = f"; weigh {wrote} wrote it, this is {__version__}" if wrote and wrote != __version__ else ""
        raise EvidenceFault(
            f"the journal does not say what weigh's journals say: {error}{by}",
            where=str(folder),
            remedy=f"read it with weigh {wrote}" if by else "it was edited, or another version of weigh wrote it",
        ) from error


def _writer(folder: Path) -> str:
    """The version of weigh that wrote a journal, as its event of the environment says; empty where none does."""
    with suppress(EvidenceFault):
        for event in events(folder):
            if event.event == "environment" and isinstance(event.body, dict):
                return one_line(str(event.body.get("weigh", "")), 40)
    return ""


def last(folder: Path) -> Event | None:
    """The event that a journal ends with, without reading what comes before it.

    Returns:
        None where there is no journal, its last line is torn or damaged, or longer than any ``end``.
    """
    try:
        with files.opened(folder / NAME) as file:
            file.seek(-min(_TAIL, file.seek(0, os.SEEK_END)), os.SEEK_END)
            return _event(b"".join(file.read(_TAIL).splitlines(keepends=True)[-1:]))
    except OSError:
        return None


def came_to_nothing(folder: Path) -> bool:
    """Whether an attempt stopped before anything was answered or measured: its journal has preparations alone."""
    end = last(folder)
    if end is None or end.event != "end" or not isinstance(end.body, dict) or end.body.get("how") != "stopped":
        return False
    with suppress(EvidenceFault):
        return all(event.event in _PREPARATIONS or _failed(event) for event in events(folder))
    return False


def _failed(event: Event) -> bool:
    """Whether it says that the statements of a load could not be asked."""
    return event.event == "gate-statements" and isinstance(event.body, dict) and bool(event.body.get("failed"))


def _first_line(folder: Path) -> bytes:
    """Empty where there is no journal."""
    try:
        return next(_lines(folder / NAME), b"")
    except OSError:
        return b""


def _event(line: bytes) -> Event | None:
    if not line.endswith(b"\n"):
        return None
    try:
        return files.decoded(line, Event)
    except EvidenceFault:
        return None


def begun(folder: Path) -> bool:
    """Whether an attempt recorded anything.

    Killed between making its directory and its first write it has no journal or an empty one; on a full disk it may
    have nothing but its end. That says nothing about the experiment, and must not spoil the other attempts. A
    journal that begins in any other way is for :func:`read` to refuse: cutting off its head does not hide an attempt.
    """
    line = _first_line(folder)
    if not line.endswith(b"\n"):
        return False
    event = _event(line)
    return event is None or event.event != "end"
