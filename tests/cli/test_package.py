"""What an installed weigh needs: not the engines that it measures, which have environments of their own."""

from __future__ import annotations

import re
from importlib.metadata import requires

import pytest

from weigh.engines import engine


@pytest.mark.promise("Engines are not installed next to it.")
def test_installing_it_installs_no_engine() -> None:
    needed = {re.split(r"[=<>!~;\[ ]", one)[0] for one in requires("weigh") or ()}
    packages = {engine.load(name).package for name in ("chdb", "datafusion", "duckdb", "polars", "sqlite")} - {""}
    assert {"click", "pyarrow"} <= needed, "these it uses itself"
    assert not needed & {*packages, "chdb", "datafusion", "duckdb", "polars", "apsw", "psycopg", "pandas", "pytest"}
