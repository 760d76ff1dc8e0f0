"""Interference: what the processes of one life ask the kernel to do to others, decided while they wait, and by whom.

The kernel hands over the rare system calls that :mod:`weigh_worker.calls` names. What a life does to itself is let
through. What would slow, stop or end another one, or keep the data files from it, is refused, so that nobody is harmed;
and what is refused is known exactly: the life that asked, and whom it meant. Where the kernel has no such filter
nothing is known, and nothing is refused.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import select
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from weigh_worker import calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
"""ioctl(2) of a listener: the next call, and what becomes of it (linux/seccomp.h)."""
_CALL = struct.Struct("=QIIiI7Q")
"""id, pid, flags, number of the call, architecture, instruction, six arguments."""
_ANSWER = struct.Struct("=QqiI")
_CONTINUE = 1
_PIDFD_GETFD = 438
_REAL_TIME = (1, 2, 6)
"""SCHED_FIFO, SCHED_RR, SCHED_DEADLINE."""
_DEPTH = 64

What = Literal["priority", "cpus", "signal", "memory", "lease", "cache"]


class Attempted(NamedTuple):
    """What a life tried to do to another one; it was refused.

    Attributes:
        pid: of the process that tried.
        what: kind of it.
        whom: pid of the process that it meant; 0 where it was a file of the data.
    """

    pid: int
    what: What
    whom: int


@dataclass
class Deeds:
    """What was heard of one life.

    Attributes:
        pid: of its worker.
        executing: whether an execution is asked for now.
        executed: whether one was asked for before.
        files: (device, inode) of the files that it was given.
        attempted: against others, in order.
        raised: times that a thread of it raised a priority of its own during an execution.
        lowered: times that it put that back during an execution.
    """

    pid: int
    executing: bool = False
    executed: bool = False
    files: set[tuple[int, int]] = field(default_factory=set)
    attempted: list[Attempted] = field(default_factory=list)
    raised: int = 0
    lowered: int = 0

    def given(self, paths: Iterable[str]) -> None:
        """Files of the data that others read too."""
        for path in paths:
            with suppress(OSError):
                status = Path(path).stat()
                self.files.add((status.st_dev, status.st_ino))


class Interference:
    """Decides for all lives, in a thread that sleeps until somebody asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lives: dict[int, Deeds] = {}
        self._poll: select.epoll | None = None
        self._names: dict[int, str] = {}
        self._weigh = 0

    def watch(self, deeds: Deeds, number: int) -> bool:
        """Decide for a life from now on; whether that is possible.

        Args:
            deeds: what is heard of it.
            number: of the listener in its worker.
        """
        try:
            process = os.pidfd_open(deeds.pid)
        except OSError:
            return False
        try:
            listener = int(ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, process, number, 0))
        finally:
            os.close(process)
        if listener < 0:
            return False
        os.set_inheritable(listener, False)
        with self._lock:
            if self._weigh != os.getpid():
                # The first life of this process, which may be a fork of one that had some.
                processor = calls.PROCESSORS[platform.machine()]
                self._names = dict(zip(processor.numbers, calls.NAMES, strict=True))
                self._weigh, self._poll, self._lives = os.getpid(), select.epoll(), {}
                threading.Thread(target=self._serve, args=(self._poll,), name="weigh-calls", daemon=True).start()
            assert self._poll is not None
            self._lives[listener] = deeds
            self._poll.register(listener, select.EPOLLIN)
        return True

    def forget(self, deeds: Deeds) -> None:
        """The life is over; what still asks is told that the kernel has no such call."""
        with self._lock:
            for listener in [number for number, one in self._lives.items() if one is deeds]:
                del self._lives[listener]
                os.close(listener)

    def _serve(self, poll: select.epoll) -> None:
        while True:
            for listener, _ in poll.poll():
                with self._lock:
                    deeds = self._lives.get(listener)
                    # With the lock held nobody closes it, and another file cannot have its number.
                    if deeds is not None and not self._decided(listener, deeds):
                        with suppress(OSError):
                            poll.unregister(listener)

    def _decided(self, listener: int, deeds: Deeds) -> bool:
        """Answer the next call; whether there can be more."""
        buffer = bytearray(_CALL.size)
        try:
            fcntl.ioctl(listener, _RECEIVE, buffer, True)
        except OSError as error:
            # ENOENT: whoever asked is gone.
            return error.errno in (errno.ENOENT, errno.EINTR)
        number, pid, _, call, _, _, *arguments = _CALL.unpack(buffer)
        try:
            refusal = self._refusal(deeds, pid, self._names.get(call, ""), arguments)
        except (OSError, ValueError, IndexError):
            refusal = None
        answer = _ANSWER.pack(number, 0, 0, _CONTINUE) if refusal is None else _ANSWER.pack(number, 0, -refusal, 0)
        with suppress(OSError):
            fcntl.ioctl(listener, _SEND, answer)
        return True

    def _refusal(self, deeds: Deeds, pid: int, call: str, arguments: list[int]) -> int | None:
        """The error that a call ends with, 0 for doing nothing; None where it is made."""
        if call in (calls.CONTROL_FILE, calls.ADVISE):
            return self._of_file(deeds, pid, call, arguments[0])
        whom = _target(pid, call, arguments)
        what: What = "priority"
        if call == calls.SETAFFINITY:
            what = "cpus"
        elif call in (calls.KILL, calls.TKILL, calls.TGKILL, calls.PIDFD_SIGNAL):
            what = "signal"
        elif call in (calls.PTRACE, calls.WRITE_MEMORY):
            what = "memory"
        if whom and self._foreign(deeds, whom):
            deeds.attempted.append(Attempted(pid, what, whom))
            return errno.EPERM
        if what == "priority" and deeds.executing:
            change = _change(pid, call, arguments)
            deeds.raised += change > 0
            deeds.lowered += change < 0
        return None

    def _of_file(self, deeds: Deeds, pid: int, call: str, number: int) -> int | None:
        status = Path(f"/proc/{pid}/fd/{_signed(number)}").stat()
        if (status.st_dev, status.st_ino) not in deeds.files:
            return None
        if call == calls.CONTROL_FILE:
            deeds.attempted.append(Attempted(pid, "lease", 0))
            return errno.EACCES
        # Before its first execution it may read, and read past, what it likes.
        if deeds.executed and not deeds.executing:
            deeds.attempted.append(Attempted(pid, "cache", 0))
        # Advice may be ignored; followed, it would have every contender read the file from its device again.
        return 0

    def _foreign(self, deeds: Deeds, whom: int) -> bool:
        """Whether a process is weigh itself, or belongs to it and not to the life."""
        workers = {one.pid for one in self._lives.values()}
        at = whom
        for _ in range(_DEPTH):
            if at == deeds.pid:
                return False
            if at == self._weigh or at in workers:
                return True
            at = _parent(at)
            if at <= 1:
                return False
        return False


