"""Whether a server runs on this machine, and as which process. Imports nothing of weigh."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from pathlib import Path

_PATIENCE = 5.0
_TOLERANCE = 2.0
"""Seconds by which two clocks may differ about when a process began: Redis tells whole ones."""
_LISTENING = "0A"
_PARENT, _STARTED = 1, 19
"""Places in /proc/PID/stat, counted behind the name (proc(5))."""
_KERNEL = Path("/proc/2/stat")
"""Of the kernel's first thread, where all processes of the machine can be observed."""


def same_host(host: str, port: int) -> bool | None:
    """Whether both ends of a connection have the same address; None where there is no connection.

    A tunnel or a proxy on this machine looks like a server on it.
    """
    try:
        with socket.create_connection((host, port), timeout=_PATIENCE) as connection:
            return bool(connection.getsockname()[0] == connection.getpeername()[0])
    except OSError:
        return None


def numbered(number: int, age: float, *, near: bool | None = True) -> int | None:
    """The process of this machine that a server means by a number.

    A number alone proves nothing: a server in a container has others than this machine. Here it is believed where a
    process of that number, in whatever namespace (``NSpid``, proc(5)), is as old as the server says.

    Args:
        number: process id as the server knows it.
        age: seconds that the server says it has lived.
        near: whether it answers at an address of this machine. Where not, only a process of a container can be it.

    Returns:
        Its id here; None where there is none, or more than one.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            pid = int(folder.name)
            numbers = _numbers(pid)
            if near is False and len(numbers) < 2:
                continue
            if number in numbers and abs(_age(pid) - age) <= _TOLERANCE:
                found.append(pid)
    return found[0] if len(found) == 1 else None


def named(names: tuple[str, ...], age: float, port: int | None, path: str | None) -> int | None:
    """The process of this machine that answers there, where its server tells no number of a process.

    Args:
        names: of its program.
        age: seconds that the server says it has lived.
        port: that is connected to; None where it is none of this machine's.
        path: of a unix socket, instead.

    Returns:
        Its id; None where there is none, or more than one, or somebody stands before it.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            pid = int(folder.name)
            near = (folder / "comm").read_text().strip() in names and abs(_age(pid) - age) <= _TOLERANCE
            if near and not hidden(pid, port, path):
                found.append(pid)
    return found[0] if len(found) == 1 else None


def whereabouts(near: bool | None, found: int | None) -> tuple[bool | None, tuple[int, ...] | None]:
    """Whether a server runs on this machine, and its processes here; None where one cannot be determined.

    Args:
        near: whether it answers at an address of this machine.
        found: its process, where there is one here and nobody stands before it.
    """
    if found is not None:
        # A container of this machine has an address of its own.
        return True, (found,)
    return near, () if near is False and _sees_everybody() else None


def _sees_everybody() -> bool:
    """Whether the processes of all containers are observed, as they are not from inside of one."""
    with suppress(OSError):
        return "(kthreadd)" in _KERNEL.read_text()
    return False


def parent(pid: int) -> int | None:
    """The process that started one."""
    with suppress(OSError, ValueError, IndexError):
        return int(_fields(pid)[_PARENT])
    return None


def hidden(pid: int, port: int | None, path: str | None) -> bool:
    """Whether somebody else takes the connections that a server answers: a pooler, a proxy, a forwarded port.

    That one works for the server, and cannot be told from others. Where nobody may look who has a socket open, it is
    the server's if it belongs to the server's user.

    Args:
        pid: of the server.
        port: that is connected to; None over a unix socket, and where it is none of this machine's.
        path: of that socket.
    """
    wanted = _listening(port) if path is None else _sockets(path)
    if not wanted:
        return False
    try:
        held = {str(one.readlink()) for one in Path("/proc", str(pid), "fd").iterdir()}
    except OSError:
        user = _user(pid)
        return user is None or set(wanted.values()) != {user}
    return not any(f"socket:[{inode}]" in held for inode in wanted)


def _user(pid: int) -> int | None:
    """Whose files a process creates."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("Uid:"):
                return int(line.split()[4])
    return None


def _listening(port: int | None) -> dict[str, int | None]:
    """Sockets that wait for connections to a port, and whose they are."""
    found: dict[str, int | None] = {}
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", name).read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == _LISTENING and int(words[1].rpartition(":")[2], 16) == port:
                    found[words[9]] = int(words[7])
    return found


def _sockets(path: str) -> dict[str, int | None]:
    with suppress(OSError):
        lines = Path("/proc/net/unix").read_text().splitlines()[1:]
        found = [words[6] for words in map(str.split, lines) if len(words) > 7 and words[7] == path]
        return dict.fromkeys(found, Path(path).stat().st_uid)
    return {}


def _numbers(pid: int) -> list[int]:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("NSpid:"):
            return [int(word) for word in line.split()[1:]]
    return [pid]


def _age(pid: int) -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(_fields(pid)[_STARTED]) / os.sysconf("SC_CLK_TCK")


def _fields(pid: int) -> list[str]:
    # The name may contain spaces and brackets; what follows its last bracket is plain.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
