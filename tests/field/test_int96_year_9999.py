"""Instants in INT96 of the year 9999, which Spark writes for "no end": whoever reads them rightly is not accused."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from support.command import Weigh

CASE = Path(__file__).with_name("int96-year-9999")


def test_they_agree_and_nobody_is_accused(weigh: Weigh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(weigh.folder)
    runpy.run_path(str(CASE / "make.py"))
    shutil.copy(CASE / "q.sql", weigh.folder)
    assert weigh("init", "--data", "t.parquet", "--sql", "q.sql", "--contender", "duckdb").code == 0
    names = ("duckdb", "datafusion", "sqlite")
    run = weigh("gate", "--json", "--quiet", *(word for one in names for word in ("--contender", one)))
    assert run.code == 0
    assert {row["status"] for row in run.json["gate"]} == {"agreed"}
    assert not [one for one in run.json["findings"] if one["severity"] == "error"]
