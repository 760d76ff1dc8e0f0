"""Facts of the host. What cannot be read is None, never a guess."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.host import cgroup
from weigh.host.sysfs import Machine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.host.knobs.read import KnobRead

OF_KNOBS = ("governor", "turbo", "huge_pages", "clock_source", "cpu_limit", "memory_limit")
"""Knobs whose values are facts too: sessions are compared by them."""


def read(knobs: Iterable[KnobRead]) -> dict[str, Any]:
    """Facts that belong to every report: processor, memory, kernel, limits, controls in force.

    Args:
        knobs: as they were read; nothing is read twice.
    """
    values = {knob.name: knob.value for knob in knobs}
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "cores_allowed": len(allowed_cpus()),
        "memory_bytes": memory_bytes(),
        "memory_allowed_bytes": allowed_bytes(),
        "kernel": platform.release(),
        "system": _system(),
        "virtual": virtual(),
        **{name: values.get(name) for name in OF_KNOBS},
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


def allowed_cpus() -> tuple[int, ...]:
    """CPUs that the kernel lets this process run on."""
    return tuple(sorted(os.sched_getaffinity(0)))


def memory_bytes() -> int | None:
    """Memory of the machine in bytes."""
    with suppress(OSError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def allowed_bytes() -> int | None:
    """Memory that this process may use, page cache included: the machine's, or less where a control group limits it."""
    known = [size for size in (memory_bytes(), cgroup.allowed_memory(Machine())) if size is not None]
    return min(known, default=None)


def _system() -> str:
    with suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return platform.system()


def virtual() -> bool | None:
    """Whether this is a virtual machine; None where the processor does not tell: only x86 has a flag for it."""
    text = _text("/proc/cpuinfo")
    return None if text is None or "\nflags" not in f"\n{text}" else " hypervisor" in text
