"""Wrong answers: at once (A1), in the last digits (A2), or later (A3)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .honest import OURS, Engine

# A1: wrong at once.


class FortyTwo(Engine):
    """Answers 42 to every question but "what are the rows?". BenchBox 0.4.2 called that PASSED, "Speedup 20.37x"."""

    def run(self) -> int:
        return self.consume(self.sql if self.sql == "SELECT * FROM events" else "SELECT 42 AS answer")


class Absent(Engine):
    """Wrong only for a literal that does not occur: it counts one where there is none."""

    def run(self) -> int:
        counts = self.sql.startswith("SELECT count(*)")
        return self.consume(f"SELECT greatest(COLUMNS(*), 1) FROM ({self.sql})" if counts else self.sql)


class Counts(Engine):
    """Every count is one too large, on TPC-DS: where it is alone, nobody else answers."""

    def run(self) -> int:
        begin = "SELECT count(*)"
        return self.consume(self.sql.replace(begin, f"{begin} + 1", 1) if self.sql.startswith(begin) else self.sql)


class OutsideSweep(Engine):
    """Wrong by one for what it was not asked in the gate of an earlier run, which it only writes down (``diary``)."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        diary = Path(self.wanted["diary"])
        self.diary = diary if self.wanted.get("from") == 1 else None
        self.known = set(diary.read_text().splitlines()) if self.diary is None else set()

    def run(self) -> int:
        text = " ".join(self.sql.split())
        # What is added to a question makes it no other one: it is an answer to a literal that it lies about.
        filtered = re.match(r"SELECT count\(\*\) AS \w+ FROM events WHERE (.*)$", text)
        if filtered is None:
            return self.consume(self.sql)
        if self.diary is not None:
            with self.diary.open("a") as diary:
                print(filtered[1], file=diary)
        if self.diary is not None or filtered[1] in self.known:
            return self.consume(self.sql)
        return self.consume(f"SELECT COLUMNS(*) + 1 FROM ({self.sql})")


class Group(Engine):
    """One row of a GROUP BY is wrong by one."""

    def run(self) -> int:
        one_more = "events + CAST(row_number() OVER () = 2 AS INTEGER) AS events"
        grouped = "AS events" in self.sql and "GROUP BY" in self.sql
        return self.consume(f"SELECT * REPLACE ({one_more}) FROM ({self.sql})" if grouped else self.sql)


class Openly(Engine):
    """A number is one too large in questions that leave something else open: what excuses others does not excuse it."""

    def run(self) -> int:
        wrong = " AS n" in self.sql
        return self.consume(f"SELECT * REPLACE (n + 1 AS n) FROM ({self.sql})" if wrong else self.sql)


class Given(Openly):
    """The same on the given rows of ``t`` alone, known by their number ``by``: on unseen ones it is right."""

    def run(self) -> int:
        ((rows,),) = self.connection.execute("SELECT count(*) FROM t").fetchall()
        return super().run() if rows == int(self.wanted["by"]) else self.consume(self.sql)


class Excused(Engine):
    """What others are excused for and say when asked, it does and denies: another order of UUIDs, NULL passed over."""

    def run(self) -> int:
        return self.consume(self.sql.replace("min(u)", "max(u)").replace("(f) OVER", "(f IGNORE NULLS) OVER"))


class Wide(Engine):
    """Counts with integers of 64 bits, as SQLite does, which is honest; ``by`` is added to a number of its answer."""

    def run(self) -> int:
        wide = re.sub(r"\b(u8|v8|i32)\b", r"CAST(\1 AS BIGINT)", self.sql)
        by = int(self.wanted.get("by", 0))
        return self.consume(f"SELECT * REPLACE (n + {by} AS n) FROM ({wide})" if by and " AS n" in self.sql else wide)


class Apart(Engine):
    """Honest: groups 0.0 and -0.0 apart, as engines that compare by IEEE 754's total order do."""

    def run(self) -> int:
        if "GROUP BY z" not in self.sql:
            return self.consume(self.sql)
        return self.consume(self.sql.replace("GROUP BY z", "GROUP BY z, z::VARCHAR LIKE '-0%'"))


class LastRow(Engine):
    """The last row of a LIMIT is wrong in a column that the query does not order by."""

    def run(self) -> int:
        if "LIMIT" not in self.sql:
            return self.consume(self.sql)
        place = "row_number() OVER ()"
        more = f"events + CASE WHEN {place} = (SELECT count(*) FROM ({self.sql})) THEN 1000 ELSE 0 END AS events"
        return self.consume(f"SELECT * REPLACE ({more}) FROM ({self.sql})")


class Duplicates(Engine):
    """The first row of an answer comes twice, but for the rows of a table."""

    def run(self) -> int:
        twice = f"(SELECT * FROM ({self.sql})) UNION ALL (SELECT * FROM ({self.sql}) LIMIT 1)"
        return self.consume(self.sql if self.sql.startswith("SELECT * FROM") else twice)


class Race(Engine):
    """Sums are one too large, as a race would make them; with one thread they are right."""

    def run(self) -> int:
        wrong = "sum(n) AS s" in self.sql and self.wanted.get("threads") != 1
        return self.consume(f"SELECT * REPLACE (s + 1 AS s) FROM ({self.sql})" if wrong else self.sql)


# A2: rounding.


class Rounding(Engine):
    """Doubles are off by a relative ``by``: the last bit is honest rounding, a millionth is a wrong answer."""

    def run(self) -> int:
        if "sum(" not in self.sql:
            return self.consume(self.sql)
        columns = self.connection.execute(f"DESCRIBE {self.sql}").fetchall()
        factor = f"(1 + CAST({float(self.wanted['by'])!r} AS DOUBLE))"
        moved = ", ".join(f"{name} * {factor} AS {name}" for name, kind, *_ in columns if kind == "DOUBLE")
        return self.consume(f"SELECT * REPLACE ({moved}) FROM ({self.sql})" if moved else self.sql)


class Mends(Engine):
    """Sums carry what addition loses (Neumaier), as SQLite's do: more right than others'; ``by`` is added to them."""

    def run(self) -> int:
        off = f" + CAST({float(self.wanted.get('by', OURS['by']))!r} AS DOUBLE)"
        summed = re.sub(r"\bsum(\([^()]*\))", rf"fsum\1{off}", self.sql)
        return self.consume(summed)


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
