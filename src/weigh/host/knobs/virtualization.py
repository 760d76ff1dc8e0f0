"""What lies between this system and the machine: containers, virtual machines, WSL2; and what each hides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.host.knobs.knob import Knob, Refused

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.host.knobs.read import KnobRead
    from weigh.host.sysfs import Machine

_POWERCFG = "/mnt/*/Windows/System32/powercfg.exe"
_SCHEME = "active power scheme of Windows"
_STEADY_PLANS = {
    "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "High performance",
    "e9a42b02-d5df-448d-aa00-03f14749eb61": "Ultimate Performance",
}
_OTHER_PLANS = {
    "381b4222-f694-41f0-9685-ff5bb260df2e": "Balanced",
    "a1841308-3541-4fab-bc81-f71556f20b4a": "Power saver",
}
"""The plans that Windows brings along (Microsoft, "Powercfg command-line options"); names are translated, GUIDs not."""
_GUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_WHOSE = {
    "xen": "Xen", "kvm": "KVM", "qemu": "KVM", "vmware": "VMware", "innotek": "VirtualBox", "amazon ec2": "Amazon EC2",
    "google": "Google Compute Engine", "microsoft corporation": "Hyper-V",
}  # fmt: skip


def wsl(machine: Machine) -> bool:
    """Whether this is the Windows Subsystem for Linux, version 2 (version 1 has no kernel of its own)."""
    return "microsoft" in (machine.text("/proc/sys/kernel/osrelease") or machine.text("/proc/version") or "").lower()


def hypervisor(machine: Machine) -> str | None:
    """Who runs this machine as a guest; None on metal, as far as can be observed."""
    if wsl(machine):
        return "WSL2"
    cpu = machine.text("/proc/cpuinfo") or ""
    words = " ".join(
        machine.text(path) or ""
        for path in ("/sys/hypervisor/type", "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name")
    ).lower()
    named = next((name for word, name in _WHOSE.items() if word in words), None)
    if "\nflags" in f"\n{cpu}":
        return (named or "virtual machine") if " hypervisor" in cpu else None
    # Only x86 has that flag: elsewhere the firmware tells, and bare metal of a cloud has its maker's name too.
    return None if ".metal" in words else named


class VirtualMachine(Knob):
    """A hypervisor below this system."""

    name = "virtual_machine"

    def available(self) -> bool:
        """Always: the CPU says whether there is one."""
        return self.machine.text("/proc/cpuinfo") is not None

    def show(self) -> KnobRead:
        """A guest cannot see what it shares. A note: the calibration and the sampler look for what comes of it."""
        if not self.available():
            return self.unseen("/proc/cpuinfo cannot be read")
        name = hypervisor(self.machine)
        if name is None:
            return self.fine("none", "no hypervisor below this system")
        hidden = "the host's power plan and clock frequency, its other guests, and what its cache holds of the disks"
        if name == "WSL2":
            hidden = "the clock frequency, what runs on Windows, and what Windows caches of the disk"
        elif not self._steal():
            hidden += "; no stolen time has been reported since boot, which may mean that none is"
        return self.unseen(
            f"a guest ({name}) does not see {hidden}",
            "measure on metal what must not depend on a host; weigh's calibration shows drift all the same",
            "note",
            value=name,
        )

    def _steal(self) -> bool:
        """Whether the host ever reported stolen time."""
        first = (self.machine.text("/proc/stat") or "").partition("\n")[0].split()
        return len(first) > 8 and first[8] != "0"


class Container(Knob):
    """Namespaces around this system."""

    name = "container"

    def available(self) -> bool:
        """Always."""
        return True

    def show(self) -> KnobRead:
        """A container does not see the processes alongside it."""
        kind = self._kind()
        if kind is None:
            return self.fine("none", "no container around this system")
        return self.unseen(
            f"a container ({kind}) does not see the processes outside it, and may lie on a layered file system",
            "run weigh outside, or keep the machine free of other work; put data on a volume",
            "note",
            value=kind,
        )

    def _kind(self) -> str | None:
        for path, kind in (("/.dockerenv", "Docker"), ("/run/.containerenv", "Podman")):
            if self.machine.exists(path):
                return kind
        first = self.machine.text("/proc/1/environ") or ""
        if named := re.search(r"(?:^|\0)container=([\w-]+)", first):
            return named[1]
        groups = f"{self.machine.text('/proc/1/cgroup') or ''} {self.machine.text('/proc/self/cgroup') or ''}"
        found = re.search(r"(docker|kubepods|lxc|libpod|containerd)", groups)
        return found[1] if found else None


class PowerPlan(Knob):
    """The power plan of Windows under WSL2, which decides the frequency (text 000: CV 5.8 % to 0.8 %)."""

    name = "power_plan"
    lasting = True

    def available(self) -> bool:
        """Where Windows is below, and its programs can be run from here."""
        return wsl(self.machine) and self._program() is not None

    def _program(self) -> Path | None:
        return self.machine.program(_POWERCFG)

    def calm(self) -> dict[str, str]:
        """High performance; Ultimate Performance is not on every Windows."""
        return {_SCHEME: next(iter(_STEADY_PLANS))} if self.available() else {}

    def restless(self) -> dict[str, str]:
        """Balanced, what Windows starts with."""
        return {_SCHEME: next(iter(_OTHER_PLANS))} if self.available() else {}

    def value(self, place: str) -> str | None:
        """The GUID of the plan in force."""
        program = self._program()
        if program is None:
            return None
        code, output = self.machine.ask(program, "/getactivescheme")
        found = _GUID.search(output)
        return found[0].lower() if code == 0 and found else None

    def put(self, place: str, value: str) -> None:
        """Make a plan the active one."""
        program = self._program()
        if program is None:
            raise Refused("powercfg.exe is not reached")
        code, output = self.machine.ask(program, "/setactive", value)
        if code != 0:
            raise Refused(" ".join(output.split()) or f"powercfg.exe ended with {code}")

    def show(self) -> KnobRead:
        """Only the plans that hold the frequency up are fine."""
        if not wsl(self.machine):
            return self.fine(None, "no Windows below this system, as far as can be observed")
        guid = self.value(_SCHEME)
        by_hand = "on Windows: powercfg /setactive SCHEME_MIN"
        if guid is None:
            return self.unseen(
                "the power plan of Windows cannot be read: powercfg.exe cannot be run from here",
                f"allow interop in /etc/wsl.conf, or {by_hand}",
                "note",
            )
        if guid in _STEADY_PLANS:
            return self.fine(_STEADY_PLANS[guid], "the plan holds the frequency up")
        if guid in _OTHER_PLANS:
            name = _OTHER_PLANS[guid]
            return self.spoils(
                name, f"the power plan of Windows is {name}: the frequency follows the load, unevenly", by_hand
            )
        return self.unseen(
            f"the power plan of Windows is one of its own ({guid}): what it does with the frequency is not known",
            by_hand,
            "note",
            value=guid,
        )
