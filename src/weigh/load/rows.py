"""Which rows a server holds: a digest of each table that does not depend on their order, or on the kind of server."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import msgspec

from weigh.load.isolation.workload import TABLE
from weigh.load.runs import TableRows
from weigh.load.tpcc.workload import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from weigh.load.record import LoadRecord
    from weigh.load.spec import LoadSpec, Script

YCSB = "weigh_ycsb"
"""The table of YCSB, or the rows of its keys."""
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def wanted(spec: LoadSpec) -> Callable[[str], bool]:
    """Whether a table is one of the load's."""
    if spec.is_ycsb:
        return lambda table: table == YCSB
    if spec.replay:
        return lambda table: True
    if spec.isolation is not msgspec.UNSET:
        return lambda table: table.rpartition(".")[2] == TABLE
    if spec.tpcc:
        return lambda table: table.startswith(f"{SCHEMA}.")
    return lambda table: any(_names(script, table) for script in spec.scripts)


def _names(script: Script, table: str) -> bool:
    if not script.text:
        return table.startswith("pgbench_")
    name = re.escape(table.rpartition(".")[2])
    return re.search(rf"(?<!\w){name}(?!\w)", _COMMENT.sub(" ", script.text), re.IGNORECASE) is not None


def digest(rows: Iterable[Iterable[str | None]]) -> TableRows:
    """The rows of a table.

    The same as PostgreSQL computes it (``weigh/load/target/postgres_rows.py``): the sum over the rows of two parts of
    the MD5 of their cells, without blanks behind them, ``|`` between them, and ``\\N`` for what is NULL.
    """
    count = first = second = 0
    for row in rows:
        text = "|".join("\\N" if cell is None else cell.rstrip(" ") for cell in row)
        hashed = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
        count += 1
        first += int(hashed[:12], 16)
        second += int(hashed[12:24], 16)
    return TableRows(rows=count, digest=f"{first:x}-{second:x}")


def lives(record: LoadRecord) -> int:
    """In how many lives of the server the runs were made."""
    return len({run.life for run in record.runs})


def same(record: LoadRecord) -> bool | None:
    """Whether every life began with the rows that were loaded; None where there are none, or nobody read them."""
    loaded = next((one for one in record.rows if one.when == "loaded" and not one.unread), None)
    begun = {one.life: one.tables for one in record.rows if one.when == "before" and not one.unread}
    if loaded is None or not loaded.tables or not {run.life for run in record.runs} <= begun.keys():
        return None
    return all(tables == loaded.tables for tables in begun.values())


def differences(before: dict[str, TableRows], now: dict[str, TableRows]) -> list[str]:
    """What is not the same, each table in a few words."""
    found = []
    for name in sorted({*before, *now}):
        one, other = before.get(name), now.get(name)
        if one == other:
            continue
        if one is None or other is None:
            found.append(f"the table {name} is {'new' if one is None else 'gone'}")
        elif one.rows != other.rows:
            found.append(f"{name} has {other.rows:,} rows, and had {one.rows:,}")
        else:
            found.append(f"rows of {name} have other values")
    return found
