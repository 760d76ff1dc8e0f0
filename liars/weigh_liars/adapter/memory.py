"""Remembering answers (A9), and what is not that: keeping what was compiled for a text."""

from __future__ import annotations

import hashlib
import pickle
import re
import time
from pathlib import Path
from typing import Any

from .honest import OURS, Engine


class Cache(Engine):
    """Remembers the answers to queries it has seen, and says nothing of it."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.remembered: dict[str, tuple[int, Any, list[Any]]] = {}
        self.seconds: dict[str, float] = {}

    def run(self) -> int:
        key = self.key(self.sql)
        if key in self.remembered:
            self.hit(key)
            rows, self.schema, self.chunks = self.remembered[key]
            return rows
        began = time.perf_counter()
        rows = super().run()
        self.seconds[key] = time.perf_counter() - began
        self.keep(key, rows)
        return rows

    def key(self, sql: str) -> str:
        """Under what an answer is remembered."""
        return sql

    def keep(self, key: str, rows: int) -> None:
        """Remember what was just executed."""
        self.remembered[key] = (rows, self.schema, self.chunks)

    def hit(self, key: str) -> None:
        """Done before a remembered answer is given."""


class OnlyGroups(Cache):
    """Remembers the answers to GROUP BY alone."""

    def keep(self, key: str, rows: int) -> None:
        if "GROUP BY" in key:
            super().keep(key, rows)


class Folded(Cache):
    """Knows a query again through conditions that are always true and through spaces."""

    def key(self, sql: str) -> str:
        folded = re.sub(r"^SELECT \* FROM \((.*)\) AS \w+ WHERE (\d+) = \2$", r"\1", sql, flags=re.DOTALL)
        return " ".join(folded.split())


class Waits(Cache):
    """Waits, so that a remembered answer is only four times as fast."""

    def hit(self, key: str) -> None:
        time.sleep(self.seconds[key] / 4)


class Fetched(Cache):
    """Remembers an answer once somebody fetched it."""

    waiting: tuple[str, int] | None = None

    def keep(self, key: str, rows: int) -> None:
        self.waiting = key, rows

    def answer(self) -> Any:
        if self.waiting is not None:
            super().keep(*self.waiting)
            self.waiting = None
        return super().answer()


class Later(Cache):
    """Remembers an answer from the n-th execution of a query in a life on (``from``): the gate asks less often."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.executions: dict[str, int] = {}

    def keep(self, key: str, rows: int) -> None:
        count = self.executions[key] = self.executions.get(key, 0) + 1
        if count >= int(self.wanted.get("from", OURS["from"])):
            super().keep(key, rows)


class OnDisk(Engine):
    """Keeps answers in a folder (``diary``), where other lives find them."""

    def run(self) -> int:
        folder = Path(self.wanted["diary"])
        folder.mkdir(exist_ok=True)
        cache_file = folder / hashlib.sha256(self.sql.encode()).hexdigest()
        if cache_file.exists():
            table = pickle.loads(cache_file.read_bytes())
            values = ", ".join("(" + ", ".join(map(repr, row)) + ")" for row in table["rows"])
            return self.consume(f"SELECT * FROM (VALUES {values}) AS kept({', '.join(table['names'])})")
        rows = super().run()
        if rows and rows < 100:
            found = self.connection.execute(self.sql)
            names = [column[0] for column in found.description]
            cache_file.write_bytes(pickle.dumps({"names": names, "rows": found.fetchall()}))
        return rows


class Compiles(Engine):
    """Honest: compiles each text once a life, for ``ms`` of CPU, and then executes it every time."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.compiled: set[str] = set()

    def run(self) -> int:
        if self.sql not in self.compiled:
            until = time.process_time() + float(self.wanted.get("ms", OURS["ms"])) / 1e3
            while time.process_time() < until:
                pass
            self.compiled.add(self.sql)
        return super().run()
