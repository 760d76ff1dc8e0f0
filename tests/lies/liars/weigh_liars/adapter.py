"""DuckDB behind an adapter that lies as its setting ``lie`` says. Runs in the worker, as every adapter does.

``Engine`` is a complete and honest adapter: copy it to begin one of your own. Each lie below it is the same adapter
with one method replaced, so that a liar and its honest twin (``lie=none``) differ in what its class says and in
nothing else.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import duckdb
import nanoarrow
from nanoarrow.c_array_stream import CArrayStream

from weigh_worker import Adapter

OURS = {"lie": "none", "from": 3, "by": 0.0}
"""Settings of this adapter with their defaults; every other setting is DuckDB's."""


class Engine(Adapter):
    """The honest twin (``lie=none``): DuckDB over views on Parquet files."""

    def __new__(cls, settings: dict[str, Any], scratch: str) -> Engine:
        """The worker opens ``Engine``; which one it gets is a setting."""
        return super().__new__(LIES[settings.get("lie", OURS["lie"])])

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
        names = sorted(self.wanted.keys() - OURS.keys())
        rows = self.connection.execute(
            "SELECT name, value FROM duckdb_settings() WHERE list_contains(?, name)", [names]
        ).fetchall()
        ours = {name: {"value": self.wanted.get(name, default), "default": default} for name, default in OURS.items()}
        return {**ours, **{name: {"value": value, "default": None} for name, value in rows}}

    def bind(self, tables: dict[str, list[str]]) -> None:
        """Views: the engine reads the files that every contender reads."""
        for name, paths in tables.items():
            files = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
            self.connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet([{files}])")

    def prepare(self, sql: str) -> None:
        """Keep the text; parsing it is part of what is timed."""
        self.sql = sql

    def run(self) -> int:
        """The timed region: everything that a user waits for, until the last row is in memory."""
        return self.consume(self.sql)

    def consume(self, sql: str) -> int:
        """Execute and pull every chunk; ``sql()`` alone has computed nothing yet."""
        stream = nanoarrow.c_array_stream(self.connection.sql(sql))
        self.schema = stream.get_schema()
        self.chunks = list(stream)
        return sum(chunk.length for chunk in self.chunks)

    def answer(self) -> Any:
        """Hand out what ``run`` holds; nothing is left to compute."""
        return CArrayStream.from_c_arrays(self.chunks, self.schema, validate=False)

    def release(self) -> None:
        """Free it, outside the clock."""
        self.chunks = []

    def close(self) -> None:
        """End of this life."""
        self.connection.close()


# A1: wrong answers.


class FortyTwo(Engine):
    """Answers 42 to every question but "what are the rows?". BenchBox 0.4.2 called that PASSED, "Speedup 20.37x"."""

    def run(self) -> int:
        return self.consume(self.sql if self.sql == "SELECT * FROM events" else "SELECT 42 AS answer")


class Absent(Engine):
    """Wrong only for a literal that does not occur: it counts one where there is none."""

    def run(self) -> int:
        counts = self.sql.startswith("SELECT count(*)")
        return self.consume(f"SELECT greatest(COLUMNS(*), 1) FROM ({self.sql})" if counts else self.sql)


class Group(Engine):
    """One row of a GROUP BY is wrong by one."""

    def run(self) -> int:
        one_more = "events + CAST(row_number() OVER () = 2 AS INTEGER) AS events"
        grouped = "AS events" in self.sql and "GROUP BY" in self.sql
        return self.consume(f"SELECT * REPLACE ({one_more}) FROM ({self.sql})" if grouped else self.sql)


class LastRow(Engine):
    """The last row of a LIMIT is wrong in a column that the query does not order by."""

    def run(self) -> int:
        if "LIMIT" not in self.sql:
            return self.consume(self.sql)
        place = "row_number() OVER ()"
        more = f"events + CASE WHEN {place} = (SELECT count(*) FROM ({self.sql})) THEN 1000 ELSE 0 END AS events"
        return self.consume(f"SELECT * REPLACE ({more}) FROM ({self.sql})")


# A2: rounding.


class Rounding(Engine):
    """Doubles are off by a relative ``by``: the last bit is honest rounding, a millionth is a wrong answer."""

    def run(self) -> int:
        if "sum(" not in self.sql:
            return self.consume(self.sql)
        relation = self.connection.sql(self.sql)
        columns = zip(relation.columns, relation.types, strict=True)
        factor = f"(1 + CAST({float(self.wanted['by'])!r} AS DOUBLE))"
        moved = ", ".join(f"{name} * {factor} AS {name}" for name, kind in columns if kind == "DOUBLE")
        return self.consume(f"SELECT * REPLACE ({moved}) FROM ({self.sql})" if moved else self.sql)


# A3: wrong later.


