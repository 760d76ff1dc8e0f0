"""What a PostgreSQL server does: checkpoints, autovacuum, deadlocks, its log of changes; by its views and its own log.

The views are asked about once a second. A server's log that can be read tells when checkpoints began and ended, and
when a deadlock was found, to the millisecond; without it they lie between two looks.
"""

from __future__ import annotations

import datetime
import os
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from . import family

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("checkpoint", "checkpoint_sync", "autovacuum", "deadlock")
_MOST = 200
"""Tables whose autovacuum is followed: those that were vacuumed last."""
_APART = 1.0
"""Seconds that a checkpoint must last for its end to be an event of its own."""
_LATE = 1.0
"""Seconds that a session may keep its counters to itself."""
_LINE = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+) (?:UTC|GMT) \[\d+\] (?:LOG|ERROR):  (.*)$")
_COMPLETE = re.compile(
    r"checkpoint complete(?:\s\([^)]*\))?: wrote (\d+) buffers .*?write=([\d.]+) s, sync=([\d.]+) s, total=([\d.]+) s"
)
_STARTING = "checkpoint starting:"
_DEADLOCK = "deadlock detected"
_POSITION = """
pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END,
                '0/0')::int8
"""
_CHECKPOINTS = {
    18: "SELECT num_done, write_time + sync_time, buffers_written FROM pg_stat_checkpointer",
    17: "SELECT NULL::int8, write_time + sync_time, buffers_written FROM pg_stat_checkpointer",
    0: "SELECT NULL::int8, checkpoint_write_time + checkpoint_sync_time, buffers_checkpoint FROM pg_stat_bgwriter",
}
"""How many, milliseconds that they took, and buffers that they wrote; before 18 those that did nothing are counted."""
_TOOK = {18: "total_autovacuum_time, total_autoanalyze_time", 0: "NULL::float8, NULL::float8"}
_TEXT = """
SELECT extract(epoch FROM clock_timestamp())::float8 AS now, {position} AS position,
       (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()) AS deadlocks,
       (SELECT count(*) FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()) AS waiting,
       (SELECT json_agg(checkpoints) FROM ({checkpoints}) AS checkpoints (done, took, buffers)) AS checkpoints,
       (SELECT json_agg(json_build_array(pid, left(query, 200), extract(epoch FROM xact_start)))
        FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND xact_start IS NOT NULL) AS workers,
       (SELECT json_agg(vacuumed) FROM (
            SELECT relid::int8, schemaname || '.' || relname AS name, autovacuum_count, autoanalyze_count,
                   extract(epoch FROM last_autovacuum) AS vacuum_end,
                   extract(epoch FROM last_autoanalyze) AS analyze_end, {took}
            FROM pg_stat_all_tables WHERE last_autovacuum IS NOT NULL OR last_autoanalyze IS NOT NULL
            ORDER BY greatest(last_autovacuum, last_autoanalyze) DESC LIMIT {most}
        ) AS vacuumed (relid, name, vacuums, analyzes, vacuum_end, analyze_end, vacuum_took, analyze_took)) AS vacuumed
"""
_WORKS = {"vacuum": "VACUUM", "analyze": "ANALYZE"}


