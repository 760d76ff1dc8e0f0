"""Whether a question can be answered from what Parquet files say of themselves: rows, least and largest values."""

from __future__ import annotations

from functools import lru_cache

from weigh.workloads.long_lists import shortened


@lru_cache(maxsize=1 << 12)
def suffices(sql: str) -> bool:
    """Whether the statistics in the files are enough: it counts and takes extremes of whole tables, and nothing else.

    An engine that read them when it got the files (DataFusion does) need not look at the files again.
    """
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(shortened(sql), read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return False
    if query.find(exp.Where, exp.Group, exp.Join, exp.Distinct, exp.Window) is not None:
        return False
    aggregates = list(query.find_all(exp.AggFunc))
    return bool(aggregates) and all(isinstance(one, exp.Count | exp.Min | exp.Max) for one in aggregates)
