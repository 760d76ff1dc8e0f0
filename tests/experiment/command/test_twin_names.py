"""Columns whose names differ in case alone, through the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from support.command import Weigh


def test_who_folds_names_is_not_called_wrong(weigh: Weigh) -> None:
    """DuckDB reads "V" as v, and PyArrow and Polars do not: no majority tells whose names are right."""
    pq.write_table(pa.table({"v": [1, 1, 2], "V": [5, 6, None]}), weigh.folder / "t.parquet")
    (weigh.folder / "twins.sql").write_text('SELECT "V" AS b FROM t')
    assert weigh("init", "--data", "t.parquet", "--sql", "twins.sql", "--contender", "duckdb").code == 0
    names = [word for name in ("duckdb", "pyarrow", "polars") for word in ("--contender", name)]
    run = weigh("gate", *names, "--quiet", "--json", "--no-shrink")
    (row,) = run.json["gate"]
    assert (row["status"], set(row["contenders"])) == ("left_open", {"duckdb", "pyarrow", "polars"})
    assert "is wrong" not in row["detail"]
    (note,) = [one["text"] for one in run.json["findings"] if one["code"] == "A14.unchecked"]
    assert "columns v and V of t differ in case alone" in note
    assert not [one for one in run.json["findings"] if one["severity"] == "error"]
