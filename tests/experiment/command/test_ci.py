"""The jobs that `weigh init --ci` writes, executed in a clone of a repository whose engine is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import ci_jobs
from support.ci_jobs import Clone
from support.command import RAN
from weigh.experiment.report import files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
@pytest.mark.promise(
    "a job that is started again adds its starts to those of before, and the verdicts read all of them",
)
def test_a_job_that_is_started_again_adds_to_what_is_known(tmp_path: Path) -> None:
    """Three starts decide nothing, and are not green; three more in another system's job do."""
    clone = Clone(tmp_path, ms=800, starts=3)
    assert clone.carry_out(ci_jobs.job("github")) == 3
    assert "SLOWER" not in clone.summary.read_text()
    assert clone.carry_out(ci_jobs.job("gitlab")) == 1
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
    assert clone.carry_out(ci_jobs.job("gitlab")) in RAN
    assert "pr" in clone.summary.read_text().splitlines()[0]
