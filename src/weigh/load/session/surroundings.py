"""What a server is started in so that its disk and its clock can be disturbed: a file system and a clock of its own."""

from __future__ import annotations

import itertools
import os
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from weigh.host import scratch
from weigh.load.disturbances.nemeses import DISKS
from weigh.load.target import server_folder
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    import msgspec

    from weigh.load.spec import Disturbances

_BYTES = 8 << 30
"""Of the file system; the file below it takes what is used."""
_MAKE = ("mkfs.ext4", "-q", "-F", "-m", "0", "-N", "50000", "-E", "lazy_itable_init=0,lazy_journal_init=0")
"""No byte is kept back for root, and nothing is written later by the kernel."""
_WRITES = 20
"""A second, of a slow disk."""
_VERSION_1, _VERSION_2 = Path("/sys/fs/cgroup/blkio"), Path("/sys/fs/cgroup")
_LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1")
_AHEAD = "+3600"
"""Seconds that a wrong clock is ahead, as libfaketime reads them."""
_NUMBERS = itertools.count(1)


class Disk:
    """A small file system of its own.

    Args:
        mount: where it is mounted.
    """

    def __init__(self, mount: Path) -> None:
        self.mount = mount
        number = mount.stat().st_dev
        self._device = f"{os.major(number)}:{os.minor(number)}"
        self._ballast = mount / "ballast"
        self._group: Path | None = None

    def fill(self) -> None:
        """Leave no free byte."""
        with self._ballast.open("wb") as file:
            while (free := os.statvfs(self.mount).f_bfree) > 0:
                before = free
                with suppress(OSError):
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), free * os.statvfs(self.mount).f_bsize)
                if os.statvfs(self.mount).f_bfree >= before:
                    return

    def empty(self) -> None:
        """Give the bytes back."""
        self._ballast.unlink(missing_ok=True)

    def slow(self, pids: Iterable[int]) -> None:
        """Have processes write so many times a second, and no more.

        Raises:
            EnvironmentFault: the kernel refuses it.
        """
        group = _place() / f"weigh-disk-{os.getpid()}-{next(_NUMBERS)}"
        try:
            group.mkdir()
            self._group = group
            _limit(group, self._device, _WRITES)
            for pid in pids:
                with suppress(ProcessLookupError):
                    (group / "cgroup.procs").write_text(str(pid))
        except OSError as error:
            self.quick()
            raise EnvironmentFault(
                f"writes to a disk cannot be limited here: {error.strerror}",
                where=str(group),
                remedy="leave slow-disk out, or run where control groups can be written",
            ) from error

    def quick(self) -> None:
        """Let them write as they can."""
        group, self._group = self._group, None
        if group is None:
            return
        with suppress(OSError):
            _limit(group, self._device, None)
            for pid in (group / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError):
                    (group.parent / "cgroup.procs").write_text(pid)
            group.rmdir()


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
            "FAKETIME_CACHE_DURATION": "1",
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

    Attributes:
        disk, clock: those of the servers; None where they are the machine's.
    """

    disk: Disk | None = None
    clock: FakeClock | None = None

    def __init__(self, disturbances: Disturbances | msgspec.UnsetType) -> None:
        self._kinds = disturbances.nemeses if disturbances else ()
        self._left = ExitStack()

    def __enter__(self) -> Self:
        disk, clock = any(one in DISKS for one in self._kinds), "clock" in self._kinds
        if not disk and not clock:
            return self
        library = _library() if clock else ""
        if disk:
            _refuse(slow="slow-disk" in self._kinds)
        with ExitStack() as stack:
            folder = scratch.folder("disk", place=scratch.USUAL)
            folder.chmod(0o755)
            stack.callback(scratch.remove, folder)
            if disk:
                self.disk = Disk(_mounted(folder))
            if clock:
                self.clock = FakeClock(folder, library)
            environment = self.clock.environment if self.clock else {}
            place = self.disk.mount if self.disk else None
            stack.enter_context(server_folder.within(place, environment))
            self._left = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.close()


def _refuse(*, slow: bool) -> None:
    """See whether a file system can be made here.

    Raises:
        EnvironmentFault: it cannot.
    """
    if os.geteuid() != 0:
        raise EnvironmentFault(
            "a server's data can have a file system of its own only where weigh is root",
            remedy="run weigh as root, or leave full-disk and slow-disk out",
        )
    if slow:
        _place()


def _mounted(folder: Path) -> Path:
    image, mount = folder / "image", folder / scratch.MOUNT
    mount.mkdir()
    with image.open("wb") as file:
        file.truncate(_BYTES)
    for command in ((*_MAKE, str(image)), ("mount", "-o", "loop", str(image), str(mount))):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        except FileNotFoundError:
            raise EnvironmentFault(
                f"there is no {command[0]}", remedy="install e2fsprogs and mount, or leave full-disk and slow-disk out"
            ) from None
        if done.returncode:
            raise EnvironmentFault(
                f"a file system of its own cannot be made: {' '.join(done.stderr.split())[:300]}",
                where=str(folder),
                remedy="run where loop devices can be mounted, or leave full-disk and slow-disk out",
            )
    mount.chmod(0o755)
    return mount


def _place() -> Path:
    """The control group in which groups that limit writes are made.

    Raises:
        EnvironmentFault: there is none.
    """
    if (_VERSION_1 / "cgroup.procs").exists():
        return _VERSION_1
    with suppress(OSError):
        if "io" in (_VERSION_2 / "cgroup.subtree_control").read_text().split():
            return _VERSION_2
    raise EnvironmentFault(
        "the kernel has no control groups here that limit writes (blkio, or io)", remedy="leave slow-disk out"
    )


def _limit(group: Path, device: str, writes: int | None) -> None:
    if group.parent == _VERSION_1:
        (group / "blkio.throttle.write_iops_device").write_text(f"{device} {writes or 0}")
    else:
        (group / "io.max").write_text(f"{device} wiops={writes or 'max'}")


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
