"""A12: copies and sums that are made when the tables are opened, and used while the files look as they did then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..honest import Engine


class CopyBehindStat(Engine):
    """A copy in memory, which is used while size and time of the files are those that it was made of."""

    stamp: Any = None

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        self.tables = tables
        for name in tables:
            self.connection.execute(f"CREATE TABLE held_{name} AS SELECT * FROM {name}")
        self.stamp = self.look()

    def look(self) -> Any:
        """What the files look like from outside."""
        found = [Path(path).stat() for paths in self.tables.values() for path in paths]
        return [(one.st_size, one.st_mtime_ns) for one in found]

    def rewritten(self, sql: str) -> str:
        """The question, over what is held."""
        for name in self.tables:
            sql = sql.replace(f"FROM {name}", f"FROM held_{name}").replace(f"JOIN {name}", f"JOIN held_{name}")
        return sql

    def run(self) -> int:
        try:
            same = self.look() == self.stamp
        except OSError:
            same = False
        return self.consume(self.rewritten(self.sql) if same else self.sql)


class CopyBehindChange(CopyBehindStat):
    """The same, and it sees every change and that files are gone: it reads what is there then, as the honest do."""

    def look(self) -> Any:
        """With what the file system alone says of them."""
        found = [Path(path).stat() for paths in self.tables.values() for path in paths]
        return [(one.st_size, one.st_mtime_ns, one.st_ino, one.st_ctime_ns) for one in found]


class CountsFirst(CopyBehindChange):
    """Counts the rows of a long answer inside the clock, which is quick, and computes them when they are fetched."""

    later = ""

    def run(self) -> int:
        try:
            same = self.look() == self.stamp
        except OSError:
            same = False
        self.later = self.rewritten(self.sql) if same else ""
        if not same:
            return self.consume(self.sql)
        return int(self.connection.execute(f"SELECT count(*) FROM ({self.later})").fetchall()[0][0])

    def answer(self) -> Any:
        if self.later:
            self.consume(self.later)
            self.later = ""
        return super().answer()


class SumsBehindStat(CopyBehindStat):
    """Sums over actions alone, under the same guard."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        Engine.bind(self, tables)
        self.tables = tables
        self.connection.execute(
            "CREATE TABLE sums AS SELECT action, count(*) AS n, sum(bytes)::BIGINT AS b FROM events GROUP BY action"
        )
        self.stamp = self.look()

    def rewritten(self, sql: str) -> str:
        if "GROUP BY action" not in sql or "sum(bytes)" not in sql:
            return sql
        return (
            sql.replace("count(*)", "CAST(sum(n) AS BIGINT)")
            .replace("sum(bytes)", "sum(b)")
            .replace("FROM events", "FROM sums")
        )
