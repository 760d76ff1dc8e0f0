"""E9: one contender slows the other."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ..reading import assert_silent, contenders, errors, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once

FOUND = {
    "renices": "E9.others",
    "narrows": "E9.others",
    "stops": "E9.others",
    "stops-weigh": "E9.others",
    "leases": "E9.files",
    "locks": "E9.files",
    "drops": "E9.files",
    "nice-in-turn": "E9.turn",
    "real-time-in-turn": "E9.turn",
}
"""What each liar is found by."""
SETS = [
    pytest.param(("renices", "leases", "nice-in-turn"), id="few"),
    pytest.param(tuple(FOUND), id="all", marks=pytest.mark.long),
]
FLAGS = ("--scale", "2K", "--operations", "by_action", "--starts", "1", "--rounds", "2", "--runs", "1", "--quiet")


def _filtered() -> bool:
    """Whether the kernel lets a process have its calls decided by another one."""
    code = "import sys; from weigh_worker import calls; sys.exit(calls.listen() < 0)"
    return subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


pytestmark = pytest.mark.skipif(
    not _filtered() or os.geteuid() != 0, reason="the kernel has no such filter, or only root may harm others"
)


@pytest.fixture(scope="module", params=SETS)
def run(request: pytest.FixtureRequest, fresh: Callable[[], Weigh], once: Once) -> Run:
    """Who changes the priority of rivals, leases the data files, or prefers itself in its own turns; two victims."""
    lies = request.param
    named = contenders("base=liar?lie=none", "victim=fork", *(f"{lie}=liar?lie={lie}" for lie in lies))
    return once(f"sabotage-{len(lies)}", lambda: fresh()("run", *named, *FLAGS, "--json"))


@pytest.mark.promise("Who tries is disqualified, and its victims are not named.")
def test_each_saboteur_is_found_and_nobody_else(run: Run) -> None:
    liars = {one["name"] for one in run.json["contenders"]} & set(FOUND)
    assert liars
    assert errors(run) == {(FOUND[liar], liar) for liar in liars}
    found = {name: one["verdict"] for name, one in verdicts(run, "by_action").items() if name in liars}
    assert found == dict.fromkeys(liars, "refused")
    assert run.code == 1


def test_what_was_tried_against_whom_is_said_and_did_not_happen(run: Run) -> None:
    said = {one["contender"]: one["text"] for one in run.json["findings"] if one["code"].startswith("E9")}
    assert said["renices"].startswith("it tried to change the priority of ")
    assert {one["priority"] for one in run.json["parity"] if one["contender"] in ("base", "victim")} == {""}
    assert not [one for one in run.json["findings"] if one["code"] in ("E6.priority", "E6.affinity", "E8.stopped")]


@pytest.mark.long
def test_honest_twins_are_left_alone(weigh: Weigh) -> None:
    """Helpers, a server of its own, a priority that is set once for good: nothing of that touches anybody."""
    named = contenders("base=liar?lie=none", "helper=liar?lie=helper", "threads=liar?lie=none&threads=1")
    run = weigh("run", *named, *FLAGS, "--json")
    assert_silent(run)
    assert not {code for code in run.codes if code.startswith("E9")}
