"""PostgreSQL inside a contender's environment. Runs in the worker; imports nothing of weigh.

A life is a server of its own over a private copy of what was loaded; with ``weigh.url`` it is a connection to a server
that is there already.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import psycopg
from psycopg import conninfo

from weigh_worker import Adapter, Session, Unsupported
from weigh_worker.left_out import LeftOut

from . import copy_in, data_copies, os_user, profile, remote, results, server, sessions, settings

# What a change here stores otherwise must change this number: copies are found again by the text of this module.
FORM = 1

_LOADING = {
    # A loader that dies is begun anew, and what it loaded is written back before it is used.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    # The log need not repeat what COPY writes into a table of the same transaction.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    "default_transaction_read_only": "off",
}
_LIVING = {"default_transaction_read_only": "on"}
"""The copy outlives the life."""
_UNSUPPORTED = {
    "0A000",  # feature not supported
    "42601",  # syntax error
    "42704",  # undefined object: a type or collation
    "42725",  # ambiguous function
    "42803",  # grouping error
    "42804",  # datatype mismatch
    "42846",  # cannot coerce
    "42883",  # undefined function
    "42P18",  # indeterminate datatype
    "42P20",  # windowing error
}
"""SQLSTATEs of a query that it cannot parse or plan (PostgreSQL manual, appendix A)."""
_OUT_OF_MEMORY = "53200"
_FILES = "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 't') AND oid >= 16384"
"""Tables of users and their TOAST; lower numbers are the catalogue's (PostgreSQL manual, system catalogue pg_class)."""


