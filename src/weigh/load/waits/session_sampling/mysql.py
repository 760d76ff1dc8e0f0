"""Sessions of MySQL and MariaDB: the list of processes and InnoDB's transactions, its locks where the load waits.

Neither tells wait events where ``performance_schema`` is off, as it is in MariaDB unless somebody switches it on; the
list of processes names the stage that a statement is in ("Thread States" of both manuals), and InnoDB who waits for a
row. What one waits for within a stage is not known.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .blocking import before_it
from .statement import without_literals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_MOST = 64
"""Waiting sessions of which it is asked, at one look, for whom they wait."""
_TEXT = 1000
"""Characters of a statement that the server sends."""
_SLEEPS = "Sleep"
_SERVER = ("Daemon", "Binlog Dump", "Slave_IO", "Slave_SQL", "Slave_worker")
"""What the server calls its own sessions."""
_ROW = "row"
"""What is waited for where InnoDB says that a transaction waits."""
_WAITS = re.compile(r"Waiting for (?:the )?(.+?) lock\b|(User) lock\b", re.IGNORECASE)
"""States of a session that waits for a lock of the server's own, above InnoDB."""
_SESSIONS = f"""
SELECT p.id, p.command, p.state, LEFT(p.info, {_TEXT}), t.trx_state
FROM information_schema.processlist AS p
LEFT JOIN information_schema.innodb_trx AS t ON t.trx_mysql_thread_id = p.id
WHERE p.user = SUBSTRING_INDEX(USER(), '@', 1) AND p.db <=> DATABASE() AND p.id > %s
"""
_LOCKS = {
    # MariaDB, and MySQL until 5.7.
    "innodb_lock_waits": f"""
SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id, REPLACE(l.lock_table, '`', ''), l.lock_mode,
       TIMESTAMPDIFF(MICROSECOND, r.trx_wait_started, NOW(6)) / 1e6
FROM information_schema.innodb_lock_waits AS w
JOIN information_schema.innodb_trx AS r ON r.trx_id = w.requesting_trx_id
JOIN information_schema.innodb_trx AS b ON b.trx_id = w.blocking_trx_id
JOIN information_schema.innodb_locks AS l ON l.lock_id = w.requested_lock_id
LIMIT {_MOST * _MOST}
""",
    "data_lock_waits": f"""
SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id, CONCAT(l.object_schema, '.', l.object_name), l.lock_mode,
       TIMESTAMPDIFF(MICROSECOND, r.trx_wait_started, NOW(6)) / 1e6
FROM performance_schema.data_lock_waits AS w
JOIN information_schema.innodb_trx AS r ON r.trx_id = w.requesting_engine_transaction_id
JOIN information_schema.innodb_trx AS b ON b.trx_id = w.blocking_engine_transaction_id
JOIN performance_schema.data_locks AS l ON l.engine_lock_id = w.requesting_engine_lock_id
LIMIT {_MOST * _MOST}
""",
}
"""By the view that is there."""
_COARSE = 1.0
"""Seconds that the beginning of a wait is told to."""
_WHO = f"""
SELECT p.id, p.user, p.command, p.state, LEFT(p.info, {_TEXT}), t.trx_state,
       TIMESTAMPDIFF(SECOND, t.trx_started, NOW())
FROM information_schema.processlist AS p
LEFT JOIN information_schema.innodb_trx AS t ON t.trx_mysql_thread_id = p.id
WHERE p.id IN %s
"""


