"""Columns whose names differ in case alone: engines that fold names take one for the other, and lie in nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.finding import Finding

Twins = tuple[str, str]


def twins(tables: Mapping[str, Sequence[str]]) -> dict[str, Twins]:
    """Two such columns of each table that has any.

    Args:
        tables: Parquet files by table; of what is no Parquet, or lies elsewhere, nothing is known.
    """
    found: dict[str, Twins] = {}
    for table, paths in tables.items():
        try:
            names = pq.read_schema(paths[0]).names if paths and Path(paths[0]).is_file() else []
        except (pa.ArrowException, OSError):
            continue
        folded: dict[str, str] = {}
        for name in names:
            other = folded.setdefault(name.casefold(), name)
            if other != name:
                found.setdefault(table, (other, name))
    return found


def read_by(sql: str, found: Mapping[str, Twins]) -> str:
    """The first of these tables that a statement names; empty where it names none."""
    return next((table for table in found if re.search(rf"\b{re.escape(table)}\b", sql, re.IGNORECASE)), "")


def left_open(operation: str, table: str, pair: Twins) -> Finding:
    """Why answers over a table accuse nobody."""
    return codes.A14_UNCHECKED.finding(
        operation=operation,
        text=f"{operation}: columns {pair[0]} and {pair[1]} of {table} differ in case alone, and engines that fold "
        "names take one for the other: an answer that differs accuses nobody",
        remedy="nothing is wrong with an engine: give the columns other names",
    )
