"""DuckDB inside its own environment. Runs in the worker; imports nothing of weigh."""

from __future__ import annotations

import contextlib
import importlib
import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import nanoarrow
from nanoarrow.c_array_stream import CArrayStream

from weigh_worker import Adapter, Session

if TYPE_CHECKING:
    from collections.abc import Callable

_FILE = "tables.duckdb"
_UNSUPPORTED = (duckdb.ParserException, duckdb.BinderException, duckdb.NotImplementedException)

_BITS = "substr(({0}[2:]::BIT)::VARCHAR, 1 + ('0x' || hex({0}[1:1]))::INTEGER)"
"""Of the bytes of a BIT: how many bits are padding, then all of them."""
_EXTENSIONS = {"iceberg": ("avro", "iceberg"), "ducklake": ("ducklake",), "delta": ("delta",)}
"""In the order in which they must be loaded."""


class Engine(Adapter):
    """One in-memory DuckDB connection over views on Parquet files."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        # Without these a missing extension costs seconds of failed download in the middle of a measurement.
        fixed: dict[str, Any] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "temp_directory": scratch,
        }
        self.connection = duckdb.connect(":memory:", config={**fixed, **settings})
        self.lakes: dict[str, str] = {}
        self.chunks: list[Any] = []
        self.schema: Any = None
        self.relation: Any = None
        self.sql = ""
        self.table = ""
        self.paths: list[str] = []
        self.loaded: set[str] = set()

    def version(self) -> str:
        """What ``select version()`` says, without its leading v."""
        return str(self.connection.execute("select version()").fetchall()[0][0]).removeprefix("v")

    def settings(self) -> dict[str, dict[str, Any]]:
        """All of ``duckdb_settings()`` that differ from a bare connection's, and those asked for."""
        # Closed at once: an idle second instance would keep a pool of threads.
        with duckdb.connect(":memory:") as bare:
            defaults = self._read_settings(bare)
        now = self._read_settings(self.connection)
        always = {"threads", "memory_limit", "temp_directory", "preserve_insertion_order"}
        return {
            name: {"value": value, "default": defaults.get(name)}
            for name, value in now.items()
            if value != defaults.get(name) or name in self.wanted or name in always
        }

    def settings_of(self, names: list[str]) -> dict[str, dict[str, Any]]:
        """As ``settings``, without the bare connection: a second instance costs an eighth of a life."""
        wanted = ", ".join(map(_quoted, names))
        query = f"select name, value from duckdb_settings() where name in ({wanted})"
        read = self.connection.execute(query).fetchall() if names else []
        return {name: {"value": value, "default": None} for name, value in read}

    def reach(self, store: dict[str, str]) -> None:
        """The extension httpfs from its own package, loaded where it lies, and the keys as a secret."""
        self.loaded.add("store")
        package = importlib.import_module("duckdb_extension_httpfs")
        (extension,) = Path(package.__path__[0]).rglob("httpfs.duckdb_extension")
        self.connection.execute(f"LOAD {_quoted(str(extension))}")
        scheme, _, endpoint = store["endpoint"].partition("://")
        if store["ca"]:
            self.connection.execute(f"SET ca_cert_file = {_quoted(store['ca'])}")
        # A store that is gone is to end the execution, not to hold it up.
        self.connection.execute("SET http_retries = 1")
        self.connection.execute(
            f"CREATE SECRET (TYPE s3, KEY_ID {_quoted(store['access_key'])}, SECRET {_quoted(store['secret_key'])}, "
            f"ENDPOINT {_quoted(endpoint)}, REGION {_quoted(store['region'])}, URL_STYLE 'path', "
            f"USE_SSL {scheme == 'https'})"
        )

    def bind(self, tables: dict[str, list[str]]) -> None:
        """Views over ``read_parquet``, or ``read_vortex`` by the end of the files' names: nothing is copied."""

        def view(name: str) -> None:
            paths = tables[name]
            files = ", ".join(_quoted(path) for path in paths)
            form = "vortex" if paths and all(path.endswith(".vortex") for path in paths) else "parquet"
            if form == "vortex" and form not in self.loaded:
                self.connection.execute(f"LOAD {_quoted(_extension(form))}")
                self.loaded.add(form)
            # A folder named k=v is no column: a table is what its files hold.
            option = ", hive_partitioning = false" if form == "parquet" else ""
            self.connection.execute(f'CREATE OR REPLACE VIEW "{name}" AS SELECT * FROM read_{form}([{files}]{option})')

        self.bind_each(tables, view)
        self._confine()

    def _confine(self) -> None:
        """Bound its file system too, for good; versions before 1.2 have the kernel's bound alone."""
        if self.confined is None or "store" in self.loaded:
            return
        folders = ", ".join(map(_quoted, self.confined))
        with contextlib.suppress(duckdb.CatalogException):
            self.connection.execute(f"SET allowed_directories = [{folders}]; SET allowed_paths = [{folders}]")
            self.connection.execute("SET enable_external_access = false")

    def bind_catalog(self, kind: str, locations: dict[str, str]) -> None:
        """Views over a catalog's tables, by extensions out of their packages: nothing is downloaded or installed."""
        for name in _EXTENSIONS[kind]:
            self.connection.execute(f"LOAD {_quoted(_extension(name))}")
        for name, location in locations.items():
            if kind == "ducklake":
                if location not in self.lakes:
                    self.lakes[location] = f"weigh_lake_{len(self.lakes)}"
                    self.connection.execute(
                        f"ATTACH {_quoted(f'ducklake:{location}')} AS {self.lakes[location]} (READ_ONLY)"
                    )
                source = f'{self.lakes[location]}."{name}"'
            else:
                source = f"{kind}_scan({_quoted(location)})"
            self.connection.execute(f'CREATE OR REPLACE VIEW "{name}" AS SELECT * FROM {source}')

    def begin_ingest(self, table: str, paths: list[str], place: str) -> None:
        """An empty database file in the place, attached as the one that is used."""
        if self.table:
            self.connection.execute("USE memory; DETACH store")
        self.table, self.paths = table, paths
        self.connection.execute(f"ATTACH {_quoted(str(Path(place) / _FILE))} AS store; USE store")

    def ingest(self) -> int:
        """``CREATE TABLE AS`` and a checkpoint, so that what is in the log lies in the database itself."""
        files = ", ".join(_quoted(path) for path in self.paths)
        made = f"CREATE TABLE {_named(self.table)} AS SELECT * FROM read_parquet([{files}], hive_partitioning = false)"
        rows = self.connection.execute(made).fetchall()[0][0]
        self.connection.execute("CHECKPOINT store")
        return int(rows)

    def guarantee(self) -> tuple[bool | None, str]:
        """A commit and a checkpoint are written through to the device before they return; no setting changes that."""
        return True, "every commit is synced; DuckDB has no setting against it"

    def stored(self) -> Any:
        """Every row of the table in the database file."""
        return nanoarrow.c_array_stream(self.connection.sql(f"SELECT * FROM store.main.{_named(self.table)}"))

    def write_to(self, tables: dict[str, list[str]], place: str, statements: list[str]) -> None:
        """A database file with the tables, and a checkpoint."""
        self.connection.execute(f"ATTACH {_quoted(str(Path(place) / _FILE))} AS store; USE store")
        for name, paths in tables.items():
            files = ", ".join(map(_quoted, paths))
            self.connection.execute(
                f"CREATE TABLE {_named(name)} AS SELECT * FROM read_parquet([{files}], hive_partitioning = false)"
            )
        for statement in statements:
            self.connection.execute(statement)
        self.connection.execute("CHECKPOINT store")

    def session(self) -> Session:
        """A connection more to the same database."""
        cursor = self.connection.cursor()
        cursor.execute("USE store")
        return _Session(cursor)

    def prepare(self, sql: str) -> None:
        """Keep the text: parsing and planning belong to the timed region, as for every contender."""
        self.sql = sql

    def run(self) -> int:
        """Execute, and pull every chunk of the result into Arrow memory.

        ``execute()`` alone would return a stream that has computed next to nothing yet.
        """
        self.relation = self.connection.sql(self.sql)
        stream = nanoarrow.c_array_stream(self.relation)
        self.schema = stream.get_schema()
        rows = 0
        for chunk in stream:
            self.chunks.append(chunk)
            rows += chunk.length
        return rows

    def answer(self) -> Any:
        """The chunks that ``run`` holds; enums and bits, for which Arrow has no plain type, as text."""
        kinds = [str(kind) for kind in self.relation.types] if self.relation is not None else []
        if not any("ENUM" in kind or kind == "BIT" for kind in kinds):
            return self._chunks()
        chunks = _Rereadable(self._chunks)  # noqa: F841  DuckDB finds it by its name.
        names = [_quoted_name(child.name) for child in self.schema.children]
        places = [f"c{at}" for at in range(len(names))]
        listed = ", ".join(
            f"{_BITS.format(place) if kind == 'BIT' else place} AS {name}"
            for place, name, kind in zip(places, names, kinds, strict=True)
        )
        with duckdb.connect(":memory:") as other:
            stream = nanoarrow.c_array_stream(other.sql(f"SELECT {listed} FROM chunks AS t({', '.join(places)})"))
            schema = stream.get_schema()
            return CArrayStream.from_c_arrays(list(stream), schema, validate=False)

    def _chunks(self) -> Any:
        return CArrayStream.from_c_arrays(self.chunks, self.schema, validate=False)

    def release(self) -> None:
        """Drop the chunks."""
        self.chunks = []
        self.relation = None

    def profile(self) -> dict[str, Any]:
        """DuckDB's profile in JSON: of version 2 sections alongside the operators, before them one object of both."""
        path = Path(self.scratch) / "profile.json"
        self.connection.execute("PRAGMA enable_profiling = 'json'")
        self.connection.execute(f"SET profiling_output = {_quoted(str(path))}")
        try:
            self.run()
        finally:
            self.release()
            self.connection.execute("PRAGMA disable_profiling")
        raw = path.read_text()
        document = json.loads(raw)
        (root, *_) = document.pop("operator", None) or document.pop("children", None) or [None]
        return {"plan": root and _operator(root), "counters": _numbers(document), "raw": raw}

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def classify(self, error: BaseException) -> str:
        """DuckDB's exception classes tell what it cannot parse and when memory ran out."""
        if isinstance(error, duckdb.OutOfMemoryException):
            return "out_of_memory"
        # An unknown function or type is an error of the catalogue, as a missing table is.
        unknown = isinstance(error, duckdb.CatalogException) and (
            "Function" in str(error) or "Type with name" in str(error)
        )
        return "unsupported" if unknown or isinstance(error, _UNSUPPORTED) else super().classify(error)

    @staticmethod
    def _read_settings(connection: Any) -> dict[str, Any]:
        return dict(connection.execute("select name, value from duckdb_settings()").fetchall())


