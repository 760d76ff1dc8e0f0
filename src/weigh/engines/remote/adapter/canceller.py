"""Ends what a life leaves running in a server when it is killed in the middle of a query.

A server does not notice that a client is gone before it has something to send: the query goes on, and disturbs the next
measurement. A child of the life waits for its end, and tells the server.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Canceller:
    """Waits alongside a life, and calls ``cancel`` where that ends without saying so.

    Args:
        cancel: connects and cancels. Called in the child.
    """

    def __init__(self, cancel: Callable[[], None]) -> None:
        reading, self._writing = os.pipe()
        self._child = os.fork()
        if self._child:
            os.close(reading)
            return
        os.close(self._writing)
        self._wait(reading, cancel)

    @staticmethod
    def _wait(reading: int, cancel: Callable[[], None]) -> None:
        """In the child, which has none of what its parent holds but the pipe: the life's socket must close with it."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        with suppress(BaseException):
            # The life's group is killed as one.
            os.setsid()
            os.closerange(3, reading)
            os.closerange(reading + 1, 4096)
            # A byte is an end in order; nothing at all is one by a kill.
            if not os.read(reading, 1):
                signal.alarm(8)
                cancel()
        os._exit(0)

    def close(self) -> None:
        """The life ends in order: nothing is left running."""
        with suppress(OSError):
            os.write(self._writing, b".")
            os.close(self._writing)
        with suppress(ChildProcessError):
            os.waitpid(self._child, 0)
