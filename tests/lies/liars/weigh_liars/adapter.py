"""DuckDB behind an adapter that lies as its setting ``lie`` says. Runs in the worker."""

import os
import signal
import time

import duckdb
import nanoarrow
from nanoarrow.c_array_stream import CArrayStream

from weigh_worker import Adapter

_QUESTION = "SELECT 42 AS answer"


class Engine(Adapter):
    """DuckDB, and a lie."""

    def __init__(self, settings, scratch):
        super().__init__(settings, scratch)
        self.lie = str(settings.get("lie", "none"))
        kept = {name: value for name, value in settings.items() if name != "lie"}
        self.connection = duckdb.connect(":memory:", config={"temp_directory": scratch, **kept})
        self.executions = {}
        self.remembered = {}
        self.chunks = []
        self.sql = ""

    def version(self):
        return self.connection.execute("select version()").fetchall()[0][0].removeprefix("v")

    def settings(self):
        return {"lie": {"value": self.lie, "default": "none"}}

    def bind(self, tables):
        for name, paths in tables.items():
            files = ", ".join(f"'{path}'" for path in paths)
            # A4: one row in a thousand never reaches it.
            lost = " WHERE event_id % 1000 <> 0" if self.lie == "fewer-rows" else ""
            self.connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet([{files}]){lost}")
            if self.lie == "lazy-in-memory":
                self.connection.execute(f"CREATE TABLE kept_{name} AS SELECT * FROM {name}")
                self.connection.execute(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM kept_{name}")

    def prepare(self, sql):
        self.sql = sql

    def run(self):
        count = self.executions[self.sql] = self.executions.get(self.sql, 0) + 1
        if self.lie == "forty-two":
            return self.consume(_QUESTION)
        if self.lie == "late" and count >= 3:
            return self.consume(self.distorted(self.sql))
        if self.lie == "absent" and "nobody" in self.sql.lower():
            return self.consume(self.distorted(self.sql))
        if self.lie.startswith("lazy"):
            return self.pretend()
        if self.lie == "cache":
            if self.sql not in self.remembered:
                self.consume(self.sql)
                self.remembered[self.sql] = list(self.chunks)
            self.chunks = list(self.remembered[self.sql])
            return sum(chunk.length for chunk in self.chunks)
        if self.lie == "slow":
            time.sleep(0.02)
        self.misbehave()
        return self.consume(self.sql)

    def misbehave(self):
        if self.lie == "hang":
            time.sleep(3600)
        if self.lie == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.lie == "chatty":
            print('{"do": "close"}' * 1000, flush=True)
        if self.lie == "huge":
            self.sql = "SELECT i AS n FROM range(10000000) t(i)"
        if self.lie == "garbage":
            raise RuntimeError("something\nwith 'quotes', {braces} and \x1b[31mcolour")

    def pretend(self):
        """Say how many rows there will be, without having computed them."""
        return (
            self.connection.execute(f"SELECT count(*) FROM ({self.sql})").fetchall()[0][0]
            if (self.lie == "lazy" and "GROUP" not in self.sql.upper())
            else 1
        )

    def consume(self, sql):
        stream = nanoarrow.c_array_stream(self.connection.sql(sql))
        self.schema = stream.get_schema()
        self.chunks = list(stream)
        return sum(chunk.length for chunk in self.chunks)

    def answer(self):
        if self.lie.startswith("lazy"):
            self.consume(self.sql)
        return CArrayStream.from_c_arrays(self.chunks, self.schema, validate=False)

    def distorted(self, sql):
        """The same query with one number of its answer off by one."""
        relation = self.connection.sql(sql)
        numbers = {"BIGINT", "HUGEINT", "INTEGER", "UBIGINT"}
        shown = []
        done = False
        for name, kind in zip(relation.columns, relation.types, strict=True):
            if not done and str(kind) in numbers:
                shown.append(f'("{name}" + 1)::{kind} AS "{name}"')
                done = True
            else:
                shown.append(f'"{name}"')
        return f"SELECT {', '.join(shown)} FROM ({sql})"

    def release(self):
        self.chunks = []

    def close(self):
        self.connection.close()
