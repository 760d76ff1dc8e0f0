"""An optimiser that answers nothing to any data: wrong, and no answers that are kept somewhere."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

CASE = Path(__file__).parent / "stale-misdiagnosis"


@pytest.mark.long
def test_an_answer_that_is_empty_on_any_rows_was_not_kept(weigh: Weigh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(weigh.folder)
    runpy.run_path(str(CASE / "make.py"))
    shutil.copy(CASE / "q.sql", weigh.folder)
    weigh("init", "--data", "sales.parquet", "--sql", "q.sql", "--contender", "datafusion")
    named = ("--contender", "duckdb@1.5.4", "--contender", "datafusion")
    run = weigh("gate", *named, "--quiet", "--json", WEIGH_SHRINK="yes")
    assert run.code == 1
    assert {row["status"] for row in run.json["gate"]} == {"diverged"}
    codes = [one["code"] for one in run.json["findings"] if one["severity"] == "error" or one["code"].startswith("A1.")]
    assert codes == ["A1.reproducer"]
