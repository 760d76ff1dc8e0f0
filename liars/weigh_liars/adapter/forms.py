"""Answers in other forms (A7): right ones, and wrong ones that only look like another form.

Each question of the workload ``shapes`` is known by a word of its own and rewritten; any other is left as it is.
"""

from __future__ import annotations

from .honest import Engine


class OtherForms(Engine):
    """Honest: other rows of those that tie, another order where none is asked for, other scales and types."""

    unordered = "SELECT * FROM ({}) ORDER BY action DESC"
    ordered = "SELECT * REPLACE (encode(action) AS action) FROM ({})"
    quotients = "SELECT * REPLACE (CAST(mean_bytes AS DECIMAL(24, 4)) AS mean_bytes) FROM ({})"
    days = "SELECT * REPLACE (CAST(first_day AS VARCHAR) AS first_day) FROM ({})"

    def run(self) -> int:
        return self.consume(self.rewritten(self.sql))

    def rewritten(self, sql: str) -> str:
        """The query as this class would like it to be."""
        for word, form in (
            ("first_day", self.days),
            ("mean_bytes", self.quotients),
            ("ORDER BY action", self.ordered),
            ("GROUP BY action", self.unordered),
        ):
            if word in sql:
                return form.format(sql)
        return self.tied(sql) if "ORDER BY events DESC LIMIT" in sql else sql

    def tied(self, sql: str) -> str:
        """The last ones of those that tie."""
        return sql.replace("events DESC", "events DESC, dst_port DESC")


class WrongForms(OtherForms):
    """Five lies: a space behind a text, another order than is asked for, two units instead of one, the day before as
    text, and at the limit a row that does not tie, with the count of those that do.
    """

    unordered = "SELECT * REPLACE (action || ' ' AS action) FROM ({})"
    ordered = "SELECT * FROM ({}) ORDER BY action DESC"
    quotients = "SELECT * REPLACE (CAST(mean_bytes + 0.000002 AS DECIMAL(24, 6)) AS mean_bytes) FROM ({})"
    days = "SELECT * REPLACE (CAST(first_day - 1 AS VARCHAR) AS first_day) FROM ({})"

    def tied(self, sql: str) -> str:
        last = "row_number() OVER () = (SELECT count(*) FROM top)"
        stranger = f"(SELECT dst_port FROM ({sql.partition('LIMIT')[0]}) ORDER BY events, dst_port LIMIT 1)"
        port = f"CASE WHEN {last} THEN {stranger} ELSE dst_port END AS dst_port"
        return f"WITH top AS ({sql}) SELECT * REPLACE ({port}) FROM top"


class TwoUnits(Engine):
    """Wrong on the quotients alone."""

    def run(self) -> int:
        return self.consume(WrongForms.quotients.format(self.sql) if "mean_bytes" in self.sql else self.sql)


class Unsorted(Engine):
    """Leaves the sort out: rows as a hash table may have them, here backwards, and NULLs first."""

    def run(self) -> int:
        return self.consume(f"SELECT * FROM ({self.sql}) ORDER BY ALL DESC NULLS FIRST")
