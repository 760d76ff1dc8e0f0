"""pandas."""

from pathlib import Path

from weigh.engines.engine import Engine

engine = Engine(
    name="pandas",
    lineage="pandas",
    adapter=Path(__file__).with_name("adapter.py"),
    package="pandas",
    tested="3.1.1",
    # Reads the Parquet.
    requires=("pyarrow==26.0.1",),
    dialect="frames/pandas",
    threads="threads",
    lacks=("nan",),
    script="""\
import os
import tempfile

import pandas as pd


def ask(tables, sql, settings):
    for name, value in settings.items():
        if name != "threads":
            pd.set_option(name, value)
    with tempfile.TemporaryDirectory() as links:
        folders = {}
        for name, paths in tables.items():
            folders[name] = os.path.join(links, name)
            os.mkdir(folders[name])
            for number, path in enumerate(paths):
                os.symlink(os.path.abspath(path), os.path.join(folders[name], f"{number:06}.parquet"))
        names = {"tables": folders}
        exec(sql, names)
        answer = names["answer"].astype(object)
        return list(answer.where(answer.notna(), None).itertuples(index=False, name=None))
""",
    confined=True,
    about="pandas in its own process, functions that read Parquet",
)
