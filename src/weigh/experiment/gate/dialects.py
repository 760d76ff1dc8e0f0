"""How an engine takes what SQL leaves open: asked of constants, so that an honest answer is known from a wrong one."""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weigh.answers import constructs
from weigh.engines.exchange import WorkerEnded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.engines.engine import Engine
    from weigh.experiment.gate.queries import QuerySession

_WORD = re.compile(r"\w+")


def ways(session: QuerySession, queries: Iterable[str]) -> dict[str, str]:
    """How an engine takes the constructs of some queries, by key of the construct; without those it cannot answer.

    Args:
        session: asks it.
        queries: the SQL of what the contenders are asked.
    """
    keys = {one.key for sql in queries for one in constructs.of(sql)}
    if any(" order by " in f" {' '.join(sql.lower().split())} " for sql in queries):
        keys.add("nulls")
    found = {}
    for key, probes in constructs.PROBES.items():
        if key not in keys:
            continue
        try:
            found[key] = "; ".join(_answer(session, f"SELECT {probe}") for probe in probes)
        except WorkerEnded:
            continue
    return found


def zones(contender: str, tables: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """That an engine may read moments in a zone of its own, where a column has a time zone.

    Args:
        contender: its name.
        tables: Parquet files by table; of what is no Parquet, or lies elsewhere, nothing is known.
    """
    for paths in tables.values():
        try:
            types = pq.read_schema(paths[0]).types if paths and Path(paths[0]).is_file() else []
        except (pa.ArrowException, OSError):
            continue
        if any(pa.types.is_timestamp(one) and one.tz for one in types):
            return {constructs.ZONE: contender}
    return {}


def merged(engine: Engine, queries: Iterable[str], tables: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Columns that queries name and in which an engine has one value for two of the data's, such as NULL for NaN.

    Args:
        engine: what it has no value for.
        queries: the SQL of what the contenders are asked.
        tables: Parquet files by table; of what is no Parquet, or lies elsewhere, nothing is known.
    """
    lacking = [one for one in ("nan", "nested") if one in engine.lacks]
    found = [f"{table}.{name}" for what in lacking for table, name in _having(what, queries, tables)]
    return {constructs.MERGED: "\n".join(found)} if found else {}


def not_numbers(contender: str, queries: Iterable[str], tables: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """That an engine may compare NaN in its own way, for each column that has it and that a query compares."""
    begin = constructs.NAN
    compared = {one.key for sql in queries for one in constructs.of(sql) if one.key.startswith(begin)}
    if not compared:
        return {}
    names = (f"{begin}{name.lower()}" for _, name in _having("nan", queries, tables))
    return {key: contender for key in names if key in compared}


def _having(what: str, queries: Iterable[str], tables: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Tables and their columns that queries name and that have NaN, or a list, map or struct that is NULL."""
    words = {word.lower() for sql in queries for word in _WORD.findall(sql)}
    found = []
    for table, paths in tables.items():
        here = tuple(path for path in paths if Path(path).is_file())
        with suppress(pa.ArrowException, OSError):
            fields = pq.read_schema(here[0]) if here else ()
            those = [one for one in fields if {table.lower(), one.name.lower()} <= words]
            found += [(table, one.name) for one in those if _holds(what, one, here)]
    return found


@lru_cache(maxsize=1_000)
def _holds(what: str, field: pa.Field, paths: tuple[str, ...]) -> bool:
    """Whether a column has such a value; members of lists and structs are not looked at."""
    nan = what == "nan"
    if not (pa.types.is_floating(field.type) if nan else pa.types.is_nested(field.type)):
        return False
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=[field.name]):
                column = batch.column(0)
                if bool(pc.any(pc.is_nan(column.cast(pa.float64()))).as_py()) if nan else column.null_count > 0:
                    return True
    return False


def _answer(session: QuerySession, sql: str) -> str:
    """The first value of an answer, in one form for all types."""
    table = session.ask(sql).table
    value = table.column(0)[0].as_py() if table.num_rows and table.num_columns else None
    return f"{float(value):.12g}" if isinstance(value, (bool, int, float, Decimal)) else str(value)
