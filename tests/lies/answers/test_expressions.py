"""A1: an answer that is wrong through expressions alone, where the same library is right in SQL (polars#24167)."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from weigh.engines import environment
from weigh.engines.prepared import cache_folder

from ..reading import contenders, detail, diverged

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

WRONG = "polars-df@1.32.3"
"""Loses 4 of 5 rows of ``is_in`` over a file that Polars wrote, says nothing, and is right in SQL."""
SQL = "polars@1.32.3"
TWIN = "polars-df@1.35.2"
NAMES = ("value3", "value32", "value64", "value33", "value100")
WRITTEN = """\
import polars as pl

pl.DataFrame({"id": [f"value{n}" for n in range(132)], "misc": "xyz"}).write_parquet("t.parquet")
"""
FUNCTION = f"""\
import polars as pl


def some(t):
    return t.filter(pl.col("id").is_in({list(NAMES)}))
"""


@pytest.fixture(scope="module")
def real(fresh: Callable[[], Weigh]) -> Run:
    """The release with the bug, the same one in SQL, the one in which it was repaired, and two of other lineages."""
    weigh = fresh()
    python = environment.ensure(["polars==1.35.2"], cache_folder()).python
    subprocess.run([python, "-c", WRITTEN], cwd=weigh.folder, check=True)
    (weigh.folder / "some.sql").write_text(f"SELECT id, misc FROM t WHERE id IN {NAMES}\n")
    (weigh.folder / "frames.py").write_text(FUNCTION)
    given = ("--data", "t.parquet", "--sql", "some.sql", "--frames", "frames.py", "--no-shrink")
    return weigh("gate", *given, *contenders("duckdb", "sqlite", SQL, WRONG, TWIN), "--quiet", "--json")


def test_the_expression_is_contradicted_and_the_sql_of_the_same_release_is_not(real: Run) -> None:
    assert {name for name, _ in diverged(real)} == {WRONG}
    assert real.code == 1
    assert "1 rows, not 5 rows" in detail(real, "some")


def test_the_repaired_release_is_not_accused(real: Run) -> None:
    (gate,) = json.loads((real.evidence / "gate.json").read_text())["operations"]
    assert gate["contenders"].pop(WRONG) == "diverged"
    assert gate["contenders"] == dict.fromkeys(("duckdb", "sqlite", SQL, TWIN), "agreed")
