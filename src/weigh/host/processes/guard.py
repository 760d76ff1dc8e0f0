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
mark = sys.argv[1].encode()
os.read(0, 1)
for _ in range(50):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as variables:
                if any(one.startswith(mark) for one in variables.read().split(b"\\0")):
                    found.append(int(name))
        except OSError:
            pass
    for pid in found:
        try:
            os.kill(pid, 9)
        except OSError:
            pass
    if not found:
        break
    time.sleep(0.05)
"""
"""It reads a pipe that nobody writes: its end is weigh's. What forks on while it is killed is met again."""


_NUMBERS = itertools.count(1)


def new_mark() -> str:
    """A value of :data:`MARK` that no other life has.

    The first call starts the guard, which ends with this process, and kills what has a mark of it before it does.
    """
    return f"{_session()}-{next(_NUMBERS)}"


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
def _session() -> str:
    name = f"{os.getpid()}-{time.monotonic_ns()}"
    reading, _ = os.pipe()
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
    return name
