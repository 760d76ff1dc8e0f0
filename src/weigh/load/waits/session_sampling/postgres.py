"""Sessions of PostgreSQL: ``pg_stat_activity`` at every look, locks and who holds them where the load waits.

What ``pg_locks`` and ``pg_blocking_pids`` cost is in PostgreSQL's documentation (sections "pg_locks" and "System
Information Functions").
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .blocking import blocked
from .statement import without_literals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .blocking import Names

_MOST = 64
"""Waiting sessions of the load of which it is asked, at one look, for whom they wait; and as many of those that stand
before them and wait themselves."""
_TEXT = 1000
"""Characters of a statement that the server sends."""
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


class PostgresViews:
    """Of one connection.

    Args:
        connection: that commits every statement.
        nearby: whether the server's processes are in this machine's ``/proc``.
    """

    def __init__(self, connection: Any, *, nearby: bool) -> None:
        self._connection = connection
        self._nearby = nearby
        self._names: Names = {}
        version = connection.info.server_version // 10000
        self._locks = _LOCKS.replace("WAITED", _WAITED if version >= 14 else "NULL::float8")
        self._checkpoints = next(text for least, text in _CHECKPOINTS.items() if version >= least)

    def prepare(self) -> None:
        """As of :class:`sampler.Views`."""
        for statement in (_ACTIVITY, self._locks):
            self._connection.execute(statement, prepare=True).fetchall()

    def sessions(self) -> Iterator[tuple[str, str, str, int]]:
        """As of :class:`sampler.Views`."""
        rows = self._connection.execute(_ACTIVITY, prepare=True).fetchall()
        return (
            (
                state or "",
                f"{kind}:{event}" if kind else "CPU",
                query or backend if state == "vacuuming" else without_literals(query or ""),
                times,
            )
            for state, kind, event, query, backend, times in rows
        )

    def blocked(self) -> list[dict[str, Any]]:
        """As of :class:`sampler.Views`."""
        [(locks, blockers, sessions)] = self._connection.execute(self._locks, prepare=True).fetchall()
        wanted = {one["relation"] for one in locks or () if one["relation"]} - self._names.keys()
        if wanted:
            rows = self._connection.execute(_NAMES, (sorted(wanted),), prepare=True).fetchall()
            self._names.update({oid: (name, kind) for oid, name, kind in rows})
        return blocked({"locks": locks, "blockers": blockers, "sessions": sessions}, self._names)

    def checkpoints(self) -> int | None:
        """As of :class:`sampler.Views`."""
        # A server that speaks the protocol and is no PostgreSQL has other views.
        with suppress(Exception):
            [(number,)] = self._connection.execute(self._checkpoints).fetchall()
            return int(number)
        return None

    def cpu_s(self) -> float | None:
        """As of :class:`sampler.Views`: of the process that answers."""
        if not self._nearby:
            return None
        with suppress(Exception):
            path = Path("/proc", str(self._connection.info.backend_pid), "schedstat")
            return int(path.read_text().split()[0]) / 1e9
        return None

    def close(self) -> None:
        """As of :class:`sampler.Views`."""
        self._connection.close()
