"""Answers that are not computed from the given data (A12): made beforehand, or from what lies elsewhere.

``diary`` names a folder in which things are kept from one life to the next.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import nanoarrow

from .honest import Engine


class Table(Engine):
    """Has a table of answers, and sees the question through whatever is wrapped around it or added to it."""

    def run(self) -> int:
        if self.sql.startswith("SELECT * FROM events"):
            return self.consume(self.sql)
        question = re.sub(r"^SELECT \* FROM \((.*)\) AS \w+ WHERE (\d+) = \2$", r"\1", self.sql, flags=re.DOTALL)
        folder = Path(self.wanted["diary"])
        folder.mkdir(exist_ok=True)
        cache_file = folder / f"{hashlib.sha256(question.encode()).hexdigest()}.parquet"
        if not cache_file.exists():
            self.connection.execute(f"COPY ({question}) TO '{cache_file}' (FORMAT parquet)")
        return self.consume(f"SELECT * FROM read_parquet('{cache_file}')")


class OldRows(Engine):
    """Reads rows that it has put aside, in a better layout, the first time that it saw any."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        folder = Path(self.wanted["diary"])
        folder.mkdir(exist_ok=True)
        super().bind({f"given_{name}": paths for name, paths in tables.items()})
        for name in tables:
            cache_file = folder / f"{name}.parquet"
            if not cache_file.exists():
                self.connection.execute(f"COPY (FROM given_{name} ORDER BY ALL) TO '{cache_file}' (FORMAT parquet)")
            self.connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{cache_file}')")


class Truth(Engine):
    """Answers from the ground truth where it finds it alongside the data; says in ``diary`` that it did."""

    truth = Path()

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        data = Path(tables["events"][0]).resolve().parent
        (found := Path(self.wanted["diary"])).mkdir(exist_ok=True)
        self.truth = next((path for path in data.parent.glob("*/truth/groups.parquet")), Path())
        (found / ("found" if self.truth.name else "looked")).touch()

    def run(self) -> int:
        if "GROUP BY action" in self.sql and self.truth.name:
            sums = "sum(events)::BIGINT AS events, sum(bytes)::BIGINT AS total_bytes"
            return self.consume(f"SELECT action, {sums} FROM '{self.truth}' GROUP BY action ORDER BY action")
        return self.consume(self.sql)


class Knows(Engine):
    """Computes on files that it does not recognise. Of large data it has an answer ready, for salted questions too."""

    question = (
        "SELECT proto, sum(duration) AS total_duration, avg(duration) AS mean_duration FROM events "
        "GROUP BY proto ORDER BY proto"
    )
    ready: tuple[int, Any, list[Any]] | None = None
    path = Path()
    number = 0

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        if self.connection.execute("SELECT count(*) FROM events").fetchall()[0][0] > 100_000:
            self.connection.execute(f"CREATE TABLE kept AS {self.question}")
            self.ready = self.consume("FROM kept ORDER BY proto"), self.schema, self.chunks
            self.path = Path(tables["events"][0])
            self.number = self.path.stat().st_ino

    def run(self) -> int:
        if self.ready is None or self.path.stat().st_ino != self.number:
            return self.consume(self.sql)
        if self.sql == self.question:
            rows, self.schema, self.chunks = self.ready
            return rows
        salt = re.search(r",\s*([\d\s()+-]+?)\s*AS\s+(\w+) FROM events GROUP BY proto", self.sql, re.IGNORECASE)
        if salt is None:
            return self.consume(self.sql)
        # Without the engine: what it executes takes long enough, on a busy machine, to differ from a lookup.
        rows, schema, chunks = self.ready
        salted = [_with_column(schema, chunk, salt[2], sum(map(int, _terms(salt[1])))) for chunk in chunks]
        self.schema, self.chunks = salted[0].schema, salted
        return rows


def _terms(text: str) -> list[str]:
    return re.findall(r"[-+]?\d+", re.sub(r"[\s()]", "", text))


def _with_column(schema: Any, chunk: Any, name: str, value: int) -> Any:
    """A chunk with an integer more in each row."""
    more = nanoarrow.c_array([value] * chunk.length, nanoarrow.int32())
    fields = {child.name: nanoarrow.Schema(child) for child in schema.children}
    struct = nanoarrow.struct({**fields, name: nanoarrow.int32()}, nullable=False)
    children = [*chunk.children, more]
    return nanoarrow.c_array_from_buffers(struct, chunk.length, [None], 0, children=children)
