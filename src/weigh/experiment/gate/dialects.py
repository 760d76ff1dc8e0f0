"""How an engine takes what SQL leaves open: asked of constants, so that an honest answer is known from a wrong one."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from weigh.answers import constructs
from weigh.engines.exchange import WorkerEnded

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def _answer(session: QuerySession, sql: str) -> str:
    """The first value of an answer, in one form for all types."""
    table = session.ask(sql).table
    value = table.column(0)[0].as_py() if table.num_rows and table.num_columns else None
    return f"{float(value):.12g}" if isinstance(value, (bool, int, float, Decimal)) else str(value)
