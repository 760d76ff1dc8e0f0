"""Memory: the size of pages, where they lie, and whether they stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host.knobs.knob import Knob

if TYPE_CHECKING:
    from weigh.host.knobs.read import KnobRead

_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
_NUMA = "/proc/sys/kernel/numa_balancing"
_SWAPPINESS = "/proc/sys/vm/swappiness"
_WATCHES = "/sys/kernel/mm/damon/admin/kdamonds/*/state"
_RECLAIM = "/sys/module/damon_reclaim/parameters/enabled"
_OUT = ("pageout", "cold")
"""Actions of DAMON that put pages out, or next in line for it."""
_CALM_SWAPPINESS = 1
"""Not 0: that would end a process where one page could have gone."""
_EAGER = 10
"""Swappiness above which pages of engines go to disk to make room for files."""


class HugePages(Knob):
    """Pages of 2 MiB that the kernel puts together by itself."""

    name = "huge_pages"

    def available(self) -> bool:
        """Where the kernel was built with them."""
        return self.machine.exists(_PAGES)

    def calm(self) -> dict[str, str]:
        """Only for those who ask for them."""
        return {_PAGES: "madvise"} if self.available() else {}

    def restless(self) -> dict[str, str]:
        """For everybody, as memory allows at the moment."""
        return {_PAGES: "always"} if self.available() else {}

    def show(self) -> KnobRead:
        """Always: how many a process gets depends on how fragmented memory is."""
        now = self.value(_PAGES) if self.available() else None
        if now is None:
            return self.unseen("the kernel does not say what it does with huge pages")
        if now != "always":
            return self.fine(now, "a process has huge pages only where it asks for them")
        return self.spoils(
            now,
            "transparent huge pages are always on: how many a process gets depends on how fragmented memory is",
            f"echo madvise > {_PAGES}",
            "note",
        )


class NumaBalancing(Knob):
    """Pages that the kernel moves to the node that uses them, while it is being measured."""

    name = "numa_balancing"

    def available(self) -> bool:
        """Where the kernel can."""
        return self.machine.exists(_NUMA)

    def calm(self) -> dict[str, str]:
        """Off."""
        return {_NUMA: "0"} if self.available() else {}

    def restless(self) -> dict[str, str]:
        """On."""
        return {_NUMA: "1"} if self.available() else {}

    def show(self) -> KnobRead:
        """Harmless with one node."""
        nodes = len(self.machine.glob("/sys/devices/system/node/node[0-9]*"))
        now = self.value(_NUMA) if self.available() else None
        if now is None and nodes > 1:
            return self.unseen(f"{nodes} NUMA nodes, and the kernel does not say whether it moves pages between them")
        if nodes <= 1:
            return self.fine(now, "one node of memory: nothing to move")
        if now == "0":
            return self.fine(now, f"{nodes} nodes, and the kernel leaves pages where they are")
        return self.spoils(
            str(now),
            f"the kernel moves pages between {nodes} nodes of memory while engines run",
            "sysctl kernel.numa_balancing=0",
            "note",
        )


class PageReclaim(Knob):
    """Pages that the kernel puts out of memory because nobody has touched them for a while (DAMON).

    It is a setting of whoever runs the machine, whose watch has parameters of its own: weigh only says so.
    """

    name = "page_reclaim"
    tunable = False

    def available(self) -> bool:
        """Where the kernel can watch accesses."""
        return bool(self.machine.glob(_WATCHES)) or self.machine.exists(_RECLAIM)

    def show(self) -> KnobRead:
        """Data that is hot by right has to be read again, with gigabytes of memory free."""
        if not self.available():
            return self.fine(None, "pages stay until memory is needed")
        on = [path for path in self.machine.glob(_WATCHES) if self.machine.text(path) == "on" and self._reclaims(path)]
        if self.machine.text(_RECLAIM) == "Y":
            on.append(_RECLAIM)
        if not on:
            return self.fine("off", "pages stay until memory is needed")
        off = " and ".join(f"echo {'N' if path == _RECLAIM else 'off'} > {path}" for path in on)
        return self.spoils(
            "on",
            "the kernel puts pages out of memory that nobody touched for a while (DAMON), with memory free: data and "
            "programs that were in memory are read again",
            f"{off}, while measuring",
            "note",
        )

    def _reclaims(self, path: str) -> bool:
        schemes = self.machine.glob(f"{path.removesuffix('/state')}/contexts/*/schemes/*/action")
        return any(self.machine.text(scheme) in _OUT for scheme in schemes)


class Swap(Knob):
    """Memory that goes to disk."""

    name = "swap"

    def available(self) -> bool:
        """Where the kernel says."""
        return self.machine.text("/proc/swaps") is not None

    def calm(self) -> dict[str, str]:
        """Only before memory runs out."""
        return {_SWAPPINESS: str(_CALM_SWAPPINESS)} if self.machine.exists(_SWAPPINESS) else {}

    def restless(self) -> dict[str, str]:
        """The kernel's default."""
        return {_SWAPPINESS: "60"} if self.machine.exists(_SWAPPINESS) else {}

    def show(self) -> KnobRead:
        """Swap that the kernel uses to make room for files takes an idle contender's memory away."""
        text = self.machine.text("/proc/swaps")
        if text is None:
            return self.unseen("/proc/swaps cannot be read")
        devices = text.splitlines()[1:]
        if not devices:
            return self.fine("none", "no swap: what is in memory stays there")
        eager = self.machine.number(_SWAPPINESS)
        value = f"{len(devices)} in use, swappiness {eager}"
        if eager is None:
            return self.unseen("swap is on, and the kernel does not say how eagerly it is used", value=value)
        if eager <= _EAGER:
            return self.fine(value, "swap is a last resort")
        return self.spoils(
            value,
            f"swap is on and used eagerly (swappiness {eager}): memory of a contender that waits may go to disk",
            "swapoff -a while measuring",
            "note",
        )
