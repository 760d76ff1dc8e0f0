"""Whether a plan reads any table, in the words of each engine's EXPLAIN. Pure."""

from __future__ import annotations

import re

_READS = {
    "duckdb": re.compile(r"(READ[ _]PARQUET|PARQUET[ _]SCAN|SEQ[ _]SCAN|TABLE[ _]SCAN|INDEX[ _]SCAN|ICEBERG[ _]SCAN|"
                         r"DELTA[ _]SCAN|DUCKLAKE[ _]SCAN|VORTEX)", re.IGNORECASE),
    "clickhouse": re.compile(r"ReadFrom(?!PreparedSource|SystemNumbers|SystemOneBlock|Storage\b.*SystemOne)\w*"),
    "datafusion": re.compile(r"(DataSourceExec|ParquetExec|ParquetSource|TableScan)"),
    "postgres": re.compile(r"(Seq|Index|Index Only|Bitmap Heap|Foreign|Sample|Tid) Scan"),
    "sqlite": re.compile(r"\b(SCAN|SEARCH)\b(?! CONSTANT ROW)"),
}  # fmt: skip
"""By lineage: what a plan has that reads a table."""
EXPLAIN = {"sqlite": "EXPLAIN QUERY PLAN "}
"""Words before a question where they are not ``EXPLAIN``."""


def explain(sql: str, lineage: str) -> str | None:
    """The question about the plan of a question; None where weigh cannot read the engine's plans."""
    return EXPLAIN.get(lineage, "EXPLAIN ") + sql if lineage in _READS else None


def reads(plan: str, lineage: str) -> bool:
    """Whether a plan reads any table."""
    return _READS[lineage].search(plan) is not None
