"""What an engine must be able to do to be measured. The smallest class that can serve."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from weigh_worker.masking import masked
from weigh_worker.protocol import CONNECTION_LOST

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

Setting = str | int | float | bool
SettingsRead = dict[str, dict[str, Any]]


class Unsupported(Exception):
    """The engine cannot parse or plan the query: that concerns this contender only, and is no failure."""


class Failed(RuntimeError):
    """What an adapter finds by itself and says in a sentence: it is printed without the name of a class."""


class Statistics(NamedTuple):
    """What a system itself reports of one execution. What it does not report is None, never a guess or 0.

    Attributes:
        server_s: seconds from taking the query to its last row, by the system's clock, its queue included.
        queue_s: seconds of these that the query waited before anything worked on it.
        scanned_bytes: that were read of tables, as the system counts them.
        billed_bytes: that are charged for, where that is another number: rounded up, or with a least.
        credits: units of the vendor's own that are charged for it: credits, DBU, slot hours.
        cached: whether the answer came from a cache of results.
    """

    server_s: float | None = None
    queue_s: float | None = None
    scanned_bytes: int | None = None
    billed_bytes: int | None = None
    credits: float | None = None
    cached: bool | None = None


class Session(ABC):
    """One of several connections to the tables of one life, used by one thread."""

    @abstractmethod
    def ask(self, sql: str) -> tuple[int, Any]:
        """Execute a query until its complete result is in this process: how many rows, and the result."""

    def answer(self, result: Any) -> Any:
        """A result in the form of ``Adapter.answer``. Untimed."""
        return result

    @abstractmethod
    def change(self, statements: list[str]) -> None:
        """Execute statements that change tables as one transaction: all of them are observed, or none."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""


def without_secrets(text: str) -> str:
    """A text without the passwords that this process has."""
    return masked(text, Adapter.hidden)


