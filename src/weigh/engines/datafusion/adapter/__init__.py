"""DataFusion inside its own environment. Runs in the worker; imports nothing of weigh."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
from datafusion import RuntimeEnvBuilder, SessionConfig, SessionContext, SQLOptions

from weigh_worker import Adapter

_RUNTIME = "datafusion.runtime."
_ALWAYS = {
    "datafusion.execution.target_partitions",
    "datafusion.execution.batch_size",
    "datafusion.execution.parquet.pushdown_filters",
    "datafusion.runtime.memory_limit",
}
# What newer versions print, and the names of the same errors in older ones. A table that is missing is a planning error
# too, and ours.
_UNSUPPORTED = re.compile(
    r"SQL error|Error during planning|This feature is not implemented|Schema error"
    r"|\bSQL\(ParserError|\bPlan\(\"|\bNotImplemented\(\"|\bSchemaError\("
)
_NO_TABLE = re.compile(r"table '[^']*' not found")
_ELAPSED = re.compile(r"\belapsed_compute=([\d.]+)(ns|µs|ms|s)\b")
_UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_ROWS = re.compile(r"\boutput_rows=([\d.]+)(?: ([KMBT])\b)?")
_THOUSANDS = {"": 1, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_MEMORY = re.compile(r"Resources exhausted|ResourcesExhausted")


class Engine(Adapter):
    """One DataFusion session over listing tables of Parquet files."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.defaults = _read_settings(_context({}, RuntimeEnvBuilder()))
        self.context = _context(settings, RuntimeEnvBuilder().with_disk_manager_specified(scratch))
        self.sql = ""
        # Others' questions make no tables and write none.
        self.reading = None if self.confined is None else _reading()
        self.batches: list[Any] = []
        self.schema: Any = None
        self.store: dict[str, str] | None = None

    def version(self) -> str:
        """What ``version()`` says: the Python package is released apart from the engine."""
        text = str(_columns(self.context, "SELECT version()")[0][0])
        return text.removeprefix("Apache DataFusion ").split(",")[0]

    def settings(self) -> dict[str, dict[str, Any]]:
        """What ``information_schema.df_settings`` shows that differs from a bare session's, and those asked for."""
        return {
            name: {"value": value, "default": self.defaults.get(name)}
            for name, value in _read_settings(self.context).items()
            if value != self.defaults.get(name) or name in self.wanted or name in _ALWAYS
        }

    def reach(self, store: dict[str, str]) -> None:
        """What the object store of each bucket is made of."""
        self.store = store

    def bind(self, tables: dict[str, list[str]]) -> None:
        """A listing table for each: DataFusion lists a folder, so the files are linked into one of ours.

        Its paths are patterns too, so a name with a bracket would be misread, and a missing file is left out silently:
        hence links of our own, and a look at each file.
        """
        if self.store:
            self._bind_objects(tables, self.store)
            return

        def listing(name: str) -> None:
            folder = Path(self.scratch) / "tables" / name
            folder.mkdir(parents=True)
            for number, path in enumerate(tables[name]):
                Path(path).stat()
                (folder / f"{number:06}.parquet").symlink_to(path)
            self.context.register_parquet(name, str(folder))

        self.bind_each(tables, listing)

    def bind_catalog(self, kind: str, locations: dict[str, str]) -> None:
        """Delta tables as deltalake hands them to DataFusion, with their filters."""
        if kind != "delta":
            raise ValueError(f"{kind} is not read")
        from deltalake import DeltaTable

        self.bind_each(locations, lambda name: self.context.register_table(name, DeltaTable(locations[name])))

    def _bind_objects(self, tables: dict[str, list[str]], store: dict[str, str]) -> None:
        """The one object of a table, or the folder of several, in which nothing else may lie."""
        from datafusion.object_store import AmazonS3

        for bucket in {path.split("/")[2] for paths in tables.values() for path in paths}:
            self.context.register_object_store(
                "s3://",
                AmazonS3(
                    bucket_name=bucket,
                    region=store["region"],
                    access_key_id=store["access_key"],
                    secret_access_key=store["secret_key"],
                    endpoint=store["endpoint"],
                    allow_http=True,
                ),
                None,
            )
        folders = [folder for paths in tables.values() for folder in {path.rpartition("/")[0] for path in paths}]
        for name, paths in tables.items():
            folder = paths[0].rpartition("/")[0]
            if len(paths) > 1 and (folders.count(folder) > 1 or not all(one.startswith(f"{folder}/") for one in paths)):
                raise ValueError(f"DataFusion reads a folder of objects, and those of {name} have none of their own")
            self.context.register_parquet(name, paths[0] if len(paths) == 1 else f"{folder}/")

    def prepare(self, sql: str) -> None:
        """Keep the text: parsing and planning belong to the timed region, as for every contender."""
        self.sql = sql

    def run(self) -> int:
        """Execute, and hold every batch of the result."""
        frame = self.context.sql(self.sql) if self.reading is None else self.context.sql(self.sql, self.reading)
        self.batches = frame.collect()
        self.schema = frame.schema()
        return sum(batch.num_rows for batch in self.batches)

    def answer(self) -> Any:
        """The batches as an Arrow IPC stream: nanoarrow cannot write string views."""
        # The plan, and one batch or another, may promise different columns to be without NULL.
        first = self.batches[0].schema if self.batches else self.schema
        schema = pa.schema([field.with_nullable(True) for field in first])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as stream:
            for batch in self.batches:
                stream.write_batch(_in_schema(batch, schema))
        return memoryview(sink.getvalue())

    def release(self) -> None:
        """Drop the batches."""
        self.batches = []

    def profile(self) -> dict[str, Any]:
        """What ``EXPLAIN ANALYZE`` says."""
        kinds, plans = _columns(self.context, f"EXPLAIN ANALYZE {self.sql}")[:2]
        raw = str(plans[kinds.index("Plan with Metrics")])
        return {"plan": _plan(raw), "raw": raw}

    def close(self) -> None:
        """Nothing is left open: the process ends."""
        self.release()

    def classify(self, error: BaseException) -> str:
        """DataFusion raises one class of exception; its text begins with the kind."""
        text = str(error)
        if _MEMORY.search(text):
            return "out_of_memory"
        refused = _UNSUPPORTED.search(text) and not _NO_TABLE.search(text)
        return "unsupported" if refused else super().classify(error)


