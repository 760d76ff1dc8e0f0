"""Knobs: every branch, on machines made of files; and this machine, whatever it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import fake_sysfs as machines
from weigh.host import facts, knobs
from weigh.host.knobs import cores, limits
from weigh.host.knobs.read import KnobState
from weigh.host.sysfs import Machine
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.host.knobs.read import KnobRead

FINE, SPOILS, UNSEEN = KnobState.FINE, KnobState.SPOILS, KnobState.UNSEEN


def read(machine: Machine) -> dict[str, KnobRead]:
    return {one.name: one for one in knobs.read(machine)}


def in_state(machine: Machine, state: KnobState) -> set[str]:
    return {name for name, one in read(machine).items() if one.state is state} - {"root"}


def test_a_quiet_server(tmp_path: Path) -> None:
    found = read(machines.metal(tmp_path))
    assert {name for name, one in found.items() if one.state is not FINE} == {"root"}
    assert [finding.code for one in found.values() for finding in one.findings] == ["E5.root"]


def test_a_laptop_on_its_battery(tmp_path: Path) -> None:
    machine = machines.laptop(tmp_path)
    found = read(machine)
    assert in_state(machine, SPOILS) == {
        "governor", "energy_preference", "turbo", "smt", "huge_pages", "swap", "io_scheduler", "power_supply",
        "thermal", "load",
    }  # fmt: skip
    assert found["governor"].value == "powersave"
    warnings = {name for name, one in found.items() if one.severity == "warning"}
    assert warnings == {"governor", "energy_preference", "power_supply", "thermal", "root"}
    assert {name for name, one in found.items() if one.tunable} == {
        "governor", "energy_preference", "turbo", "huge_pages", "swap", "io_scheduler",
    }  # fmt: skip
    assert all(one.remedy for one in found.values() if one.state is SPOILS)


def test_windows_below(tmp_path: Path) -> None:
    machine = machines.wsl(tmp_path)
    found = read(machine)
    assert (found["power_plan"].state, found["power_plan"].value) == (SPOILS, "Balanced")
    assert found["power_plan"].findings[0].severity == "warning"
    assert found["virtual_machine"].value == "WSL2"
    assert {"governor", "energy_preference", "turbo", "power_supply", "thermal"} < in_state(machine, UNSEEN)
    (tmp_path / "plan").write_text(machines.HIGH.upper())
    assert read(machine)["power_plan"].state is FINE


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda root: (root / "plan").write_text("11111111-2222-3333-4444-555555555555"), "one of its own"),
        (lambda root: (root / "plan").write_text("no plan"), "cannot be read"),
        (lambda root: (root / "mnt/c/Windows/System32/powercfg.exe").chmod(0o644), "cannot be read"),
        (lambda root: (root / "mnt/c/Windows/System32/powercfg.exe").unlink(), "cannot be read"),
    ],
)
def test_windows_that_does_not_say(tmp_path: Path, spoil: Callable[[Path], object], said: str) -> None:
    machine = machines.wsl(tmp_path)
    spoil(tmp_path)
    plan = read(machine)["power_plan"]
    assert (plan.state, plan.severity) == (UNSEEN, "note")
    assert said in plan.text


def test_a_container(tmp_path: Path) -> None:
    found = read(machines.container(tmp_path))
    assert (found["container"].state, found["container"].value) == (UNSEEN, "Docker")
    assert (found["cpu_limit"].state, found["cpu_limit"].value) == (SPOILS, "0.5 CPUs")
    assert "rest of every 100 ms" in found["cpu_limit"].text
    assert (found["memory_limit"].state, found["memory_limit"].value) == (SPOILS, "2.00 GiB")
    assert found["memory_limit"].severity == "note"


def test_limits_of_version_two(tmp_path: Path) -> None:
    group = "sys/fs/cgroup/user.slice"
    machine = machines.metal(tmp_path, **{f"{group}/cpu.max": "150000 50000", f"{group}/memory.max": str(1 << 30)})
    found = read(machine)
    assert found["cpu_limit"].value == "3 CPUs"
    assert found["memory_limit"].value == "1.00 GiB"
    (tmp_path / group / "cpu.max").write_text("400000 100000")
    assert read(machine)["cpu_limit"].state is FINE
    assert limits.folders(machine, "cpu") == ["/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"]


@pytest.mark.parametrize(
    ("file", "text", "name", "state"),
    [
        ("proc/sys/kernel/randomize_va_space", "0", "aslr", SPOILS),
        ("proc/sys/kernel/perf_event_paranoid", "4", "perf_paranoia", UNSEEN),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet", "clock_source", SPOILS),
        ("sys/devices/system/cpu/isolated", "2-3", "kernel_command_line", SPOILS),
        ("sys/devices/system/node/node1/cpulist", "4-7", "numa_balancing", FINE),
        ("sys/module/damon_reclaim/parameters/enabled", "N", "page_reclaim", FINE),
        ("sys/module/damon_reclaim/parameters/enabled", "Y", "page_reclaim", SPOILS),
        ("sys/block/sda/queue/scheduler", "none [bfq]", "io_scheduler", FINE),
        ("sys/block/loop0/queue/scheduler", "none [bfq]", "io_scheduler", FINE),
        ("sys/class/power_supply/BAT0/type", "Battery", "power_supply", FINE),
        ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3", "thermal", SPOILS),
        ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil", "governor", SPOILS),
    ],
)
def test_one_thing_changed(tmp_path: Path, file: str, text: str, name: str, state: KnobState) -> None:
    assert read(machines.metal(tmp_path, **{file: text}))[name].state is state


def test_numa_balancing_with_two_nodes(tmp_path: Path) -> None:
    changed = {"sys/devices/system/node/node1/cpulist": "4-7", "proc/sys/kernel/numa_balancing": "1"}
    assert read(machines.metal(tmp_path, **changed))["numa_balancing"].state is SPOILS


@pytest.mark.parametrize(
    ("state", "action", "found"), [("on", "pageout", SPOILS), ("off", "pageout", FINE), ("on", "stat", FINE)]
)
def test_a_watch_that_puts_pages_out_is_named(tmp_path: Path, state: str, action: str, found: KnobState) -> None:
    watch = "sys/kernel/mm/damon/admin/kdamonds/0"
    changed = {f"{watch}/state": state, f"{watch}/contexts/0/schemes/0/action": action}
    assert read(machines.metal(tmp_path, **changed))["page_reclaim"].state is found


def test_amd_has_another_switch_for_turbo(tmp_path: Path) -> None:
    machine = machines.metal(tmp_path, **{"sys/devices/system/cpu/cpufreq/boost": "1"})
    machine.path("/sys/devices/system/cpu/intel_pstate/no_turbo").unlink()
    assert read(machine)["turbo"].value == "on"
    assert knobs.named(machine, "turbo").calm() == {"/sys/devices/system/cpu/cpufreq/boost": "0"}


def test_a_machine_that_shows_nothing(tmp_path: Path) -> None:
    found = read(Machine(tmp_path))
    assert {one.state for name, one in found.items() if name != "root"} <= {FINE, UNSEEN}
    assert found["governor"].state is UNSEEN


def test_this_machine_answers_everything() -> None:
    found = knobs.read(Machine())
    assert len(found) == len(knobs.KNOBS) == 21
    for one in found:
        assert one.text and one.state in (FINE, SPOILS, UNSEEN)
        assert one.remedy or one.state is not SPOILS
    assert {"governor", "turbo", "cpu_limit"} <= facts.read(found).keys()


@pytest.mark.parametrize("name", ["energy-preference", "energy_preference"])
def test_names(tmp_path: Path, name: str) -> None:
    assert knobs.named(machines.metal(tmp_path), name).name == "energy_preference"


def test_no_such_knob(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no knob 'govenor'") as raised:
        knobs.named(machines.metal(tmp_path), "govenor")
    assert "governor" in raised.value.remedy


def test_lists_of_cpus() -> None:
    assert cores.cpus("0-2,5\n") == {0, 1, 2, 5}
    assert cores.cpus("") == cores.cpus(None) == set()
