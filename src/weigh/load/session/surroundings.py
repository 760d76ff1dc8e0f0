"""What a server is started in so that its disk and its clock can be disturbed: a file system and a clock of its own."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from weigh.host import scratch
from weigh.load.disturbances.nemeses import DISKS
from weigh.load.session import disk
from weigh.load.session.power import VolatileDisk
from weigh.load.target import server_folder
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from types import TracebackType

    import msgspec

    from weigh.load.spec import Crashes, Disturbances

_LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1")
_AHEAD = "+3600"
"""Seconds that a wrong clock is ahead, as libfaketime reads them."""


class FakeClock:
    """A file that says what the clocks of a server say.

    Args:
        folder: where it lies, which the server's user can read.
        library: of libfaketime.
    """

    def __init__(self, folder: Path, library: str) -> None:
        self._file = folder / "clock"
        self.right()
        self._file.chmod(0o644)
        self.environment = {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            # Whole seconds that must have passed since the file was read last, and one more.
            "FAKETIME_CACHE_DURATION": "0",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def wrong(self) -> None:
        """Ahead; the server sees it within a second."""
        self._file.write_text(f"{_AHEAD}\n")

    def right(self) -> None:
        """As that of the machine."""
        self._file.write_text("+0\n")


class Surroundings:
    """While entered, servers that weigh starts are started in them.

    Args:
        disturbances: that are to happen; nothing is made where none of them needs it.
        crash: likewise.

    Attributes:
        disk, power, clock: those of the servers; None where they are the machine's. ``power`` is a disk that can
            lose it.
    """

    disk: disk.Disk | None = None
    power: VolatileDisk | None = None
    clock: FakeClock | None = None

    def __init__(self, disturbances: Disturbances | msgspec.UnsetType, crash: Crashes | msgspec.UnsetType) -> None:
        self._kinds = disturbances.nemeses if disturbances else ()
        self._power = bool(crash and crash.power_loss)
        self._left = ExitStack()

    def __enter__(self) -> Self:
        disks, clock = any(one in DISKS for one in self._kinds), "clock" in self._kinds
        if not disks and not clock and not self._power:
            return self
        library = _library() if clock else ""
        if disks or self._power:
            _refuse(slow="slow-disk" in self._kinds, leave_out=disk.LEAVE_OUT if disks else "--power-loss")
        with ExitStack() as stack:
            folder = scratch.folder("disk", place=scratch.USUAL)
            folder.chmod(0o755)
            stack.callback(scratch.remove, folder, 5.0)
            if disks:
                self.disk = disk.Disk(disk.make(folder / "image", folder / scratch.MOUNT))
            if self._power:
                self.power = VolatileDisk(folder)
            if clock:
                self.clock = FakeClock(folder, library)
            environment = self.clock.environment if self.clock else {}
            found = self.disk or self.power
            place = found.mount if found else None
            stack.enter_context(server_folder.within(place, environment))
            self._left = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.close()


def _refuse(*, slow: bool, leave_out: str) -> None:
    """See whether a file system can be made here.

    Raises:
        EnvironmentFault: it cannot.
    """
    if os.geteuid() != 0:
        raise EnvironmentFault(
            "a server's data can have a file system of its own only where weigh is root",
            remedy=f"run weigh as root, or leave {leave_out} out",
        )
    if slow:
        disk.group_of_limits()


def _library() -> str:
    """The path of libfaketime.

    Raises:
        EnvironmentFault: it is not installed.
    """
    for pattern in _LIBRARIES:
        for found in sorted(Path("/").glob(pattern.lstrip("/"))):
            return str(found)
    raise EnvironmentFault(
        "a server's clock can be wrong only by libfaketime, which is not installed",
        remedy="apt install faketime, or leave clock out",
    )
