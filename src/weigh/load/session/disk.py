"""A small file system of a server's own, which can be full or slow."""

from __future__ import annotations

import itertools
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.errors import EnvironmentFault
from weigh.model.units import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.model.units import Bytes

_BYTES = 8 << 30
"""Of the file system; the file below it takes what is used."""
_MAKE = (
    "mkfs.ext4",
    "-q",
    "-F",
    "-m",
    "0",
    "-N",
    "50000",
    "-E",
    "lazy_itable_init=0,lazy_journal_init=0",
    "-J",
    "size=32",
)
"""No byte is kept back for root, nothing is written later by the kernel, and the log of MiB is soon copied."""
_PATIENCE = 60.0
"""Seconds for making and mounting it."""
_WRITES = 20
"""A second, of a slow disk."""
_VERSION_1, _VERSION_2 = Path("/sys/fs/cgroup/blkio"), Path("/sys/fs/cgroup")
_NUMBERS = itertools.count(1)
LEAVE_OUT = "full-disk and slow-disk"
"""What makes one."""


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
        group = group_of_limits() / f"weigh-disk-{os.getpid()}-{next(_NUMBERS)}"
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


def make(image: Path, mount: Path, size: Bytes = _BYTES, *, leave_out: str = LEAVE_OUT) -> Path:
    """A file system on a file, mounted.

    Args:
        image: the file.
        mount: where; it is made.
        size: of the file system; the file takes what is used of it.
        leave_out: what the user can do without it.

    Returns:
        ``mount``.

    Raises:
        EnvironmentFault: it cannot be made or mounted here.
    """
    mount.mkdir()
    with image.open("wb") as file:
        file.truncate(size)
    for command in ((*_MAKE, str(image)), ("mount", "-o", "loop", str(image), str(mount))):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
        except FileNotFoundError:
            raise EnvironmentFault(
                f"there is no {command[0]}", remedy=f"install e2fsprogs and mount, or leave {leave_out} out"
            ) from None
        except subprocess.TimeoutExpired:
            raise EnvironmentFault(
                f"a file system of its own cannot be made: {command[0]} took longer than {seconds(_PATIENCE)}",
                where=str(image.parent),
                remedy=f"see what else uses that disk, or leave {leave_out} out",
            ) from None
        if done.returncode:
            raise EnvironmentFault(
                f"a file system of its own cannot be made: {' '.join(done.stderr.split())[:300]}",
                where=str(image.parent),
                remedy=f"run where loop devices can be mounted and there is space, or leave {leave_out} out",
            )
    mount.chmod(0o755)
    return mount


def group_of_limits() -> Path:
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
