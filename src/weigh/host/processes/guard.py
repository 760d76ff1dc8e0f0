"""The guard: where weigh is killed, it kills what weigh's workers started, such as a command that goes on.

A worker ends with weigh (PR_SET_PDEATHSIG), and what it started would not.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from weigh.host.processes import Process, started

MARK = "WEIGH_LIFE"
"""Environment variable by which what a worker started is known, also when it has detached itself."""
_PROGRAM = """
import os, sys, time
mark, text = sys.argv[1].encode(), b""
while piece := os.read(0, 4096):
    text += piece
led = [tuple(map(int, line.split())) for line in text.splitlines()]
sessions = set()
for _ in range(50):
    known = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            if fields[0] != b"Z":
                known[int(name)] = int(fields[1]), int(fields[3]), int(fields[19])
        except (OSError, ValueError, IndexError):
            pass
    sessions |= {pid for pid, started in led if pid in known and known[pid][2] == started}
    found = set()
    for pid, (_, session, _) in known.items():
        try:
            with open(f"/proc/{pid}/environ", "rb") as variables:
                if session in sessions or any(one.startswith(mark) for one in variables.read().split(b"\\0")):
                    found.add(pid)
        except OSError:
            pass
    while more := {pid for pid in known if known[pid][0] in found} - found:
        found |= more
    for pid in found:
        try:
            os.kill(pid, 9)
        except OSError:
            pass
    if not found:
        break
    time.sleep(0.05)
"""
"""It reads a pipe until its end, which is weigh's. What forks on while it is killed is met again. A server may have
written over its environment (its title in ``ps``): it is known by its parents, or by the session of one that was named.
"""


_NUMBERS = itertools.count(1)


def new_mark() -> str:
    """A value of :data:`MARK` that no other life has.

    The first call starts the guard, which ends with this process, and kills what has a mark of it before it does.
    """
    return f"{_session()[0]}-{next(_NUMBERS)}"


def watch(leader: int) -> None:
    """Let the guard also kill the session of a process that leads one, if that process is alive then."""
    ticks = started(leader)
    if ticks is not None:
        os.write(_session()[1], f"{leader} {ticks}\n".encode())


def marked(mark: str) -> list[Process]:
    """Every process that began with a mark in its environment and may be looked at, wherever it belongs by now."""
    found, wanted = [], f"{MARK}={mark}".encode()
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            # It may end meanwhile, or be another user's.
            with suppress(OSError):
                if wanted in (place / "environ").read_bytes().split(b"\0") and (ticks := started(int(place.name))):
                    found.append(Process(int(place.name), ticks))
    return found


@functools.cache
def _session() -> tuple[str, int]:
    """Its name in marks, and where the guard reads."""
    name = f"{os.getpid()}-{time.monotonic_ns()}"
    reading, writing = os.pipe()
    nothing = [(os.POSIX_SPAWN_OPEN, one, os.devnull, os.O_WRONLY, 0) for one in (1, 2)]
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", "-c", _PROGRAM, f"{MARK}={name}-"],
        {},
        file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0), *nothing],
        # Ctrl-C of the terminal is not for it.
        setsid=True,
    )
    os.close(reading)
    return name, writing
