"""The kernel: layout of addresses, counters, and the clock."""

from __future__ import annotations

import statistics
import time
from itertools import pairwise
from typing import TYPE_CHECKING

from weigh.host.knobs.knob import Knob
from weigh.model import units

if TYPE_CHECKING:
    from weigh.host.knobs.read import KnobRead

_ASLR = "/proc/sys/kernel/randomize_va_space"
_PARANOIA = "/proc/sys/kernel/perf_event_paranoid"
_CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
_SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit")
"""Read through the bus, or no finer than a tick of the scheduler."""
_COARSE = 1e-6
"""Seconds; a clock that is no finer, or takes longer to read, is part of what it measures."""


class Aslr(Knob):
    """Where the memory of a process lies.

    Random is calm here: each fresh start draws another layout, and the interval over starts speaks for all of them.
    Fixed, it speaks for one (lie T10).
    """

    name = "aslr"

    def available(self) -> bool:
        """Where the kernel says."""
        return self.machine.exists(_ASLR)

    def calm(self) -> dict[str, str]:
        """Everything random."""
        return {_ASLR: "2"} if self.available() else {}

    def restless(self) -> dict[str, str]:
        """Always the same layout."""
        return {_ASLR: "0"} if self.available() else {}

    def show(self) -> KnobRead:
        """Fixed layouts make intervals narrow that do not hold for the next layout."""
        now = self.value(_ASLR) if self.available() else None
        if now is None:
            return self.unseen("the kernel does not say whether addresses are random")
        if now == "2":
            return self.fine(now, "every fresh start draws its own layout of memory, so intervals cover it")
        return self.spoils(
            now,
            f"addresses are not fully random (randomize_va_space = {now}): all starts share one layout of memory, and "
            "intervals do not cover others",
            "sysctl kernel.randomize_va_space=2",
        )


class PerfParanoia(Knob):
    """Who may read the counters of the CPU. It moves no times; a profiler alongside the run needs it."""

    name = "perf_paranoia"
    tunable = False

    def available(self) -> bool:
        """Where the kernel says."""
        return self.machine.exists(_PARANOIA)

    def show(self) -> KnobRead:
        """Above 2 counters are closed to everybody but root (Debian's and Android's kernels)."""
        now = self.machine.number(_PARANOIA)
        if now is None:
            return self.unseen("the kernel does not say who may read its counters")
        if now > 2:
            return self.unseen(
                "the counters of the CPU are closed to users: a profiler cannot say why something is slow",
                "sysctl kernel.perf_event_paranoid=2",
                value=str(now),
            )
        return self.fine(str(now), "it moves no times; users can count their own processes")


class ClockSource(Knob):
    """What the kernel reads the time from. Not set: a kernel that left the TSC had a reason."""

    name = "clock_source"
    tunable = False

    def available(self) -> bool:
        """Always: the clock can be tried."""
        return True

    def show(self) -> KnobRead:
        """Slow or coarse clocks are part of every short time."""
        step, cost = resolution()
        amount = f"steps of {units.seconds(step)}, {units.seconds(cost)} a reading"
        source = self.machine.text(_CLOCK)
        remedy = "see why the kernel left its TSC (dmesg | grep -i clocksource); time more work at once"
        if source in _SLOW_CLOCKS:
            return self.spoils(source, f"the clock source {source} is slow to read, or coarse", remedy)
        if max(step, cost) > _COARSE:
            return self.spoils(source or "unnamed", f"the clock is coarse or slow to read: {amount}", remedy)
        if source is None:
            return self.unseen(f"the kernel does not name its clock source; the clock itself is fine: {amount}")
        return self.fine(source, f"fine enough for a microsecond: {amount}")


def resolution() -> tuple[float, float]:
    """Smallest step of the clock that times are taken with, and what a reading costs, in seconds."""
    readings = [time.perf_counter_ns() for _ in range(2_000)]
    steps = [later - earlier for earlier, later in pairwise(readings)]
    moved = [step for step in steps if step > 0]
    step = time.get_clock_info("perf_counter").resolution
    # A difference of two readings holds what a reading costs; where the clock stood still between some, it is a step.
    if len(moved) < len(steps) / 2:
        step = max(step, min(moved, default=0) * 1e-9)
    return step, statistics.median(steps) * 1e-9
