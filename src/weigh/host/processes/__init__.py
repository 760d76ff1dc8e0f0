"""Processes: a life with everything that it started, what they read from storage devices together, and their end."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PAGE = os.sysconf("SC_PAGE_SIZE")
_POLL = 0.01
_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 20
"""How often what is left is looked for and killed: something that forks on while it is being killed is met again."""
_CPU = 11
"""Place there of utime, before stime, cutime and cstime."""
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
            waiting += _children(one)
    return found


def was_stopped(pid: int) -> bool:
    """Whether a child of this process was stopped, as by SIGSTOP, and perhaps let go on, since the last call."""
    # One that ended is left for who waits for it.
    with suppress(ChildProcessError):
        return os.waitid(os.P_PID, pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG) is not None
    return False


def adopt() -> None:
    """From now on a descendant whose parent ended becomes a child of this process, and not of the machine's first."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def adopted(mark: str, session: int) -> list[Process]:
    """Children of this process that were adopted, with their descendants.

    Args:
        mark: variable and value in the environment that they began with.
        session: or the one that they belong to.
    """
    found: list[Process] = []
    for pid in _children(os.getpid()):
        with suppress(OSError, ValueError, IndexError):
            marked = mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            if marked or os.getsid(pid) == session:
                found += family(pid)
    return found


def end(those: Iterable[Process], patience: float) -> bool:
    """Wait for processes to end, then end them with all that they started; whether they are gone.

    Args:
        those: that are to end; one that has ended, or whose number is another process's by now, is left alone.
        patience: seconds in which they may put things in order.
    """
    left = known = list(those)
    ended = gone(left, patience)
    for _ in range(_ROUNDS):
        if ended:
            break
        left = list({one: None for alive in left if _alive(alive) for one in (alive, *family(alive.pid))})
        known += left
        for one in left:
            _kill(one)
        ended = gone(left, 10 * _POLL)
    for one in known:
        # An adopted one would stay an entry in the kernel's table until this process ends.
        with suppress(ChildProcessError):
            os.waitpid(one.pid, os.WNOHANG)
    return ended


def _kill(one: Process) -> None:
    """End exactly that process: the number is held while its start time is compared."""
    with suppress(OSError):
        descriptor = os.pidfd_open(one.pid)
        try:
            if _alive(one):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        finally:
            os.close(descriptor)


def gone(family: Iterable[Process], timeout: float) -> bool:
    """Whether all of them ended within so many seconds."""
    until = time.monotonic() + timeout
    while any(map(_alive, family)):
        if time.monotonic() > until:
            return False
        time.sleep(_POLL)
    return True


def started(pid: int) -> int | None:
    """When a process began, in ticks of the kernel since it did; None where there is none, or it cannot be read."""
    with suppress(OSError, ValueError, IndexError):
        return _started(pid)
    return None


def bytes_read(pid: int) -> int | None:
    """Bytes that a process and its descendants have caused to be read from storage devices; None where unknown.

    What ended descendants read is counted with whoever waited for them (proc(5), ``io``).
    """
    return _moved((one.pid for one in family(pid)), "read_bytes")


def bytes_written(pids: Iterable[int]) -> int | None:
    """Bytes that some processes, and descendants that they waited for, have written to storage; None where unknown."""
    return _moved(pids, "write_bytes")


def _moved(pids: Iterable[int], counter: str) -> int | None:
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/io").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            return None
        _, found, rest = text.partition(f"\n{counter}: ")
        if not found:
            return None
        total += int(rest.split("\n", 1)[0])
    return total


def cpu_seconds(pid: int) -> float | None:
    """CPU seconds of a process and its descendants, those included that have ended and were waited for."""
    ticks = 0
    try:
        for one in family(pid):
            with suppress(FileNotFoundError, ProcessLookupError):
                ticks += sum(map(int, _fields(one.pid)[_CPU : _CPU + 4]))
    except (OSError, ValueError):
        return None
    return ticks / os.sysconf("SC_CLK_TCK") if ticks or started(pid) is not None else None


def proportional_bytes(pid: int) -> int | None:
    """Memory of a process and its descendants, what they share counted once; None where it may not be read."""
    total = 0
    for one in family(pid):
        try:
            text = Path(f"/proc/{one.pid}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            return None
        total += sum(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Pss:"))
    return total or None


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


def allocated_bytes(files: Iterable[Path]) -> int:
    """Bytes that some files take on the disk; one that is gone takes none."""
    total = 0
    for file in files:
        with suppress(OSError):
            total += file.lstat().st_blocks * 512
    return total


def mapped(pid: int) -> list[str]:
    """Files that a process and its descendants have mapped: programs, libraries, and what they map themselves."""
    return sorted({file for one in family(pid) for file in _mapped(one.pid)})


def cpus(pids: Iterable[int]) -> tuple[int, ...]:
    """CPUs that the kernel lets one or another thread of some processes run on; none where all are gone."""
    found: set[int] = set()
    for thread in thread_ids(pids):
        with suppress(OSError):
            found |= os.sched_getaffinity(thread)
    return tuple(sorted(found))


def threads(pids: Iterable[int]) -> int:
    """Threads of some processes that are alive now."""
    return len(thread_ids(pids))


def thread_ids(pids: Iterable[int]) -> list[int]:
    """Numbers of the threads of these processes; those that have ended are left out."""
    found: list[int] = []
    for pid in pids:
        with suppress(OSError):
            found += [int(thread.name) for thread in Path(f"/proc/{pid}/task").iterdir()]
    return found


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


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            found += map(int, (thread / "children").read_text().split())
    return found


def _fields(pid: int) -> list[str]:
    # The name may contain spaces and brackets; what follows its last bracket is plain.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _started(pid: int) -> int:
    return int(_fields(pid)[_STARTED])


def _state(pid: int) -> str:
    return _fields(pid)[0]
