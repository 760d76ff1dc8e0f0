"""Looks at the sessions of a load, about ten times a second, from a thread and a connection of its own.

Two statements. The first is asked at every look and reads ``pg_stat_activity``, which takes no lock that a session
needs for long. The second reads ``pg_locks`` and calls ``pg_blocking_pids`` for the sessions that wait, and it is asked
only where the first saw the load wait for a lock: both hold the server's lock table for a moment, and PostgreSQL's
documentation warns of asking them often (sections "pg_locks" and "System Information Functions").
"""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .blocking import blocked
from .statement import without_literals

if TYPE_CHECKING:
    from collections.abc import Callable

    from .blocking import Names

PERIOD = 0.1
"""Seconds from one look to the next, on average."""
SELDOM = 1.0
"""The same at most, whatever a look costs."""
SHARE = 0.02
"""Of one CPU, at most, that looking is to use, by what the cheapest look of late used."""
_LATE = 9
_MOST = 64
"""Waiting sessions of the load of which it is asked, at one look, for whom they wait; and as many of those that stand
before them and wait themselves."""
_TEXT = 1000
"""Characters of a statement that the server sends."""
_PATIENCE = 2.0
LOAD = "weigh load"
"""What the sessions of the load call themselves."""
OURS = f"application_name = '{LOAD}' AND datid = (SELECT oid FROM pg_database WHERE datname = current_database())"

_ACTIVITY = f"""
SELECT state, wait_event_type, wait_event, left(query, {_TEXT}), backend_type, count(*)
FROM (
    SELECT CASE WHEN backend_type = 'autovacuum worker' THEN 'vacuuming' ELSE state END AS state, backend_type,
           CASE WHEN state = 'active' THEN wait_event_type END AS wait_event_type,
           CASE WHEN state = 'active' THEN wait_event END AS wait_event,
           CASE WHEN state = 'active' THEN query END AS query
    FROM pg_stat_activity
    WHERE ({OURS}) OR backend_type = 'autovacuum worker'
) AS seen
GROUP BY 1, 2, 3, 4, 5
"""
_LOCKS = f"""
WITH locks AS MATERIALIZED (SELECT * FROM pg_locks),
own AS MATERIALIZED (
    SELECT pid, pg_blocking_pids(pid) AS blockers
    FROM (
        SELECT DISTINCT pid FROM locks
        WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE {OURS}) LIMIT {_MOST}
    ) AS waiting
),
further AS MATERIALIZED (
    SELECT pid, pg_blocking_pids(pid) AS blockers
    FROM (
        SELECT DISTINCT pid FROM locks
        WHERE NOT granted AND pid IN (SELECT unnest(blockers) FROM own) AND pid NOT IN (SELECT pid FROM own)
        LIMIT {_MOST}
    ) AS waiting
),
blocked AS MATERIALIZED (SELECT * FROM own UNION ALL SELECT * FROM further),
sessions AS MATERIALIZED (
    SELECT pid, ({OURS}) IS TRUE AS ours, state, wait_event_type, left(query, {_TEXT}) AS query,
           application_name, backend_type,
           extract(epoch FROM clock_timestamp() - xact_start)::float8 AS age
    FROM pg_stat_activity
    WHERE pid IN (SELECT pid FROM blocked UNION SELECT unnest(blockers) FROM blocked)
)
SELECT (
    SELECT json_agg(json_build_object('pid', pid, 'locktype', locktype, 'mode', mode, 'granted', granted,
                                      'relation', CASE WHEN database IN (0, here.oid) THEN relation::int8 END,
                                      'waited', WAITED))
    FROM locks, (SELECT oid FROM pg_database WHERE datname = current_database()) AS here
    WHERE pid IN (SELECT pid FROM blocked)
      AND (NOT granted OR locktype = 'tuple'
           OR (locktype = 'relation' AND mode IN ('RowExclusiveLock', 'RowShareLock')))
) AS locks, (
    SELECT json_agg(json_build_object('pid', pid, 'blockers', blockers)) FROM blocked
) AS blockers, (
    SELECT json_agg(sessions) FROM sessions
) AS sessions
"""
_WAITED = "extract(epoch FROM clock_timestamp() - waitstart)::float8"
_NAMES = """
SELECT c.oid::int8, n.nspname || '.' || c.relname, c.relkind
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = ANY(%s::int8[])
"""
_CHECKPOINTS = {
    18: "SELECT num_done FROM pg_stat_checkpointer",
    17: "SELECT num_timed + num_requested FROM pg_stat_checkpointer",
    0: "SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter",
}


