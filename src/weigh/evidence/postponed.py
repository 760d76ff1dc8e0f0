"""Signals that would end weigh wait until evidence is sealed."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def postponed(note: str) -> Iterator[None]:
    """Let the body finish before the first signal that would end weigh is obeyed; the second is obeyed at once.

    Only the main thread of a process can do so; elsewhere nothing is changed.

    Args:
        note: is added to what the signal raises.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _ENDING}

    def wait(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        restore()

    def restore() -> None:
        for number, handler in handlers.items():
            signal.signal(number, handler)

    for number, handler in handlers.items():
        if callable(handler):
            signal.signal(number, wait)
    try:
        yield
    finally:
        restore()
    if came:
        try:
            signal.raise_signal(came[0])
        except KeyboardInterrupt as error:
            error.add_note(note)
            raise
