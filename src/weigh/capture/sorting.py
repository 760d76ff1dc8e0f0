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
    from collections.abc import Iterator
    from types import TracebackType

_RUN = 100_000
"""Calls that are sorted in memory at once; what is more goes to files that are merged."""
_MOMENT = attrgetter("at_s")


class Sorter:
    """Takes calls in any order and gives them in that of their moments. A context manager: its files go with it.

    Args:
        folder: in which files may be.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = TemporaryDirectory(prefix=".sorting-", dir=folder)
        self._held: list[Call] = []
        self._runs: list[Path] = []
        self._encoder = msgspec.msgpack.Encoder()

    def add(self, call: Call) -> None:
        """One more; its ``at_s`` may count from anywhere."""
        self._held.append(call)
        if len(self._held) >= _RUN:
            self._spill()

    def calls(self) -> Iterator[Call]:
        """All of them, the earliest first."""
        self._held.sort(key=_MOMENT)
        return heapq.merge(*map(_read, self._runs), iter(self._held), key=_MOMENT)

    def _spill(self) -> None:
        self._held.sort(key=_MOMENT)
        path = Path(self._folder.name) / str(len(self._runs))
        with path.open("wb") as file:
            for call in self._held:
                body = self._encoder.encode(call)
                file.write(len(body).to_bytes(4, "big") + body)
        self._runs.append(path)
        self._held = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._folder.cleanup()


def _read(path: Path) -> Iterator[Call]:
    decode = msgspec.msgpack.Decoder(Call).decode
    with path.open("rb") as file:
        while head := file.read(4):
            yield decode(file.read(int.from_bytes(head, "big")))
