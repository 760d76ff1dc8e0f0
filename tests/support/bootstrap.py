"""The server by which initdb fills a data directory: caught at its work, and what it has in shared memory."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Bootstrap(NamedTuple):
    """One that stands still.

    Attributes:
        pid: its process id.
        memory: what it shares: ids of System V, files of PostgreSQL's.
    """

    pid: int
    memory: frozenset[str]

    def go_on(self) -> None:
        """It works again."""
        os.kill(self.pid, signal.SIGCONT)

    def gone(self) -> bool:
        """Whether it has ended; nobody need have waited for it."""
        try:
            return _state(self.pid) == "Z"
        except OSError:
            return True

    def left(self) -> set[str]:
        """What it had in memory and is there still."""
        lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
        there = {line.split()[1] for line in lines}
        return {one for one in self.memory if one in there or (one.startswith("/") and Path(one).exists())}


def caught(data: str) -> Bootstrap | None:
    """Have it stand still, where there is one with memory that others could share.

    Args:
        data: part of the path of its data.
    """
    for pid in _filling(data):
        with suppress(OSError):
            if not _shared(pid):
                continue
            os.kill(pid, signal.SIGSTOP)
            while _state(pid) not in "TZ":
                pass
            memory = _shared(pid)
            if any(one.isdecimal() for one in memory) and any(one.startswith("/") for one in memory):
                return Bootstrap(pid, memory)
            os.kill(pid, signal.SIGCONT)
    return None


def _filling(data: str) -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            variables = (process / "environ").read_bytes().split(b"\0")
            about = any(one.startswith(b"PGDATA=") and os.fsencode(data) in one for one in variables)
            if about and words[0].endswith(b"postgres") and words[1:2] == [b"--single"]:
                yield int(process.name)


def _shared(pid: int) -> frozenset[str]:
    """Of its maps (proc(5)): a segment of System V has its id where a file has its inode."""
    found = set()
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        words = line.split()
        if len(words) > 5 and words[5].startswith("/SYSV"):
            found.add(words[4])
        elif len(words) > 5 and words[5].startswith("/dev/shm/PostgreSQL."):
            found.add(words[5])
    return frozenset(found)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
