"""Questions of one's own about one table, at the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from .reading import contenders

if TYPE_CHECKING:
    from support.command import Run, Weigh


def gate(weigh: Weigh, rows: str, questions: dict[str, str], *named: str) -> Run:
    """What is reported of the answers to them.

    Args:
        weigh: the command.
        rows: SQL of DuckDB, of the table ``t``.
        questions: SQL by name.
        named: contenders.
    """
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    folder = weigh.folder / "asked"
    folder.mkdir(exist_ok=True)
    for name, sql in questions.items():
        (folder / f"{name}.sql").write_text(sql)
    flags = ("--data", "t.parquet", "--sql", "asked", "--quiet", "--json", "--no-shrink")
    return weigh("gate", *contenders(*named), *flags)