class MySqlViews:
    """Of one connection.

    Args:
        connection: that commits every statement.
        is_weigh: whether a session is one of weigh's that asks.
        after: session after which those of the load came: who has the same user and database and was there before is
            somebody else.
        server: the server's process, where it is one of this machine.
    """

    def __init__(self, connection: Any, is_weigh: Callable[[int], bool], after: int, server: int | None) -> None:
        self._connection = connection
        self._is_weigh = is_weigh
        self._after = after
        self._stat = self._thread(server)
        known = {
            str(name).lower()
            for (name,) in self._rows(
                "SELECT table_name FROM information_schema.tables "
                "WHERE table_schema IN ('information_schema', 'performance_schema') AND table_name IN %s",
                (*_LOCKS, *map(str.upper, _LOCKS)),
            )
        }
        self._locks = next(text for view, text in _LOCKS.items() if view in known or view == "data_lock_waits")

    def prepare(self) -> None:
        """As of :class:`sampler.Views`."""
        for _ in self.sessions():
            pass
        self.blocked()

    def sessions(self) -> Iterator[tuple[str, str, str, int]]:
        """As of :class:`sampler.Views`."""
        rows = self._rows(_SESSIONS, self._after)
        return (
            (_state(command, transaction), _event(state, transaction), without_literals(text or "", mysql=True), 1)
            for number, command, state, text, transaction in rows
            if not self._is_weigh(number)
        )

    def blocked(self) -> list[dict[str, Any]]:
        """As of :class:`sampler.Views`."""
        waits = self._rows(self._locks)
        before: dict[int, list[int]] = {}
        for waiter, blocker, *_ in waits:
            before.setdefault(waiter, []).append(blocker)
        load = {number: row for number, *row in self._rows(_SESSIONS, self._after) if not self._is_weigh(number)}
        wanted = {*before, *(one for blockers in before.values() for one in blockers)}
        sessions = {row[0]: row for row in self._rows(_WHO, tuple(wanted))} if wanted else {}
        locks = {waiter: lock for waiter, _, *lock in waits}
        found = []
        for number, (command, state, text, transaction) in load.items():
            event = _event(state, transaction)
            if _state(command, transaction) != "active" or not event.startswith("Lock:"):
                continue
            table, mode, waited = locks.get(number, ("", "", None)) if event == f"Lock:{_ROW}" else ("", "", None)
            ahead = before_it(number, before)
            found.append(
                {
                    "lock": event.partition(":")[2],
                    "mode": mode or "",
                    "table": table or "",
                    "told": "lock" if table else "",
                    "statement": without_literals(text or "", mysql=True),
                    **_root([one for one in ahead if one not in before], sessions, load),
                    # At least so long: its beginning is told to the second.
                    "longest_s": float(waited) - _COARSE if waited is not None and waited > _COARSE else None,
                    "ahead": len(ahead),
                }
            )
        return found

    def checkpoints(self) -> int | None:
        """As of :class:`sampler.Views`: InnoDB writes pages out all the time, and counts no checkpoints."""
        return None

    def cpu_s(self) -> float | None:
        """As of :class:`sampler.Views`: of the thread that answers."""
        with suppress(Exception):
            if self._stat is not None:
                return int(self._stat.read_text().split()[0]) / 1e9
        return None

    def close(self) -> None:
        """As of :class:`sampler.Views`."""
        self._connection.close()

    def _thread(self, server: int | None) -> Path | None:
        """The kernel's file about the server's thread for this connection; MariaDB names it."""
        with suppress(Exception):
            [(thread,)] = self._rows("SELECT tid FROM information_schema.processlist WHERE id = CONNECTION_ID()")
            path = Path("/proc", str(server), "task", str(thread), "schedstat")
            return path if server is not None and path.exists() else None
        return None

    def _rows(self, text: str, *values: Any) -> Sequence[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(text, values or None)
            rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
            return rows


def _state(command: str, transaction: str | None) -> str:
    if command != _SLEEPS:
        return "active"
    return "idle" if transaction is None else "idle in transaction"


def _event(state: str | None, transaction: str | None) -> str:
    """What a session waits for, or the stage that its statement is in."""
    if transaction == "LOCK WAIT":
        return f"Lock:{_ROW}"
    if waits := _WAITS.match(state or ""):
        return f"Lock:{(waits[1] or waits[2]).lower()}"
    return f"Stage:{state}" if state else "Stage:none named"


def _root(
    roots: Sequence[int], sessions: Mapping[int, Sequence[Any]], load: Mapping[int, Sequence[Any]]
) -> dict[str, str]:
    """The session at the head of the queue. Of several it is the one whose transaction is the oldest."""
    known = [sessions[number] for number in roots if number in sessions]
    if not known:
        return {"root": "", "root_state": "", "root_whose": "", "root_name": ""}
    number, user, command, _, text, transaction, _ = max(known, key=lambda one: (one[5] != "LOCK WAIT", one[6] or 0))
    theirs = "server" if command in _SERVER else "other"
    return {
        "root": without_literals(text or "", mysql=True),
        "root_state": _state(command, transaction),
        "root_whose": "load" if number in load else theirs,
        "root_name": "" if number in load else f"session {number} of user {user}",
    }
