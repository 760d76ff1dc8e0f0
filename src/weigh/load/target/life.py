"""The process of a server that weigh keeps itself: begun, killed, begun again."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from weigh.load.target import server_folder

if TYPE_CHECKING:
    from pathlib import Path


class Life:
    """The process of a server, begun; it can be killed and begun again.

    Args:
        command: that begins it.
        place: its data.
        log: what it says.
        whose: account that it runs under; None for weigh's own.

    Raises:
        OSError: it cannot be begun.
    """

    process: subprocess.Popen[bytes]

    def __init__(self, command: list[str], place: Path, log: Path, whose: tuple[int, int] | None) -> None:
        self.log = log
        self._command, self._place, self._whose = command, place, whose
        self.begin()

    def begin(self) -> None:
        """It begins, and need not answer yet."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._place,
                start_new_session=True,
                preexec_fn=server_folder.ended_with_us(),  # noqa: PLW1509 # no thread of Python's is there to hold a lock
                **server_folder.as_account(self._whose),
            )

    def crash(self) -> None:
        """It is killed, with whatever it has forked to rewrite its files: they are in its group."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """It is there no more."""
        self.process.kill()
        self.process.wait()
