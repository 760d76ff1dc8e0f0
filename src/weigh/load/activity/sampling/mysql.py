"""What a MySQL or MariaDB server does: its log of changes, waits for locks, deadlocks."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from . import family

KINDS = ("deadlock",)
_STATUS = ("Innodb_os_log_written", "Innodb_lsn_current", "Innodb_row_lock_current_waits", "Innodb_deadlocks")
_TEXT = "SHOW GLOBAL STATUS WHERE Variable_name IN ({})".format(", ".join(f"'{name}'" for name in _STATUS))


class MySqlServer:
    """A server, over a connection of its own.

    Args:
        connection: that commits every statement.
        server: its process, where it is one of this machine.
    """

    period = 1.0

    def __init__(self, connection: Any, server: int | None) -> None:
        self._connection = connection
        self._server = server
        self._deadlocks = self._read().get("Innodb_deadlocks")
        # MySQL does not count them.
        self.kinds: tuple[str, ...] = KINDS if self._deadlocks is not None else ()

    def look(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """As of :class:`looking.Source`."""
        now = self._read()
        values = {
            "log_bytes": now.get("Innodb_lsn_current", now.get("Innodb_os_log_written")),
            "waiting": now.get("Innodb_row_lock_current_waits"),
            "server_cpu_s": family.cpu_seconds(self._server) if self._server else None,
        }
        before, self._deadlocks = self._deadlocks, now.get("Innodb_deadlocks")
        more = (self._deadlocks or 0) - (before or 0)
        return values, [{"kind": "deadlock", "amount": more}] if more > 0 else []

    def close(self) -> None:
        """As of :class:`looking.Source`."""
        with suppress(Exception):
            self._connection.close()

    def _read(self) -> dict[str, int]:
        with self._connection.cursor() as cursor:
            cursor.execute(_TEXT)
            return {name: int(value) for name, value in cursor.fetchall()}
