"""The steps of action.yml and of the jobs that ``weigh init --ci`` writes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from support import ci_jobs
from weigh import __version__

if TYPE_CHECKING:
    from support.command import Weigh

ROOT = Path(__file__).parents[2]
STEPS = ROOT / "scripts" / "ci"
TOML = """
[experiment]
workload = "two"
baseline = "main"
budget = "20m"

[[contender]]
name = "main"
engine = "duckdb"
version = "git:origin/main"

[[contender]]
name = "pr"
engine = "duckdb"
version = "git:HEAD"
"""


def step(name: str, folder: Path, path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Carry out a step of the action as GitHub does."""
    own = {
        "PATH": f"{path}:/usr/bin:/bin", "RUNNER_TEMP": str(folder), "GITHUB_PATH": str(folder / "path"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), **environment,
    }  # fmt: skip
    return subprocess.run([str(STEPS / name)], cwd=folder, env=own, capture_output=True, text=True, check=False)


def executable(file: Path, *lines: str) -> None:
    """A script in the place of a command."""
    file.write_text("\n".join(("#!/bin/sh", *lines, "")))
    file.chmod(0o755)


def test_its_steps_are_scripts_that_are_there() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = action["runs"]["steps"]
    named = re.findall(r"scripts/ci/(\w+\.sh)", "\n".join(one.get("run", "") for one in steps))
    assert named == ["install.sh", "measure.sh"]
    assert {one.name for one in STEPS.iterdir()} == set(named)
    # What a pull request can write goes through variables: in a line of a script it would be executed.
    assert not [one["run"] for one in steps if "${{" in one.get("run", "")]


def test_words_are_split_as_a_shell_does_and_nothing_is_executed(tmp_path: Path) -> None:
    executable(
        tmp_path / "weigh", 'printf "%s\n" "$@"', "mkdir -p weigh-ci", "echo told > weigh-ci/comment.md", "exit 3"
    )
    words = """--margin 3% --sql 'my queries' "$(touch here)" ; touch here"""
    done = step("measure.sh", tmp_path, tmp_path, WEIGH_COMMAND="history add", WEIGH_ARGUMENTS=words)
    assert done.returncode == 3
    assert done.stdout.splitlines() == [
        "ci", "measure", "history", "add", "--margin", "3%", "--sql", "my queries", "$(touch here)", ";",
        "touch", "here",
    ]  # fmt: skip
    assert (tmp_path / "summary.md").read_text() == "told\n"
    assert not (tmp_path / "here").exists()
    done = step("measure.sh", tmp_path, tmp_path, WEIGH_COMMAND="run", WEIGH_ARGUMENTS="")
    assert done.stdout.splitlines() == ["ci", "measure", "run"]


def test_it_installs_its_own_version_or_what_is_named(tmp_path: Path) -> None:
    python = """printf '#!/bin/sh\necho "$@"\n' > "$3/bin/python" """
    executable(tmp_path / "python3", 'mkdir -p "$3/bin"', python, 'chmod +x "$3/bin/python"')
    done = step("install.sh", tmp_path, tmp_path)
    assert done.stdout.split()[-1] == f"weigh=={__version__}", done.stderr
    assert (tmp_path / "path").read_text() == f"{tmp_path}/weigh/bin\n"
    assert step("install.sh", tmp_path, tmp_path, WEIGH_VERSION="./a b.whl").stdout.endswith("./a b.whl\n")


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_init_writes_the_job_of_this_project(weigh: Weigh, system: str) -> None:
    run = weigh("init", "--ci", system)
    assert run.code == 2
    assert "weigh.toml: there is no such file" in run.err
    (weigh.folder / "weigh.toml").write_text(TOML)
    written = [Path(line.removeprefix("wrote ")) for line in weigh("init", "--ci", system).out.splitlines()[:2]]
    job: dict[str, Any] = yaml.safe_load((weigh.folder / written[0]).read_text())
    text = (weigh.folder / written[0]).read_text()
    assert f"pip install weigh=={__version__}" in text
    assert ci_jobs.job(system) == "weigh ci measure run weigh.toml"
    if system == "github":
        assert job["jobs"]["weigh"]["timeout-minutes"] == 50
        assert job["jobs"]["weigh"]["steps"][0]["with"]["fetch-depth"] == 0
        other = yaml.safe_load((weigh.folder / written[1]).read_text())
        # YAML reads `on` as true.
        assert other[True]["workflow_run"]["workflows"] == [job["name"]]
        assert not [one for one in other["jobs"]["tell"]["steps"] if "checkout" in one.get("uses", "")]
    else:
        assert (job["weigh"]["timeout"], job["weigh"]["variables"]["GIT_DEPTH"]) == ("50 minutes", "0")
    again = weigh("init", "--ci", system)
    assert again.code == 2
    assert "it exists" in again.err
    assert weigh("init", "--ci", system, "--force").code == 0


def test_a_job_that_compares_nothing_is_not_written(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text('[[contender]]\nengine = "duckdb"\n')
    run = weigh("init", "--ci", "github")
    assert run.code == 2
    assert "a job compares contenders, and this names 1" in run.err
    assert not (weigh.folder / ".github").exists()


def test_a_job_without_a_baseline_says_so(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text('[[contender]]\nengine = "duckdb"\n[[contender]]\nengine = "chdb"\n')
    out = weigh("init", "--ci", "github").out
    assert "no baseline is declared" in out
    assert "no contender is built from the pull request" in out


def test_a_job_that_cannot_find_its_data_says_so(weigh: Weigh) -> None:
    contenders = '[[contender]]\nengine = "duckdb"\n[[contender]]\nengine = "chdb"\n'
    tables = '[sql.tables]\nhere = "data/*.parquet"\nstore = "s3://data/a"\nup = "../up/*.csv"\nfar = ["/far/away"]\n'
    (weigh.folder / "weigh.toml").write_text(f"{contenders}[sql]\n{tables}")
    out = weigh("init", "--ci", "github").out
    assert "../up/*.csv, /far/away: outside this repository" in out
    (weigh.folder / "weigh.toml").write_text(f'{contenders}[sql]\ndata = "mine"\n')
    assert "weigh data register ... --name mine" in weigh("init", "--ci", "github", "--force").out
