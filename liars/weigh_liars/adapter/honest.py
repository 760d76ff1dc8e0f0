"""A complete and honest adapter: copy it to begin one of your own. All liars are this one with a method replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import _duckdb as duckdb
import nanoarrow
from nanoarrow.c_array_stream import CArrayStream

from weigh_worker import Adapter

# The engine alone: an adapter for users imports duckdb, whose Python half is two thirds of the start of a life, and
# tests start thousands.

OURS = {
    "lie": "none", "from": 3, "by": 0.0, "ms": 20.0, "limit": 1.0, "seed": 0, "spread": 0.0, "jitter": 0.0, "gap": 0.0,
    "drift": 0.0, "burn": 0.0, "stall": 1.0, "every": 0, "diary": "", "edit": "",
}  # fmt: skip
"""Settings of this adapter with their defaults; every other setting is DuckDB's."""


ALWAYS = ("threads", "memory_limit", "temp_directory")
"""What it takes of the machine."""


class Engine(Adapter):
    """The honest twin (``lie=none``): DuckDB over views on Parquet files."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        theirs = {name: value for name, value in settings.items() if name not in OURS}
        self.connection = duckdb.connect(":memory:", config={"temp_directory": scratch, **theirs})
        self.sql = ""
        self.schema: Any = None
        self.chunks: list[Any] = []

    def version(self) -> str:
        """From the running engine: what pip says may be another thing."""
        return str(self.connection.execute("SELECT version()").fetchall()[0][0]).removeprefix("v")

    def settings(self) -> dict[str, dict[str, Any]]:
        """Read back, never repeated from ``self.wanted``: a setting that did not take effect must show."""
        names = sorted({*(self.wanted.keys() - OURS.keys()), *ALWAYS})
        # A tenth of a life less than duckdb_settings().
        columns = ", ".join(f"current_setting('{name}')::VARCHAR" for name in names)
        values = self.connection.execute(f"SELECT {columns}").fetchall()[0]
        ours = {name: {"value": self.wanted.get(name, default), "default": default} for name, default in OURS.items()}
        # A default is known of none but those that nobody asked for.
        read = zip(names, values, strict=True)
        theirs = {name: {"value": value, "default": None if name in self.wanted else value} for name, value in read}
        return {**ours, **theirs}

    def bind(self, tables: dict[str, list[str]]) -> None:
        """Views: the engine reads the files that every contender reads."""
        for name, paths in tables.items():
            files = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
            self.connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet([{files}])")

    def bind_catalog(self, kind: str, locations: dict[str, str]) -> None:
        """The same over the files that the log of a Delta table lists."""
        self.bind({name: self.listed(Path(location)) for name, location in locations.items()})

    @staticmethod
    def listed(table: Path) -> list[str]:
        """Files that were added to a Delta table and not removed since."""
        found: dict[str, None] = {}
        for version in sorted((table / "_delta_log").glob("*.json")):
            for action in map(json.loads, version.read_text().splitlines()):
                if "add" in action:
                    found[action["add"]["path"]] = None
                if "remove" in action:
                    found.pop(action["remove"]["path"], None)
        return [str(table / path) for path in found]

    def prepare(self, sql: str) -> None:
        """Keep the text; parsing it is part of what is timed."""
        self.sql = sql

    def run(self) -> int:
        """The timed region: everything that a user waits for, until the last row is in memory."""
        return self.consume(self.sql)

    def consume(self, sql: str) -> int:
        """Execute and pull every chunk; the stream alone has computed next to nothing yet."""
        stream = self.stream(sql)
        self.schema = stream.get_schema()
        self.chunks = list(stream)
        return sum(chunk.length for chunk in self.chunks)

    def stream(self, sql: str, connection: Any = None) -> Any:
        """What a query gives, chunk by chunk; on another connection where one is named."""
        return nanoarrow.c_array_stream(_Stream(connection or self.connection, sql))

    def answer(self) -> Any:
        """Hand out what ``run`` holds; nothing is left to compute."""
        return CArrayStream.from_c_arrays(self.chunks, self.schema, validate=False)

    def release(self) -> None:
        """Free it, outside the clock."""
        self.chunks = []

    def profile(self) -> dict[str, Any]:
        """What DuckDB's profiler says, in the form that weigh reads."""
        path = Path(self.scratch) / "profile.json"
        self.connection.execute(f"PRAGMA enable_profiling = 'json'; SET profiling_output = '{path}'")
        self.run()
        self.release()
        self.connection.execute("PRAGMA disable_profiling")
        raw = path.read_text()
        document = json.loads(raw)
        counters = {name: document["query"][name] for name in ("total_rows_scanned", "total_intermediate_rows")}
        return {"plan": operator(document["operator"][0]), "counters": counters, "raw": raw}

    def close(self) -> None:
        """End of this life."""
        self.connection.close()


class _Stream:
    """What a query gives, as nanoarrow takes it."""

    def __init__(self, connection: Any, sql: str) -> None:
        self._connection = connection
        self._sql = sql

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        if hasattr(self._connection, "_submit"):
            return self._connection._submit(self._sql, None, "stream").arrow_capsule()
        # Before 2.0.
        return self._connection.sql(self._sql).__arrow_c_stream__(requested_schema)


def operator(node: dict[str, Any]) -> dict[str, Any]:
    """An operator of DuckDB's profile, with those below it."""
    children = [operator(child) for child in node.get("children", ())]
    return {"name": node["type"], "seconds": node["timing"], "rows": node["intermediate_rows"], "children": children}