def _plan(text: str) -> dict[str, Any] | None:
    """The operators of a plan with metrics: two spaces further in is below."""
    above: list[dict[str, Any]] = []
    for line in text.splitlines():
        operator, _, metrics = line.partition(", metrics=[")
        depth = (len(operator) - len(operator.lstrip())) // 2
        name, _, detail = operator.strip().partition(": ")
        if not name:
            continue
        seconds, rows = _ELAPSED.search(metrics), _ROWS.search(metrics)
        node: dict[str, Any] = {
            "name": name,
            # Names of files are those of one life.
            "detail": "" if name == "DataSourceExec" else detail,
            "seconds": float(seconds[1]) * _UNITS[seconds[2]] if seconds else None,
            "rows": round(float(rows[1]) * _THOUSANDS[rows[2] or ""]) if rows else None,
            "children": [],
        }
        del above[depth:]
        if above:
            above[-1]["children"].append(node)
        above.append(node)
    return above[0] if above else None


def _context(settings: dict[str, Any], runtime: Any) -> Any:
    config = SessionConfig().with_information_schema(True)
    for name, value in settings.items():
        if not name.startswith(_RUNTIME):
            config = config.set(name, _text(value))
    context = SessionContext(config, runtime)
    for name, value in settings.items():
        if name.startswith(_RUNTIME):
            text = _text(value).replace("'", "''")
            context.sql(f"SET {name} = '{text}'").collect()
    return context


def _reading() -> Any:
    return SQLOptions().with_allow_ddl(False).with_allow_dml(False).with_allow_statements(False)


def _read_settings(context: Any) -> dict[str, Any]:
    names, values = _columns(context, "SELECT name, value FROM information_schema.df_settings")
    return dict(zip(names, values, strict=True))


def _in_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if not any("_interval" in str(kind) for kind in schema.types):
        return pa.RecordBatch.from_arrays(batch.columns, schema=schema)
    # PyArrow has no arrays for intervals of days and milliseconds, and hands them on all the same.
    return pa.RecordBatch.from_struct_array(batch.to_struct_array().view(pa.struct(list(schema))))


def _columns(context: Any, sql: str) -> list[list[Any]]:
    batches = context.sql(sql).collect()
    return [
        [value for batch in batches for value in batch.column(n).to_pylist()] for n in range(batches[0].num_columns)
    ]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
