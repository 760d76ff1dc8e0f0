"""The profile of a query: ``EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)`` as weigh reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

_DETAILS = (
    "Relation Name", "Index Name", "Join Type", "Strategy", "Partial Mode", "Filter", "Index Cond", "Hash Cond",
    "Merge Cond", "Join Filter", "Group Key", "Sort Key", "Sort Method", "Workers Launched",
)  # fmt: skip


def profiled(connection: psycopg.Connection[Any], sql: str) -> dict[str, Any]:
    """Execute the query and say where the server's time went; its rows are not sent."""
    explained = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}"
    ((explanation,),) = connection.execute(explained.encode()).fetchall()
    (query,) = json.loads(explanation) if isinstance(explanation, str) else explanation
    plan = query["Plan"]
    counters = {name: float(value) for name, value in plan.items() if name.endswith("Blocks")}
    # In milliseconds.
    counters |= {f"{name} seconds": float(query[name]) / 1e3 for name in ("Planning Time", "Execution Time")}
    compiling = query.get("JIT", {}).get("Timing", {}).get("Total")
    if isinstance(compiling, (int, float)):
        counters["JIT seconds"] = compiling / 1e3
    return {"plan": _operator(plan), "counters": counters, "raw": json.dumps(query, indent=1)}


def _operator(node: dict[str, Any]) -> dict[str, Any]:
    below = node.get("Plans", [])
    # Of a loop, with what is below it; a helper of a parallel query is a loop as well.
    alone = _milliseconds(node) - sum(map(_milliseconds, below))
    return {
        "name": node["Node Type"],
        "detail": "; ".join(f"{name}: {_text(node[name])}" for name in _DETAILS if name in node),
        "seconds": max(0.0, alone / 1e3),
        "rows": round(node.get("Actual Rows", 0) * node.get("Actual Loops", 1)),
        "children": [_operator(child) for child in below],
    }


def _milliseconds(node: dict[str, Any]) -> float:
    return float(node.get("Actual Total Time", 0.0)) * float(node.get("Actual Loops", 1))


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
