"""Habits of a process."""

from __future__ import annotations

import hashlib
import locale
import os
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from .base import Engine


class Compiles(Engine):
    """Compiles each text once: the first execution takes longer."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.code: set[str] = set()

    def run(self) -> int:
        if self.sql not in self.code:
            spin(0.01)
            self.code.add(self.sql)
        return super().run()


class KeepsCode(Engine):
    """Compiles each text once and keeps the code in a folder that all its processes share."""

    def run(self) -> int:
        folder = Path(tempfile.gettempdir()) / f"odd-code-{os.getuid()}"
        folder.mkdir(exist_ok=True)
        code = folder / hashlib.sha256(self.sql.encode()).hexdigest()
        if not code.exists():
            spin(0.01)
            code.write_text("code")
        return super().run()


class Prints(Engine):
    """Talks on both of its outputs."""

    def run(self) -> int:
        print("executing", self.sql[:40], flush=True)
        print("progress: 100 %", file=sys.stderr, flush=True)
        return super().run()


class Warns(Engine):
    """Warns of something in every execution."""

    def run(self) -> int:
        warnings.warn("this will change in the next release", DeprecationWarning, stacklevel=1)
        return super().run()


class ClosesSlowly(Engine):
    """Puts things in order before it ends."""

    def close(self) -> None:
        time.sleep(1)
        super().close()


class LateImport(Engine):
    """Imports what it is made of when it is needed first."""

    def connect(self) -> Any:
        return None

    def opened(self) -> Any:
        if self.connection is None:
            self.connection = super().connect()
        return self.connection

    def version(self) -> str:
        return "2.0.0"

    def settings(self) -> dict[str, dict[str, Any]]:
        return {"odd": {"value": self.wanted.get("odd"), "default": "plain"}}

    def bind(self, tables: dict[str, list[str]]) -> None:
        self.opened()
        super().bind(tables)

    def close(self) -> None:
        if self.connection is not None:
            super().close()


class Arena(Engine):
    """Takes a quarter of a gigabyte before it begins."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.arena = bytearray(1 << 28)


class Signals(Engine):
    """Has handlers of signals."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)


class Switches(Engine):
    """Changes how its interpreter works."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        sys.setswitchinterval(0.0005)
        sys.setrecursionlimit(5_000)
        os.umask(0o077)


class Zone(Engine):
    """Lives in another time zone, and in another folder."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        os.environ["TZ"] = "Asia/Kolkata"
        time.tzset()
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
        super().__init__(settings, scratch)
        os.chdir(scratch)


class StartsSlowly(Engine):
    """Takes its time to start."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        time.sleep(1)
        super().__init__(settings, scratch)


class FailsSome(Engine):
    """Cannot sort, and says so."""

    def run(self) -> int:
        if "ORDER BY" in self.sql.upper():
            raise RuntimeError("sorting is not implemented yet")
        return super().run()


def spin(seconds: float) -> None:
    """Work for so long."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
