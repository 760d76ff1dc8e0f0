"""The examination of storage: on what a path lies, how fast it is read, and which disks nobody uses."""

from __future__ import annotations

import re
import tempfile
from typing import TYPE_CHECKING

from weigh.doctor import read_rates, unused_disks
from weigh.doctor.unused_disks_model import Examination
from weigh.host import storage
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.doctor.read_rates_model import Rates
    from weigh.host.sysfs import Machine

_POINT = re.compile(r"(?:/[\w.-]+)+")


def examine(machine: Machine, path: Path, cache: Path, point: str, *, rates: bool) -> Examination:
    """Everything; nothing is changed but for a file of weigh's own that is removed again.

    Args:
        machine: whose disks.
        path: in question.
        cache: weigh's own folder.
        point: where the script would mount what it makes.
        rates: whether to measure them in ``path``, or in the folder that it is in.

    Raises:
        UsageError: the mount point is none, or something is mounted there.
        EnvironmentFault: no file can be written there for the rates.
    """
    if machine.real and not path.exists():
        raise UsageError("there is no such file or folder", where=str(path))
    if not _POINT.fullmatch(point):
        # It goes into a script and into fstab.
        raise UsageError(f"'{point}' cannot be a mount point", remedy="give a plain absolute path: --mount /mnt/weigh")
    if point in [one.point for one in storage.mounts(machine)]:
        raise UsageError(f"something is mounted at {point} already", remedy="name another place with --mount")
    found = unused_disks.spares(machine)
    disks = unused_disks.chosen(found)
    return Examination(
        places=(
            storage.place(path, "data", machine=machine),
            storage.place(cache, "copy", machine=machine),
            storage.place(tempfile.gettempdir(), "temp", machine=machine),
        ),
        rates=_rates(path if path.is_dir() else path.parent) if rates and machine.real else None,
        spares=found,
        script=unused_disks.script(disks, unused_disks.free_array(machine), point) if disks else "",
    )


def _rates(folder: Path) -> Rates:
    try:
        return read_rates.measure(folder)
    except OSError as error:
        raise EnvironmentFault(
            f"no file can be written there to measure read rates: {error.strerror}",
            where=str(folder),
            remedy="name a folder that you can write, or give --no-rates",
        ) from error
