"""Folders named k=v above the files of a table, through the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from support.command import Weigh


def test_a_folder_is_no_column(weigh: Weigh) -> None:
    """DuckDB and PyArrow make a column of it if they may; a table is what its files hold."""
    folder = weigh.folder / "year=2024"
    folder.mkdir()
    pq.write_table(pa.table({"b": list(range(12))}), folder / "t.parquet")
    (weigh.folder / "all.sql").write_text("SELECT * FROM t ORDER BY b")
    assert weigh("init", "--data", "t=year=2024/t.parquet", "--sql", "all.sql", "--contender", "duckdb").code == 0
    names = [word for name in ("duckdb", "pyarrow", "polars") for word in ("--contender", name)]
    run = weigh("gate", *names, "--quiet", "--json", "--no-shrink")
    assert [row["status"] for row in run.json["gate"]] == ["agreed"], run.json["gate"]
