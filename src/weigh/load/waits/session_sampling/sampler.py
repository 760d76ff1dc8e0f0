"""Looks at the sessions of a load, about ten times a second, from a thread and a connection of its own.

Two questions. The first is asked at every look, and takes no lock that a session needs for long. The second asks who
waits for whom, and it is asked only where the first saw the load wait for a lock: it holds the server's table of locks
for a moment, and the servers' documentation warns of asking it often.
"""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PERIOD = 0.1
"""Seconds from one look to the next, on average."""
SELDOM = 1.0
"""The same at most, whatever a look costs."""
SHARE = 0.02
"""Of one CPU, at most, that looking is to use, by what the cheapest look of late used."""
_LATE = 9
_PATIENCE = 2.0

Session = tuple[str, str, str, int]
"""``active``, ``idle in transaction``, ``vacuuming`` or ``idle``; wait event; statement without its literals; how many
sessions are so."""


class Views(Protocol):
    """What a server tells of its sessions, over a connection that is open and commits every statement."""

    def prepare(self) -> None:
        """Have it plan its answers: the first one takes longer."""

    def sessions(self) -> Iterable[Session]:
        """The sessions of the load, and what clears tables up."""

    def blocked(self) -> list[dict[str, Any]]:
        """Sessions of the load that wait for a lock: :class:`weigh.load.waits.model.Blocked` without its counts."""

    def checkpoints(self) -> int | None:
        """Checkpoints since the server began to count; None where it does not tell."""

    def cpu_s(self) -> float | None:
        """CPU seconds that the server used for this connection; None where they cannot be read."""

    def close(self) -> None:
        """Ask nothing more."""


class Sampler:
    """Samples from :meth:`begin` to :meth:`end`, as often as that is done.

    Args:
        connect: opens a connection.
    """

    def __init__(self, connect: Callable[[], Views]) -> None:
        self._connect = connect
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._views: Views | None = None
        self._drained: dict[str, Any] = _nothing()
        self._late: list[float] = []
        self._server_cpu: float | None = None

    def begin(self) -> None:
        """Connect and begin.

        Raises:
            Exception: the server lets nobody in.
        """
        self._views = self._connect()
        self._drained, self._late = _nothing(), []
        self._server_cpu = self._views.cpu_s()
        # Of this run: a thread of the one before may still be waiting for a server that stands still.
        self._over = threading.Event()
        whose = (self._views, self._over, time.monotonic())
        self._thread = threading.Thread(target=self._sample, args=whose, daemon=True)
        self._thread.start()

    def drain(self) -> dict[str, Any]:
        """What was observed since it was asked before: :class:`weigh.load.waits.model.Waits` as plain JSON."""
        cpu = self._views.cpu_s() if self._views else None
        with self._guard:
            drained, self._drained = self._drained, _nothing()
        drained["blocked"] = [{**dict(kind), **numbers} for kind, numbers in drained["blocked"].items()]
        if cpu is not None and self._server_cpu is not None:
            drained["server_cpu_s"] = cpu - self._server_cpu
        self._server_cpu = cpu
        return drained

    def end(self) -> dict[str, Any]:
        """Stop, and what was observed last."""
        self._over.set()
        if self._thread is not None:
            # A server that stands still must not hold up the end of the run.
            self._thread.join(_PATIENCE)
        drained = self.drain()
        if self._thread is not None and not self._thread.is_alive() and self._views is not None:
            with suppress(Exception):
                self._views.close()
        self._thread = None
        return drained

    def _sample(self, views: Views, over: threading.Event, began: float) -> None:
        try:
            # Not in begin, which nobody could end.
            views.prepare()
            before = views.checkpoints()
            # At random moments: evenly spaced looks would meet an evenly spaced load always at the same point.
            while not over.wait(self._period() * random.uniform(0.5, 1.5)):
                self._look(views, over, began)
            after = views.checkpoints()
            if before is not None and after is not None:
                with self._guard:
                    if self._over is over:
                        self._drained["checkpoints"] = after - before
        except Exception as error:
            with self._guard:
                if self._over is over:
                    self._drained["error"] = " ".join(str(error).split()) or type(error).__name__

    def _look(self, views: Views, over: threading.Event, began: float) -> None:
        """One look, and a second one at the locks where the load waits for any."""
        cpu, server = time.thread_time(), views.cpu_s()
        at = time.monotonic()
        sessions = views.sessions()
        took = time.monotonic() - at
        look, statements = _sorted_out(sessions)
        found: list[dict[str, Any]] = []
        if any(event.startswith("Lock:") for event in look["active"]):
            found = views.blocked()
        took_s = time.monotonic() - at
        used, after = time.thread_time() - cpu, views.cpu_s()
        # Where it cannot be read it was no more than the answers took.
        theirs = took_s if server is None or after is None else after - server
        self._late = [*self._late[1 - _LATE :], used + theirs]
        with self._guard:
            if self._over is not over:
                return
            current = self._drained
            current["looks"].append({"at": at - began, "took_s": took, **look})
            for text, events in statements.items():
                known = current["statements"].setdefault(text, {})
                for event, times in events.items():
                    known[event] = known.get(event, 0) + times
            for one in found:
                _add(current["blocked"], one)
            current["asked_s"] += took_s
            current["cpu_s"] += used

    def _period(self) -> float:
        """Seconds to the next look. By the cheapest of late: a look that has to wait costs no more than another."""
        return min(max(PERIOD, min(self._late, default=0.0) / SHARE), SELDOM)


def _nothing() -> dict[str, Any]:
    return {"looks": [], "blocked": {}, "statements": {}, "asked_s": 0.0, "cpu_s": 0.0}


def _sorted_out(sessions: Iterable[Session]) -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
    """A look without its time, and what each statement was observed waiting for."""
    look: dict[str, Any] = {"connections": 0, "active": {}, "idle_in_transaction": 0, "vacuuming": []}
    statements: dict[str, dict[str, int]] = {}
    for state, event, statement, times in sessions:
        if state == "vacuuming":
            look["vacuuming"] += [statement] * times
            continue
        look["connections"] += times
        if state == "active":
            look["active"][event] = look["active"].get(event, 0) + times
            known = statements.setdefault(statement, {})
            known[event] = known.get(event, 0) + times
        elif state.startswith("idle in transaction"):
            look["idle_in_transaction"] += times
    return look, statements


def _add(known: dict[tuple[tuple[str, str], ...], dict[str, Any]], one: dict[str, Any]) -> None:
    """Count one wait among those of its kind."""
    waited, ahead = one.pop("longest_s"), one.pop("ahead")
    numbers = known.setdefault(tuple(one.items()), {"times": 0, "longest_s": None, "ahead": 0})
    numbers["times"] += 1
    numbers["ahead"] = max(numbers["ahead"], ahead)
    if waited is not None:
        numbers["longest_s"] = max(numbers["longest_s"] or 0.0, waited)
