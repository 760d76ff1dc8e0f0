"""Two engines that differ, of which one contradicts itself: that tells who is wrong, and nothing is open."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from junitparser import JUnitXml

if TYPE_CHECKING:
    import pytest

    from support.command import Weigh

CASE = Path(__file__).parent / "diverged-blamed-open"
OPEN = ("nothing here tells who is right", "ho is right is open")


def test_the_check_against_itself_tells(weigh: Weigh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(weigh.folder)
    runpy.run_path(str(CASE / "make.py"))
    shutil.copy(CASE / "q.sql", weigh.folder)
    own = ("--data", "cust.parquet", "--data", "bill.parquet", "--sql", "q.sql", "--contender", "duckdb@1.5.5")
    weigh("init", *own)
    named = ("--contender", "datafusion@54.0.0", "--contender", "duckdb@1.5.5")
    run = weigh("gate", *named, "--quiet", "--json")
    assert run.code == 1
    (row,) = (one for one in run.json["gate"] if one["status"] == "diverged")
    assert row["contenders"] == ["datafusion@54.0.0"]
    assert "is wrong, contradicted by itself with no repeated optimisation" in row["detail"]
    assert not any(words in row["detail"] for words in OPEN)

    told = {
        form: weigh("report", str(run.evidence), f"--{form}").out if form != "text" else weigh("report", "latest").out
        for form in ("markdown", "verbose", "text")
    }
    told["page"] = (run.evidence / "report.html").read_text()
    junit = weigh("export", str(run.evidence), "--format", "junit")
    told["junit"] = junit.out
    for form, text in told.items():
        flat = " ".join(text.split())
        assert "datafusion@54.0.0" in flat, form
        assert not any(words in flat for words in OPEN), form
    failed = [
        (case.classname, case.name)
        for suite in JUnitXml.fromstring(junit.out.encode())
        for case in suite
        if any(type(result).__name__ == "Failure" for result in case.result)
    ]
    assert failed == [("answers.datafusion@54.0.0", "not_late")]
