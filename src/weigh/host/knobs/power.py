"""Power and heat, and who else works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host.knobs.cores import allowed
from weigh.host.knobs.knob import Knob
from weigh.host.knobs.virtualization import hypervisor
from weigh.model import units

if TYPE_CHECKING:
    from weigh.host.knobs.read import KnobRead

_SUPPLIES = "/sys/class/power_supply/*"
_ZONES = "/sys/class/thermal/thermal_zone[0-9]*"
_THROTTLED = "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count"
_SLOWING = ("passive", "hot", "critical")
"""Kinds of trip points from which on the machine slows itself down."""
_NEAR = 5_000
"""Thousandths of a degree below such a point that leave no room for a measurement."""
_LOADED = 0.25
"""Runnable threads of a CPU, over the last minute."""


class PowerSupply(Knob):
    """The mains, or a battery."""

    name = "power_supply"
    tunable = False

    def available(self) -> bool:
        """Where a supply is shown."""
        return bool(self.machine.glob(_SUPPLIES))

    def show(self) -> KnobRead:
        """On a battery firmware and kernel save power in ways of their own."""
        supplies = {path: self.machine.text(f"{path}/type") for path in self.machine.glob(_SUPPLIES)}
        batteries = [
            path
            for path, kind in supplies.items()
            # A mouse has a battery too.
            if kind == "Battery" and self.machine.text(f"{path}/scope") != "Device"
        ]
        if any(self.machine.text(f"{path}/status") == "Discharging" for path in batteries):
            text = "the machine runs on its battery: firmware and kernel save power"
            return self.spoils("battery", text, "plug it in")
        if batteries:
            return self.fine("mains", "the battery is not used")
        if name := hypervisor(self.machine):
            return self.unseen(f"no supply is shown here ({name})")
        return self.fine("mains", "no battery")


class Thermal(Knob):
    """Temperature, and whether the CPUs were slowed down because of it."""

    name = "thermal"
    tunable = False

    def available(self) -> bool:
        """Where a zone or a counter can be read."""
        return bool(self._zones() or self.machine.glob(_THROTTLED))

    def _zones(self) -> list[tuple[int, int | None]]:
        """(temperature, lowest point at which the machine slows down) of every zone, in thousandths of a degree."""
        found = []
        for zone in self.machine.glob(_ZONES):
            now = self.machine.number(f"{zone}/temp")
            points = [
                self.machine.number(kind.replace("_type", "_temp"))
                for kind in self.machine.glob(f"{zone}/trip_point_*_type")
                if self.machine.text(kind) in _SLOWING
            ]
            if now is not None:
                found.append((now, min((point for point in points if point), default=None)))
        return found

    def show(self) -> KnobRead:
        """Close to where the machine slows itself down, or slowed down since boot."""
        if not self.available():
            name = hypervisor(self.machine)
            return self.unseen(f"no temperature is shown here{f' ({name})' if name else ''}")
        zones = self._zones()
        throttled = sum(self.machine.number(path) or 0 for path in self.machine.glob(_THROTTLED))
        value = f"{max(now for now, _ in zones) / 1000:.0f} degrees" if zones else "no temperature"
        if any(point is not None and now >= point - _NEAR for now, point in zones):
            text = "the machine is so warm that it slows itself down, or is about to"
            return self.spoils(value, text, "let it cool, clean its fans, and switch turbo off")
        if throttled:
            text = "the CPUs were slowed down for heat since the machine was started"
            return self.spoils(value, text, "let it cool, and see whether the calibration drifts", "note")
        return self.fine(value, "cool enough, and never slowed down since it was started")


class Load(Knob):
    """Others. No finding of a run: what was there before the first block is measured then (E4.before)."""

    name = "load"
    tunable = False

    def available(self) -> bool:
        """Where the kernel says."""
        return self.machine.text("/proc/loadavg") is not None

    def show(self) -> KnobRead:
        """Runnable threads in the last minute."""
        first = (self.machine.text("/proc/loadavg") or "").split()[:1]
        if not first:
            return self.unseen("/proc/loadavg cannot be read")
        cpus = len(allowed(self.machine)) or 1
        value = f"{first[0]} on {units.count(cpus, 'CPU')}"
        if float(first[0]) / cpus <= _LOADED:
            return self.fine(value, "nobody else has worked in the last minute")
        return self.spoils(value, "others have worked in the last minute", "stop them, or wait", None)
