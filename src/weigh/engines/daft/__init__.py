"""Daft."""

from pathlib import Path

from weigh.engines.engine import Engine

engine = Engine(
    name="daft",
    lineage="daft",
    adapter=Path(__file__).with_name("adapter.py"),
    package="daft",
    tested="0.7.26",
    dialect="frames/daft",
    script="""\
import daft


def ask(tables, sql, settings):
    daft.set_execution_config(**settings)
    names = {"tables": {name: daft.read_parquet(paths) for name, paths in tables.items()}}
    exec(sql, names)
    return [tuple(row.values()) for row in names["answer"].to_arrow().to_pylist()]
""",
    confined=True,
    about="Daft in its own process, functions over lazily read Parquet",
)
