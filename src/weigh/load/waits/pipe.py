"""One line for one line with a process that asks a server on weigh's behalf, within a time and a size."""

from __future__ import annotations

import os
import select
import time
from typing import IO

from weigh.model.errors import EngineFault

_PIECE = 1 << 16
_LONGEST = 64 << 20
"""Bytes of one line: what a second of a load waited for is some kilobytes."""


class Pipe:
    """The two ends that weigh has.

    Args:
        asking: standard input of that process.
        answers: its standard output, which nobody else reads.
    """

    def __init__(self, asking: IO[bytes], answers: IO[bytes]) -> None:
        self._asking = asking
        self._answers = answers
        self._late = False
        """Whether an answer was given up: what comes then would be taken for the next one."""

    def ask(self, line: str, patience: float) -> bytes:
        """Send a line, and read one.

        Args:
            line: without its end.
            patience: seconds to wait for the whole answer.

        Raises:
            EngineFault: the process has ended, or does not answer in time.
        """
        if self._late:
            raise EngineFault("its process did not answer before")
        try:
            os.write(self._asking.fileno(), f"{line}\n".encode())
        except OSError as error:
            raise EngineFault(f"its process has ended ({error.strerror})") from error
        return self.read(patience)

    def read(self, patience: float) -> bytes:
        """A line; as of :meth:`ask`."""
        # By the descriptor: a wait with a limit knows nothing of what a buffer holds.
        until, line = time.monotonic() + patience, b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._answers.fileno()], [], [], max(until - time.monotonic(), 0.0))
            if not ready:
                self._late = True
                raise EngineFault(f"its process did not answer for {patience:g} s")
            piece = os.read(self._answers.fileno(), _PIECE)
            if not piece:
                raise EngineFault("its process has ended")
            line += piece
            if len(line) > _LONGEST:
                raise EngineFault(f"the server sent what makes a line of more than {_LONGEST} bytes")
        return line
