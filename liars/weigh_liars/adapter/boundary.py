"""A10: engines that meddle with their clock or with what they report; A6: that work between the executions."""

from __future__ import annotations

import gc
import json
import os
import resource
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .honest import Engine
from .pace import Pace

Edit = Callable[[dict[str, Any]], Any]

# A clock that is replaced by name: the clock of the worker does not ask for it.


class SlowClock(Pace):
    """Replaces the clocks of the standard library by ones that run at a tenth of the speed, while a query runs."""

    def run(self) -> int:
        perf_ns, perf, usage = time.perf_counter_ns, time.perf_counter, resource.getrusage
        time.perf_counter_ns = lambda: perf_ns() // 10
        resource.getrusage = lambda who: usage(who + 2)
        # The law of this engine's own pace goes by another clock.
        time.perf_counter = perf
        return super().run()


# What only weigh's own clock can find.


class RewrittenClock(Pace):
    """Finds the worker's clock in memory and has it run at a tenth of the speed."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        for one in gc.get_objects():
            if getattr(one, "__qualname__", "") == "meter.<locals>.measure" and hasattr(one, "__closure__"):
                cells = dict(zip(one.__code__.co_freevars, one.__closure__, strict=True))
                cells["now"].cell_contents = slowed(cells["now"].cell_contents)


def slowed(clock: Callable[[], int]) -> Callable[[], int]:
    """A clock that runs at a tenth of the speed."""
    return lambda: clock() // 10


class Wire(Pace):
    """Has every message of the worker pass through a thread of its own, which edits what ``run`` replied."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.edit = EDITS[str(self.law["edit"])]
        number = int(sys.argv[1])
        real = socket.socket(fileno=os.dup(number))
        real.settimeout(None)
        ours, theirs = socket.socketpair()
        os.dup2(theirs.fileno(), number)
        theirs.close()
        threading.Thread(target=self.pump, args=(real, ours), daemon=True).start()
        threading.Thread(target=self.rewrite, args=(ours, real), daemon=True).start()

    @staticmethod
    def pump(source: socket.socket, sink: socket.socket) -> None:
        """What weigh asks passes as it is."""
        while part := source.recv(1 << 16):
            sink.sendall(part)
        os._exit(0)

    def rewrite(self, source: socket.socket, sink: socket.socket) -> None:
        """What is replied passes with other figures."""
        file = source.makefile("rb")
        while head := file.read(4):
            body = file.read(struct.unpack(">I", head)[0])
            reply = json.loads(body)
            if "wall_s" in reply:
                edited = self.edit(reply)
                body = edited if isinstance(edited, bytes) else json.dumps(edited).encode()
            sink.sendall(struct.pack(">I", len(body)) + body)


EDITS: dict[str, Edit] = {
    "tenth": lambda reply: {**reply, "wall_s": reply["wall_s"] / 10, "cpu_s": reply["cpu_s"] / 10},
    "half": lambda reply: {**reply, "wall_s": reply["wall_s"] / 2, "cpu_s": reply["cpu_s"] / 2},
    "longer": lambda reply: {**reply, "wall_s": reply["wall_s"] + 0.3},
    "nan": lambda reply: {**reply, "wall_s": float("nan")},
    "fast": lambda reply: {**reply, "wall_s": "fast"},
    "huge": lambda reply: {**reply, "wall_s": 10**400},
    "zero": lambda reply: {**reply, "wall_s": 0},
    "null": lambda reply: {**reply, "wall_s": None},
    "rows": lambda reply: {**reply, "rows": 1 << 70},
    "deep": lambda reply: b"[" * 100_000,
    "surplus": lambda reply: {**reply, "peak_memory": -1.0},
}


class InRelease(Pace):
    """Executes when the last result is freed, and hands back what it has under the clock."""

    early = 0

    def release(self) -> None:
        super().release()
        if self.sql:
            self.early = Pace.run(self)

    def run(self) -> int:
        return self.early


class InCollector(InRelease):
    """The same when garbage is collected."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        gc.callbacks.append(self.collecting)

    def release(self) -> None:
        Engine.release(self)

    def collecting(self, phase: str, info: dict[str, int]) -> None:
        """Garbage is about to be collected."""
        if phase == "start" and info["generation"] == 2 and self.sql:
            self.early = Pace.run(self)


# Honest.


class Helped(Engine):
    """Honest: asks a process of its own for the time before every execution, and prints what it says."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.helper = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self) -> int:
        assert self.helper.stdin is not None
        assert self.helper.stdout is not None
        self.helper.stdin.write(b"time?\n")
        self.helper.stdin.flush()
        print(self.helper.stdout.readline() * 100, flush=True)
        return super().run()


class CompilesFirst(Engine):
    """Honest: compiles the text of a query for 25 ms when it executes it first."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.compiled: set[str] = set()

    def run(self) -> int:
        if self.sql not in self.compiled:
            self.compiled.add(self.sql)
            time.sleep(0.025)
        return super().run()


class Leaves(Engine):
    """Leaves two processes behind that nobody ends: one in a session of its own, one that has no parent any more.

    Their numbers are written to the file ``diary``.
    """

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        with Path(self.wanted["diary"]).open("a") as diary:
            print(subprocess.Popen(["sleep", LEFT_S], start_new_session=True, env={}).pid, file=diary, flush=True)
            orphan = ["/bin/sh", "-c", f"sleep {LEFT_S} & echo $!"]
            subprocess.run(orphan, start_new_session=True, check=True, stdout=diary)


class Trickles(Pace):
    """Replies to every execution with one byte in a tenth of a second, of a message that has no end."""

    def run(self) -> int:
        channel = socket.socket(fileno=os.dup(int(sys.argv[1])))
        channel.sendall(struct.pack(">I", 1 << 20))
        while True:
            channel.sendall(b" ")
            time.sleep(0.1)


LEFT_S = "3617"
"""Seconds that what is left behind would stay."""
