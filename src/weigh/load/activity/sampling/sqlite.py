"""What SQLite does: checkpoints of its write-ahead log, read from the index that all its connections share.

Never in the process that has the database open: closing a file there would take away the locks that this process has on
it (https://sqlite.org/howtocorrupt.html, 2.2). The index is described in https://sqlite.org/walformat.html: its header
says how many frames the log has, and what follows it how many of them have been copied into the database.
"""

from __future__ import annotations

import os
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

KINDS = ("checkpoint",)
_INDEX = struct.Struct("=12xBxHI12x8s56xI28xI")
"""Whether it is complete, bytes of a page, frames in the log; its salt; frames copied, and those being copied."""
_FRAME_HEADER = 24
_LARGEST_PAGE = 65536


class _Log(NamedTuple):
    salt: bytes
    frames: int
    copied: int
    copying: int
    frame_bytes: int


class SqliteLog:
    """The write-ahead log of a database.

    Args:
        path: of the database.
    """

    period = 0.02
    kinds = KINDS

    def __init__(self, path: str) -> None:
        self._path = Path(f"{path}-shm")
        self._file: int | None = None
        self._before: _Log | None = None
        self._written = 0
        self._looked = time.monotonic()
        self._since: float | None = None
        """When the checkpoint that goes on began at the earliest."""

    def look(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """As of :class:`looking.Source`."""
        last, self._looked = self._looked, time.monotonic()
        now = self._read()
        before, self._before = self._before, now
        if now is None:
            return {}, []
        moved = 0
        if before is not None:
            same = now.salt == before.salt
            # The log begins anew when all of it is in the database.
            moved = (now.copied if same else before.frames) - before.copied
            self._written += max(now.frames - before.frames if same else now.frames, 0) * now.frame_bytes
        values = {"log_bytes": self._written, "backlog": (now.frames - now.copied) * now.frame_bytes}
        if moved > 0:
            event: dict[str, Any] = {"kind": "checkpoint", "amount": moved}
            if self._since is not None:
                event |= {"at": self._since, "until": time.monotonic(), "told": "looks"}
            self._since = None
            return values, [event]
        if now.copying > now.copied:
            self._since = last if self._since is None else self._since
        else:
            self._since = None
        return values, []

    def close(self) -> None:
        """As of :class:`looking.Source`."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _read(self) -> _Log | None:
        """None where there is no log: in another journal mode, and while nobody has the database open."""
        with suppress(OSError):
            if self._file is None:
                self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            # The last connection that is closed removes it, and the next one makes another.
            if not os.fstat(self._file).st_nlink:
                self.close()
                return None
            text = os.pread(self._file, _INDEX.size, 0)
            if len(text) == _INDEX.size:
                complete, page, frames, salt, copied, copying = _INDEX.unpack(text)
                bytes_ = (_LARGEST_PAGE if page == 1 else page) + _FRAME_HEADER
                return _Log(salt, frames, copied, copying, bytes_) if complete else None
        return None
