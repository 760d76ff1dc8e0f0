"""Questions of one's own about one table, at the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from .reading import contenders

if TYPE_CHECKING:
    from support.command import Run, Weigh


def gate(weigh: Weigh, rows: str | pa.Table, questions: dict[str, str], *named: str) -> Run:
    """What is reported of the answers to them.

    Args:
        weigh: the command.
        rows: of the table ``t``: SQL of DuckDB, or as they are.
        questions: SQL by name.
        named: contenders.
    """
    if isinstance(rows, str):
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({rows}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    else:
        pq.write_table(rows, weigh.folder / "t.parquet")
    folder = weigh.folder / "asked"
    folder.mkdir(exist_ok=True)
    for name, sql in questions.items():
        (folder / f"{name}.sql").write_text(sql)
    flags = ("--data", "t.parquet", "--sql", "asked", "--quiet", "--json", "--no-shrink")
    return weigh("gate", *contenders(*named), *flags)
