"""What decides about the bytes and digests that a process makes, compared between those that work together."""

from __future__ import annotations

import hashlib
import importlib
import os
import platform
import sys
from functools import cache
from pathlib import Path

import msgspec

from weigh._version import __version__


class Versions(msgspec.Struct, frozen=True, kw_only=True):
    """Of one process.

    Attributes:
        weigh: its version.
        code: hash of weigh's Python files: two checkouts have one version.
        native: hash of the native module.
        python: its first two numbers.
        pyarrow, numpy: of the libraries that rows go through.
        processor: its architecture; where it is another one, the native module is another file by right.
    """

    weigh: str
    code: str
    native: str
    python: str
    pyarrow: str
    numpy: str
    processor: str

    def difference(self, other: Versions) -> str:
        """What the other has otherwise, for people: ``weigh 0.2.0, not 0.1.0``; empty where nothing is."""
        for name in ("weigh", "python", "pyarrow", "numpy"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                return f"{name} {theirs}, not {mine}"
        if self.code != other.code:
            return f"other Python files of weigh {self.weigh}"
        if self.native != other.native and self.processor == other.processor:
            return f"another native module of weigh {self.weigh}"
        return ""


@cache
def versions() -> Versions:
    """Of this process."""
    return Versions(
        weigh=__version__,
        code=_code(),
        native=_file(str(importlib.import_module("weigh._native").__file__)),
        python=f"{sys.version_info.major}.{sys.version_info.minor}",
        pyarrow=importlib.import_module("pyarrow").__version__,
        numpy=importlib.import_module("numpy").__version__,
        processor=platform.machine(),
    )


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def _code() -> str:
    # Every gate needs it: with a Path for each file it takes four times as long.
    folder = str(Path(__file__).parents[1])
    found = hashlib.sha256()
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(place, name)  # noqa: PTH118
                with open(path, "rb") as file:  # noqa: PTH123
                    found.update(path.removeprefix(folder).encode() + b"\0" + file.read() + b"\0")
    return found.hexdigest()[:16]


def _file(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
