"""What reads and judges imports nothing that only Linux has; what measures says that it needs Linux."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.evidence_folders import written_ladder, written_load, written_run
from weigh.cli.commands import COMMANDS

if TYPE_CHECKING:
    from support.command import Weigh

ELSEWHERE = Path(__file__).parent / "elsewhere.py"
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "commands.md"
FILES = sorted((ROOT / "tests" / "fixtures" / "judge" / "hyperfine" / "alternating").iterdir())


def elsewhere(folder: Path, *commands: list[str]) -> list[dict[str, Any]]:
    """What each command does where there is no Linux."""
    done = subprocess.run(
        [sys.executable, str(ELSEWHERE)],
        cwd=folder, input=json.dumps(commands), env={**os.environ, "NO_COLOR": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_there_it_would_fail_to_measure(tmp_path: Path) -> None:
    """The stand-in is one: what needs Linux cannot be imported."""
    code = (
        "import runpy; runpy.run_path(r'{}')['become'](); from weigh.host import sampling; import os; os.memfd_create"
    )
    done = subprocess.run([sys.executable, "-c", code.format(ELSEWHERE)], capture_output=True, text=True, check=False)
    assert "has no attribute 'memfd_create'" in done.stderr


def test_what_measures_says_that_it_needs_linux(tmp_path: Path) -> None:
    needing = {name: [name, "--json"] for name, one in COMMANDS.items() if one.linux}
    needing |= {"lies --run": ["lies", "--run", "A1"], "init --data": ["init", "--data", "x.csv"]}
    section = PAGE.read_text().split("## Where it runs")[1].split("## ")[0]
    for name, done in zip(needing, elsewhere(tmp_path, *needing.values()), strict=True):
        assert (done["code"], done["out"]) == (2, "")
        assert done["err"].splitlines()[0] == f"error: weigh {name} needs Linux: it measures through its kernel"
        assert f"`{name}`" in section
    assert {"run", "load", "doctor"} <= needing.keys()


def test_reading_and_judging_say_the_same_as_on_linux(weigh: Weigh) -> None:
    root = weigh.folder / "runs"
    run, load, ladder = written_run(root).name, written_load(root).name, written_ladder(root).name
    files = [str(one) for one in FILES]
    commands = [
        ["report", run, "--html", "-"], ["report", load, "--markdown"], ["report", ladder], ["verify", load], ["runs"],
        ["export", run, "--format", "junit"], ["judge", "--baseline", "old", *files], ["compare", run, run],
        ["history", "add", load, "--to", "h"], ["history", "show", "--from", "h"], ["engines"], ["completion", "bash"],
    ]  # fmt: skip
    expected = [weigh(*words) for words in commands]
    shutil.rmtree(weigh.folder / "h")
    for words, run_here, done in zip(commands, expected, elsewhere(weigh.folder, *commands), strict=True):
        assert "Error" not in done["err"], (words, done["err"])
        assert (done["code"], done["out"]) == (run_here.code, run_here.out), words
    assert {one.code for one in expected} == {0, 1, 2}