def _target(pid: int, call: str, arguments: list[int]) -> int:
    """The process that a call is about; 0 where it is about the caller or about nobody that is known."""
    first, second = _signed(arguments[0]), _signed(arguments[1])
    if call == calls.SETPRIORITY:
        # Of a process; of a group; of a user, which are all.
        if first == 2:
            return os.getpid()
        found = second or pid
        return _process(found)
    if call == calls.KILL and first < 0:
        return os.getpid() if first == -1 else _process(-first)
    if call == calls.PIDFD_SIGNAL:
        for line in Path(f"/proc/{pid}/fdinfo/{first}").read_text().splitlines():
            if line.startswith("Pid:"):
                return max(0, int(line.split()[1]))
        return 0
    if call == calls.PTRACE:
        return _process(second)
    return _process(first) if first > 0 else 0


def _change(pid: int, call: str, arguments: list[int]) -> int:
    """Whether a priority of the life's own rises above the usual one (1), falls back (-1), or neither."""
    who = _signed(arguments[1 if call == calls.SETPRIORITY else 0]) or pid
    before = os.sched_getscheduler(who) in _REAL_TIME, -os.getpriority(os.PRIO_PROCESS, who)
    if call == calls.SETPRIORITY:
        after = before[0], -_signed(arguments[2])
    elif call == calls.SETSCHEDULER:
        after = _signed(arguments[1]) in _REAL_TIME, before[1]
    else:
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            memory.seek(arguments[1])
            _, policy, _, nice = struct.unpack("=IIQi", memory.read(20))
        after = policy in _REAL_TIME, -nice
    # Who lowers itself and comes back takes nothing from anybody.
    usual = False, -os.getpriority(os.PRIO_PROCESS, 0)
    before, after = max(before, usual), max(after, usual)
    return (after > before) - (after < before)


def _process(thread: int) -> int:
    """The process of a thread; 0 where there is none."""
    with suppress(OSError, ValueError, IndexError):
        _, found, rest = Path(f"/proc/{thread}/status").read_text().partition("\nTgid:")
        return int(rest.split(None, 1)[0]) if found else 0
    return 0


def _parent(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _signed(argument: int) -> int:
    """A C int, which the kernel passes in a register."""
    return ctypes.c_int(argument & 0xFFFFFFFF).value


def life_of(pid: int, lives: Mapping[int, str]) -> str:
    """Whose a process is: it or one that it descends from is one of these; empty where none is."""
    for _ in range(_DEPTH):
        if pid in lives or pid <= 1:
            break
        pid = _parent(pid)
    return lives.get(pid, "")


def locks(files: Iterable[tuple[int, int]]) -> list[tuple[int, str]]:
    """Processes that keep others from writing or opening one of some files now, and by what: ``LEASE``, ``FLOCK``.

    Args:
        files: device and inode of each.
    """
    those = {f"{os.major(device):02x}:{os.minor(device):02x}:{inode}" for device, inode in files}
    found = []
    with suppress(OSError):
        for line in Path("/proc/locks").read_text().splitlines():
            parts = line.split()
            # What waits for another one has an arrow before it, and holds nothing.
            if len(parts) >= 6 and parts[1] != "->" and parts[5] in those and parts[3] in ("WRITE", "RW"):
                found.append((int(parts[4]), parts[1]))
    return found


INTERFERENCE = Interference()
"""Of this process."""
