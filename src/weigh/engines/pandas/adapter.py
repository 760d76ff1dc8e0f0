"""pandas inside its own environment. Runs in the worker; imports nothing of weigh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from weigh_worker.pandas_frames import PandasAdapter


class Engine(PandasAdapter):
    """A table is the path of its Parquet file, or of a folder of them, for ``pandas.read_parquet``.

    pandas has nothing lazy: what is read of a file, and when, is the function's own choice, inside the clock.
    """

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.defaults = {"threads": pa.cpu_count()}
        options = dict(settings)
        if "threads" in options:
            pa.set_cpu_count(options.pop("threads"))
        for name, value in options.items():
            self.defaults[name] = pd.get_option(name)
            pd.set_option(name, value)

    def version(self) -> str:
        """Version of the package."""
        return str(pd.__version__)

    def settings(self) -> dict[str, dict[str, Any]]:
        """Threads of the reader (pandas computes with one), and pandas' options that were asked for."""
        found = {name: pd.get_option(name) if name != "threads" else pa.cpu_count() for name in self.defaults}
        return {name: {"value": value, "default": self.defaults[name]} for name, value in found.items()}

    def open_table(self, name: str, paths: list[str]) -> Any:
        """The path of its file; of several, that of a folder of links to them."""
        for path in paths:
            Path(path).stat()
        if len(paths) == 1:
            return paths[0]
        folder = Path(self.scratch) / "tables" / name
        folder.mkdir(parents=True)
        for number, path in enumerate(paths):
            (folder / f"{number:06}.parquet").symlink_to(path)
        return str(folder)

    def collect(self, answer: Any) -> Any:
        """It is complete as it is."""
        if not isinstance(answer, pd.DataFrame):
            raise TypeError(f"a function must return a DataFrame, not {type(answer).__name__}")
        return answer

    def all_rows(self, table: Any) -> Any:
        """Read whole."""
        return pd.read_parquet(table)

    def row_count(self, table: Any) -> Any:
        """Of the file, without a column."""
        return pd.DataFrame({"n": [len(pd.read_parquet(table, columns=[]))]})

    def drawn_rows(self, table: Any, column: str, modulus: int, remainder: int) -> Any:
        """By a mask."""
        rows = pd.read_parquet(table)
        return rows[(rows[column] >= 0) & (rows[column] % modulus == remainder)]

    def profile(self) -> dict[str, Any]:
        """Nothing: pandas has no plans."""
        return {"lacks": "a plan: pandas executes each step as it is called"}
