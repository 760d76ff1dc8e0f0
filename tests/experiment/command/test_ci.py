"""The jobs of docs/guide/ci.md, executed as they stand there, in a clone of a repository whose engine is built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from junitparser import JUnitXml

from support import built
from support.command import WEIGH
from weigh.experiment.report import files

if TYPE_CHECKING:
    from support.command import Run

PAGE = Path(__file__).parents[3] / "docs" / "guide" / "ci.md"

TOML = """
[experiment]
workload = "two"
operations = ["unordered"]
scale = "1K"
baseline = "main"
margin = "50%"
starts = {starts}
rounds = 1
runs = 1

[build.liar]
command = "\\"$WEIGH_PYTHON\\" wheels.py '{site}' duckdb \\"$WEIGH_BUILD_OUT\\" $(cat mark)"

[[contender]]
name = "main"
engine = "liar"
version = "git:origin/main"
settings = {{ lie = "pace", ms = 20 }}

[[contender]]
name = "pr"
engine = "liar"
version = "git:HEAD~1"
settings = {{ lie = "pace", ms = {ms} }}
"""


class Job(NamedTuple):
    """Commands of a job: those that decide it, and those that are carried out in any case."""

    decides: str
    always: str


def jobs() -> dict[str, Job]:
    """The two jobs of the page."""
    github, gitlab = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    steps = re.findall(r"( +)run: \|\n((?:\1  .*\n)+)", github)
    assert len(steps) == 2, "measure, tell"
    assert github.index("if: always()") < github.index(steps[1][1])

    def listed(key: str) -> str:
        found = re.search(rf"^  {key}:\n((?:    - .*\n)+)", gitlab, re.MULTILINE)
        assert found
        return re.sub(r"^    - ", "", found[1], flags=re.MULTILINE)

    return {
        "github": Job(*(re.sub(r"^ +", "", text, flags=re.MULTILINE) for _, text in steps)),
        "gitlab": Job(listed("script"), listed("after_script")),
    }


class Clone:
    """A clone of the repository, in which jobs are carried out.

    Args:
        folder: it is made in.
        ms: what the build of the pull request takes for an execution; main takes 20 ms.
        starts: of each job.
    """

    def __init__(self, folder: Path, ms: int, starts: int) -> None:
        built.repository(folder / "origin")
        self.folder = folder / "clone"
        built.git(folder, "clone", "--quiet", "--branch", "change", "origin", str(self.folder))
        (self.folder / "weigh.toml").write_text(TOML.format(site=built.site(), ms=ms, starts=starts))

    def carry_out(self, job: Job) -> int:
        """The exit code of what decides a job; what is carried out in any case must not fail."""
        self.summary.unlink(missing_ok=True)
        decided = _shell(job.decides, self.folder)
        told = _shell(job.always, self.folder)
        assert told.returncode == 0, told.stderr
        failures = sum(suite.failures for suite in JUnitXml.fromfile(str(self.folder / "weigh.xml")))
        assert (failures > 0) == (decided.returncode == 1), decided.stderr
        return decided.returncode

    @property
    def summary(self) -> Path:
        """What is shown at the pull request."""
        return self.folder / "weigh.md"


def _shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    own = {"WEIGH_CONTENTION": "100%", "WEIGH_SETTLE": "0s", "GITHUB_STEP_SUMMARY": str(folder / "weigh.md")}
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={**os.environ, **own, "PATH": f"{WEIGH.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
@pytest.mark.promise(
    "a job that is started again adds its starts to those of before, and the verdicts read all of them",
)
def test_a_job_that_is_started_again_adds_to_what_is_known(tmp_path: Path) -> None:
    """Three starts decide nothing, and are not green; three more in another system's job do."""
    clone = Clone(tmp_path, ms=80, starts=3)
    assert clone.carry_out(jobs()["github"]) == 3
    assert "SLOWER" not in clone.summary.read_text()
    assert clone.carry_out(jobs()["gitlab"]) == 1
    lines = clone.summary.read_text().splitlines()
    assert "pr is SLOWER than main" in lines[0]
    assert len(lines) < 60
    newest = max((clone.folder / "runs").glob("*-2"))
    assert "T8.attempts" in {one.code for one in files.read(newest).findings}


@pytest.mark.long
def test_a_job_is_green_where_nothing_got_slower(tmp_path: Path) -> None:
    clone = Clone(tmp_path, ms=20, starts=5)
    assert clone.carry_out(jobs()["gitlab"]) == 0
    assert "pr" in clone.summary.read_text().splitlines()[0]


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_what_a_job_tells(small: Run, tmp_path: Path, name: str) -> None:
    """The steps that are carried out in any case, over a run that is there."""
    shutil.copytree(small.folder / "runs", tmp_path / "runs")
    told = _shell(jobs()[name].always, tmp_path)
    assert told.returncode == 0, told.stderr
    assert "two" in (tmp_path / "weigh.md").read_text().splitlines()[0]
    assert "two against one" in {suite.name for suite in JUnitXml.fromfile(str(tmp_path / "weigh.xml"))}
