"""Columns of one value: their footers say all of it, and who has read these answers without the rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COUNTED = re.compile(r"\bcount\s*\(\s*\*\s*\)", re.IGNORECASE)


def suffice(sql: str, tables: Mapping[str, Sequence[str]]) -> bool:
    """Whether a question names no column that has several values in a row group of its tables.

    Args:
        sql: its text.
        tables: Parquet files by table; of what is no Parquet, or lies elsewhere, nothing is known.
    """
    everything = "*" in _COUNTED.sub("", sql)
    sql = _without_aliases(sql)
    try:
        files = [path for table, paths in tables.items() if _names(sql, table) for path in paths]
        return bool(files) and all(
            Path(path).is_file() and _distinguished(path, "" if everything else sql) for path in files
        )
    except (pa.ArrowException, OSError):
        return False


def _without_aliases(sql: str) -> str:
    """A query without the names that it gives its columns: they are none of the files'."""
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return sql
    for one in query.find_all(exp.Alias):
        one.set("alias", None)
    return query.sql(dialect="duckdb")


def _distinguished(path: str, sql: str) -> bool:
    metadata = pq.read_metadata(path)
    chunks = (
        metadata.row_group(group).column(leaf)
        for group in range(metadata.num_row_groups)
        for leaf in range(metadata.num_columns)
    )
    return all(_of_one_value(one) for one in chunks if not sql or _names(sql, one.path_in_schema.partition(".")[0]))


def _of_one_value(chunk: pq.ColumnChunkMetaData) -> bool:
    if not chunk.num_values:
        return True
    found = chunk.statistics
    if found is None or not found.has_null_count:
        return False
    if found.null_count:
        return bool(found.num_values == 0)
    return bool(found.has_min_max and found.min == found.max)


def _names(sql: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql, re.IGNORECASE) is not None
