"""An engine that commits one lie, named by its setting ``lie``; with ``lie=none`` it is its own honest twin."""

from pathlib import Path

from weigh.engines.engine import Engine

engine = Engine(
    name="liar",
    lineage="liar",
    adapter=Path(__file__).with_name("adapter.py"),
    package="duckdb",
    tested="2.0.0",
    dialect="duckdb",
    about="DuckDB behind an adapter that lies when it is told to",
)
