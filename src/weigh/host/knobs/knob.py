"""A knob: one setting or state of the machine that moves times."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from weigh.host.knobs.read import KnobRead, KnobState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.host.sysfs import Machine
    from weigh.model.finding import Severity


class Refused(Exception):
    """A place does not take a value; the message says why."""


class Knob(ABC):
    """One setting or state of the machine.

    A knob that can be set has **places** (files of the kernel), each with a calm value. What undoes it are the values
    that stood there.

    Args:
        machine: whose it is.
    """

    name: ClassVar[str]
    tunable: ClassVar[bool] = True
    """Whether ``--tune`` may set it, where it spoils and has places."""
    lasting: ClassVar[bool] = False
    """Whether what is set outlives a restart of this system."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    @abstractmethod
    def available(self) -> bool:
        """Whether this machine has it and shows it."""

    @abstractmethod
    def show(self) -> KnobRead:
        """How it stands, and what is to be thought of that."""

    def calm(self) -> dict[str, str]:
        """The value of every place under which measurements are steadiest; none where it cannot be set."""
        return {}

    def restless(self) -> dict[str, str]:
        """The value of every place under which they are not, as far as it is known."""
        return {}

    def value(self, place: str) -> str | None:
        """What stands in a place."""
        text = self.machine.text(place)
        return None if text is None else chosen(text)

    def put(self, place: str, value: str) -> None:
        """Set a place.

        Raises:
            Refused: it does not take it.
        """
        try:
            self.machine.write(place, value)
        except OSError as error:
            raise Refused(error.strerror or str(error)) from error

    def tune(self) -> dict[str, str]:
        """Set every place to its calm value, and read it back. What could not be set comes back with why."""
        return self.restore(self.calm())

    def restore(self, values: Mapping[str, str]) -> dict[str, str]:
        """Set places to given values, and read them back.

        Returns:
            Why a place could not be set, by place; empty when all hold.
        """
        problems = {}
        for place, value in values.items():
            if self.value(place) == value:
                continue
            try:
                self.put(place, value)
            except Refused as refused:
                problems[place] = str(refused)
                continue
            if (now := self.value(place)) != value:
                problems[place] = f"it was set to {value} and says {now}"
        return problems

    def fine(self, value: str | None, text: str) -> KnobRead:
        """It does no harm."""
        return KnobRead(name=self.name, state=KnobState.FINE, value=value, text=text)

    def spoils(self, value: str, text: str, remedy: str, severity: Severity | None = "warning") -> KnobRead:
        """It moves times."""
        tunable = self.tunable and bool(self.calm())
        return KnobRead(
            name=self.name,
            state=KnobState.SPOILS,
            value=value,
            text=text,
            remedy=f"{TUNE}, or {remedy}" if tunable else remedy,
            severity=severity,
            tunable=tunable,
        )

    def unseen(
        self, text: str, remedy: str = "", severity: Severity | None = None, value: str | None = None
    ) -> KnobRead:
        """It cannot be determined."""
        return KnobRead(
            name=self.name, state=KnobState.UNSEEN, value=value, text=text, remedy=remedy, severity=severity
        )


TUNE = "weigh doctor --tune"


def chosen(text: str) -> str:
    """The word in brackets of ``always [madvise] never``, or the text itself."""
    return text.partition("[")[2].partition("]")[0] or text


def listed(values: set[str]) -> str:
    """Values of many CPUs or devices in one."""
    return ", ".join(sorted(values))
