"""Looks again and again, from a thread, and keeps what was observed until it is asked for."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

EACH = 1.0
"""Seconds between two looks that are kept."""
SHARE = 0.01
"""Of one CPU, at most, that looking is to use, by how long the cheapest look of late took."""
_LATE = 9
_FAR = 4.0
"""Times of the usual from one look to the next from which on what lies between them has no place."""
_PATIENCE = 2.0


class Source(Protocol):
    """A server, or a file.

    Attributes:
        period: seconds from one look to the next, at least.
        kinds: what could be observed.
    """

    period: float
    kinds: tuple[str, ...]

    def look(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """What there is now, and the events since the look before.

        An event without ``at`` lies between both looks. Times are those of ``time.monotonic()``.
        """

    def close(self) -> None:
        """Look no more."""


class Looking:
    """Looks from :meth:`begin` to :meth:`end`, as often as that is done.

    Args:
        make: connects to the server.
    """

    def __init__(self, make: Callable[[], Source]) -> None:
        self._make = make
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._drained = _nothing()

    def begin(self, origin: float) -> None:
        """Connect and begin.

        Args:
            origin: of the times that are handed out, on ``time.monotonic()``.

        Raises:
            Exception: the server lets nobody in.
        """
        source = self._make()
        self._drained = {**_nothing(), "counted": list(source.kinds)}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(source, self._over, origin), daemon=True)
        self._thread.start()

    def drain(self) -> dict[str, Any]:
        """What was observed since it was asked before: :class:`weigh.load.activity.model.Activity` as plain JSON."""
        with self._guard:
            drained, self._drained = self._drained, _nothing()
        return drained

    def end(self) -> dict[str, Any]:
        """Look once more and stop, and what was observed last."""
        self._over.set()
        if self._thread is not None:
            # A server that stands still must not hold up the end of the run.
            self._thread.join(_PATIENCE)
        self._thread = None
        return self.drain()

    def _work(self, source: Source, over: threading.Event, origin: float) -> None:
        try:
            since, last_look, lately = time.monotonic(), 0.0, [0.0]
            source.look()
            ended = False
            while not ended:
                period = max(source.period, min(lately) / SHARE)
                # The last look is behind the end: what began before it is not lost.
                ended = over.wait(period)
                cpu, at = time.thread_time(), time.monotonic()
                now, events = source.look()
                until = time.monotonic()
                lately = [*lately[1 - _LATE :], time.thread_time() - cpu]
                for one in events:
                    if "at" not in one:
                        one.update(at=since - one.pop("earlier", 0.0), until=until, told="looks")
                        if until - since > _FAR * max(period, 0.1):
                            one["vague"] = True
                    one["at"] -= origin
                    one["until"] -= origin
                with self._guard:
                    if self._over is not over:
                        return
                    self._drained["events"] += events
                    if at - last_look >= EACH or ended:
                        last_look = at
                        self._drained["looks"].append({"at": at - origin, "took_s": until - at, **now})
                    self._drained["cpu_s"] += time.thread_time() - cpu
                since = at
        except Exception as error:
            with self._guard:
                if self._over is over:
                    self._drained["error"] = " ".join(str(error).split()) or type(error).__name__
        finally:
            with suppress(Exception):
                source.close()


def answer(looks: Looking, line: str) -> dict[str, Any]:
    """What is asked of it in a line: ``begin ORIGIN``, ``drain`` or ``end``."""
    word, *rest = line.split()
    if word == "begin":
        looks.begin(float(rest[0]))
        return {}
    return {"drain": looks.drain, "end": looks.end}[word]()


def _nothing() -> dict[str, Any]:
    return {"looks": [], "events": [], "cpu_s": 0.0}
