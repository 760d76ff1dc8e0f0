"""weigh as a user calls it, in this process: a command takes milliseconds, and nothing outside reaches what it says."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import sys
from importlib.metadata import entry_points
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import pytest

from weigh.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint
    from pathlib import Path

COLUMNS = "118"
_DIGITS = 9
"""Significant digits of a number in a JSON document, as of `weigh verify`: another processor rounds the last ones."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.])")


class Shown(NamedTuple):
    """What a command did.

    Attributes:
        words: the command line without ``weigh``.
        code: exit code.
        out: standard output.
        err: standard error.
    """

    words: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def snapshot(self) -> str:
        """Command, exit code and both streams in one text."""
        out = _NUMBER.sub(_rounded, self.out) if "--json" in self.words else self.out
        command = shlex.join(("weigh", *self.words))
        return f"$ {command}\nexit code: {self.code}\n----- stdout -----\n{out}----- stderr -----\n{self.err}"


def weigh(words: Sequence[str], folder: Path, columns: str = COLUMNS) -> Shown:
    """Call it.

    Args:
        words: the command line without ``weigh``.
        folder: working directory.
        columns: of the terminal.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    with pytest.MonkeyPatch.context() as patch:
        for name in [one for one in os.environ if one.startswith("WEIGH_") or one in ("FORCE_COLOR", "TTY_COMPATIBLE")]:
            patch.delenv(name)
        lock = str(folder / "weigh.lock")
        for name, value in (("COLUMNS", columns), ("NO_COLOR", "1"), ("TERM", "dumb"), ("WEIGH_LOCK", lock)):
            patch.setenv(name, value)
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["weigh", *words])
        # Else the name in a usage line is that of how pytest was called.
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        patch.setattr("weigh.host.plug_ins.entries", _own)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        try:
            main.main()
        except SystemExit as ended:
            code = ended.code
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    assert isinstance(code, int)
    place = str(folder.resolve())
    return Shown(tuple(words), code, *(_read(stream).replace(place, "/here") for stream in (out, err)))


def _own(group: str) -> dict[str, EntryPoint]:
    """What weigh brings; what else is installed here is nobody's expectation."""
    return {one.name: one for one in entry_points(group=group) if one.value.startswith("weigh.")}


def _read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


def _rounded(number: re.Match[str]) -> str:
    text = number.group()
    mantissa = text.lower().split("e")[0]
    digits = mantissa.lstrip("-").replace(".", "").lstrip("0")
    return repr(float(f"{float(text):.{_DIGITS}g}")) if len(digits) > _DIGITS else text
