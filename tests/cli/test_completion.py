"""``weigh completion``: what it prints works in the shell, and what it completes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.evidence_folders import written_run

if TYPE_CHECKING:
    from support.command import Weigh

BIN = Path(sys.executable).parent


def completed(folder: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    script = """
        eval "$(weigh completion bash)"
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        compopt() { :; }
        _weigh_completion weigh
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    path = {"PATH": f"{BIN}:/usr/bin:/bin"}
    done = subprocess.run(
        ["bash", "-c", script, "bash", *words], cwd=folder, env=path, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_commands_engines_and_workloads(tmp_path: Path) -> None:
    assert completed(tmp_path, "weigh", "hi") == ["history"]
    assert completed(tmp_path, "weigh", "run", "--contender", "du") == ["duckdb"]
    assert completed(tmp_path, "weigh", "load", "tp") == ["tpcc"]


def test_evidence_of_this_folder(weigh: Weigh) -> None:
    run = written_run(weigh.folder / "runs")
    assert completed(weigh.folder, "weigh", "verify", "") == ["latest", run.name]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_reads_it(weigh: Weigh, shell: str) -> None:
    printed = weigh("completion", shell).out
    assert "_WEIGH_COMPLETE" in printed
    if found := shutil.which(shell):
        subprocess.run([found, "-n", "-c", printed], check=True)


def test_another_shell_is_refused(weigh: Weigh) -> None:
    run = weigh("completion", "tcsh")
    assert run.code == 2
    assert "'bash', 'zsh', 'fish'" in run.err
