"""chDB (ClickHouse in a process) inside its own environment. Runs in the worker; imports nothing of weigh."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import chdb
import pyarrow as pa

from weigh_worker import Adapter

# ClickHouse error codes: 43 illegal type of argument, 46 unknown function, 48 not implemented, 62 syntax error, 558 a
# UNION that does not say of which kind it is.
_UNSUPPORTED_CODES = {43, 46, 48, 50, 62, 558}
_MEMORY_CODES = {173, 241}
# With its query cache on, ClickHouse refuses to be asked for its version and settings; it must not stop us from reading
# that it is on.
_UNCACHED = (
    " SETTINGS query_cache_nondeterministic_function_handling = 'ignore', query_cache_system_table_handling = 'ignore'"
)
_BRANCH = re.compile(r"([│ ]*)[├└]──")
_NAMED = re.compile(r"(\S+)(?: \((.*)\))?")
_GIVEN = re.compile(r"^I/O: rows .*? → ([\d.]+)(?: (thousand|million|billion|trillion))?\b")
_LARGE = {"": 1, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SPENT = re.compile(r"\btime ([\d.]+) (ns|us|ms|s)\b")
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_CODE = re.compile(r"Code: (\d+)")


class Engine(Adapter):
    """One in-memory chDB connection over views on Parquet files."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.views: dict[str, str] = {}
        self.store: dict[str, str] | None = None
        self.sql = ""
        self.result: Any = None
        self.batches: list[Any] = []
        self._connect()

    def _connect(self) -> None:
        self.connection = chdb.connect(":memory:")
        for name, value in self.wanted.items():
            self.connection.query(f"SET {name} = {_literal(value)}")

    def version(self) -> str:
        """What ``SELECT version()`` says: ``chdb.__version__`` tells the package of the core, not the engine."""
        return str(self._rows("SELECT version() AS v")[0]["v"])

    def settings(self) -> dict[str, dict[str, Any]]:
        """What ``system.settings`` calls changed, and those that decide what is measured."""
        always = "'max_threads', 'max_memory_usage', 'use_query_cache', 'join_use_nulls'"
        # Some versions print a quoted value; the quotes are theirs, not the setting's.
        rows = self._rows(
            f"SELECT name, value, default FROM system.settings WHERE (changed OR name IN ({always})) "
            "AND name NOT LIKE 'query_cache_%_handling'"
        )
        return {row["name"]: {"value": row["value"].strip("'"), "default": row["default"].strip("'")} for row in rows}

    def reach(self, store: dict[str, str]) -> None:
        """The views name the keys."""
        self.store = store

    def bind(self, tables: dict[str, list[str]]) -> None:
        """Views over ``file()`` or ``s3()``: nothing is copied."""
        self._view(
            {
                name: " UNION ALL ".join(
                    f"SELECT * FROM {self._table(files)}{_without_hive(files)}" for files in _globs(paths)
                )
                for name, paths in tables.items()
            }
        )

    def bind_catalog(self, kind: str, locations: dict[str, str]) -> None:
        """Views over its table functions for Iceberg and Delta."""
        # It reads tables of a format beneath its working directory alone, files anywhere.
        os.chdir("/")
        function = {"iceberg": "icebergLocal", "delta": "deltaLakeLocal"}[kind]
        # Of Iceberg it takes the folder of a table, in which its metadata lies.
        place = {name: location.partition("/metadata/")[0] for name, location in locations.items()}
        self._view({name: f"SELECT * FROM {function}({_literal(at)})" for name, at in place.items()})

    def _view(self, sources: dict[str, str]) -> None:
        def view(name: str) -> None:
            self.connection.query(f"CREATE OR REPLACE VIEW `{name}` AS {sources[name]}")

        self.bind_each(sources, view)
        self.views = {name: source for name, source in sources.items() if name not in self.unreadable}

    def _table(self, files: str) -> str:
        """The table function that reads a pattern of files or of objects."""
        if self.store is None:
            return f"file({_literal(files)}, Parquet)"
        url = f"{self.store['endpoint']}/{files.removeprefix('s3://')}"
        named = (url, self.store["access_key"], self.store["secret_key"], "Parquet")
        return f"s3({', '.join(map(_literal, named))})"

    def prepare(self, sql: str) -> None:
        """Keep the text: parsing and planning belong to the timed region, as for every contender."""
        self.sql = sql

    def run(self) -> int:
        """Execute, and hold the complete result as Arrow; counting the rows copies nothing."""
        self.result = self.connection.query(self.sql, "ArrowStream")
        self.batches = list(pa.ipc.open_stream(pa.py_buffer(self.result.get_memview().view())))
        return sum(batch.num_rows for batch in self.batches)

    def answer(self) -> Any:
        """The Arrow stream as chDB wrote it; it says of lists, maps and structs that none of them is NULL."""
        schema = self.batches[0].schema if self.batches else None
        if schema is None or not any(kind.num_fields for kind in schema.types):
            return self.result.bytes()
        # ClickHouse has no NULL of these types: it reads an empty one.
        marked = pa.schema(
            [one.with_metadata({"weigh.shown": "nested"}) if one.type.num_fields else one for one in schema]
        )
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, marked) as stream:
            for batch in self.batches:
                stream.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=marked))
        return memoryview(sink.getvalue())

    def release(self) -> None:
        """Drop the result; the batches point into it."""
        self.batches = []
        self.result = None

    def profile(self) -> dict[str, Any]:
        """ProfileEvents of one execution, and ``EXPLAIN ANALYZE`` of another where this version has it."""
        before = self._events()
        try:
            self.run()
        finally:
            self.release()
        # What reading them counts itself is as much on every side.
        counters = {name: value - before.get(name, 0) for name, value in self._events().items()}
        found: dict[str, Any] = {"counters": dict(_counter(*one) for one in counters.items())}
        try:
            raw = self.connection.query(f"EXPLAIN ANALYZE {self.sql}", "TSVRaw").bytes().decode()
        except Exception:
            self._begin_again()
            return found | {"lacks": "operators: this version has no EXPLAIN ANALYZE for this query"}
        return found | {"plan": _plan(raw), "raw": raw}

    def _events(self) -> dict[str, int]:
        return {row["event"]: int(row["value"]) for row in self._rows("SELECT event, value FROM system.events")}

    def close(self) -> None:
        """Close the connection."""
        self.release()
        self.connection.close()

    def classify(self, error: BaseException) -> str:
        """By ClickHouse's error code.

        The connection is replaced: after an error some versions prepend the failed query's output to the next.
        """
        code = _CODE.search(str(error))
        number = int(code[1]) if code else 0
        self._begin_again()
        if number in _MEMORY_CODES:
            return "out_of_memory"
        return "unsupported" if number in _UNSUPPORTED_CODES else super().classify(error)

    def _begin_again(self) -> None:
        self.release()
        self.connection.close()
        self._connect()
        self._view(self.views)

    def _rows(self, sql: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(self.connection.query(sql + _UNCACHED, "JSON").bytes())["data"]
        return rows


def _counter(name: str, value: int) -> tuple[str, float]:
    timed = name.removesuffix("Microseconds")
    return (name, float(value)) if timed == name else (f"{timed} seconds", value / 1e6)


def _plan(text: str) -> dict[str, Any] | None:
    """The operators of ``EXPLAIN ANALYZE``: a branch of lines begins each but the first, and its figures follow it.

    The first part, a summary, ends before the operators.
    """
    above: list[dict[str, Any]] = []
    # Two empty lines: before what is given out, and before the operators.
    for line in text.strip().split("\n\n")[-1].splitlines():
        branch, inner = _BRANCH.match(line), line.lstrip("│ ")
        if branch or not above:
            named = _NAMED.match(inner.lstrip("├└─"))
            node: dict[str, Any] = {"seconds": None, "rows": None, "children": []}
            node |= {"name": named[1] if named else inner, "detail": named[2] or "" if named else ""}
            del above[(len(branch[1]) // 3 + 1) if branch else 0 :]
            if above:
                above[-1]["children"].append(node)
            above.append(node)
        elif rows := _GIVEN.search(inner):
            above[-1]["rows"] = round(float(rows[1]) * _LARGE[rows[2] or ""])
        elif spent := _SPENT.search(inner):
            above[-1]["seconds"] = (above[-1]["seconds"] or 0.0) + float(spent[1]) * _UNITS[spent[2]]
        elif inner.startswith(("Keys:", "Aggregates:", "Filter column:", "Sort description:", "Type:", "Limit ")):
            above[-1]["detail"] = f"{above[-1]['detail']}; {inner}".strip("; ")
    return above[0] if above else None


def _globs(paths: list[str]) -> list[str]:
    """One pattern a folder: a pattern of whole paths, ``{/a/x,/a/y}``, matches nothing."""
    folders: dict[str, list[str]] = {}
    for folder, name in map(os.path.split, paths):
        folders.setdefault(folder, []).append(name)
    return [
        f"{folder}/{names[0] if len(names) == 1 else '{' + ','.join(names) + '}'}" for folder, names in folders.items()
    ]


def _without_hive(files: str) -> str:
    """What makes a table of the columns of its files alone, where a folder named k=v would be one more."""
    return " SETTINGS use_hive_partitioning = 0" if "=" in files else ""


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
