"""Dask's data frames."""

from pathlib import Path

from weigh.engines.engine import Engine

engine = Engine(
    name="dask-df",
    # Each of its partitions is a frame of pandas.
    lineage="pandas",
    adapter=Path(__file__).with_name("adapter.py"),
    package="dask",
    tested="2026.8.0",
    tested_pins=("pandas==3.1.1",),
    # Reads the Parquet.
    requires=("pyarrow==26.0.1",),
    dialect="frames/dask",
    threads="threads",
    lacks=("nan",),
    script="""\
import dask
import dask.dataframe as dd


def ask(tables, sql, settings):
    options = {"num_workers" if name == "threads" else name: value for name, value in settings.items()}
    dask.config.set({"scheduler": "threads", **options})
    names = {"tables": {name: dd.read_parquet(paths) for name, paths in tables.items()}}
    exec(sql, names)
    answer = names["answer"]
    answer = (answer.compute() if isinstance(answer, dd.DataFrame) else answer).astype(object)
    return list(answer.where(answer.notna(), None).itertuples(index=False, name=None))
""",
    confined=True,
    about="Dask's frames in one process, functions over lazily read Parquet, computed by threads",
)
