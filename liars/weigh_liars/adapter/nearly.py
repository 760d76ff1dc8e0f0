"""Nearly right answers (A1): each is wrong only where values stand on a border, are missing, or resemble each other.

A query of netflow is known by words of its own and rewritten; any other is left as it is.
"""

from __future__ import annotations

import re

from .honest import Engine

_TEXT = r"('(?:[^']|'')*')"


def _swap(sql: str) -> str:
    return f"SELECT action, events AS total_bytes, total_bytes AS events FROM ({sql})"


class Nearly(Engine):
    """A lie for each of these questions; the first whose words are all in the query."""

    lies: tuple[tuple[tuple[str, ...], str, str], ...] = (
        # (words, pattern, replacement)
        (("ts >=", "ts <="), r"ts >= TIMESTAMP", "ts > TIMESTAMP"),
        (("ts <", "OR ts >"), r"count\(\*\) AS events", "count(*) > 0 AS events"),
        (("bytes <",), r"bytes <", "bytes <="),
        (("LIKE",), "LIKE", "ILIKE"),
        (("WHERE user_name =", "AND action ="), rf"user_name = {_TEXT}", r"left(user_name, 8) = left(\1, 8)"),
        (("WHERE user_name =",), rf"user_name = {_TEXT}", r"strip_accents(user_name) = strip_accents(\1)"),
        (("coalesce(user_name, '')",), r"coalesce\(user_name, ''\) = ''", "coalesce(user_name, NULL) = ''"),
        (("score IS NULL",), r"sum\(score\)", "coalesce(sum(score), 0)"),
        (("a.user_name = b.user_name",), r"a.user_name = b.user_name", "a.user_name IS NOT DISTINCT FROM b.user_name"),
        (("GROUP BY user_name", "WHERE action"), r"WHERE", "WHERE user_name IS NOT NULL AND"),
        (("sum(packets)",), "AS total_packets", "AS packets"),
        (("count(DISTINCT user_name)",), r"count\(DISTINCT user_name\)", "count(DISTINCT coalesce(user_name, '?'))"),
        (("sum(duration)",), r"sum\(duration\)", "sum(duration) * (1 + 5e-10::DOUBLE)"),
    )
    swaps = True

    def run(self) -> int:
        return self.consume(self.rewritten(self.sql))

    def rewritten(self, sql: str) -> str:
        """The query as this class has it."""
        if self.swaps and sql.startswith("SELECT action, count(*) AS events, sum(bytes)") and "WHERE" not in sql:
            return _swap(sql)
        for words, pattern, replacement in self.lies:
            if all(word in sql for word in words):
                return re.sub(pattern, replacement, sql)
        return sql


class NearlyToo(Nearly):
    """Other lies on the same questions."""

    lies = (
        (("ts >=", "ts <="), r"ts <= TIMESTAMP", "ts < TIMESTAMP"),
        (("ts <", "OR ts >"), r"ts > TIMESTAMP", "ts >= TIMESTAMP"),
        (("bytes <",), r"bytes >=", "bytes >"),
        (("LIKE",), rf"user_name LIKE {_TEXT}", r"strip_accents(user_name) LIKE strip_accents(\1)"),
        (("score IS NULL",), r"max\(score\)", "coalesce(max(score), 'NaN'::DOUBLE)"),
        (("GROUP BY user_name", "WHERE action"), r"^SELECT user_name", "SELECT coalesce(user_name, '') AS user_name"),
        (("sum(packets)",), r"^(.*)$", r"SELECT total_packets AS proto, proto AS total_packets, events FROM (\1)"),
        (("a.user_name = b.user_name",), r"a.user_name = b.user_name", "left(a.user_name, 8) = left(b.user_name, 8)"),
    )
    swaps = False


class Untied(Engine):
    """At a LIMIT it takes a row that does not tie, from the ``from``-th execution of a query on."""

    executions = 0

    def run(self) -> int:
        if "ORDER BY events DESC LIMIT" not in self.sql:
            return self.consume(self.sql)
        self.executions += 1
        if self.executions < int(self.wanted.get("from", 4)):
            return self.consume(self.sql)
        last = "row_number() OVER () = (SELECT count(*) FROM top)"
        stranger = f"(SELECT dst_port FROM ({self.sql.partition('LIMIT')[0]}) ORDER BY events, dst_port LIMIT 1)"
        port = f"CASE WHEN {last} THEN {stranger} ELSE dst_port END AS dst_port"
        return self.consume(f"WITH top AS ({self.sql}) SELECT * REPLACE ({port}) FROM top")
