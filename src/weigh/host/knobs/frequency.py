"""Frequency: who decides how fast the clock of a CPU runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host.knobs.knob import Knob, listed
from weigh.host.knobs.virtualization import hypervisor

if TYPE_CHECKING:
    from weigh.host.knobs.read import KnobRead
    from weigh.host.sysfs import Machine

_POLICIES = "/sys/devices/system/cpu/cpufreq/policy*"
_STEADY = ("performance", "userspace")
_RESTLESS = ("schedutil", "powersave", "ondemand", "conservative")
_INTEL = "/sys/devices/system/cpu/intel_pstate/no_turbo"
_BOOST = "/sys/devices/system/cpu/cpufreq/boost"


def _nobody(machine: Machine) -> str:
    """Why there is nothing to see."""
    if name := hypervisor(machine):
        return f"no frequency is shown here ({name}): the host decides"
    return "the kernel has no driver for the frequency: the firmware decides"


class Governor(Knob):
    """What the kernel makes of the frequency: text 000's power plan, on Linux."""

    name = "governor"

    def _places(self) -> list[str]:
        return self.machine.glob(f"{_POLICIES}/scaling_governor")

    def available(self) -> bool:
        """Where the kernel drives the frequency."""
        return bool(self._places())

    def calm(self) -> dict[str, str]:
        """The highest frequency, always."""
        return dict.fromkeys(self._places(), "performance")

    def restless(self) -> dict[str, str]:
        """Whatever else the driver offers that follows the load."""
        found = {}
        for place in self._places():
            offered = (
                self.machine.text(place.replace("scaling_governor", "scaling_available_governors")) or ""
            ).split()
            found[place] = next((name for name in _RESTLESS if name in offered), "powersave")
        return found

    def show(self) -> KnobRead:
        """Anything that follows the load spoils: each execution begins at another frequency."""
        values = {value for place in self._places() if (value := self.value(place))}
        if not values:
            return self.unseen(_nobody(self.machine), "calibration kernels show whether the speed drifts")
        if values <= set(_STEADY):
            return self.fine(listed(values), "the frequency does not follow the load")
        return self.spoils(
            listed(values),
            f"the governor {listed(values)} changes the frequency with the load: executions begin at different speeds",
            "cpupower frequency-set -g performance",
        )


class EnergyPreference(Knob):
    """A hint to CPUs that choose their frequency themselves."""

    name = "energy_preference"

    def _places(self) -> list[str]:
        return self.machine.glob(f"{_POLICIES}/energy_performance_preference")

    def available(self) -> bool:
        """Where CPUs choose their frequency themselves."""
        return bool(self._places())

    def calm(self) -> dict[str, str]:
        """Speed before energy."""
        return dict.fromkeys(self._places(), "performance")

    def restless(self) -> dict[str, str]:
        """What most systems start with."""
        return dict.fromkeys(self._places(), "balance_performance")

    def show(self) -> KnobRead:
        """Everything but performance saves energy between bursts."""
        values = {value for place in self._places() if (value := self.value(place))}
        if values == {"performance"}:
            return self.fine("performance", "the CPUs do not save energy between bursts")
        if values:
            return self.spoils(
                listed(values),
                f"the CPUs save energy between bursts ({listed(values)}) and ramp up again unevenly",
                "cpupower set --epp performance",
            )
        if self.machine.glob(f"{_POLICIES}/scaling_governor"):
            return self.fine(None, "this driver has no such hint")
        return self.unseen(_nobody(self.machine))


class Turbo(Knob):
    """Frequencies that are kept only while the CPU is cool and its other cores rest."""

    name = "turbo"

    def _place(self) -> tuple[str, str, str] | None:
        """The file, its value without turbo, and with it."""
        if self.machine.exists(_INTEL):
            return _INTEL, "1", "0"
        return (_BOOST, "0", "1") if self.machine.exists(_BOOST) else None

    def available(self) -> bool:
        """Where the driver can switch it."""
        return self._place() is not None

    def calm(self) -> dict[str, str]:
        """Off."""
        place = self._place()
        return {place[0]: place[1]} if place else {}

    def restless(self) -> dict[str, str]:
        """On."""
        place = self._place()
        return {place[0]: place[2]} if place else {}

    def show(self) -> KnobRead:
        """On, the first samples run on a cool machine (text 002). A note: what drifts is seen, and blocks share it."""
        place = self._place()
        if place is None or (now := self.value(place[0])) is None:
            return self.unseen(_nobody(self.machine))
        if now == place[1]:
            return self.fine("off", "the frequency does not depend on the temperature")
        return self.spoils(
            "on",
            "turbo is on: the frequency depends on how warm the CPU is and how many of its cores work",
            f"write {place[1]} to {place[0]}",
            "note",
        )
