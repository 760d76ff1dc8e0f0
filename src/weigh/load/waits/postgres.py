"""What the sampler beside a PostgreSQL server says, asked over pipes."""

from __future__ import annotations

import os
import select
import time
from typing import IO

import msgspec

from weigh.load.waits.model import Waits
from weigh.model.errors import EngineFault

_PATIENCE = 15.0
"""Seconds to connect at most, which a begin takes, and some."""
_PIECE = 1 << 16


class _Begun(msgspec.Struct):
    error: str = ""


class PostgresWaits:
    """A sampler in the server's process, as of :class:`weigh.load.waits.model.WaitSampler`.

    Args:
        asking: standard input of that process, which has replied how the server is.
        answers: its standard output.
    """

    def __init__(self, asking: IO[bytes], answers: IO[bytes]) -> None:
        self._asking = asking
        self._answers = answers

    def begin(self) -> None:
        """Connect, and sample from now on.

        Raises:
            EngineFault: the server or its process refuses.
        """
        begun = msgspec.json.decode(self._asked("begin"), type=_Begun)
        if begun.error:
            raise EngineFault(begun.error)

    def drain(self) -> Waits:
        """What was seen since it was asked before.

        Raises:
            EngineFault: the process has ended.
        """
        return msgspec.json.decode(self._asked("drain"), type=Waits)

    def end(self) -> Waits:
        """Stop, and what was seen last.

        Raises:
            EngineFault: the process has ended.
        """
        return msgspec.json.decode(self._asked("end"), type=Waits)

    def _asked(self, what: str) -> bytes:
        """One line for one line. By the descriptors: a wait with a limit knows nothing of what a buffer holds."""
        try:
            os.write(self._asking.fileno(), f"{what}\n".encode())
        except OSError as error:
            raise EngineFault(f"its process has ended ({error.strerror})") from error
        until, line = time.monotonic() + _PATIENCE, b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._answers.fileno()], [], [], max(until - time.monotonic(), 0.0))
            if not ready:
                raise EngineFault(f"its process did not answer for {_PATIENCE:g} s")
            piece = os.read(self._answers.fileno(), _PIECE)
            if not piece:
                raise EngineFault("its process has ended")
            line += piece
        return line
