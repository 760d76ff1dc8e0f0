"""Polars inside its own environment. Runs in the worker; imports nothing of weigh."""

from __future__ import annotations

import inspect
import io
import os
import re
from typing import Any

from weigh_worker import Adapter

_SCAN = ("parallel", "use_statistics", "low_memory", "rechunk", "cache")
"""Parameters of ``scan_parquet`` that are about how it reads; the others would change what it reads."""
_ALWAYS = {"threads", "engine"}
_STEP = re.compile(r"([A-Z][A-Z_]+(?: [A-Z_]+)*)")


class Engine(Adapter):
    """One SQL context over lazily scanned Parquet files.

    Settings are ``threads``, ``engine`` (``in-memory``, ``streaming``, ``auto``), options of ``scan_parquet`` and the
    flags of ``QueryOptFlags``.
    """

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        wanted = dict(settings)
        threads = wanted.pop("threads", None)
        if threads is not None:
            # Read once, when polars is imported.
            os.environ["POLARS_MAX_THREADS"] = str(threads)
        # Without, one column of intervals is a panic for every question of its table.
        os.environ.setdefault("POLARS_IMPORT_INTERVAL_AS_STRUCT", "1")
        import polars

        self.polars: Any = polars
        if threads is not None and polars.thread_pool_size() != threads:
            raise ValueError(f"threads = {threads} was asked for, Polars has {polars.thread_pool_size()}")
        engine = wanted.pop("engine", None)
        if engine is not None:
            polars.Config.set_engine_affinity(engine)
        offered = inspect.signature(polars.scan_parquet).parameters
        self.scan_defaults = {name: offered[name].default for name in _SCAN if name in offered}
        self.scan = {name: wanted.pop(name) for name in self.scan_defaults if name in wanted}
        # Raises on a name that this version does not know.
        self.flags = polars.QueryOptFlags(**wanted)
        self.context = polars.SQLContext()
        self.sql = ""
        self.frame: Any = None
        self.store: dict[str, str] | None = None

    def version(self) -> str:
        """Version of the native library's own package, which is the module's."""
        return str(self.polars.__version__)

    def settings(self) -> dict[str, dict[str, Any]]:
        """The thread pool's size, the engine in force, and what was asked of the scan and the optimiser."""
        plain = self.polars.QueryOptFlags()
        engine = self.polars.Config.state(env_only=True).get("POLARS_ENGINE_AFFINITY")
        found = {
            "threads": (self.polars.thread_pool_size(), len(os.sched_getaffinity(0))),
            "engine": (engine or "auto", "auto"),
            **{name: (self.scan.get(name, default), default) for name, default in self.scan_defaults.items()},
            **{name: (getattr(self.flags, name), getattr(plain, name)) for name in self._flags()},
        }
        return {
            name: {"value": value, "default": default}
            for name, (value, default) in found.items()
            if value != default or name in self.wanted or name in _ALWAYS
        }

    def reach(self, store: dict[str, str]) -> None:
        """Options of the scans."""
        self.store = {
            "aws_endpoint_url": store["endpoint"],
            "aws_region": store["region"],
            "aws_access_key_id": store["access_key"],
            "aws_secret_access_key": store["secret_key"],
            "aws_allow_http": "true",
            "aws_virtual_hosted_style_request": "false",
        }

    def bind(self, tables: dict[str, list[str]]) -> None:
        """Lazy scans: nothing is read but footers."""

        def registered(name: str) -> None:
            self.context.register(name, self.scanned(tables[name]))

        self.bind_each(tables, registered)

    def scanned(self, paths: list[str]) -> Any:
        """Files as a lazy frame, with the options that were asked for."""
        scan = {**self.scan, "storage_options": self.store} if self.store else self.scan
        return self.polars.scan_parquet(paths, glob=False, **scan)

    def bind_catalog(self, kind: str, locations: dict[str, str]) -> None:
        """Lazy scans through the metadata; options of ``scan_parquet`` have no place there."""
        if self.scan:
            raise ValueError(f"scan_{kind} does not know {', '.join(self.scan)}")
        scan = {"iceberg": self.polars.scan_iceberg, "delta": self.polars.scan_delta}[kind]

        def registered(name: str) -> None:
            self.context.register(name, scan(locations[name]))

        self.bind_each(locations, registered)

    def prepare(self, sql: str) -> None:
        """Keep the text: parsing and planning belong to the timed region, as for every contender."""
        self.sql = sql

    def run(self) -> int:
        """Execute, and hold the complete result as a data frame."""
        self.frame = self.context.execute(self.sql).collect(optimizations=self.flags)
        return int(self.frame.height)

    def answer(self) -> Any:
        """The frame as an Arrow IPC stream."""
        return self.stream(self.frame)

    def stream(self, frame: Any) -> bytes:
        """An Arrow IPC stream in types that every reader knows."""
        for name, kind in frame.schema.items():
            if self._narrowed(kind, self.polars.String) != kind:
                frame = self._without_wide(frame, name, kind)
        sink = io.BytesIO()
        frame.write_ipc_stream(sink, compat_level=self.polars.CompatLevel.oldest())
        return sink.getvalue()

    def _without_wide(self, frame: Any, name: str, kind: Any) -> Any:
        """A column's integers of 128 bits, which Arrow has none of, as decimals, or as text where they are longer."""
        column = self.polars.col(name)
        try:
            return frame.with_columns(column.cast(self._narrowed(kind, self.polars.Decimal(38, 0))))
        except self.polars.exceptions.InvalidOperationError:
            return frame.with_columns(column.cast(self._narrowed(kind, self.polars.String)))

    def _narrowed(self, kind: Any, to: Any) -> Any:
        """A type with another one in the place of integers of 128 bits, wherever they stand in it."""
        polars = self.polars
        if str(kind) in ("Int128", "UInt128"):
            return to
        if isinstance(kind, polars.List):
            return polars.List(self._narrowed(kind.inner, to))
        if isinstance(kind, polars.Array):
            return polars.Array(self._narrowed(kind.inner, to), kind.size)
        if isinstance(kind, polars.Struct):
            return polars.Struct([polars.Field(one.name, self._narrowed(one.dtype, to)) for one in kind.fields])
        return kind

    def release(self) -> None:
        """Drop the frame."""
        self.frame = None

    def profile(self) -> dict[str, Any]:
        """The optimised plan, without times: Polars 2 has no profiler."""
        raw = str(self.context.execute(self.sql).explain(optimizations=self.flags))
        return {"plan": _plan(raw), "raw": raw, "lacks": "times of operators: Polars 2 has no profiler any more"}

    def close(self) -> None:
        """Nothing is left open: the process ends."""
        self.release()

    def classify(self, error: BaseException) -> str:
        """Polars' exception classes tell what its SQL cannot do; a table that is missing is ours."""
        kinds = self.polars.exceptions
        refused = isinstance(error, (kinds.SQLInterfaceError, kinds.SQLSyntaxError, kinds.ColumnNotFoundError))
        missing = "relation" in str(error) and "was not found" in str(error)
        return "unsupported" if refused and not missing else super().classify(error)

    def _flags(self) -> list[str]:
        # Some versions take a name that is deprecated and has no effect; it cannot be read.
        names = inspect.signature(self.polars.QueryOptFlags.__init__).parameters
        return [name for name in names if name != "self" and hasattr(self.flags, name)]


def _plan(text: str) -> dict[str, Any] | None:
    """The steps of a plan as Polars prints it: they begin in capitals, and stand further in than what is above them."""
    root: dict[str, Any] = {"name": "QUERY PLAN", "detail": "", "seconds": None, "rows": None, "children": []}
    above: list[tuple[int, dict[str, Any]]] = [(-1, root)]
    for line in text.splitlines():
        words = line.strip()
        if not words or words == "FROM":
            continue
        step = _STEP.match(words)
        if step is None:
            above[-1][1]["detail"] = f"{above[-1][1]['detail']} {words}".strip()
            continue
        depth = len(line) - len(line.lstrip())
        while above[-1][0] >= depth:
            above.pop()
        # Names of files are those of one life.
        detail = "" if "SCAN" in step[1] else words[step.end() :].strip()
        node: dict[str, Any] = {
            "name": step[1].strip(),
            "detail": detail,
            "seconds": None,
            "rows": None,
            "children": [],
        }
        above[-1][1]["children"].append(node)
        above.append((depth, node))
    return root
