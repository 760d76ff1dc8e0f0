"""Whether a process that an adapter names as its server can be one: it is tied to the adapter's life, or it is not.

A tie is descent, a start during the life (of the process or of one that it started, as servers with a process for each
connection do), or a socket between the two.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.host import processes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PIDFD_GETFD = 438
"""The number of the system call, the same on all architectures (pidfd_getfd(2))."""
_WORKER = b"weigh_worker"
_LOOKS, _PAUSE = 10, 0.1
"""For a connection, and seconds between them: one that is not accepted yet is nobody's, and while others come and go a
reading of the kernel's table may lack some."""
_CREDENTIALS = struct.Struct("3i")


def untied(pid: int, worker: int, family: Collection[int]) -> str:
    """Why a process cannot be the server of a life; empty where it can.

    Args:
        pid: of the process that is named.
        worker: process id of the life.
        family: processes of the life.
    """
    if pid in family:
        return ""
    if pid == 1:
        return "it is the first process of the machine"
    if pid == os.getpid() or any(one.pid == os.getpid() for one in processes.family(pid)):
        return "weigh itself descends from it" if pid != os.getpid() else "it is weigh itself"
    pids = processes.family(pid)
    if not pids:
        return "there is no such process"
    with suppress(OSError):
        if _WORKER in Path(f"/proc/{pid}/cmdline").read_bytes():
            return "it is the worker of another contender"
    (began, *_) = processes.family(worker) or [processes.Process(worker, 0)]
    if any(one.started >= began.started for one in pids):
        return ""
    for look in range(_LOOKS):
        time.sleep(_PAUSE if look else 0)
        if {one.pid for one in pids} & set(peers([worker, *family])):
            return ""
    return "it was there before, and no connection leads to it"


def peers(family: Collection[int]) -> Iterator[int]:
    """Processes at the other ends of the sockets of some processes."""
    inodes: set[str] = set()
    for pid in family:
        for connection in _sockets(pid):
            with connection, suppress(OSError):
                if connection.family == socket.AF_UNIX:
                    text = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
                    yield _CREDENTIALS.unpack(text)[0]
                else:
                    inodes.add(_inode(connection.getpeername()[1], connection.getsockname()[1]))
    inodes.discard("")
    for place in Path("/proc").iterdir() if inodes else ():
        if place.name.isdecimal() and inodes & set(_links(place)):
            yield int(place.name)


def _sockets(pid: int) -> Iterator[socket.socket]:
    """The sockets of a process, as our own."""
    system = ctypes.CDLL(None, use_errno=True).syscall
    with suppress(OSError):
        process = os.pidfd_open(pid)
        try:
            for place in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    if os.readlink(place).startswith("socket:"):  # noqa: PTH115 # no Path of what is no file
                        copy = system(_PIDFD_GETFD, process, int(place.name), 0)
                        if copy >= 0:
                            yield socket.socket(fileno=copy)
        finally:
            os.close(process)


def _inode(local: int, remote: int) -> str:
    """The socket of this machine that has these ports, as links to it are called; empty where there is none."""
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
                parts = line.split()
                if (int(parts[1][-4:], 16), int(parts[2][-4:], 16)) == (local, remote):
                    return f"socket:[{parts[9]}]"
    return ""


def _links(place: Path) -> Iterator[str]:
    with suppress(OSError):
        for one in (place / "fd").iterdir():
            with suppress(OSError):
                yield os.readlink(one)  # noqa: PTH115 # no Path of what is no file
