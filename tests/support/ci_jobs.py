"""Jobs of docs/guide/ci.md as scripts, and clones in which they are carried out."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from junitparser import JUnitXml

from support import built
from support.command import WEIGH

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "ci.md"

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
settings = {{ lie = "pace", ms = 200 }}

[[contender]]
name = "pr"
engine = "liar"
version = "git:HEAD~1"
settings = {{ lie = "pace", ms = {ms}{law} }}
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


def counting() -> str:
    """The job of the page whose attempts a shared history counts."""
    (script,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(script)


class Clone:
    """A clone of the repository, in which jobs are carried out.

    Args:
        folder: it is made in.
        ms: what the build of the pull request takes for an execution; main takes 200 ms.
        starts: of each job.
        law: what else that build does, as TOML.
    """

    def __init__(self, folder: Path, ms: int, starts: int, law: str = "") -> None:
        built.repository(folder / "origin")
        self.folder = folder / "clone"
        built.git(folder, "clone", "--quiet", "--branch", "change", "origin", str(self.folder))
        (self.folder / "weigh.toml").write_text(TOML.format(site=built.site(), ms=ms, law=law, starts=starts))

    def carry_out(self, job: Job) -> int:
        """The exit code of what decides a job; what is carried out in any case must not fail."""
        self.summary.unlink(missing_ok=True)
        decided = shell(job.decides, self.folder)
        assert decided.returncode != 2, decided.stderr
        told = shell(job.always, self.folder)
        assert told.returncode == 0, told.stderr
        failures = sum(suite.failures for suite in JUnitXml.fromfile(str(self.folder / "weigh.xml")))
        assert (failures > 0) == (decided.returncode == 1), decided.stderr
        return decided.returncode

    @property
    def summary(self) -> Path:
        """What is shown at the pull request."""
        return self.folder / "weigh.md"


def shell(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Carry out a script of the page in a folder."""
    own = {
        **environment,
        "WEIGH_CONTENTION": "100%",
        "WEIGH_SETTLE": "0s",
        "WEIGH_LOCK": str(folder / "weigh.lock"),
        "GITHUB_STEP_SUMMARY": str(folder / "weigh.md"),
    }
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={**os.environ, **own, "PATH": f"{WEIGH.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
