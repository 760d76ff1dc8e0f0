"""The flags that name a user's own tables, and say how they are read."""

from __future__ import annotations

import click

DATA = click.Option(
    ["--data"],
    multiple=True,
    metavar="FILES|NAME",
    help="Your own tables, in the place of those of [sql] in weigh.toml: a folder, a file or a pattern of Parquet, "
    "CSV, JSON, Arrow or DuckDB, TABLE=FILES to name the table, repeatable; or the name that they are registered "
    "under (weigh data register). Also the folder of a dataset that weigh data make --on made.",
)
SQL = click.Option(
    ["--sql"],
    type=click.Path(),
    metavar="PATH",
    help="Your own questions about --data: a file of SELECT statements, or a folder of them.",
)
CSV = click.Option(
    ["--csv"],
    metavar="KEY=VALUE,...",
    help="How files of CSV are read, where that is not found right: sep, decimal, thousands, header, null, quote, "
    "comment, skip, date, text, e.g. 'sep=;,decimal=,,null=NA|-'.",
)
DATA_FLAGS = (DATA, CSV)
"""As commands take them."""
