"""On what a path lies: its mount, its file system, and the devices below."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from weigh.host.storage import block_devices
from weigh.host.storage.block_devices import Stack
from weigh.host.sysfs import Machine
from weigh.model.data.storage import Device, Place, Use

_NETWORK = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "afs", "ncpfs", "ocfs2",
    "gfs2", "orangefs", "pvfs2", "davfs",
}  # fmt: skip
_OVER_FUSE = re.compile(
    r"^fuse\.(?:s3fs|goofys|rclone|gcsfuse|sshfs|glusterfs|ceph|juicefs|blobfuse2?|geesefs|s3ql|curlftpfs|moosefs)"
)
_OF_THE_HOST = {"9p", "virtiofs", "vboxsf", "vmhgfs", "fuse.vmhgfs-fuse", "drvfs", "prl_fs"}
_MEMORY = {"tmpfs", "ramfs", "rootfs", "devtmpfs", "hugetlbfs"}
_OCTAL = re.compile(r"\\([0-7]{3})")
_SELF = "/proc/self/mountinfo"


class Mount(NamedTuple):
    """A line of ``/proc/self/mountinfo``.

    Attributes:
        device: ``MAJOR:MINOR``.
        point: where it is mounted.
        filesystem: its type.
        source: what was mounted.
        options: of the mount and of the file system, each once.
    """

    device: str
    point: str
    filesystem: str
    source: str
    options: str


def mounts(machine: Machine) -> list[Mount]:
    """Everything that is mounted, in the order of the kernel."""
    return [one for line in (machine.text(_SELF) or "").splitlines() if (one := _mount(line))]


def place(
    path: str | Path, use: Use = "data", *, machine: Machine | None = None, contender: str | None = None
) -> Place:
    """On what a path lies, whether it exists yet or not.

    Args:
        path: file or folder.
        use: what lies there.
        machine: another one than this, for tests; nothing of its files is opened.
        contender: whose it is.
    """
    machine = machine or Machine()
    # A link may lead to another device.
    real = os.path.realpath(path) if machine.real else os.path.abspath(path)  # noqa: PTH100 # of another machine
    mount = _mount_of(real, mounts(machine))
    if mount is None:
        return Place(use=use, path=real, kind="unknown", contender=contender)
    found = _below(machine, mount)
    return Place(
        use=use,
        path=real,
        kind=_kind(machine, mount, found),
        filesystem=mount.filesystem,
        source=mount.source,
        mount=mount.point,
        options=mount.options,
        raid=found.raid,
        layers=found.layers,
        devices=found.devices,
        free=_free(real) if machine.real else None,
        contender=contender,
    )


def _mount(line: str) -> Mount | None:
    # 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
    front, separator, back = line.partition(" - ")
    before, after = front.split(), back.split(" ")
    if not separator or len(before) < 6 or len(after) < 2:
        return None
    options = [*before[5].split(","), *(after[2].split(",") if len(after) > 2 else ())]
    return Mount(
        device=before[2],
        point=_plain(before[4]),
        filesystem=after[0],
        source=_plain(after[1]),
        options=",".join(dict.fromkeys(options)),
    )


def _plain(text: str) -> str:
    """The kernel writes blanks and tabs in octal."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)


def _mount_of(path: str, every: list[Mount]) -> Mount | None:
    """The mount that a path is on: the longest point above it, of several at one point the last."""
    best = None
    for one in every:
        above = one.point in ("/", path) or path.startswith(f"{one.point}/")
        if above and (best is None or len(one.point) >= len(best.point)):
            best = one
    return best


def _below(machine: Machine, mount: Mount) -> Stack:
    if mount.filesystem == "btrfs":
        return _of_btrfs(machine, mount)
    if mount.filesystem == "zfs":
        return Stack(layers=(f"ZFS pool {mount.source.partition('/')[0]}: its devices are not in /sys",))
    folder = block_devices.folder_of(machine, mount.device, mount.source)
    found = block_devices.stack(machine, folder) if folder else Stack()
    if not found.backing:
        return found
    under = place(found.backing, machine=machine)
    return Stack(devices=under.devices, layers=(*found.layers, *under.layers), raid=under.raid, backing=found.backing)


def _of_btrfs(machine: Machine, mount: Mount) -> Stack:
    """All devices of the file system that the mounted one belongs to; its data profile is the RAID level."""
    name = machine.path(mount.source).resolve().name
    for path in machine.glob("/sys/fs/btrfs/*/devices"):
        members = sorted(machine.path(path).iterdir())
        if name not in (one.name for one in members):
            continue
        allocated = machine.glob(f"{path.removesuffix('/devices')}/allocation/data/*/total_bytes")
        profile = next((Path(one).parent.name for one in allocated), "") if len(members) > 1 else ""
        raid = f"btrfs {profile}" if profile else ""
        return block_devices.joined((block_devices.stack(machine, one.resolve()) for one in members), raid=raid)
    folder = block_devices.folder_of(machine, mount.device, mount.source)
    return block_devices.stack(machine, folder) if folder else Stack()


def _kind(machine: Machine, mount: Mount, found: Stack) -> str:
    if mount.filesystem in _NETWORK or _OVER_FUSE.match(mount.filesystem):
        return "network"
    if mount.filesystem in _OF_THE_HOST:
        return "host"
    if mount.filesystem in _MEMORY:
        return "memory"
    if mount.filesystem in ("overlay", "aufs"):
        return "overlay"
    if found.backing:
        return place(found.backing, machine=machine).kind
    kinds = {one.kind for one in found.devices}
    return kinds.pop() if len(kinds) == 1 else "mixed" if kinds else "unknown"


def _free(path: str) -> int | None:
    for folder in (Path(path), *Path(path).parents):
        with suppress(FileNotFoundError, NotADirectoryError):
            try:
                facts = os.statvfs(folder)
            except PermissionError:
                return None
            return facts.f_bavail * facts.f_frsize
    return None


def disks(machine: Machine) -> tuple[Device, ...]:
    """Every whole block device that stands on nothing else, but loop devices and those in memory."""
    found = []
    for path in machine.glob("/sys/block/*"):
        folder = machine.path(path).resolve()
        # Empty arrays, and the single paths of a multipath disk.
        hidden = folder.name.startswith(("loop", "sr", "fd", "md", "dm-")) or machine.number(f"{path}/hidden") == 1
        if hidden or machine.glob(f"{path}/slaves/*"):
            continue
        one = block_devices.leaf(folder)
        if one.bytes and one.kind != "memory":
            found.append(one)
    return tuple(found)
