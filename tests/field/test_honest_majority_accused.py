"""Honest engines whose right answer does not change, alongside one that reads NaN out of statistics."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from support.command import Weigh

CASE = Path(__file__).parent / "honest-majority-accused"


def test_an_answer_that_changes_proves_nothing_about_the_others(weigh: Weigh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(weigh.folder)
    runpy.run_path(str(CASE / "make.py"))
    shutil.copy(CASE / "q.sql", weigh.folder)
    weigh("init", "--data", "t.parquet", "--sql", "q.sql", "--contender", "duckdb")
    named = ("--contender", "duckdb", "--contender", "datafusion@55.0.0", "--contender", "polars")
    run = weigh("gate", *named, "--quiet", "--json")
    assert not [one for one in run.json["findings"] if one["code"] == "A12.answers"]
    accused = {name for row in run.json["gate"] if row["status"] == "diverged" for name in row["contenders"]}
    assert accused <= {"datafusion@55.0.0"}
    assert run.code == (1 if accused else 0)
