"""Totals of statements as CSV: dumps of ``pg_stat_statements`` and of ``performance_schema``'s digests."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from weigh.capture.entry import Total
from weigh.capture.sources import numbers
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.capture.entry import Tally

_LONGEST = 16 << 20
_MOST_TIME = 1e25
"""Of all calls of a statement, in picoseconds or milliseconds."""
_POSTGRES = {"text": ("query",), "calls": ("calls",), "time": ("total_exec_time", "total_time"), "rows": ("rows",)}
_MYSQL = {
    "text": ("digest_text",),
    "calls": ("count_star",),
    "time": ("sum_timer_wait",),
    "rows": ("sum_rows_sent",),
}
_HOME = "make it with psql: \\copy (select * from pg_stat_statements) to 'statements.csv' csv header"


def is_postgres(head: str) -> bool:
    """Whether the first line is the header of a dump of ``pg_stat_statements``."""
    names = _names(head)
    return "query" in names and "calls" in names


def is_mysql(head: str) -> bool:
    """Whether the first line is the header of a dump of ``events_statements_summary_by_digest``."""
    names = _names(head)
    return "digest_text" in names and "count_star" in names


def read(lines: Iterable[str], tally: Tally, *, mysql: bool, database: str | None) -> Iterator[Total]:
    """Totals of a dump.

    Args:
        lines: of the file, with its header.
        tally: counts broken rows.
        mysql: whether it is of ``performance_schema``, whose times are picoseconds; PostgreSQL's are milliseconds.
        database: of ``performance_schema``: the schema that is wanted. A dump of PostgreSQL has numbers for databases.

    Raises:
        UsageError: a column is missing.
    """
    pieces = iter(lines)
    head = next(pieces, "")
    tabs = _tabs(head)
    names = _names(head)
    wanted = _MYSQL if mysql else _POSTGRES
    places = {}
    for what, known in wanted.items():
        found = [names.index(name) for name in known if name in names]
        if not found:
            raise UsageError(f"the dump has no column {known[0]}", remedy="dump all columns" if mysql else _HOME)
        places[what] = found[0]
    sample = names.index("query_sample_text") if "query_sample_text" in names else None
    changed = names.index("sum_rows_affected") if "sum_rows_affected" in names else None
    schema = names.index("schema_name") if "schema_name" in names else None
    reader = csv.reader((f"{line}\n" for line in pieces), delimiter="\t" if tabs else ",")
    unit = 1e-12 if mysql else 1e-3
    for row in _rows(reader, tally):
        try:
            calls, rows = numbers.whole(row[places["calls"]]), numbers.whole(row[places["rows"]])
            more = numbers.whole(row[changed]) if changed is not None else 0
            time = numbers.number(row[places["time"]], _MOST_TIME)
            text = row[places["text"]]
        except IndexError:
            calls = rows = more = time = None
        if calls is None or rows is None or more is None or time is None:
            tally.add("broken")
            continue
        if database is not None and schema is not None and row[schema] != database:
            tally.add("filtered", calls)
        elif not text or text in ("NULL", "<insufficient privilege>"):
            tally.add("unreadable", calls)
        elif calls > 0:
            yield Total(
                text=text,
                calls=calls,
                time_s=time * unit,
                rows=rows + more,
                sample=row[sample] if sample is not None else "",
            )


def _rows(reader: Iterator[list[str]], tally: Tally) -> Iterator[list[str]]:
    """Rows that are not empty, with statements longer than the library's own limit."""
    # The limit is of the whole process: left raised, every other reader of CSV would take what it refuses.
    usual = csv.field_size_limit(_LONGEST)
    try:
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:
                tally.add("broken")
                continue
            if row:
                yield row
    finally:
        csv.field_size_limit(usual)


def _tabs(head: str) -> bool:
    return head.count("\t") > head.count(",")


def _names(head: str) -> list[str]:
    try:
        rows = list(csv.reader(io.StringIO(head), delimiter="\t" if _tabs(head) else ","))
    except csv.Error:
        return []
    return [name.strip().lower() for name in rows[0]] if rows else []
