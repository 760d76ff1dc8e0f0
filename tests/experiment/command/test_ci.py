"""The jobs of docs/guide/ci.md, executed as they stand there, in a clone of a repository whose engine is built."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from junitparser import JUnitXml

from support import ci_jobs
from support.ci_jobs import Clone
from support.command import RAN
from weigh.experiment.report import files

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run


@pytest.mark.long
@pytest.mark.promise(
    "a job that is started again adds its starts to those of before, and the verdicts read all of them",
)
def test_a_job_that_is_started_again_adds_to_what_is_known(tmp_path: Path) -> None:
    """Three starts decide nothing, and are not green; three more in another system's job do."""
    clone = Clone(tmp_path, ms=800, starts=3)
    assert clone.carry_out(ci_jobs.jobs()["github"]) == 3
    assert "SLOWER" not in clone.summary.read_text()
    assert clone.carry_out(ci_jobs.jobs()["gitlab"]) == 1
    lines = clone.summary.read_text().splitlines()
    assert "pr is SLOWER than main" in lines[0]
    assert len(lines) < 60
    newest = max((clone.folder / "runs").glob("*-2"))
    assert "T8.attempts" in {one.code for one in files.read(newest).findings}


@pytest.mark.long
def test_a_job_raises_no_alarm_where_the_change_is_below_the_margin(tmp_path: Path) -> None:
    """T6: a fifth slower in every start, which nobody asked about."""
    clone = Clone(tmp_path, ms=240, starts=5)
    # On a busy machine it may stay open.
    assert clone.carry_out(ci_jobs.jobs()["gitlab"]) in RAN
    assert "pr" in clone.summary.read_text().splitlines()[0]


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_what_a_job_tells(small: Run, tmp_path: Path, name: str) -> None:
    """The steps that are carried out in any case, over a run that is there."""
    shutil.copytree(small.folder / "runs", tmp_path / "runs")
    told = ci_jobs.shell(ci_jobs.jobs()[name].always, tmp_path)
    assert told.returncode == 0, told.stderr
    assert "two" in (tmp_path / "weigh.md").read_text().splitlines()[0]
    assert "two against one" in {suite.name for suite in JUnitXml.fromfile(str(tmp_path / "weigh.xml"))}
