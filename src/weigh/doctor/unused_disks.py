"""Disks that are there and not mounted, and the script that would make storage of those that are blank.

A disk is blank when its beginning and its end are all zeros. What bears anything else is refused, and so is what cannot
be read: the script overwrites.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from weigh.doctor.unused_disks_model import Spare
from weigh.host import storage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.host.sysfs import Machine
    from weigh.model.data.storage import Device

_READ = 1 << 20
"""Bytes at either end: superblocks of md 1.0 and labels of ZFS are at the end, all others at the beginning."""
_MAGIC = (
    (0x438, b"\x53\xef", "an ext2, ext3 or ext4 file system"),
    (0, b"XFSB", "an XFS file system"),
    (0x10040, b"_BHRfS_M", "a btrfs file system"),
    (0x400, b"\x10\x20\xf5\xf2", "an F2FS file system"),
    (3, b"NTFS    ", "an NTFS file system"),
    (0, b"LUKS\xba\xbe", "a LUKS volume"),
    (0x200, b"LABELONE", "an LVM physical volume"),
    (0, b"\xfc\x4e\x2b\xa9", "a member of an md array"),
    (0x1000, b"\xfc\x4e\x2b\xa9", "a member of an md array"),
    (0xFF6, b"SWAPSPACE2", "swap space"),
    (0x200, b"EFI PART", "a GPT partition table"),
    (0x1FE, b"\x55\xaa", "an MBR partition table or a FAT file system"),
)
"""Offset and bytes, from the file systems' own documentation; what is here only gives it a name."""
_ORDER = ("nvme", "sas", "sata", "virtio", "xen", "scsi", "pmem")
"""Of which kind of blank disk the script is made, the fastest first; never of volumes over a network."""


def spares(machine: Machine) -> tuple[Spare, ...]:
    """Every disk that is not in use, with what it bears."""
    used = _used(machine)
    return tuple(_examined(machine, one) for one in storage.disks(machine) if not _taken(machine, one, used))


def _used(machine: Machine) -> set[str]:
    """Names and numbers of devices that are mounted or swapped to."""
    found = {name for one in storage.mounts(machine) for name in (one.device, _name(machine, one.source))}
    swaps = (machine.text("/proc/swaps") or "").splitlines()[1:]
    return found | {_name(machine, line.split()[0]) for line in swaps if line.startswith("/dev/")}


def _name(machine: Machine, source: str) -> str:
    return machine.path(source).resolve().name if source.startswith("/dev/") else ""


def _taken(machine: Machine, device: Device, used: set[str]) -> bool:
    folder = f"/sys/block/{device.name}"
    parts = [folder, *(path.removesuffix("/partition") for path in machine.glob(f"{folder}/*/partition"))]
    return any(
        part.rpartition("/")[2] in used or machine.text(f"{part}/dev") in used or machine.glob(f"{part}/holders/*")
        for part in parts
    )


def _examined(machine: Machine, device: Device) -> Spare:
    if machine.glob(f"/sys/block/{device.name}/*/partition"):
        return Spare(device=device, state="signed", why="partitions")
    if machine.number(f"/sys/block/{device.name}/ro") == 1:
        return Spare(device=device, state="unreadable", why="it is read-only")
    try:
        # Exclusive: the kernel refuses it where something below /sys's knowledge holds the disk.
        descriptor = os.open(machine.path(f"/dev/{device.name}"), os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        why = "the kernel holds it" if error.errno == errno.EBUSY else f"it cannot be opened: {error.strerror}"
        return Spare(device=device, state="unreadable", why=why)
    try:
        first = os.pread(descriptor, _READ, 0)
        end = os.lseek(descriptor, 0, os.SEEK_END)
        last = os.pread(descriptor, _READ, max(0, end - _READ))
    except OSError as error:
        return Spare(device=device, state="unreadable", why=f"it cannot be read: {error.strerror}")
    finally:
        os.close(descriptor)
    if not first or not last:
        return Spare(device=device, state="unreadable", why="nothing can be read from it")
    if why := signature(first, last):
        return Spare(device=device, state="signed", why=why)
    return Spare(device=device, state="blank")


def signature(first: bytes, last: bytes) -> str:
    """What the ends of a disk bear, in words; empty where they are all zeros."""
    for offset, magic, what in _MAGIC:
        if first[offset : offset + len(magic)] == magic:
            return what
    if first.count(0) != len(first):
        return "data of a kind that weigh does not know"
    return "" if last.count(0) == len(last) else "data at its end, such as that of an array or a ZFS pool"


def chosen(found: Iterable[Spare]) -> tuple[Device, ...]:
    """The blank disks that the script would join: all of the best kind."""
    blank = [one.device for one in found if one.state == "blank"]
    best = next((kind for kind in _ORDER if any(one.kind == kind for one in blank)), None)
    return tuple(one for one in blank if one.kind == best)


def free_array(machine: Machine) -> str:
    """The first name of an array that is free."""
    number = next(number for number in range(1 << 20) if not machine.exists(f"/sys/block/md{number}"))
    return f"/dev/md{number}"


def script(disks: Sequence[Device], array: str, point: str) -> str:
    """Shell lines that make one XFS file system of these disks and mount it there, now and after a restart.

    Args:
        disks: blank ones; several are joined to RAID 0.
        array: name for the array.
        point: where to mount it.
    """
    names = [f"/dev/{one.name}" for one in disks]
    device = array if len(names) > 1 else names[0]
    lines = [
        "set -eu",
        "# It overwrites. Look once more: nothing may have come onto these disks since.",
        f'for disk in {" ".join(names)}; do test -z "$(wipefs --no-act "$disk")"; done',
    ]
    if len(names) > 1:
        lines += [
            f"mdadm --create {array} --level=0 --raid-devices={len(names)} {' '.join(names)}",
            "mkdir -p /etc/mdadm && mdadm --detail --scan >> /etc/mdadm/mdadm.conf",
        ]
    lines += [
        f"mkfs.xfs {device}",
        f"mkdir -p {point}",
        f'echo "UUID=$(blkid -s UUID -o value {device}) {point} xfs defaults,noatime,nofail 0 2" >> /etc/fstab',
        f"mount {point}",
    ]
    return "".join(f"{line}\n" for line in lines)
