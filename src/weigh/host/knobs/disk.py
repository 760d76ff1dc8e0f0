"""Disks: who decides in which order requests reach them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host.knobs.knob import Knob, listed

if TYPE_CHECKING:
    from weigh.host.knobs.read import KnobRead

_FILES = "/sys/block/*/queue/scheduler"
_NO_DISKS = ("loop", "ram", "zram", "sr", "fd")
_FAIR = "bfq"
"""Shares a device out among processes by what they did before; a benchmark has one process."""


class IoScheduler(Knob):
    """The scheduler of every disk without moving parts; those with them need one."""

    name = "io_scheduler"

    def _places(self) -> list[str]:
        return [place for place in self.machine.glob(_FILES) if not place.split("/")[3].startswith(_NO_DISKS)]

    def available(self) -> bool:
        """Where there are disks."""
        return bool(self._places())

    def _solid(self) -> list[str]:
        return [place for place in self._places() if self.machine.text(place.replace("scheduler", "rotational")) == "0"]

    def calm(self) -> dict[str, str]:
        """None, for the disks that have a restless one."""
        return {place: "none" for place in self._solid() if self.value(place) == _FAIR}

    def restless(self) -> dict[str, str]:
        """The fair one, where it is offered and is not in force."""
        return dict.fromkeys(self.calm(), _FAIR)

    def show(self) -> KnobRead:
        """Only the fair scheduler makes times depend on what a process did before."""
        places = self._places()
        values = {f"{place.split('/')[3]}: {now}" for place in places if (now := self.value(place))}
        if not values:
            return self.unseen("no disk shows its scheduler")
        fair = [place.split("/")[3] for place in self._solid() if self.value(place) == _FAIR]
        if not fair:
            return self.fine(listed(values), "requests reach the disks about as they are made")
        return self.spoils(
            listed(values),
            f"{', '.join(fair)}: the scheduler bfq favours processes by what they did before; this disk needs none",
            "write none to its queue/scheduler",
            "note",
        )