class Adapter(ABC):
    """One life of one engine. An adapter module defines ``class Engine(Adapter)``.

    The order of calls is: constructor, ``bind``, then for every query ``prepare`` once and ``run`` with
    ``answer`` any number of times, at the end ``close``. ``run`` is the timed region, and the only one: it must
    return when the complete result is in client memory in the engine's columnar form, and must leave nothing to
    be computed by ``answer``. weigh checks that.

    Attributes:
        elsewhere: the engine executes in other processes than this one, as a server does. CPU time, memory and reads
            of this process are then the client's, and are not reported as the engine's.
        background: what the engine does between queries, in a few words (``compaction``); empty for nothing. It is
            shown as a cost; work that nobody declared, outside every clock, forbids a verdict.
        ingests: whether this life loads tables under the clock and gets none before; set before it is made.
        hidden: passwords that this process has: whoever repeats one, in an error for instance, weigh is not told.
        confined: folders and files that its queries may reach, where others wrote them, as questions of a suite; None
            where they are the user's own. The kernel bounds the process to them; what the engine can refuse by itself,
            it refuses as well. Set before it is made.
        unreadable: tables that the engine could not be given, and why: only queries that name one fail.
        lacking: columns that it could not be given, and why, by table: only queries that need one are refused.

    Args:
        settings: the contender's settings, applied before anything else.
        scratch: a folder of this life's own for temporary and spill files.
    """

    elsewhere = False
    ingests = False
    background = ""
    hidden: tuple[str, ...] = ()
    confined: tuple[str, ...] | None = None
    unreadable: Mapping[str, BaseException] = {}
    lacking: Mapping[str, Mapping[str, str]] = {}

    def __init__(self, settings: dict[str, Setting], scratch: str) -> None:
        self.wanted = settings
        self.scratch = scratch

    @abstractmethod
    def version(self) -> str:
        """Version as the running engine tells it, not as the package says."""

    @abstractmethod
    def settings(self) -> SettingsRead:
        """Settings in force, read back from the running engine: name -> {value, default (None if unknown)}."""

    def settings_of(self, _names: list[str]) -> SettingsRead:
        """At least those of these names that there are, read back as ``settings`` does; defaults may be None.

        Every life is asked at its end what it may use. To be replaced where reading all settings costs more.
        """
        return self.settings()

    def bind_each(self, tables: Collection[str], bind: Callable[[str], None]) -> None:
        """Make tables visible one by one: one that the engine cannot read takes no other one with it.

        Args:
            tables: their names.
            bind: makes one visible.

        Raises:
            BaseException: of the engine, which can read none of them.
        """
        failed: dict[str, BaseException] = {}
        for name in tables:
            try:
                bind(name)
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # A panic of Rust is no Exception.
                failed[name] = error
        if failed and len(failed) == len(tables):
            raise next(iter(failed.values()))
        self.unreadable = {name: why for name, why in self.unreadable.items() if name not in tables} | failed

    def reach(self, store: dict[str, str]) -> None:
        """Make the paths ``s3://...`` readable that ``bind`` then names. Untimed, once, before ``bind``.

        Only for engines that read objects (``Engine.objects``). What this life knows of objects is forgotten between
        executions, or asked for again, as far as the engine lets one choose.

        Args:
            store: ``endpoint`` (``http://HOST:PORT``, with buckets as the first part of a path), ``region``,
                ``access_key`` and ``secret_key`` of this life, and ``ca``, a file with the authority to believe; empty
                where the endpoint does not speak TLS. They open nothing but weigh's own proxy.
        """
        raise TypeError(f"Engine.objects is set, but {type(self).__module__} defines no reach()")

    def bind(self, tables: dict[str, list[str]]) -> None:
        """Make tables of Parquet files visible under their names. An engine that loads has ``attach`` in its place."""
        raise TypeError(f"{type(self).__module__} defines no bind(), and Engine.copies is not set")

    def bind_catalog(self, kind: str, locations: dict[str, str]) -> None:
        """Make tables of a table format visible, in place of ``bind``.

        Only for engines that declare it (``Engine.catalogs``).

        Args:
            kind: ``iceberg``, ``ducklake`` or ``delta``.
            locations: by table, of Iceberg the file of its metadata, of DuckLake the database that describes it, of
                Delta its folder.
        """
        raise TypeError(f"Engine.catalogs names {kind}, but {type(self).__module__} defines no bind_catalog()")

    def load(self, tables: dict[str, list[str]], copy: str) -> None:
        """Make the engine's own copy of the tables in the empty folder ``copy``. Untimed, once for many lives.

        Only for engines that cannot query Parquet where it lies (``Engine.copies``). Several lives read one copy at
        the same time.
        """
        raise TypeError(f"Engine.copies is set, but {type(self).__module__} defines no load()")

    def attach(self, copy: str, tables: list[str]) -> None:
        """Make the tables of a copy visible, in place of ``bind``. The copy is not changed."""
        raise TypeError(f"Engine.copies is set, but {type(self).__module__} defines no attach()")

    def begin_ingest(self, table: str, paths: list[str], place: str) -> None:
        """Get ready to load one table from Parquet files into the empty folder ``place``.

        What was loaded before is let go of. Untimed, and nothing of the files may be read yet. Only for engines that
        keep tables (``Engine.ingests``).
        """
        raise TypeError(f"Engine.ingests is set, but {type(self).__module__} defines no begin_ingest()")

    def ingest(self) -> int:
        """Load the table that was taken, and return its number of rows. Timed.

        When it returns, all rows lie in files of the engine's own, in their final form, and are as durable as the
        settings in force make them. The next queries find the table under its name.
        """
        raise TypeError(f"Engine.ingests is set, but {type(self).__module__} defines no ingest()")

    def guarantee(self) -> tuple[bool | None, str]:
        """Whether rows survive a loss of power once ``ingest`` has returned, and by which settings, read back.

        None where nobody can tell.
        """
        return None, ""

    def stored(self) -> Any:
        """Every row of that table, read back from the engine's own copy: as ``answer``, columns as in the files."""
        raise TypeError(f"Engine.ingests is set, but {type(self).__module__} defines no stored()")

    def write_to(self, tables: dict[str, list[str]], place: str, statements: list[str]) -> None:
        """Tables of the engine's own from Parquet files, in the empty folder ``place``, that sessions can change.

        The statements are executed when the rows are there, for indexes. Only for engines that keep such tables
        (``Engine.writes``).
        """
        raise TypeError(f"Engine.writes is set, but {type(self).__module__} defines no write_to()")

    def session(self) -> Session:
        """A connection more to the tables, for a thread of its own."""
        raise TypeError(f"Engine.writes is set, but {type(self).__module__} defines no session()")

    def files(self) -> list[str] | None:
        """Files that hold the tables' data, for weigh to see whether they are in memory before a cold execution.

        None, as here, where they are the Parquet files, everything in the copy, or everything in the place that a
        table was loaded into; an empty list where nobody can tell.
        """
        return None

    def servers(self) -> list[int]:
        """Processes of this machine that work for the engine, with their descendants, and were not started by it.

        Without being named here they count as others who disturb the measurement. None, as here, for most engines.
        """
        return []

    @abstractmethod
    def prepare(self, sql: str) -> None:
        """Take the query that ``run`` executes. Untimed; must not execute it."""

    @abstractmethod
    def run(self) -> int:
        """Execute the prepared query and hold its complete result. Timed. Returns the number of rows."""

    @abstractmethod
    def answer(self) -> Any:
        """The result of the last ``run``: an object with ``__arrow_c_stream__``, or Arrow IPC stream bytes."""

    @abstractmethod
    def release(self) -> None:
        """Free the result of the last ``run``. Called before the next one, outside the clock."""

    def statistics(self) -> Statistics:
        """What the system itself reports of the last ``run``, by clocks and meters of its own.

        Asked for outside the clock, after every execution, where ``Engine.statistics`` is set.
        """
        return Statistics()

    def profile(self) -> dict[str, Any]:
        """Execute the prepared query once more, under the engine's own profiler. Never called in a life that is timed.

        Returns:
            What the engine can tell, and nothing else; every key may be left out:

            * ``plan``: the operator at the root, as ``{name, detail, seconds, rows, children}``: ``detail`` is what it
              works on, in a few words; ``seconds`` those of the operator alone, without its children, of all threads
              together; ``rows`` those that it gave out; both None where nobody counts them.
            * ``counters``: numbers of this execution alone, by the names that the engine gives them; the name of a time
              ends in ``" seconds"``.
            * ``raw``: the profile as the engine wrote it.
            * ``lacks``: what of these it has not, and why: one sentence without its full stop.
        """
        return {"lacks": "its adapter has no profile()"}

    @abstractmethod
    def close(self) -> None:
        """End the engine's life."""

    def classify(self, error: BaseException) -> str:
        """What an error means: ``unsupported``, ``out_of_memory`` or ``error``."""
        if isinstance(error, Unsupported):
            return "unsupported"
        return "out_of_memory" if isinstance(error, MemoryError) else "error"

    @staticmethod
    def connection_lost(error: BaseException) -> NoReturn:
        """End this process: its connection to the system is lost, and its session with it.

        weigh has the execution as ``lost``, and begins another session.
        """
        sys.stderr.write(f"the connection is lost: {without_secrets(str(error))}\n")
        sys.stderr.flush()
        os._exit(CONNECTION_LOST)
