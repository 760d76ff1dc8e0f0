"""The jobs that ``weigh init --ci`` writes as scripts, and clones in which they are carried out."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import msgspec
from junitparser import JUnitXml

from support import built
from support.command import WEIGH
from weigh.ci.job import jobs
from weigh.ci.outcome import COMMENT, OUT
from weigh.experiment.config.file import File

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


def job(system: str) -> str:
    """The command that decides the job of a system, for the weigh.toml of a clone."""
    texts = "\n".join(
        jobs(
            system,
            Path("weigh.toml"),
            msgspec.convert(tomllib.loads(TOML.format(site="", ms=200, law="", starts=1)), File),
        ).values()
    )
    (found,) = re.findall(r"(?:run: |- )(weigh ci measure .*)", texts)
    return str(found)


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

    def carry_out(self, script: str) -> int:
        """The exit code of what decides a job."""
        decided = shell(script, self.folder)
        assert decided.returncode != 2, decided.stderr
        failures = sum(suite.failures for suite in JUnitXml.fromfile(str(self.folder / OUT / "junit.xml")))
        assert (failures > 0) == (decided.returncode == 1), decided.stderr
        return decided.returncode

    @property
    def summary(self) -> Path:
        """What is shown at the pull request."""
        return self.folder / OUT / COMMENT


def shell(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Carry out a script of the page in a folder."""
    own = {
        **environment,
        "WEIGH_CONTENTION": "100%",
        "WEIGH_SETTLE": "0s",
        "WEIGH_LOCK": str(folder / "weigh.lock"),
    }
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={**os.environ, **own, "PATH": f"{WEIGH.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
