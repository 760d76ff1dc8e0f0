"""How an engine takes what SQL leaves open: asked of constants, so that an honest answer is known from a wrong one."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from weigh.answers import constructs
from weigh.engines.exchange import WorkerEnded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.experiment.gate.queries import QuerySession


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


def _answer(session: QuerySession, sql: str) -> str:
    """The first value of an answer, in one form for all types."""
    table = session.ask(sql).table
    value = table.column(0)[0].as_py() if table.num_rows and table.num_columns else None
    return f"{float(value):.12g}" if isinstance(value, (bool, int, float, Decimal)) else str(value)
