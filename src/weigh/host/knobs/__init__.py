"""Knobs: every setting and state of the machine that moves times, one class each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host.knobs.cores import CommandLine, Smt
from weigh.host.knobs.disk import IoScheduler
from weigh.host.knobs.frequency import EnergyPreference, Governor, Turbo
from weigh.host.knobs.kernel import Aslr, ClockSource, PerfParanoia
from weigh.host.knobs.limits import CpuLimit, MemoryLimit
from weigh.host.knobs.memory import HugePages, NumaBalancing, PageReclaim, Swap
from weigh.host.knobs.power import Load, PowerSupply, Thermal
from weigh.host.knobs.read import KnobRead, KnobState
from weigh.host.knobs.virtualization import Container, PowerPlan, VirtualMachine
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from weigh.host.knobs.knob import Knob
    from weigh.host.sysfs import Machine

# The governor before the energy preference: some drivers take no preference under the governor `performance`.
KNOBS: tuple[type[Knob], ...] = (
    PowerPlan,
    Governor,
    EnergyPreference,
    Turbo,
    Smt,
    HugePages,
    NumaBalancing,
    PageReclaim,
    Swap,
    Aslr,
    IoScheduler,
    CommandLine,
    ClockSource,
    PerfParanoia,
    CpuLimit,
    MemoryLimit,
    PowerSupply,
    Thermal,
    Load,
    Container,
    VirtualMachine,
)


def knobs(machine: Machine) -> tuple[Knob, ...]:
    """All knobs of a machine, in the order in which they are set and undone."""
    return tuple(kind(machine) for kind in KNOBS)


def named(machine: Machine, name: str) -> Knob:
    """The knob of that name; hyphens are as good as underscores.

    Raises:
        UsageError: there is none.
    """
    found = {knob.name: knob for knob in knobs(machine)}
    if (knob := found.get(name.replace("-", "_"))) is None:
        raise UsageError(f"there is no knob '{name}'", remedy=nearest(name, found))
    return knob


def read(machine: Machine) -> tuple[KnobRead, ...]:
    """How all of them stand. Nothing is changed."""
    found = tuple(knob.show() for knob in knobs(machine))
    return found if machine.real else (*found, _elsewhere(machine))


def _elsewhere(machine: Machine) -> KnobRead:
    """A made-up root must not pass for the machine."""
    return KnobRead(
        name="root",
        state=KnobState.UNSEEN,
        value=str(machine.root),
        text=f"the knobs were read under {machine.root} (WEIGH_ROOT): those of this machine are not known",
        remedy="run without WEIGH_ROOT, which is for tests",
        severity="warning",
    )
