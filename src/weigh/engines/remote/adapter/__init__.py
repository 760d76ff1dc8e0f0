"""A system that is reached by URL. Runs in the worker, in the environment of the system's client.

A life is a session. The clock covers sending the query and fetching every row of its answer.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh_worker import Adapter, Session, Statistics, Unsupported, silence
from weigh_worker.adapter import without_secrets

from . import address, rows, services, tables
from .canceller import Canceller

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from .profile import Profile, Rows

URL, DRIVER, WAY, PLACE, SECRET = "weigh.url", "weigh.driver", "weigh.data", "weigh.place", "weigh.secret"


def profile_named(name: str) -> Profile:
    """The profile of a system, by its name or the scheme of its URLs."""
    name = {"sc": "spark"}.get(name, name)
    module = f".services.{name}" if name in services.SCHEMES else f".{name.replace('-', '_')}"
    found: Profile = importlib.import_module(module, __package__).PROFILE
    return found


class Engine(Adapter):
    """A session of one contender at its server."""

    elsewhere = True
    sql = ""
    schema = ""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.system = profile_named(str(settings.get(URL) or settings[DRIVER]).partition(":")[0])
        self.caches = self.system.caches or {}
        self.way = str(settings.get(WAY, self.system.ways[0]))
        if self.way not in self.system.ways:
            raise ValueError(f"{WAY} = {self.way}: {self.system.name} has {', '.join(self.system.ways)}")
        server_settings = {name: value for name, value in settings.items() if not name.startswith("weigh.")}
        options = {name: server_settings.pop(name) for name in self.system.options if name in server_settings}
        if DRIVER in settings:
            options, server_settings = {**server_settings, DRIVER: str(settings[DRIVER]).partition(":")[2]}, {}
        self.server_settings = server_settings
        secret = str(settings.get(SECRET, ""))
        self.address = address.parsed(str(settings.get(URL, "")), self.system.port, self.system.secrets, secret)
        # Of this process, which has one session at a time; a proxy may repeat what a header had.
        Adapter.hidden = (self.address.password, self.address.basic)
        self.connect: Callable[[], Any] = lambda: self.system.connect(self.address, options)
        self.unknown: dict[str, str] = {}
        with self._answering():
            self.connection = self.connect()
            self._settle(self.ask)
        self.canceller: Canceller | None = None
        if mark := self.system.mark(self.connection):
            self.canceller = Canceller(lambda: self._cancel(mark))
        self.cursor: Any = None
        self.fetched: Any = []

    def ask(self, sql: str) -> Rows:
        """Execute in this session, and fetch."""
        return _rows_of(self.connection, sql)

    def _answering(self) -> AbstractContextManager[None]:
        return silence.given_up(self.address.host, self.address.port, self.system.hello)

    def _cancel(self, mark: str) -> None:
        other = self.connect()
        self.system.cancel(lambda sql: _rows_of(other, sql), mark)

    def _settle(self, ask: Callable[[str], Rows]) -> None:
        for name, value in self.system.session.items():
            self.system.put(ask, name, value)
        known = self.system.settings(ask) if self.caches else {}
        for name, value in self.server_settings.items():
            if name in self.caches and name not in known:
                # This version has no such cache; that it knows no such setting was read back.
                self.unknown[name] = self.caches[name][0]
                continue
            try:
                self.system.put(ask, name, value)
            except Exception as error:
                if self.system.lost(error):
                    raise
                raise ValueError(f"{name} = {value} cannot be set for a session: {error}") from None

    def version(self) -> str:
        """The server's own word, and the first that is asked of it where connecting asks nothing."""
        with self._answering():
            return self.system.version(self.ask)

    def settings(self) -> dict[str, dict[str, Any]]:
        """Settings that were asked for, differ from their defaults or decide about a cache; and what a life is."""
        read = self.system.settings(self.ask)
        always = {*self.server_settings, *self.caches, *self.system.sizes}
        found = {
            name: {"value": value, "default": default}
            for name, (value, default) in read.items()
            if name in always or (default is not None and value != default)
        }
        for name, value in self.unknown.items():
            found[name] = {"value": value, "default": value}
        return {
            **found,
            "weigh.life": {"value": "session", "default": "process"},
            WAY: {"value": self.way, "default": self.system.ways[0]},
        }

    def settings_of(self, names: list[str]) -> dict[str, dict[str, Any]]:
        """How large the system is; nothing else bounds a life here: that is not a session's to say."""
        if not set(names) & set(self.system.sizes):
            return {}
        read = self.system.settings(self.ask)
        return {name: {"value": read[name][0], "default": None} for name in names if name in read}

    def load(self, tables_of: dict[str, list[str]], copy: str) -> None:
        """Tables of weigh's own in a schema of their own, or those that are there."""
        place = str(self.wanted.get(PLACE, ""))
        address = str(self.wanted.get(URL) or self.wanted.get(DRIVER) or "")
        tables.make(self.system, self.connection, self.ask, self.way, place, tables_of, Path(copy), address)

    def attach(self, copy: str, names: list[str]) -> None:
        """See them."""
        left_out = tables.attach(self.system, self.ask, Path(copy), names)
        self.lacking = left_out.columns
        self.unreadable = {name: _LeftOut(why) for name, why in left_out.tables.items()}

    def write_to(self, names: dict[str, list[str]], place: str, statements: list[str]) -> None:
        """Tables in a schema of this life's own, which is dropped at its end."""
        if self.way != "load":
            raise Unsupported(f"{WAY} = {self.way}: tables of weigh's own are changed, and no others")
        self.schema = tables.write(self.system, self.connection, self.ask, names, statements)

    def session(self) -> Session:
        """A session more at the server."""
        connection = self.connect()
        self._settle(lambda sql: _rows_of(connection, sql))
        self.system.use_schema(lambda sql: _rows_of(connection, sql), self.schema)
        return _RemoteSession(self.system, connection)

    def files(self) -> list[str]:
        """None: they lie with the server."""
        return []

    def prepare(self, sql: str) -> None:
        """Keep the text: parsing and planning belong to the timed region."""
        self.sql = sql

    def run(self) -> int:
        """Send the query and fetch every row."""
        self.cursor = self.connection.cursor()
        self.cursor.execute(self.sql)
        self.fetched = self.system.fetch(self.cursor)
        return len(self.fetched)

    def statistics(self) -> Statistics:
        """As the profile finds them. What cannot be read is not known, and no reason to lose the execution."""
        try:
            return self.system.statistics(self.ask, self.cursor)
        except Exception as error:
            if self.system.lost(error):
                raise
            sys.stderr.write(f"no statistics of the last query: {without_secrets(str(error))}\n")
            return Statistics()

    def answer(self) -> memoryview:
        """The rows as Arrow, typed by what the wire says of their columns."""
        return _written(self.system, self.cursor.description, self.fetched)

    def release(self) -> None:
        """Drop the rows."""
        self.fetched = []
        if self.cursor is not None:
            self.cursor.close()
            self.cursor = None

    def close(self) -> None:
        """End the session."""
        if self.canceller is not None:
            self.canceller.close()
        if self.schema:
            with suppress(Exception):
                self.ask(self.system.drop_schema(self.schema))
        self.connection.close()

    def classify(self, error: BaseException) -> str:
        """A server that is gone takes the session with it."""
        # Some drivers call it an error like any other, and close the connection.
        if self.system.lost(error) or getattr(self.connection, "closed", False) in (True, 1, 2):
            self.connection_lost(error)
        if isinstance(error, _LeftOut) or self.system.unsupported(error) or self._not_planned():
            return "unsupported"
        return super().classify(error)

    def _not_planned(self) -> bool:
        """Whether a system of which nothing is known explains another query, and cannot explain this one."""
        if not self.system.by_driver or not self.sql:
            return False
        try:
            self.ask("EXPLAIN SELECT 1")
        except Exception:
            return False
        try:
            self.ask(f"EXPLAIN {self.sql}")
        except Exception as error:
            return not self.system.lost(error)
        return False