class PostgresServer:
    """A server, over a connection of its own.

    Args:
        connection: that commits every statement.
        server: its first process, where it is one of this machine.
        log: where it writes what it has to say, from its end on; None where that cannot be read.
    """

    period = 1.0
    kinds = KINDS

    def __init__(self, connection: Any, server: int | None, log: Path | None) -> None:
        self._connection = connection
        self._server = server
        self._log = None if log is None else os.open(log, os.O_RDONLY | os.O_CLOEXEC)
        self._read = 0 if self._log is None else os.fstat(self._log).st_size
        self._rest = b""
        self._before: dict[str, Any] | None = None
        self._workers: dict[str, float] = {}
        """Since when a table is being worked on, by what is done, on the server's clock."""
        self._open: dict[str, Any] | None = None
        """A checkpoint that goes on, by the log."""
        version = connection.info.server_version // 10000

        def of(texts: dict[int, str]) -> str:
            return next(text for least, text in texts.items() if version >= least)

        self._text = _TEXT.format(position=_POSITION, checkpoints=of(_CHECKPOINTS), took=of(_TOOK), most=_MOST)

    def look(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """As of :class:`looking.Source`."""
        began = time.monotonic()
        names = ("now", "position", "deadlocks", "waiting", "checkpoints", "workers", "vacuumed")
        [row] = self._connection.execute(self._text, prepare=True).fetchall()
        now = dict(zip(names, row, strict=True))
        # The server's clock against ours: it was read between the question and the answer.
        ours = (began + time.monotonic()) / 2 - now["now"]
        now["vacuumed"] = {one["relid"]: one for one in now["vacuumed"] or ()}
        before, self._before = self._before, now
        values = {
            "log_bytes": now["position"],
            "waiting": now["waiting"],
            "server_cpu_s": family.cpu_seconds(self._server) if self._server else None,
        }
        events = self._messages(ours) if self._log is not None else []
        self._workers = self._started(now["workers"] or ())
        if before is not None:
            if self._log is None:
                events += _counted(before, now)
            events += self._vacuumed(before["vacuumed"], now["vacuumed"], ours)
        return values, events

    def close(self) -> None:
        """As of :class:`looking.Source`."""
        if self._log is not None:
            os.close(self._log)
        with suppress(Exception):
            self._connection.close()

    def _messages(self, ours: float) -> list[dict[str, Any]]:
        """What its log says since the last time. ``ours`` makes the server's time one of this process's."""
        assert self._log is not None
        text = b""
        while piece := os.pread(self._log, 1 << 16, self._read):
            self._read += len(piece)
            text += piece
        *whole, self._rest = (self._rest + text).split(b"\n")
        events = []
        for line in whole:
            found = _LINE.match(line.decode(errors="replace"))
            if not found:
                continue
            moment = datetime.datetime.fromisoformat(found[1]).replace(tzinfo=datetime.UTC).timestamp() + ours
            if found[2].startswith(_STARTING):
                self._open = {"what": found[2].removeprefix(_STARTING).strip()}
            elif complete := _COMPLETE.match(found[2]):
                events += _checkpoint(moment, complete, self._open or {})
                self._open = None
            elif found[2].startswith(_DEADLOCK):
                events.append({"kind": "deadlock", "at": moment, "until": moment, "told": "log", "amount": 1})
        return events

    def _started(self, workers: Any) -> dict[str, float]:
        """Since when each table is being worked on; what was observed once is remembered until its end is known."""
        found = dict(self._workers)
        for _, query, begun in workers:
            # "autovacuum: VACUUM ANALYZE public.usertable (to prevent wraparound)"
            words = query.partition("(")[0].split()
            for name in _WORKS.values():
                if name in words[1:-1]:
                    found[f"{name} {words[-1]}"] = float(begun)
        return found

    def _vacuumed(
        self, before: dict[int, dict[str, Any]], now: dict[int, dict[str, Any]], ours: float
    ) -> list[dict[str, Any]]:
        """What autovacuum has finished."""
        events = []
        for relid, one in now.items():
            old = before.get(relid, {})
            for work, name in _WORKS.items():
                if one[f"{work}s"] <= old.get(f"{work}s", 0) or one[f"{work}_end"] is None:
                    continue
                what, end = f"{name} {one['name']}", one[f"{work}_end"] + ours
                event = {"kind": "autovacuum", "until": end, "told": "server", "what": what}
                # One that began later is another one.
                begun = self._workers.get(what)
                if begun is not None and begun <= one[f"{work}_end"]:
                    del self._workers[what]
                else:
                    begun = None
                took = one[f"{work}_took"]
                if took is not None:
                    event["at"] = end - (took - (old.get(f"{work}_took") or 0.0)) / 1e3
                elif begun is not None:
                    event["at"] = begun + ours
                else:
                    # It began and ended between two looks.
                    event["at"] = end
                events.append(event)
        return events


def _checkpoint(ended: float, match: re.Match[str], started: dict[str, Any]) -> list[dict[str, Any]]:
    """A checkpoint as the log tells it, and its end by itself where that is a small part of it."""
    buffers, write, total = int(match[1]), float(match[2]), float(match[4])
    usual = {"until": ended, "told": "log", "amount": buffers}
    events = [{"kind": "checkpoint", "at": ended - total, **usual, **started}]
    if total >= _APART:
        events.append({"kind": "checkpoint_sync", "at": min(ended - total + write, ended), **usual})
    return events


def _counted(before: dict[str, Any], now: dict[str, Any]) -> list[dict[str, Any]]:
    """What only counters tell: it lies between the two looks."""
    events: list[dict[str, Any]] = []
    [old], [new] = before["checkpoints"] or [None], now["checkpoints"] or [None]
    if old and new:
        took = (new["took"] - old["took"]) / 1e3
        done = took > 0 if new["done"] is None else new["done"] > old["done"]
        if done and took >= 0:
            amount = new["buffers"] - old["buffers"]
            events.append({"kind": "checkpoint", "earlier": took, "took_s": took, "amount": amount})
    more = (now["deadlocks"] or 0) - (before["deadlocks"] or 0)
    if more > 0:
        events.append({"kind": "deadlock", "earlier": _LATE, "amount": more})
    return events
