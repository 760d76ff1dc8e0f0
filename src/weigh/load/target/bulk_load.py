"""Loading data into a server in a way that Ctrl-C can end."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.model.progress import Progress

_GLANCE = 0.1
"""Seconds between two drawings of the bar."""
_PARTING = 0.5
"""Seconds that the loading has to notice that it is over."""


class _Interrupted(Exception):
    """The loading is to end."""


def loaded(load: Callable[[Callable[[int, int], None]], Any], progress: Progress) -> Any:
    """What ``load`` returns, which is given a function to tell how far it is.

    In a thread of its own: while a server builds an index of millions of rows the generator waits for its answer, and
    this thread, the only one that signals reach, must not.

    Raises:
        KeyboardInterrupt: at once; the server may be at work on the last statement still.
        Exception: what ``load`` raises.
    """
    over, stopped = threading.Event(), threading.Event()
    far: list[tuple[int, int]] = []
    came: list[Any] = []
    failed: list[BaseException] = []

    def tell(done: int, total: int) -> None:
        if stopped.is_set():
            raise _Interrupted
        far[:] = [(done, total)]

    def work() -> None:
        try:
            came.append(load(tell))
        except BaseException as error:  # it is raised by the other thread
            failed.append(error)
        finally:
            over.set()

    # A daemon: it may wait for the server when everything else is done.
    thread = threading.Thread(target=work, name="weigh-loading", daemon=True)
    thread.start()
    try:
        while not over.wait(_GLANCE):
            for done, total in far:
                progress.step(done, total, "records")
    except BaseException:
        stopped.set()
        thread.join(_PARTING)
        raise
    thread.join()
    if failed:
        raise failed[0]
    progress.step(1, 1, "")
    return came[0]
