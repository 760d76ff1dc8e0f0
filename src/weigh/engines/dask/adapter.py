"""Dask's data frames inside their own environment. Runs in the worker; imports nothing of weigh."""

from __future__ import annotations

import os
from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd
import pyarrow as pa

from weigh_worker.pandas_frames import PandasAdapter

_POOL = "num_workers"


class Engine(PandasAdapter):
    """Lazy frames of Parquet files, computed by threads of this process: there is no cluster.

    Settings are ``threads`` and keys of ``dask.config``.
    """

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.threads = len(os.sched_getaffinity(0))
        options = dict(settings)
        threads = options.pop("threads", self.threads)
        pa.set_cpu_count(threads)
        self.defaults = {name: dask.config.get(name, None) for name in options}
        dask.config.set({"scheduler": "threads", _POOL: threads, "temporary-directory": scratch, **options})

    def version(self) -> str:
        """Version of the package."""
        return str(dask.__version__)

    def settings(self) -> dict[str, dict[str, Any]]:
        """Threads of the scheduler, and what was asked for."""
        found = {name: {"value": dask.config.get(name), "default": value} for name, value in self.defaults.items()}
        return {"threads": {"value": dask.config.get(_POOL), "default": self.threads}, **found}

    def open_table(self, name: str, paths: list[str]) -> Any:
        """A lazy frame: footers are read."""
        return dd.read_parquet(paths)

    def collect(self, answer: Any) -> Any:
        """Optimise and execute what is lazy."""
        found = answer.compute() if isinstance(answer, dd.DataFrame) else answer
        if not isinstance(found, pd.DataFrame):
            raise TypeError(f"a function must return a frame of Dask or of pandas, not {type(answer).__name__}")
        return found

    def row_count(self, table: Any) -> Any:
        """Of a lazy frame."""
        return pd.DataFrame({"n": [len(table)]})

    def drawn_rows(self, table: Any, column: str, modulus: int, remainder: int) -> Any:
        """By a mask."""
        return table[(table[column] >= 0) & (table[column] % modulus == remainder)]

    def profile(self) -> dict[str, Any]:
        """Nothing yet: what a function builds need not be one graph."""
        return {"lacks": "a plan: a function may execute several graphs"}
