"""What a user gets wrong beside what tests/golden keeps: exit 2, one clear sentence, a remedy, nothing on stdout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Run, Weigh

DUCKDB = ("--contender", "duckdb@2.0.0")


def assert_refused(run: Run, *said: str) -> None:
    assert run.code == 2, run.err
    assert run.out == ""
    lines = run.err.splitlines()
    assert [line for line in lines if line.startswith("error: ")] == lines[:1], run.err
    assert len(lines) >= 2, "no remedy"
    assert all(words in run.err for words in said), run.err


def test_an_operation_that_there_is_not(weigh: Weigh) -> None:
    run = weigh("gate", *DUCKDB, "--scale", "1K", "--operations", "eq_usr", "--quiet")
    assert_refused(run, "did you mean 'eq_user'?")


def test_a_mistake_in_weigh_toml_names_place_and_nearest_key(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text('[experiment]\nscael = "1K"\n')
    assert_refused(weigh("run"), "weigh.toml, [experiment]: unknown key 'scael'", "did you mean 'scale'?")


def test_an_unknown_setting_leaves_sealed_evidence(weigh: Weigh) -> None:
    run = weigh("gate", "--contender", "duckdb@2.0.0?thraeds=2", "--scale", "1K", "--quiet")
    assert_refused(run, "contender duckdb@2.0.0?thraeds=2: it cannot be started", "thraeds", "is kept in runs/")
    assert weigh("verify", str(run.evidence)).code == 0
    assert "Not complete: it cannot be started" in weigh("report", str(run.evidence)).out


def test_a_budget_that_is_too_small_names_the_one_needed(weigh: Weigh) -> None:
    run = weigh("run", *DUCKDB, "--scale", "1K", "--operations", "by_action", "--budget", "10ms", "--quiet")
    assert_refused(run, "a budget of 10.0 ms is too small", "5 starts of one run need about", "--budget")


def test_a_reader_that_leaves_early_is_no_mishap(weigh: Weigh) -> None:
    listing = weigh.start("lies", "--json")
    assert listing.stdout is not None
    assert listing.stderr is not None
    listing.stdout.close()
    assert listing.stderr.read() == ""
    listing.wait()


def test_output_that_cannot_be_written_is_said(weigh: Weigh) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    command = [str(Path(sys.executable).with_name("weigh")), "lies"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: No space left on device")