class _Rereadable:
    """Chunks as a stream that can be read more than once."""

    def __init__(self, stream: Callable[[], Any]) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._stream().__arrow_c_stream__(requested_schema)


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class _Session(Session):
    """A connection of one thread."""

    def __init__(self, cursor: Any) -> None:
        self.cursor = cursor

    def ask(self, sql: str) -> tuple[int, Any]:
        """As ``run`` and ``answer``."""
        stream = nanoarrow.c_array_stream(self.cursor.sql(sql))
        schema = stream.get_schema()
        chunks = list(stream)
        return sum(chunk.length for chunk in chunks), CArrayStream.from_c_arrays(chunks, schema, validate=False)

    def change(self, statements: list[str]) -> None:
        """One transaction; a commit is synced."""
        self.cursor.execute("BEGIN TRANSACTION")
        try:
            for statement in statements:
                self.cursor.execute(statement)
            self.cursor.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(duckdb.Error):
                self.cursor.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the connection."""
        self.cursor.close()


def _operator(node: dict[str, Any]) -> dict[str, Any]:
    # Names of files are those of one life.
    about = {
        k: v for k, v in (node.get("extra_info") or {}).items() if k != "Estimated Cardinality" and "File" not in k
    }
    return {
        "name": str(node.get("type") or node.get("operator_type") or node.get("operator_name")),
        "detail": "; ".join(
            f"{key}: {', '.join(value) if isinstance(value, list) else value}" for key, value in about.items()
        ),
        "seconds": node.get("timing", node.get("operator_timing")),
        "rows": node.get("intermediate_rows", node.get("operator_cardinality")),
        "children": [_operator(child) for child in node.get("children", ())],
    }


def _numbers(node: dict[str, Any], section: str = "") -> dict[str, float]:
    found: dict[str, float] = {}
    for key, value in node.items():
        if isinstance(value, dict):
            found |= _numbers(value, f"{section}{key}.")
        elif isinstance(value, (int, float)):
            # Of two sections everything is a time.
            timed = section in ("optimizer.", "planner.", "physical_planner.") or key.endswith(("time", "latency"))
            found[f"{section}{key}{' seconds' if timed else ''}"] = float(value)
    return found


def _extension(name: str) -> str:
    (found,) = Path(str(files(f"duckdb_extension_{name}"))).glob(f"extensions/*/{name}.duckdb_extension")
    return str(found)


def _named(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