class Engine(Adapter):
    """One life."""

    elsewhere = True

    def __init__(self, wanted: dict[str, Any], scratch: str) -> None:
        super().__init__(wanted, scratch)
        self.options = settings.options_of(wanted)
        self.url = wanted.get(settings.URL)
        self.sql = ""
        self.reading = False
        self.server: server.Server | None = None
        self.data_copy: data_copies.DataCopy | None = None
        self.bare: Path | None = None
        self.cursor: psycopg.Cursor[Any] | None = None
        self.account: os_user.OsUser | None = None
        self.programs = Path()
        self.home: Path | None = None
        self.table = ""
        self.paths: list[str] = []
        if self.url is None:
            # What the user's environment says about other servers is not meant for this one.
            for name in [name for name in os.environ if name.startswith("PG")]:
                del os.environ[name]
            self.account = os_user.unprivileged()
            self.programs = os_user.programs(self.account, str(wanted.get(settings.PROGRAMS, "")))
            self._connection: psycopg.Connection[Any] | None = None
        else:
            given = conninfo.conninfo_to_dict(str(self.url)).get("password")
            Adapter.hidden = (os.environ.get("PGPASSWORD", ""), str(given or ""))
            self._connection = remote.connect(str(self.url), self.options)
            # Of a password file, which libpq reads.
            Adapter.hidden += (self._connection.info.password,)
            self._opened(self._connection)

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """To the server; to one without tables where none was attached, for it to describe itself."""
        if self._connection is None:
            self.bare = os_user.temporary(Path(self.scratch), self.account)
            # In the scratch folder it is removed with the life's folder around that.
            swept = self.bare if self.account else Path(self.scratch).parent
            try:
                server.initialise(self.programs, self.bare / "data", self.account, swept)
                self._start(self.bare / "data", {**_LIVING, **self.options})
            except BaseException:
                self._stop()
                raise
        assert self._connection is not None
        return self._connection

    def version(self) -> str:
        """What ``SHOW server_version`` says."""
        ((version,),) = self.connection.execute("SHOW server_version").fetchall()
        return str(version)

    def settings(self) -> dict[str, dict[str, Any]]:
        """What ``pg_settings`` says, and that a life is a connection only where it is."""
        self._reset_role()
        found = settings.read(self.connection, self.options)
        return found if self.url is None else {**found, "weigh.life": {"value": "connection", "default": "server"}}

    def bind(self, tables: dict[str, list[str]]) -> None:
        """PostgreSQL reads its own tables only."""
        raise Unsupported("PostgreSQL cannot query Parquet where it lies")

    def load(self, tables: dict[str, list[str]], copy: str) -> None:
        """Tables from Parquet, frozen and analysed; no index, as the other contenders have none."""
        if self.url is not None:
            remote.load(self.connection, tables, Path(copy))
            return
        place = os_user.place(Path(copy), self.account)
        data = place / "data"
        server.initialise(self.programs, data, self.account, Path(copy))
        self._start(data, {**self.options, **_LOADING})
        with self.connection.transaction():
            made = copy_in.create_each(self.connection, tables, Path(copy))
        for name in made:
            self.connection.execute(f"VACUUM (ANALYZE) {copy_in.quoted(name)}")
        self._stop()
        server.write_back(self.programs, data, self.account)

    def attach(self, copy: str, tables: list[str]) -> None:
        """A server over data that nobody else uses, taken from the copy, or the schema of the server at the URL."""
        left_out = LeftOut.read(Path(copy))
        self.lacking = left_out.columns
        self.unreadable = {
            name: Unsupported(f"{why}, so it has no table {name}") for name, why in left_out.tables.items()
        }
        if self.url is not None:
            remote.attach(self.connection, Path(copy))
            return
        self._stop()
        self.data_copy = data_copies.take(os_user.placed(Path(copy)), self.programs, self.account)
        self._start(self.data_copy.data, {**_LIVING, **self.options})

    def begin_ingest(self, table: str, paths: list[str], place: str) -> None:
        """A server of this life's own, made at the first load; later the table of the load before is dropped."""
        if self.url is not None:
            raise Unsupported("a server that is reached by URL is not loaded")
        if self.home is None:
            self._stop()
            copy = Path(place).parent
            os_user.place(copy, self.account)
            self.home = os_user.placed(copy)
            server.initialise(self.programs, self.home / "data", self.account, copy)
            self._start(self.home / "data", self.options)
        elif self.table:
            self.connection.execute(f"DROP TABLE IF EXISTS {copy_in.quoted(self.table)}")
        self.table, self.paths = table, paths

    def ingest(self) -> int:
        """COPY in one transaction and a checkpoint, so that what is in the log lies in the table's files too."""
        with self.connection.transaction():
            rows = copy_in.create(self.connection, self.table, self.paths)
        self.connection.execute("CHECKPOINT")
        return rows

    def guarantee(self) -> tuple[bool | None, str]:
        """The checkpoint waits for the device where ``fsync`` is on (PostgreSQL manual, 19.5)."""
        names = ("fsync", "synchronous_commit", "full_page_writes")
        read = {name: str(self.connection.execute(f"SHOW {name}").fetchall()[0][0]) for name in names}
        return read["fsync"] == "on", ", ".join(f"{name}={value}" for name, value in read.items())

    def stored(self) -> memoryview:
        """Every row of the table."""
        with self.connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {copy_in.quoted(self.table)}")
            return results.stream(cursor)

    def write_to(self, tables: dict[str, list[str]], place: str, statements: list[str]) -> None:
        """A server of this life's own, with the settings that were asked for."""
        if self.url is not None:
            raise Unsupported("a server that is reached by URL is not filled")
        self._stop()
        os_user.place(Path(place), self.account)
        self.home = os_user.placed(Path(place))
        server.initialise(self.programs, self.home / "data", self.account, Path(place))
        self._start(self.home / "data", self.options)
        sessions.fill(self.connection, tables, statements)

    def session(self) -> Session:
        """A connection more to the server."""
        if self.server is None:
            raise Unsupported("a server that is reached by URL has one session")
        return sessions.PostgresSession(self.server.connect())

    def files(self) -> list[str]:
        """The files of the tables and of what is too large for a row; none of a server elsewhere."""
        data = self.data_copy.data if self.data_copy else self.home / "data" if self.home else None
        if data is None:
            return []
        self._reset_role()
        rows = self.connection.execute(_FILES).fetchall()
        return [str(path) for (name,) in rows for path in data_copies.pieces(data / name)]

    def servers(self) -> list[int]:
        """The server at the URL, where it is one of this machine's; one that was started here is known."""
        return [] if self.url is None else remote.processes(self.connection)

    def prepare(self, sql: str) -> None:
        """Keep the text: parsing and planning belong to the timed region, as for every contender.

        Others' questions are asked as a role that reads tables, and no files of the server's machine.
        """
        self.sql = sql
        if self.confined is not None and self.url is None:
            self.connection.execute("SET ROLE pg_read_all_data")
            self.reading = True

    def run(self) -> int:
        """Execute, and hold the complete result in client memory: a cursor without a name fetches all of it.

        Of several statements the last one's result is the answer.
        """
        self.cursor = self.connection.cursor()
        self.cursor.execute(self.sql)
        while self.cursor.nextset():
            pass
        return max(0, self.cursor.rowcount) if self.cursor.description else 0

    def answer(self) -> memoryview:
        """The result as an Arrow IPC stream."""
        if self.cursor is None:
            raise RuntimeError("nothing was executed")
        return results.stream(self.cursor)

    def release(self) -> None:
        """Drop the result."""
        if self.cursor is not None:
            self.cursor.close()
            self.cursor = None

    def profile(self) -> dict[str, Any]:
        """What ``EXPLAIN (ANALYZE, BUFFERS)`` says."""
        return profile.profiled(self.connection, self.sql)

    def close(self) -> None:
        """Stop the server, or leave it alone where it is not ours."""
        self._stop()
        if self.home is not None:
            shutil.rmtree(self.home, ignore_errors=True)

    def classify(self, error: BaseException) -> str:
        """By SQLSTATE. A server that is gone takes the life with it."""
        if self._connection is not None and self._connection.broken:
            if self.server is not None:
                self.server.bury()
            self.connection_lost(error)
        state = error.sqlstate if isinstance(error, psycopg.Error) else None
        if state == _OUT_OF_MEMORY:
            return "out_of_memory"
        return "unsupported" if state in _UNSUPPORTED else super().classify(error)

    def _reset_role(self) -> None:
        if self.reading:
            self.connection.execute("RESET ROLE")
            self.reading = False

    def _start(self, data: Path, options: dict[str, str]) -> None:
        lock = self.data_copy.lock if self.data_copy else None
        self.server = server.Server(self.programs, data, options, Path(self.scratch) / "server.log", self.account, lock)
        self._connection = self.server.connection
        self._opened(self._connection)
        settings.check(self._connection, self.options)

    @staticmethod
    def _opened(connection: psycopg.Connection[Any]) -> None:
        results.prepare(connection)

    def _stop(self) -> None:
        self.release()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self.server is not None:
            self.server.stop()
            self.server = None
        if self.data_copy is not None:
            os.close(self.data_copy.lock)
            self.data_copy = None
        if self.bare is not None:
            shutil.rmtree(self.bare, ignore_errors=True)
            self.bare = None
