"""Streams and refresh functions: an honest engine with several sessions, and what it would be to lie there."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nanoarrow.c_array_stream import CArrayStream

from weigh_worker import Session

from .honest import Engine

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK, _READ = "SELECT t0.n", "SELECT * FROM"
_QUERIES = 22
_LEFT_OUT = ("cntrycode", "t_hour = 20")
"""Of the text of query 22 of TPC-H, and of query 96 of TPC-DS."""


class Sessions(Session):
    """Honest: a cursor, and a transaction for what changes."""

    def __init__(self, cursor: Any, stream: Callable[[str, Any], Any]) -> None:
        self.cursor, self.stream = cursor, stream

    def ask(self, sql: str) -> tuple[int, Any]:
        stream = self.stream(sql, self.cursor)
        schema, chunks = stream.get_schema(), list(stream)
        return sum(chunk.length for chunk in chunks), CArrayStream.from_c_arrays(chunks, schema, validate=False)

    def change(self, statements: list[str]) -> None:
        self.cursor.execute("BEGIN TRANSACTION")
        for statement in statements:
            self.one(statement)
        self.cursor.execute("COMMIT")

    def one(self, statement: str) -> None:
        self.cursor.execute(statement)

    def close(self) -> None:
        self.cursor.close()


class Streams(Engine):
    """Honest: a database file, and a session for each stream."""

    sessions: type[Sessions] = Sessions

    def write_to(self, tables: dict[str, list[str]], place: str, statements: list[str]) -> None:
        self.connection.execute(f"ATTACH '{Path(place) / 'tables.duckdb'}' AS store; USE store")
        for name, paths in tables.items():
            self.connection.execute(f"CREATE TABLE {name} AS SELECT * FROM read_parquet({paths})")
        for statement in statements:
            self.connection.execute(statement)
        self.connection.execute("CHECKPOINT store")

    def session(self) -> Session:
        cursor = self.connection.cursor()
        cursor.execute("USE store")
        return self.sessions(cursor, self.stream)


class _LosesRow(Sessions):
    def one(self, statement: str) -> None:
        super().one(statement)
        for table in ("lineitem", "web_sales"):
            if statement.startswith(f"INSERT INTO {table}"):
                self.cursor.execute(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")


class LosesRow(Streams):
    """One of the rows that a refresh function inserts is not there afterwards."""

    sessions = _LosesRow


class _Skips(Sessions):
    def change(self, statements: list[str]) -> None:
        time.sleep(0.01)


class Skips(Streams):
    """No refresh function is executed."""

    sessions = _Skips


class _Halves(Sessions):
    def change(self, statements: list[str]) -> None:
        for statement in statements:
            self.one(statement)
            time.sleep(0.05)


class Halves(Streams):
    """Each statement of a refresh function is committed by itself, so that others see a part of it."""

    sessions = _Halves


class _LeavesOut(Sessions):
    def ask(self, sql: str) -> tuple[int, Any]:
        return super().ask(f"SELECT * FROM ({sql}) LIMIT 0" if any(word in sql for word in _LEFT_OUT) else sql)


class LeavesOut(Streams):
    """One query of each stream is not executed, and answers nothing: 22 of TPC-H, 96 of TPC-DS."""

    sessions = _LeavesOut


class _Waits(Sessions):
    turn = threading.Lock()

    def __init__(self, cursor: Any, stream: Callable[[str, Any], Any]) -> None:
        super().__init__(cursor, stream)
        self.count = 0

    def ask(self, sql: str) -> tuple[int, Any]:
        if sql.startswith((_LOOK, _READ)):
            return super().ask(sql)
        if not self.count:
            self.turn.acquire()
        self.count += 1
        try:
            return super().ask(sql)
        finally:
            if self.count == _QUERIES:
                self.turn.release()


class Waits(Streams):
    """A stream begins when the one before it has ended, and they are said to run at the same moment."""

    sessions = _Waits
