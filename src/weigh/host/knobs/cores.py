"""Cores: threads that share one, and CPUs that the scheduler leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host.knobs.knob import Knob

if TYPE_CHECKING:
    from weigh.host.knobs.read import KnobRead
    from weigh.host.sysfs import Machine

_SMT = "/sys/devices/system/cpu/smt"
_ISOLATED = "/sys/devices/system/cpu/isolated"
_WORDS = ("mitigations", "isolcpus", "nohz_full", "intel_pstate", "amd_pstate", "idle", "processor.max_cstate")
"""Words of the kernel's command line that move times."""


def cpus(text: str | None) -> set[int]:
    """The CPUs of a list like ``0-3,8``."""
    found: set[int] = set()
    for part in (text or "").split(","):
        first, _, last = part.strip().partition("-")
        if first.isdigit():
            found.update(range(int(first), int(last or first) + 1))
    return found


def allowed(machine: Machine) -> set[int]:
    """The CPUs that this process may run on."""
    for line in (machine.text("/proc/self/status") or "").splitlines():
        if line.startswith("Cpus_allowed_list:"):
            return cpus(line.partition(":")[2])
    return set()


class Smt(Knob):
    """Two threads on one core. Not set by ``--tune``: engines would be given half as many CPUs."""

    name = "smt"
    tunable = False

    def available(self) -> bool:
        """Where the kernel can switch it."""
        return self.machine.text(f"{_SMT}/control") in ("on", "off")

    def calm(self) -> dict[str, str]:
        """One thread a core."""
        return {f"{_SMT}/control": "off"} if self.available() else {}

    def restless(self) -> dict[str, str]:
        """All threads."""
        return {f"{_SMT}/control": "on"} if self.available() else {}

    def show(self) -> KnobRead:
        """Which threads share a core changes from start to start."""
        active = self.machine.text(f"{_SMT}/active")
        if active is None:
            return self.unseen("the kernel does not say whether threads share cores")
        if active == "0":
            return self.fine("off", "every CPU is a core, as far as this system is told")
        return self.spoils(
            "on",
            "two CPUs share each core: how fast a thread runs depends on which CPU its neighbour was given",
            "pin contenders with --affinity to one CPU of each core, or switch SMT off in the firmware",
            "note",
        )


class CommandLine(Knob):
    """What the kernel was started with."""

    name = "kernel_command_line"

    def available(self) -> bool:
        """Where it can be read."""
        return self.machine.text("/proc/cmdline") is not None

    def show(self) -> KnobRead:
        """Isolated CPUs among those allowed are a trap: the kernel does not spread threads over them."""
        text = self.machine.text("/proc/cmdline")
        if text is None:
            return self.unseen("/proc/cmdline cannot be read")
        words = [word for word in text.split() if word.partition("=")[0] in _WORDS]
        value = " ".join(words) or "nothing that moves times"
        here, isolated = allowed(self.machine), cpus(self.machine.text(_ISOLATED))
        if len(here) > 1 and here & isolated:
            return self.spoils(
                value,
                f"{len(here & isolated)} of the {len(here)} CPUs allowed are isolated (isolcpus): the kernel leaves "
                "all threads of a process on the first of them that it was given",
                "start the kernel without isolcpus, or allow one CPU only",
            )
        off = "mitigations=off" in words or "off" in self._mitigations(words)
        weak = "; without mitigations, as most machines are not run" if off else ""
        return self.fine(value, f"nothing in it makes times uneven{weak}")

    @staticmethod
    def _mitigations(words: list[str]) -> list[str]:
        return [part for word in words if word.startswith("mitigations=") for part in word[12:].split(",")]