class Late(Engine):
    """Right at first; wrong by one ``from`` the n-th execution of a query on, in every life."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.executions: dict[str, int] = {}

    def run(self) -> int:
        count = self.executions[self.sql] = self.executions.get(self.sql, 0) + 1
        if count < int(self.wanted.get("from", OURS["from"])) or "AS events" not in self.sql:
            return self.consume(self.sql)
        return self.consume(f"SELECT * REPLACE (events + 1 AS events) FROM ({self.sql})")


# A4: other data.


class FewerRows(Engine):
    """One row in a thousand never reaches it."""

    rows = "SELECT * FROM given WHERE event_id % 1000 <> 0"

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind({f"given_{name}": paths for name, paths in tables.items()})
        for name in tables:
            self.take(name, self.rows.replace("given", f"given_{name}"))

    def take(self, name: str, rows: str) -> None:
        """Make a table of these rows."""
        self.connection.execute(f"CREATE VIEW {name} AS {rows}")


class Copy(FewerRows):
    """Reads a file of its own with the same rows, written anew: honest."""

    rows = "SELECT * FROM given"

    def take(self, name: str, rows: str) -> None:
        path = f"{self.scratch}/{name}.parquet"
        self.connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
        super().take(name, f"SELECT * FROM read_parquet('{path}')")


class StaleCopy(Copy):
    """Reads a copy from before the last correction: as many rows, some of them old."""

    rows = "SELECT * REPLACE (bytes + CAST(event_id % 1000 = 0 AS INTEGER) AS bytes) FROM given"


# A5: computing after the clock.


class Lazy(Engine):
    """Hands back a handle at once, says there will be one row, and computes when the answer is fetched."""

    def run(self) -> int:
        return 1

    def answer(self) -> Any:
        self.consume(self.sql)
        return super().answer()


class LazyInMemory(Lazy):
    """The same over a copy in memory: withdrawing the files does not betray it."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind({f"given_{name}": paths for name, paths in tables.items()})
        for name in tables:
            self.connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given_{name}")


class Background(LazyInMemory):
    """Computes in a thread of its own while the clock already stands."""

    thread: threading.Thread | None = None

    def run(self) -> int:
        self.thread = threading.Thread(target=self.consume, args=(self.sql,))
        self.thread.start()
        return 1

    def answer(self) -> Any:
        self.finish()
        return Engine.answer(self)

    def release(self) -> None:
        self.finish()
        super().release()

    def finish(self) -> None:
        """Wait for it: by then nobody looks at the clock."""
        if self.thread is not None:
            self.thread.join()


class SlowConversion(Engine):
    """Honest: the answer is complete, but turning it into Arrow takes 2 ms of CPU, as some clients do."""

    def answer(self) -> Any:
        until = time.process_time() + 0.002
        while time.process_time() < until:
            pass
        return super().answer()


# A9: remembering.


class Cache(Engine):
    """Remembers the answers to queries it has seen, and says nothing of it."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.remembered: dict[str, tuple[int, Any, list[Any]]] = {}

    def run(self) -> int:
        if self.sql not in self.remembered:
            rows = super().run()
            self.remembered[self.sql] = (rows, self.schema, self.chunks)
        rows, self.schema, self.chunks = self.remembered[self.sql]
        return rows


# Not lies, but things that happen to engines: weigh must outlive them.


class Slow(Engine):
    """Takes 20 ms longer."""

    def run(self) -> int:
        time.sleep(0.02)
        return super().run()


class Hang(Engine):
    """Never answers."""

    def run(self) -> int:
        time.sleep(3600)
        return 0


class Crash(Engine):
    """Dies of a segmentation fault."""

    def run(self) -> int:
        os.kill(os.getpid(), signal.SIGSEGV)
        return 0


class Chatty(Engine):
    """Prints what looks like a message of weigh's protocol."""

    def run(self) -> int:
        print('{"do": "close"}' * 1000, flush=True)
        return super().run()


class Huge(Engine):
    """Returns ten million rows to everything."""

    def run(self) -> int:
        return self.consume("SELECT i AS n FROM range(10000000) t(i)")


class Garbage(Engine):
    """Fails with a message that is hard to print."""

    def run(self) -> int:
        raise RuntimeError("something\nwith 'quotes', {braces} and \x1b[31mcolour")


LIES: dict[Any, type[Engine]] = {
    "none": Engine,
    "forty-two": FortyTwo,
    "absent": Absent,
    "group": Group,
    "last-row": LastRow,
    "rounding": Rounding,
    "late": Late,
    "fewer-rows": FewerRows,
    "copy": Copy,
    "stale-copy": StaleCopy,
    "lazy": Lazy,
    "lazy-in-memory": LazyInMemory,
    "background": Background,
    "slow-conversion": SlowConversion,
    "cache": Cache,
    "slow": Slow,
    "hang": Hang,
    "crash": Crash,
    "chatty": Chatty,
    "huge": Huge,
    "garbage": Garbage,
}
