"""Processes: a life with everything that it started, and what they read from storage devices together."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PAGE = os.sysconf("SC_PAGE_SIZE")
_POLL = 0.01
_STARTED = 19
"""Place of a process' start time in /proc/PID/stat, counted behind its name (proc(5))."""


class Process(NamedTuple):
    """A process that cannot be mistaken for a later one of the same number."""

    pid: int
    started: int


def family(pid: int) -> list[Process]:
    """A process and all its descendants that are alive now."""
    found: list[Process] = []
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        with suppress(OSError, ValueError, IndexError):
            found.append(Process(one, _started(one)))
            for thread in Path(f"/proc/{one}/task").iterdir():
                with suppress(OSError):
                    waiting += map(int, (thread / "children").read_text().split())
    return found


def gone(family: Iterable[Process], timeout: float) -> bool:
    """Whether all of them ended within so many seconds."""
    until = time.monotonic() + timeout
    while any(map(_alive, family)):
        if time.monotonic() > until:
            return False
        time.sleep(_POLL)
    return True


def bytes_read(pid: int) -> int | None:
    """Bytes that a process and its descendants have caused to be read from storage devices; None where unknown.

    What ended descendants read is counted with whoever waited for them (proc(5), ``io``).
    """
    total = 0
    for one in family(pid):
        try:
            text = Path(f"/proc/{one.pid}/io").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            return None
        _, found, rest = text.partition("\nread_bytes: ")
        if not found:
            return None
        total += int(rest.split("\n", 1)[0])
    return total


def private_bytes(pids: Iterable[int]) -> int | None:
    """Resident bytes of some processes that no file holds; None where not one of them can be read."""
    found = []
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text().split())
            found.append((resident - shared) * _PAGE)
    return sum(found) if found else None


def disk_bytes(folder: Path) -> int:
    """Bytes that the files under a folder take on the disk; links are not followed."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH118 # no Path for every file
    return total


def mapped(pid: int) -> list[str]:
    """Files that a process and its descendants have mapped: programs, libraries, and what they map themselves."""
    return sorted({file for one in family(pid) for file in _mapped(one.pid)})


def cpus(pids: Iterable[int]) -> tuple[int, ...]:
    """CPUs that the kernel lets one or another thread of some processes run on; none where all are gone."""
    found: set[int] = set()
    for pid in pids:
        for thread in _threads(pid):
            with suppress(OSError):
                found |= os.sched_getaffinity(thread)
    return tuple(sorted(found))


def threads(pids: Iterable[int]) -> int:
    """Threads of some processes that are alive now."""
    return sum(len(_threads(pid)) for pid in pids)


def _threads(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(thread.name) for thread in Path(f"/proc/{pid}/task").iterdir()]
    return []


def opened(pid: int) -> list[str]:
    """Files that a process and its descendants hold open."""
    found = set()
    for one in family(pid):
        with suppress(OSError):
            for place in Path(f"/proc/{one.pid}/fd").iterdir():
                with suppress(OSError):
                    found.add(os.readlink(place))  # noqa: PTH115 # some are no files
    return sorted(name for name in found if name.startswith("/"))


def _mapped(pid: int) -> Iterator[str]:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            parts = line.split(maxsplit=5)
            if len(parts) == 6 and parts[5].startswith("/") and not parts[5].startswith(("/dev/", "/memfd:", "/SYSV")):
                yield parts[5]


def _alive(one: Process) -> bool:
    with suppress(OSError, ValueError, IndexError):
        # A zombie holds nothing any more; whoever is to wait for it may be gone for good.
        return _started(one.pid) == one.started and _state(one.pid) != "Z"
    return False


def _fields(pid: int) -> list[str]:
    # The name may contain spaces and brackets; what follows its last bracket is plain.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _started(pid: int) -> int:
    return int(_fields(pid)[_STARTED])


def _state(pid: int) -> str:
    return _fields(pid)[0]