class _RemoteSession(Session):
    """A session of one thread."""

    def __init__(self, system: Profile, connection: Any) -> None:
        self._system, self._connection = system, connection

    def ask(self, sql: str) -> tuple[int, Any]:
        """Send the query and fetch every row."""
        cursor = self._connection.cursor()
        cursor.execute(sql)
        fetched = self._system.fetch(cursor)
        return len(fetched), (cursor.description, fetched)

    def answer(self, result: Any) -> memoryview:
        """As the answers of the contender."""
        return _written(self._system, *result)

    def change(self, statements: list[str]) -> None:
        """One transaction; where a statement fails, nothing of it stays."""
        for statement in ("START TRANSACTION", *statements, "COMMIT"):
            try:
                _rows_of(self._connection, statement)
            except Exception:
                with suppress(Exception):
                    _rows_of(self._connection, "ROLLBACK")
                raise

    def close(self) -> None:
        """End the session."""
        self._connection.close()


class _LeftOut(Exception):
    """A table that the system has no type for."""


def _written(system: Profile, description: Any, fetched: Any) -> memoryview:
    """The rows as Arrow, typed by what the wire says of their columns."""
    if not isinstance(fetched, list):
        return rows.written(fetched)
    described = description or ()
    kinds = [system.kind(column) for column in described]
    return rows.stream([str(column[0]) for column in described], kinds, fetched)


def _rows_of(connection: Any, sql: str) -> Rows:
    cursor = connection.cursor()
    try:
        cursor.execute(sql)
        return [tuple(row) for row in cursor.fetchall()] if cursor.description else []
    finally:
        cursor.close()
