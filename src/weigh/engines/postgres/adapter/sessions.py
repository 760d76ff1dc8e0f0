"""Sessions: tables that can be changed, and a connection for each thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh_worker import Session

from . import copy_in, results

if TYPE_CHECKING:
    import psycopg


def fill(connection: psycopg.Connection[Any], tables: dict[str, list[str]], statements: list[str]) -> None:
    """Tables from Parquet files, then the statements, then VACUUM, ANALYZE and a checkpoint."""
    with connection.transaction():
        for name, paths in tables.items():
            copy_in.create(connection, name, paths)
    for statement in statements:
        connection.execute(statement)
    for name in tables:
        connection.execute(f"VACUUM (ANALYZE) {copy_in.quoted(name)}")
    connection.execute("CHECKPOINT")


class PostgresSession(Session):
    """A connection of one thread."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        results.prepare(connection)

    def ask(self, sql: str) -> tuple[int, Any]:
        """A cursor without a name fetches all rows."""
        cursor = self._connection.cursor()
        cursor.execute(sql)
        return max(0, cursor.rowcount), cursor

    def answer(self, result: Any) -> Any:
        """As an Arrow IPC stream."""
        return results.stream(result)

    def change(self, statements: list[str]) -> None:
        """One transaction."""
        with self._connection.transaction():
            for statement in statements:
                self._connection.execute(statement)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