class Sampler:
    """Samples from :meth:`begin` to :meth:`end`, as often as that is done.

    Args:
        connect: opens a connection, which commits every statement.
        nearby: whether the server's processes are in this machine's ``/proc``.
    """

    def __init__(self, connect: Callable[[], Any], *, nearby: bool) -> None:
        self._connect = connect
        self._nearby = nearby
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._connection: Any = None
        self._drained: dict[str, Any] = _nothing()
        self._names: Names = {}
        self._late: list[float] = []
        self._server_cpu: float | None = None

    def begin(self) -> None:
        """Connect and begin.

        Raises:
            Exception: the server lets nobody in.
        """
        self._connection = self._connect()
        version = self._connection.info.server_version // 10000
        self._locks = _LOCKS.replace("WAITED", _WAITED if version >= 14 else "NULL::float8")
        self._checkpoints = next(text for least, text in _CHECKPOINTS.items() if version >= least)
        self._drained, self._names, self._late = _nothing(), {}, []
        self._server_cpu = self._cpu_of_session()
        # Of this run: a thread of the one before may still be waiting for a server that stands still.
        self._over = threading.Event()
        whose = (self._connection, self._over, time.monotonic())
        self._thread = threading.Thread(target=self._sample, args=whose, daemon=True)
        self._thread.start()

    def drain(self) -> dict[str, Any]:
        """What was seen since it was asked before: :class:`weigh.load.waits.model.Waits` as plain JSON."""
        cpu = self._cpu_of_session()
        with self._guard:
            drained, self._drained = self._drained, _nothing()
        drained["blocked"] = [{**dict(kind), **numbers} for kind, numbers in drained["blocked"].items()]
        if cpu is not None and self._server_cpu is not None:
            drained["server_cpu_s"] = cpu - self._server_cpu
        self._server_cpu = cpu
        return drained

    def end(self) -> dict[str, Any]:
        """Stop, and what was seen last."""
        self._over.set()
        if self._thread is not None:
            # A server that stands still must not hold up the end of the run.
            self._thread.join(_PATIENCE)
        drained = self.drain()
        if self._thread is not None and not self._thread.is_alive():
            with suppress(Exception):
                self._connection.close()
        self._thread = None
        return drained

    def _sample(self, connection: Any, over: threading.Event, began: float) -> None:
        try:
            # Once beforehand: the first time the server has to plan them. Not in begin, which nobody could end.
            for statement in (_ACTIVITY, self._locks):
                connection.execute(statement, prepare=True).fetchall()
            before = self._counted(connection)
            # At random moments: evenly spaced looks would meet an evenly spaced load always at the same point.
            while not over.wait(self._period() * random.uniform(0.5, 1.5)):
                self._look(connection, over, began)
            after = self._counted(connection)
            if before is not None and after is not None:
                with self._guard:
                    if self._over is over:
                        self._drained["checkpoints"] = after - before
        except Exception as error:
            with self._guard:
                if self._over is over:
                    self._drained["error"] = " ".join(str(error).split()) or type(error).__name__

    def _look(self, connection: Any, over: threading.Event, began: float) -> None:
        """One look, and a second one at the locks where the load waits for any."""
        cpu, server = time.thread_time(), self._cpu_of_session()
        at = time.monotonic()
        rows = connection.execute(_ACTIVITY, prepare=True).fetchall()
        took = time.monotonic() - at
        look, statements = _sorted_out(rows)
        found: list[dict[str, Any]] = []
        if any(event.startswith("Lock:") for event in look["active"]):
            found = self._waiting(connection)
        took_s = time.monotonic() - at
        used, after = time.thread_time() - cpu, self._cpu_of_session()
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

    def _waiting(self, connection: Any) -> list[dict[str, Any]]:
        [(locks, blockers, sessions)] = connection.execute(self._locks, prepare=True).fetchall()
        wanted = {one["relation"] for one in locks or () if one["relation"]} - self._names.keys()
        if wanted:
            rows = connection.execute(_NAMES, (sorted(wanted),), prepare=True).fetchall()
            self._names.update({oid: (name, kind) for oid, name, kind in rows})
        return blocked({"locks": locks, "blockers": blockers, "sessions": sessions}, self._names)

    def _period(self) -> float:
        """Seconds to the next look. By the cheapest of late: a look that has to wait costs no more than another."""
        return min(max(PERIOD, min(self._late, default=0.0) / SHARE), SELDOM)

    def _counted(self, connection: Any) -> int | None:
        """Checkpoints since the server began to count; None where it does not tell."""
        # A server that speaks the protocol and is no PostgreSQL has other views.
        with suppress(Exception):
            [(number,)] = connection.execute(self._checkpoints).fetchall()
            return int(number)
        return None

    def _cpu_of_session(self) -> float | None:
        """CPU seconds of the server's process that answers the sampler."""
        if not self._nearby or self._connection is None:
            return None
        with suppress(Exception):
            path = Path("/proc", str(self._connection.info.backend_pid), "schedstat")
            return int(path.read_text().split()[0]) / 1e9
        return None


def _nothing() -> dict[str, Any]:
    return {"looks": [], "blocked": {}, "statements": {}, "asked_s": 0.0, "cpu_s": 0.0}


def _sorted_out(rows: list[Any]) -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
    """A look without its time, and what each statement was seen waiting for."""
    look: dict[str, Any] = {"connections": 0, "active": {}, "idle_in_transaction": 0, "vacuuming": []}
    statements: dict[str, dict[str, int]] = {}
    for state, kind, event, query, backend, times in rows:
        if state == "vacuuming":
            look["vacuuming"] += [query or backend] * times
            continue
        look["connections"] += times
        if state == "active":
            name = f"{kind}:{event}" if kind else "CPU"
            look["active"][name] = look["active"].get(name, 0) + times
            known = statements.setdefault(without_literals(query or ""), {})
            known[name] = known.get(name, 0) + times
        elif state and state.startswith("idle in transaction"):
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
