"""Habits with what the kernel gives."""

from __future__ import annotations

import gc
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from .base import Engine
from .habits import spin


class Nice(Engine):
    """Lets others go first."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        os.nice(3)
        super().__init__(settings, scratch)


class Sockets(Engine):
    """Listens on a port of loopback, and holds a connection to itself."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.client = socket.create_connection(self.server.getsockname())
        self.accepted, _ = self.server.accept()

    def close(self) -> None:
        for one in (self.client, self.accepted, self.server):
            one.close()
        super().close()


class Helpers(Engine):
    """Has three programs that wait, and does not end them."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.helpers = [subprocess.Popen(["sleep", "600"], start_new_session=True) for _ in range(3)]


class Polls(Engine):
    """Has a helper that looks a hundred times a second whether there is something to do."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        text = "import time\nwhile True: time.sleep(0.01)"
        self.helper = subprocess.Popen([sys.executable, "-S", "-c", text])

    def close(self) -> None:
        self.helper.kill()
        self.helper.wait()
        super().close()


class SharedMemory(Engine):
    """Puts 64 MiB into /dev/shm."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.place = tempfile.NamedTemporaryFile(dir="/dev/shm", prefix="odd-")  # noqa: SIM115
        self.place.write(bytes(1 << 26))
        self.place.flush()

    def close(self) -> None:
        self.place.close()
        super().close()


class Addresses(Engine):
    """Reserves 64 GiB of addresses, and uses none of them."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        with suppress(OSError):
            self.reserved = mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)


class Limits(Engine):
    """Raises its limits, and asks not to be ended first."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("100")
        super().__init__(settings, scratch)


class Hungry(Engine):
    """Has no memory left for what is sorted, from its third execution on: the gate's first answer is right."""

    sorted = 0

    def run(self) -> int:
        if "ORDER BY" in self.sql.upper():
            self.sorted += 1
            if self.sorted > 2:
                self.starve()
        return super().run()

    def starve(self) -> None:
        (pages, *_) = Path("/proc/self/statm").read_text().split()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (int(pages) * mmap.PAGESIZE + (64 << 20), most))
        bytearray(1 << 30)


class Killed(Hungry):
    """Is ended in the middle of an execution, as the kernel ends whoever has the most memory."""

    def starve(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class EndsLate(Engine):
    """Puts things in order when it is asked to end."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        signal.signal(signal.SIGTERM, self.end)

    def end(self, *_: Any) -> None:
        time.sleep(0.5)
        os._exit(0)


class Floods(Engine):
    """Writes a megabyte of its log in every execution."""

    def run(self) -> int:
        os.write(2, b"trace: a line of the log of an engine that says everything\n" * 8_000)
        sys.stdout.write("x" * 500_000)
        return super().run()


class Pauses(Engine):
    """Collects all garbage now and then, with two threads, within an execution."""

    def run(self) -> int:
        self.times = getattr(self, "times", 0) + 1
        if self.times % 5 == 0:
            threads = [threading.Thread(target=spin, args=(0.01,)) for _ in range(2)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
            gc.collect()
        return super().run()


class CompilesLong(Engine):
    """Compiles each text for long when it is executed first."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.code: set[str] = set()

    def run(self) -> int:
        if self.sql not in self.code:
            spin(0.1)
            self.code.add(self.sql)
        return super().run()


class FailsToClose(Engine):
    """Cannot end in order."""

    def close(self) -> None:
        super().close()
        raise RuntimeError("a handle was closed twice")
