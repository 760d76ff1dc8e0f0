"""Facts of the host. What cannot be read is None, never a guess."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any


def read() -> dict[str, Any]:
    """Facts that belong to every report: processor, memory, kernel, limits, controls in force."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "cores_allowed": len(os.sched_getaffinity(0)),
        "memory_bytes": memory_bytes(),
        "kernel": platform.release(),
        "system": _system(),
        "virtual": _virtual(),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "turbo_off": _text("/sys/devices/system/cpu/intel_pstate/no_turbo"),
        "huge_pages": _text("/sys/kernel/mm/transparent_hugepage/enabled"),
        "clock_source": _text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "cpu_limit": _text("/sys/fs/cgroup/cpu.max"),
        "memory_limit": _text("/sys/fs/cgroup/memory.max"),
        "python": platform.python_version(),
    }


def _text(path: str) -> str | None:
    with suppress(OSError):
        return Path(path).read_text().strip()
    return None


def _cpu_model() -> str | None:
    text = _text("/proc/cpuinfo") or ""
    for line in text.splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or None


def memory_bytes() -> int | None:
    """Memory of the machine in bytes."""
    with suppress(OSError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def _system() -> str:
    with suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return platform.system()


def _virtual() -> bool | None:
    text = _text("/proc/cpuinfo")
    return None if text is None else " hypervisor" in text
