"""Calls in the order of their moments: a log has them in the order in which they ended."""

from __future__ import annotations

import heapq
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

import msgspec

from weigh.capture.trace import Call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

_RUN = 100_000
"""Calls that are sorted in memory at once; what is more goes to files that are merged."""
_SIZE = 32 << 20
"""Bytes of their values, from which on they are fewer."""
_FILES = 64
"""That are merged at once: as many files are open, and more are made one first."""
_MOMENT = attrgetter("at_s")


class Sorter:
    """Takes calls in any order and gives them in that of their moments. A context manager: its files go with it.

    Args:
        folder: in which files may be.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = TemporaryDirectory(prefix=".sorting-", dir=folder)
        self._buffer: list[Call] = []
        self._size = 0
        # Runs of calls, then runs that were made of as many runs, and so on.
        self._runs: list[list[Path]] = [[]]
        self._made = 0
        self._encoder = msgspec.msgpack.Encoder()

    def add(self, call: Call) -> None:
        """One more; its ``at_s`` may count from anywhere."""
        self._buffer.append(call)
        self._size += call.size
        if len(self._buffer) >= _RUN or self._size >= _SIZE:
            self._spill()

    def calls(self) -> Iterator[Call]:
        """Every call that was added, the earliest first."""
        self._buffer.sort(key=_MOMENT)
        # The earliest run first: calls of one moment stay in the order in which they came.
        runs = [path for level in reversed(self._runs) for path in level]
        return heapq.merge(*map(_read, runs), iter(self._buffer), key=_MOMENT)

    def _spill(self) -> None:
        self._buffer.sort(key=_MOMENT)
        self._runs[0].append(self._run(self._buffer))
        self._buffer, self._size = [], 0
        for number, level in enumerate(self._runs):
            if len(level) < _FILES:
                break
            if number + 1 == len(self._runs):
                self._runs.append([])
            self._runs[number + 1].append(self._run(heapq.merge(*map(_read, level), key=_MOMENT)))
            for path in level:
                path.unlink()
            level.clear()

    def _run(self, calls: Iterable[Call]) -> Path:
        """A file of calls that are in order."""
        self._made += 1
        path = Path(self._folder.name) / str(self._made)
        with path.open("wb") as file:
            for call in calls:
                body = self._encoder.encode(call)
                file.write(len(body).to_bytes(4, "big") + body)
        return path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._folder.cleanup()


def _read(path: Path) -> Iterator[Call]:
    decode = msgspec.msgpack.Decoder(Call).decode
    with path.open("rb") as file:
        while head := file.read(4):
            yield decode(file.read(int.from_bytes(head, "big")))
