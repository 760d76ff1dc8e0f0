"""weigh executed as a user executes it: other tests fork a process that has imported all of it.

Each command imports what it needs and nothing before; in another order, a circle of imports would show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Weigh
from weigh.cli.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run

MISTAKES = {
    "demo": ("--scael", "1K"),
    "doctor": ("--tuen",),
    "init": ("--data", "nope/*.parquet"),
    "run": ("nope.toml",),
    "gate": ("--contender", "duckbd"),
    "ladder": ("--contender", "duckdb", "--scales", "1K,2K", "--vary", "x"),
    "layout": ("--contender", "duckdb", "--files", "1"),
    "load": ("ycsb-x", "--target", "valkey:embedded", "--rate", "1"),
    "report": ("nope",),
    "verify": ("nope",),
    "compare": ("nope", "nope2"),
    "judge": ("nope",),
    "data": ("check", "nope"),
}
"""As much of each command as can be had without an engine."""


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path, forked=False)


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help(weigh: Weigh, command: str) -> None:
    run = weigh(command, "--help")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith(f"Usage: weigh {command} ")


@pytest.mark.long
@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_one_sentence_and_a_remedy(weigh: Weigh, command: str) -> None:
    run = weigh(command, *MISTAKES[command])
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("error: ")
    assert len(run.err.splitlines()) > 1, "no remedy"
    assert "internal error" not in run.err


def test_a_command_that_is_forked_is_the_same(weigh: Weigh, small: Run, tmp_path: Path) -> None:
    for arguments in (("report", str(small.evidence)), ("verify", str(small.evidence), "--json"), ("lies",), ()):
        executed, forked = weigh(*arguments), Weigh(tmp_path)(*arguments)
        assert executed == forked
