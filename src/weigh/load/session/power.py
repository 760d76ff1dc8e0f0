"""A disk that loses power: what only the kernel or its device had in a cache is gone, and what was forced is there.

A file system (ext4) on a file, which lies on another file system of its own: what the upper one writes is in the
kernel's memory until it asks its device to flush, as with a device whose write cache is volatile. Power goes by
shutting both down without their logs (EXT4_IOC_SHUTDOWN), and mounting what the file had got, which recovers as after a
real loss.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import struct
import subprocess
from typing import TYPE_CHECKING

from weigh.host import scratch
from weigh.load.session import disk
from weigh.model.errors import EnvironmentFault
from weigh.model.units import seconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SHUTDOWN = 0x8004587D
"""EXT4_IOC_SHUTDOWN of fs/ext4/ext4.h, which is ``_IOR('X', 125, __u32)``."""
_WITHOUT_LOG = 2
"""EXT4_GOING_FLAGS_NOLOGFLUSH."""
_INNER, _OUTER = 6 << 30, 8 << 30
"""Bytes of the two file systems; the file below them takes what is used."""
_PATIENCE = 120.0
"""Seconds for a copy of what the device has kept."""
_LEAVE_OUT = "--power-loss"


class VolatileDisk:
    """Where a server's data lies whose power is to go.

    Args:
        folder: an empty one for both.

    Attributes:
        mount: of the server's files.

    Raises:
        EnvironmentFault: it cannot be made here.
    """

    def __init__(self, folder: Path) -> None:
        device, self.mount = folder / scratch.DEVICE, folder / scratch.MOUNT
        self._image = folder / "image"
        self._layers = ((device / "image", self.mount), (self._image, device))
        disk.make(self._image, device, _OUTER, leave_out=_LEAVE_OUT)
        disk.make(device / "image", self.mount, _INNER, leave_out=_LEAVE_OUT)

    def write_out(self) -> None:
        """Have everything that was written until now kept, as what a server was loaded with long ago is.

        Raises:
            EnvironmentFault: the kernel refuses it.
        """
        for _, mount in self._layers:
            _with(mount, "written out", _synced)

    def lose_power(self) -> None:
        """Now; nobody uses it. Then it is there again with what it had kept.

        Raises:
            EnvironmentFault: the kernel refuses it, or it cannot be mounted again.
        """
        for _, mount in self._layers:
            _with(mount, "shut down", _shut_down)
        for _, mount in self._layers:
            _ran("umount", "--lazy", str(mount))
        # Another mount namespace may have both still, for as long as it likes: it keeps the old file.
        old, new = self._image, self._image.with_name("next")
        _ran("cp", "--sparse=always", "--reflink=auto", str(old), str(new))
        new.replace(old)
        for image, mount in reversed(self._layers):
            _ran("mount", "-o", "loop", str(image), str(mount))


def _shut_down(descriptor: int) -> None:
    fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", _WITHOUT_LOG))


def _synced(descriptor: int) -> None:
    if ctypes.CDLL(None, use_errno=True).syncfs(descriptor):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _with(mount: Path, what: str, work: Callable[[int], None]) -> None:
    descriptor = os.open(mount, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        work(descriptor)
    except OSError as error:
        raise EnvironmentFault(
            f"a file system cannot be {what} here: {os.strerror(error.errno or errno.EIO)}",
            where=str(mount),
            remedy=f"take a kernel whose ext4 can be shut down, or leave {_LEAVE_OUT} out",
        ) from error
    finally:
        os.close(descriptor)


def _ran(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
        wrong = done.stderr if done.returncode else ""
    except subprocess.TimeoutExpired:
        wrong = f"{command[0]} took longer than {seconds(_PATIENCE)}"
    if wrong:
        raise EnvironmentFault(
            f"after its power was lost the disk is not there again: {' '.join(wrong.split())[:300]}",
            where=command[-1],
            remedy=f"free space there, or leave {_LEAVE_OUT} out",
        )
