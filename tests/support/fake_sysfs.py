"""Machines made of files, for tests of the knobs that are read and set on them."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from weigh.host.sysfs import Machine

if TYPE_CHECKING:
    from pathlib import Path

POLICY = "sys/devices/system/cpu/cpufreq/policy0"
HIGH = "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c"
BALANCED = "381b4222-f694-41f0-9685-ff5bb260df2e"
_EVERYWHERE = {
    "proc/cpuinfo": "flags\t: fpu tsc",
    "proc/stat": "cpu  100 0 50 900 5 0 1 0 0 0",
    "proc/loadavg": "0.08 0.03 0.01 1/100 4711",
    "proc/cmdline": "root=/dev/sda1 quiet",
    "proc/swaps": "Filename\tType\tSize\tUsed\tPriority",
    "proc/meminfo": "MemTotal:       16777216 kB",
    "proc/self/status": "Cpus_allowed_list:\t0-3",
    "proc/self/cgroup": "0::/user.slice",
    "proc/self/mountinfo": "30 25 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
    "proc/sys/kernel/osrelease": "6.1.0-13-amd64",
    "proc/sys/kernel/random/boot_id": "first",
    "proc/sys/kernel/randomize_va_space": "2",
    "proc/sys/kernel/numa_balancing": "0",
    "proc/sys/kernel/perf_event_paranoid": "2",
    "proc/sys/vm/swappiness": "60",
    "sys/fs/cgroup/cgroup.controllers": "cpu memory",
    "sys/fs/cgroup/user.slice/cpu.max": "max 100000",
    "sys/fs/cgroup/user.slice/memory.max": "max",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    "sys/devices/system/cpu/smt/control": "off",
    "sys/devices/system/cpu/smt/active": "0",
    "sys/devices/system/cpu/isolated": "",
    "sys/devices/system/node/node0/cpulist": "0-3",
    "sys/block/nvme0n1/queue/scheduler": "[none] mq-deadline",
    "sys/block/nvme0n1/queue/rotational": "0",
}
_FREQUENCY = {
    f"{POLICY}/scaling_governor": "performance",
    f"{POLICY}/scaling_available_governors": "performance powersave",
    f"{POLICY}/energy_performance_preference": "performance",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "1",
    "sys/class/thermal/thermal_zone0/temp": "41000",
    "sys/class/thermal/thermal_zone0/trip_point_0_type": "passive",
    "sys/class/thermal/thermal_zone0/trip_point_0_temp": "95000",
    "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "0",
}
_POWERCFG = """#!/bin/sh
plan={plan}
case "$1" in
/getactivescheme) printf 'GUID des Energieschemas: %s  (Ausbalanciert)\\r\\n' "$(cat $plan)" ;;
/setactive) printf '%s' "$2" > $plan ;;
esac
"""


def metal(root: Path, **files: str) -> Machine:
    """A server on which nothing spoils."""
    return made(root, {**_EVERYWHERE, **_FREQUENCY, **files})


def laptop(root: Path) -> Machine:
    """A laptop as it is bought, on its battery."""
    changed = {
        f"{POLICY}/scaling_governor": "powersave",
        f"{POLICY}/energy_performance_preference": "balance_performance",
        "sys/devices/system/cpu/intel_pstate/no_turbo": "0",
        "sys/devices/system/cpu/smt/control": "on",
        "sys/devices/system/cpu/smt/active": "1",
        "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
        "proc/swaps": "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2",
        "sys/block/nvme0n1/queue/scheduler": "none mq-deadline [bfq]",
        "sys/class/power_supply/BAT0/type": "Battery",
        "sys/class/power_supply/BAT0/status": "Discharging",
        "sys/class/power_supply/AC/type": "Mains",
        "sys/class/power_supply/AC/online": "0",
        "sys/class/power_supply/hidpp_battery_0/type": "Battery",
        "sys/class/power_supply/hidpp_battery_0/scope": "Device",
        "sys/class/power_supply/hidpp_battery_0/status": "Discharging",
        "sys/class/thermal/thermal_zone0/temp": "96000",
        "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "12",
        "proc/loadavg": "3.10 2.00 1.00 4/100 4711",
    }
    return made(root, {**_EVERYWHERE, **_FREQUENCY, **changed})


def wsl(root: Path, plan: str = BALANCED) -> Machine:
    """A guest of Windows that reaches its programs."""
    machine = made(
        root,
        {
            **_EVERYWHERE,
            "proc/cpuinfo": "flags\t: fpu tsc hypervisor",
            "proc/sys/kernel/osrelease": "6.6.87.2-microsoft-standard-WSL2",
            "plan": plan,
        },
    )
    program = root / "mnt/c/Windows/System32/powercfg.exe"
    program.parent.mkdir(parents=True)
    program.write_text(_POWERCFG.format(plan=root / "plan"))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return machine


def container(root: Path) -> Machine:
    """A container with half a CPU and 2 GiB, in version 1 of control groups, with the host's names in /proc."""
    group = "docker/4f2a"
    return made(
        root,
        {
            **_EVERYWHERE,
            ".dockerenv": "",
            "proc/cpuinfo": "flags\t: fpu tsc hypervisor",
            "proc/self/cgroup": f"4:memory:/{group}\n3:cpu,cpuacct:/{group}\n0::/{group}",
            "proc/self/mountinfo": "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": str(2 << 30),
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "50000",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
        },
    )


def made(root: Path, files: dict[str, str]) -> Machine:
    """A machine of these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return Machine(root)
