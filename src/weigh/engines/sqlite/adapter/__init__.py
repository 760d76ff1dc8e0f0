"""SQLite inside its own environment. Runs in the worker; imports nothing of weigh.

SQLite cannot read Parquet, so the tables are loaded into a database first. It has five types: decimals become REAL,
dates and timestamps ISO text, timestamps always with six digits of a second so that they sort as text.
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from weigh_worker import Adapter, Unsupported
from weigh_worker.left_out import LeftOut
from weigh_worker.parquet_files import opened

from .copy_in import BATCH_ROWS, NoColumn, fill, identifier, plain_schema, restored

_FILE = "tables.sqlite"
_FULL = 2  # of PRAGMA synchronous: from here on a commit waits until the device has the rows
_MADE = ("page_size", "encoding")  # pragmas that only count when a database is made
_ALWAYS = ("cache_size", "mmap_size", "page_size", "temp_store", "threads")
_WORDS = {"true": "1", "on": "1", "yes": "1", "false": "0", "off": "0", "no": "0"}
_TEMP_STORES = {"default": "0", "file": "1", "memory": "2"}
_LIKE = "case_sensitive_like"  # a pragma without a value to read; what it does can be observed
_EXACT = 1 << 53
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_CAST = re.compile(r"\bCAST\s*\(", re.IGNORECASE)
_TYPE = re.compile(r"\bAS\s+([a-z_][\w ]*?)\s*(\([\s\d,]*\))?\s*$", re.IGNORECASE)
_TYPES = re.compile(
    r"(unsigned )?u?(big|huge|medium|small|tiny)? ?u?int(eger|\d+)?( unsigned)?|n?(var)?char|character( varying)?|real|"
    r"text|clob|blob|float\d*|double( precision)?|numeric|dec(imal)?|number|bool(ean)?",
    re.IGNORECASE,
)


class Engine(Adapter):
    """One read-only SQLite connection to a database that was loaded before."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        # Read once, when SQLite is initialised: where sorts and automatic indexes spill.
        os.environ["SQLITE_TMPDIR"] = scratch
        import apsw

        self.apsw: Any = apsw
        names = [name for name in settings if name not in _ALWAYS]
        bare = self._open(self._made("bare.sqlite", {}))
        self.defaults = {name: _read(bare, name) for name in (*_ALWAYS, *names)}
        bare.close()
        # An empty database, so that a setting which cannot be is refused before anything is loaded.
        empty = self._made("empty.sqlite", settings)
        self.connection = self._settled(
            self.apsw.Connection(str(empty), statementcachesize=0) if self.ingests else self._open(empty)
        )
        self.sql = ""
        self.columns: list[str] = []
        self.rows: list[Any] = []
        self.planned = False
        self.table = ""
        self.paths: list[str] = []
        self.schema: Any = None

    def version(self) -> str:
        """What ``sqlite_version()`` says."""
        return str(self.connection.execute("SELECT sqlite_version()").fetchall()[0][0])

    def settings(self) -> dict[str, dict[str, Any]]:
        """Pragmas as they read now, with those of a connection that nobody has touched."""
        return {
            name: {"value": _read(self.connection, name), "default": default} for name, default in self.defaults.items()
        }

    def bind(self, tables: dict[str, list[str]]) -> None:
        """SQLite has no reader for Parquet."""
        raise Unsupported("SQLite cannot query Parquet where it lies")

    def load(self, tables: dict[str, list[str]], copy: str) -> None:
        """One database with a table each, in one transaction, without indexes; ANALYZE counts the rows at the end."""
        path = Path(copy) / _FILE
        connection = self._create(path, self.wanted)
        # A half-made copy is thrown away by weigh, so nothing need be written twice.
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -65536"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        connection.execute("BEGIN")
        left_out = LeftOut({}, {})
        for name, paths in tables.items():
            self._load_what_it_can(connection, name, paths, left_out)
        if left_out.tables and left_out.tables.keys() == tables.keys():
            raise Unsupported("; ".join(dict.fromkeys(left_out.tables.values())))
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
        left_out.write(Path(copy))
        connection.close()
        with path.open("rb") as file:
            os.fsync(file.fileno())

    def _load_what_it_can(self, connection: Any, name: str, paths: list[str], left_out: LeftOut) -> None:
        """Load a table without the columns that SQLite cannot have, or note that it can have none of it."""
        without: dict[str, str] = {}
        while True:
            try:
                fill(connection, name, paths, without)
            except NoColumn as why:
                without[why.column] = str(why)
            except (Unsupported, pa.ArrowException, OverflowError, self.apsw.SQLError) as why:
                left_out.tables[name] = str(why)
            else:
                left_out.columns.update({name: without} if without else {})
                return
            connection.execute(f"DROP TABLE IF EXISTS {identifier(name)}")
            if name in left_out.tables:
                return

    def attach(self, copy: str, tables: list[str]) -> None:
        """Open the database as one that nobody changes."""
        self.connection.close()
        self.connection = self._settled(self._open(Path(copy) / _FILE))
        there = {row[0] for row in self.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        left_out = LeftOut.read(Path(copy))
        self.lacking = left_out.columns
        self.unreadable = {
            name: Unsupported(f"{why}, so it has no table {name}") for name, why in left_out.tables.items()
        }
        missing = sorted(set(tables) - there - left_out.tables.keys())
        if missing:
            raise LookupError(f"the database has no table {', '.join(missing)}")

    def begin_ingest(self, table: str, paths: list[str], place: str) -> None:
        """An empty database in the place, with the contender's settings in force."""
        self.connection.close()
        self.table, self.paths = table, paths
        path = Path(place) / _FILE
        self._create(path, self.wanted).close()
        self.connection = self._settled(self.apsw.Connection(str(path), statementcachesize=0))

    def ingest(self) -> int:
        """Rows one by one in one transaction; what a log holds is moved into the database."""
        with opened(self.paths[0]) as file:
            self.schema = file.schema_arrow
        self.connection.execute("BEGIN")
        fill(self.connection, self.table, self.paths, {})
        self.connection.execute("COMMIT")
        if _read(self.connection, "journal_mode") == "wal":
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return int(self.connection.execute(f"SELECT count(*) FROM {identifier(self.table)}").fetchall()[0][0])

    def guarantee(self) -> tuple[bool | None, str]:
        """From synchronous = FULL on a commit waits for the device (SQLite, PRAGMA synchronous)."""
        level = int(_read(self.connection, "synchronous"))
        name = ("OFF", "NORMAL", "FULL", "EXTRA")[level]
        return level >= _FULL, f"synchronous={name}, journal_mode={_read(self.connection, 'journal_mode')}"

    def stored(self) -> Any:
        """Every row of the table, its values in the types of the files that they came from."""
        sink = pa.BufferOutputStream()
        rows = self.connection.execute(f"SELECT * FROM {identifier(self.table)}")
        with pa.ipc.new_stream(sink, plain_schema(self.schema)) as stream:
            while part := list(itertools.islice(rows, BATCH_ROWS)):
                columns = zip(self.schema, zip(*part, strict=True), strict=True)
                arrays = [restored(field, values) for field, values in columns]
                stream.write_batch(pa.record_batch(arrays, schema=plain_schema(self.schema)))
        return memoryview(sink.getvalue())

    def prepare(self, sql: str) -> None:
        """Keep the text: parsing and planning belong to the timed region, as for every contender.

        A cast to a type that SQLite does not know is refused: ``CAST('1998-09-02' AS DATE)`` is 1998 to it.
        """
        if kind := _cast_to_unknown(sql):
            raise Unsupported(f"SQLite has no type {kind}: a cast to it takes the number at the beginning of the text")
        self.sql = sql

    def run(self) -> int:
        """Execute, and fetch every row: SQLite hands out rows, not columns."""
        cursor = self.connection.cursor()
        cursor.exec_trace = self._described
        self.planned = False
        self.rows = cursor.execute(self.sql).fetchall()
        return len(self.rows)

    def answer(self) -> Any:
        """The rows as an Arrow IPC stream, each column in the type of its values."""
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        arrays = [_array(name, values) for name, values in zip(self.columns, columns, strict=True)]
        table = pa.Table.from_arrays(arrays, schema=pa.schema(map(_field, self.columns, arrays)))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        return memoryview(sink.getvalue())

    def release(self) -> None:
        """Drop the rows."""
        self.rows = []

    def profile(self) -> dict[str, Any]:
        """Its plan, and what the statement counted; SQLite times no operator."""
        traced: list[Any] = []
        self.connection.trace_v2(self.apsw.SQLITE_TRACE_PROFILE, traced.append)
        try:
            self.run()
        finally:
            self.release()
            self.connection.trace_v2(0, None)
        counted = {k: v for event in traced for k, v in event.get("stmt_status", {}).items()}
        rows = self.connection.execute(f"EXPLAIN QUERY PLAN {self.sql}").fetchall()
        # A plan may have several parts at its top.
        plan = {"name": "QUERY PLAN", "detail": "", "seconds": None, "rows": None, "children": _below(rows, 0)}
        return {
            "plan": plan,
            "counters": {
                name.removeprefix("SQLITE_STMTSTATUS_").lower(): float(value) for name, value in counted.items()
            },
            "raw": "\n".join(str(row[3]) for row in rows),
            "lacks": "times of operators: SQLite does not measure them",
        }

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def classify(self, error: BaseException) -> str:
        """An error of the language before the first step is one of parsing or planning; a missing table is ours."""
        if isinstance(error, self.apsw.NoMemError):
            return "out_of_memory"
        name = str(error).rpartition("no such table: ")[2]
        # A function that returns rows is called a table where there is none of that name.
        missing = "no such table: " in str(error) and not re.search(rf"\b{re.escape(name)}\s*\(", self.sql)
        refused = isinstance(error, self.apsw.SQLError) and not self.planned and not missing
        return "unsupported" if refused else super().classify(error)

    def _described(self, cursor: Any, sql: str, bindings: Any) -> bool:
        # Called when the statement is prepared and not yet begun: afterwards an empty result has no description.
        self.columns = [column[0] for column in cursor.get_description()]
        self.planned = True
        return True

    def _made(self, name: str, settings: dict[str, Any]) -> Path:
        path = Path(self.scratch) / name
        self._create(path, settings).close()
        return path

    def _create(self, path: Path, settings: dict[str, Any]) -> Any:
        connection = self.apsw.Connection(str(path))
        for name in settings.keys() & set(_MADE):
            connection.execute(f"PRAGMA {name} = {_literal(settings[name])}").fetchall()
        # Nothing is written, and the page size not decided, before there is a table.
        connection.execute("CREATE TABLE weigh_made (n); DROP TABLE weigh_made")
        return connection

    def _open(self, path: Path) -> Any:
        flags = self.apsw.SQLITE_OPEN_READONLY | self.apsw.SQLITE_OPEN_URI
        # Without its cache of statements a repeated query is parsed and planned each time, as by every contender.
        connection = self.apsw.Connection(f"file:{quote(str(path))}?immutable=1", flags=flags, statementcachesize=0)
        if self.confined is not None:
            connection.limit(self.apsw.SQLITE_LIMIT_ATTACHED, 0)
        return connection

    def _settled(self, connection: Any) -> Any:
        """The connection with the contender's settings in force; raises where one is not."""
        known = {row[0] for row in connection.execute("PRAGMA pragma_list")}
        for name, value in self.wanted.items():
            if name not in known:
                raise ValueError(f"SQLite has no pragma {name}")
            connection.execute(f"PRAGMA {name} = {_literal(value)}").fetchall()
            found = _read(connection, name)
            if _normal(name, found) != _normal(name, value):
                raise ValueError(f"{name} = {value} was asked for, SQLite has {found}")
        return connection


def _below(rows: list[Any], parent: int) -> list[dict[str, Any]]:
    """The steps of a plan under another one: rows of (id, parent, unused, text)."""
    steps = [(number, *str(text).partition(" ")) for number, above, _, text in rows if above == parent]
    return [
        {"name": name, "detail": detail, "seconds": None, "rows": None, "children": _below(rows, number)}
        for number, name, _, detail in steps
    ]


def _read(connection: Any, name: str) -> Any:
    if name == _LIKE:
        return int(not connection.execute("SELECT 'a' LIKE 'A'").fetchall()[0][0])
    rows = connection.execute(f"PRAGMA {name}").fetchall()
    return rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else None


def _normal(name: str, value: Any) -> str:
    text = str(value).lower()
    return _TEMP_STORES.get(text, text) if name == "temp_store" else _WORDS.get(text, text)


def _literal(value: Any) -> str:
    if isinstance(value, (bool, int, float)):
        return repr(int(value) if isinstance(value, bool) else value)
    return "'" + str(value).replace("'", "''") + "'"


def _field(name: str, array: Any) -> Any:
    """A column of an answer; SQLite stores a NaN as NULL."""
    field = pa.field(name, array.type)
    numbers = pa.types.is_floating(array.type) or pa.types.is_null(array.type)
    return field.with_metadata({"weigh.shown": "nan"}) if numbers and array.null_count else field


def _array(name: str, values: tuple[Any, ...]) -> Any:
    """SQLite's columns have no type: that of all values together."""
    kinds = {type(value) for value in values} - {type(None)}
    types = {int: pa.int64(), float: pa.float64(), str: pa.string(), bytes: pa.binary()}
    if not kinds:
        return pa.nulls(len(values))
    if kinds == {int, float} and all(abs(value) <= _EXACT for value in values if isinstance(value, int)):
        kinds = {float}
    if len(kinds) > 1:
        mixed = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"column {name} holds {mixed}: a column of an answer has one type")
    return pa.array(values, types[kinds.pop()])


def _cast_to_unknown(sql: str) -> str:
    """The type of the first cast to one that SQLite has not; empty where there is none."""
    text = _QUOTED.sub("''", sql)
    for cast in _CAST.finditer(text):
        depth, end = 1, cast.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        found = _TYPE.search(text[cast.end() : end - 1])
        if found and not _TYPES.fullmatch(" ".join(found[1].split())):
            return found[1].upper() + (found[2] or "")
    return ""
