"""Tuning is undone: after everything went well, after a kill, twice, and as far as the machine lets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from golden.in_process import weigh
from support import fake_sysfs as machines
from weigh.doctor import tuning
from weigh.host import knobs
from weigh.host.knobs.knob import Knob, Refused
from weigh.host.sysfs import Machine
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from pathlib import Path

GOVERNOR = f"/{machines.POLICY}/scaling_governor"
PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
CALM = {"governor", "energy_preference", "turbo", "huge_pages", "swap", "io_scheduler"}


@pytest.fixture(autouse=True)
def _own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIGH_LOCK", str(tmp_path / "lock"))


@pytest.fixture
def laptop(tmp_path: Path) -> Machine:
    return machines.laptop(tmp_path / "laptop")


def stand(machine: Machine) -> dict[str, str | None]:
    """What stands in every place that can be set."""
    return {place: knob.value(place) for knob in knobs.knobs(machine) for place in {**knob.restless(), **knob.calm()}}


def test_set_and_undone(laptop: Machine) -> None:
    before = stand(laptop)
    assert {one.knob for one in tuning.wanted(laptop)} == CALM
    assert stand(laptop) == before, "looking changes nothing"
    changes = tuning.tune(laptop)
    assert {one.knob for one in changes} == CALM
    assert not any(one.problem for one in changes)
    assert laptop.text(GOVERNOR) == "performance"
    assert tuning.wanted(laptop) == ()
    undone = tuning.restore(laptop)
    assert not any(one.problem for one in undone)
    assert stand(laptop) == before
    assert tuning.snapshot(laptop) is None
    with pytest.raises(UsageError, match="nothing to restore"):
        tuning.restore(laptop)


@pytest.mark.promise("A second `--tune` never replaces the original values of the first.")
def test_a_second_tuning_keeps_the_first_originals(laptop: Machine) -> None:
    before = stand(laptop)
    tuning.tune(laptop)
    laptop.write(GOVERNOR, "schedutil")
    tuning.tune(laptop)
    assert laptop.text(GOVERNOR) == "performance"
    tuning.restore(laptop)
    assert stand(laptop) == before


KILLED = """
import sys, time
from pathlib import Path
from weigh.doctor import tuning
from weigh.host import knobs
from weigh.host.sysfs import Machine
machine = Machine(Path(sys.argv[1]))
write = machine.write
def slow(path, value):
    write(path, value)
    if "transparent_hugepage" in path:
        print("half", flush=True)
        time.sleep(60)
machine.write = slow
tuning.tune(machine)
"""


@pytest.mark.promise("`weigh doctor --restore` puts everything back, also after the tuning was killed half-way.")
def test_killed_half_way(laptop: Machine) -> None:
    before = stand(laptop)
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(laptop.root)], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "half\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert laptop.text(GOVERNOR) == "performance"
    tuning.restore(laptop)
    assert stand(laptop) == before


@pytest.mark.promise("What it cannot restore is named and kept for the next time.")
def test_what_cannot_be_brought_back_is_said_and_kept(laptop: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = stand(laptop)
    tuning.tune(laptop)
    put = Knob.put

    def stuck(self: Knob, place: str, value: str) -> None:
        if place == GOVERNOR:
            raise Refused("Device or resource busy")
        put(self, place, value)

    monkeypatch.setattr(Knob, "put", stuck)
    undone = tuning.restore(laptop)
    assert [(one.place, one.problem) for one in undone if one.problem] == [(GOVERNOR, "Device or resource busy")]
    monkeypatch.undo()
    monkeypatch.setenv("WEIGH_LOCK", str(laptop.root / "lock"))
    left = tuning.snapshot(laptop)
    assert left is not None and left.settings == {"governor": {GOVERNOR: "powersave"}}
    tuning.restore(laptop)
    assert stand(laptop) == before


def test_a_value_that_is_not_taken_is_said(laptop: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Knob, "put", lambda *_: None)
    changes = tuning.tune(laptop)
    assert {one.problem for one in changes if one.place == PAGES} == {"it was set to madvise and says always"}
    assert tuning.snapshot(laptop) is None, "nothing was set, so there is nothing to undo"


@pytest.mark.promise("after it only what outlives a reboot (the power plan of Windows) is restored.")
def test_after_a_restart_only_what_lasts_is_undone(tmp_path: Path) -> None:
    machine = machines.wsl(tmp_path / "guest")
    machine.path(PAGES).write_text("[always] madvise never\n")
    tuning.tune(machine)
    assert machine.text("/plan") == machines.HIGH
    machine.path("/proc/sys/kernel/random/boot_id").write_text("second\n")
    machine.path(PAGES).write_text("always madvise [never]\n")
    assert [one.place for one in tuning.restore(machine)] == ["active power scheme of Windows"]
    assert machine.text("/plan") == machines.BALANCED
    assert machine.text(PAGES) == "always madvise [never]"


def test_a_trial_is_undone_when_it_is_interrupted(laptop: Machine) -> None:
    before = stand(laptop)
    knob = knobs.named(laptop, "governor")
    with pytest.raises(KeyboardInterrupt), tuning.tried(laptop, knob):
        knob.restore(knob.calm())
        assert laptop.text(GOVERNOR) == "performance"
        raise KeyboardInterrupt
    assert stand(laptop) == before
    assert tuning.snapshot(laptop) is None


def test_a_trial_leaves_a_tuned_machine_tuned(laptop: Machine) -> None:
    before = stand(laptop)
    tuning.tune(laptop)
    knob = knobs.named(laptop, "governor")
    with tuning.tried(laptop, knob):
        knob.restore(knob.restless())
    assert laptop.text(GOVERNOR) == "performance"
    tuning.restore(laptop)
    assert stand(laptop) == before


def test_a_snapshot_that_cannot_be_read(laptop: Machine) -> None:
    tuning.path(laptop).write_text("half a")
    for look in (tuning.snapshot, tuning.tune, tuning.restore):
        with pytest.raises(EnvironmentFault, match="cannot be read"):
            look(laptop)
    assert laptop.text(GOVERNOR) == "powersave"


def test_without_a_snapshot_nothing_is_set(laptop: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "path", lambda machine: machine.path("/proc/cpuinfo/doctor.json"))
    monkeypatch.setattr(tuning, "snapshot", lambda _: None)
    before = stand(laptop)
    with pytest.raises(EnvironmentFault, match="so nothing is set"):
        tuning.tune(laptop)
    assert stand(laptop) == before


def test_the_order_of_undoing(laptop: Machine) -> None:
    """Under the governor performance some drivers take no other preference."""
    names = [knob.name for knob in knobs.knobs(laptop)]
    assert names.index("governor") < names.index("energy_preference")


@pytest.mark.promise("one that did not hold is named, and the command exits with 2.")
@pytest.mark.parametrize("problem", ["Permission denied", ""])
def test_who_may_not_set_it_is_told_and_exits_with_2(
    laptop: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    """Refused by the kernel, or taken and not kept."""

    def put(self: Knob, place: str, value: str) -> None:
        if problem:
            raise Refused(problem)

    before = stand(laptop)
    monkeypatch.setattr(Machine, "here", classmethod(lambda _: laptop))
    monkeypatch.setattr(Knob, "put", put)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    run = weigh(("doctor", "--tune", "--yes", "--json"), tmp_path)
    assert run.code == 2
    problems = {one["knob"]: one["problem"] for one in json.loads(run.out)["set"]}
    assert problems.keys() == CALM
    assert all(said == problem if problem else "it was set to" in said for said in problems.values())
    assert stand(laptop) == before
