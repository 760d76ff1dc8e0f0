"""Block devices: what one stands on, down to those that stand on nothing else here, and what kind those are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.model.data.storage import Device

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weigh.host.sysfs import Machine

SECTOR = 512
"""Bytes in which /sys counts the size of every device, whatever its own sectors are."""

_ELSEWHERE = re.compile(
    # As `lsblk -o MODEL` shows them on EC2.
    r"^Amazon Elastic Block Store"
    # Persistent Disk and Hyperdisk: google/guest-configs, 65-gce-disk-naming.rules.
    r"|^nvme_card-pd|^PersistentDisk"
    # Remote disks of Azure: Azure/azure-vm-utils, 80-azure-disk.rules.
    r"|^MSFT NVMe Accelerator"
)
"""Models that look like a disk of this machine and are a volume over the network."""
_BY_NAME = (
    (re.compile(r"vd[a-z]+"), "virtio"),
    (re.compile(r"xvd[a-z]+"), "xen"),
    (re.compile(r"mmcblk\d+"), "mmc"),
    (re.compile(r"z?ram\d+"), "memory"),
    (re.compile(r"pmem\d+"), "pmem"),
    (re.compile(r"(?:nbd|d?rbd)\d+"), "network-disk"),
    (re.compile(r"sd[a-z]+"), "scsi"),
)
_BY_BUS = (
    # iSCSI and Fibre Channel first: their controllers are PCI devices too.
    (re.compile(r"/session\d+/"), "network-disk"),
    (re.compile(r"/rport-"), "network-disk"),
    (re.compile(r"/usb\d+/"), "usb"),
    (re.compile(r"/ata\d+/"), "sata"),
    (re.compile(r"/end_device-"), "sas"),
    (re.compile(r"/virtio\d+/"), "virtio"),
)


class Stack(NamedTuple):
    """What a block device stands on.

    Attributes:
        devices: at the bottom.
        layers: from above.
        raid: level of the uppermost array; empty without one.
        backing: file behind a loop device; empty where there is none.
    """

    devices: tuple[Device, ...] = ()
    layers: tuple[str, ...] = ()
    raid: str = ""
    backing: str = ""


def folder_of(machine: Machine, number: str, source: str) -> Path | None:
    """The folder in /sys of a mounted device; None where none can be found.

    Args:
        machine: whose.
        number: ``MAJOR:MINOR``; one with major 0 is no device's (btrfs, overlay, networks).
        source: what was mounted, ``/dev/...``.
    """
    by_number = machine.path(f"/sys/dev/block/{number}")
    if by_number.exists():
        return by_number.resolve()
    if source.startswith("/dev/"):
        by_name = machine.path(f"/sys/class/block/{machine.path(source).resolve().name}")
        if by_name.exists():
            return by_name.resolve()
    return None


def stack(machine: Machine, folder: Path) -> Stack:
    """Everything below a block device."""
    if (folder / "partition").exists():
        return stack(machine, folder.parent)
    backing = _text(folder / "loop" / "backing_file")
    if backing:
        return Stack(layers=(f"loop device over {backing}",), backing=backing)
    below = sorted(one.resolve() for one in (folder / "slaves").iterdir()) if (folder / "slaves").is_dir() else []
    if not below:
        return Stack(devices=(leaf(folder),))
    return joined((stack(machine, one) for one in below), *_layer(folder, len(below)))


def joined(parts: Iterable[Stack], layer: str = "", raid: str = "") -> Stack:
    """Several stacks under one more layer."""
    parts = list(parts)
    devices = {one.name: one for part in parts for one in part.devices}
    layers = dict.fromkeys([layer, *(name for part in parts for name in part.layers)])
    return Stack(
        devices=tuple(devices.values()),
        layers=tuple(name for name in layers if name),
        raid=raid or next((part.raid for part in parts if part.raid), ""),
        backing=next((part.backing for part in parts if part.backing), ""),
    )


def leaf(folder: Path) -> Device:
    """A device that stands on nothing else."""
    size = _text(folder / "size")
    turning = _text(folder / "queue" / "rotational")
    model = _text(folder / "device" / "model")
    return Device(
        name=folder.name,
        kind=_kind(folder, model),
        model=model,
        bytes=int(size) * SECTOR if size.isdecimal() else None,
        rotational=turning == "1" if turning else None,
        write_cache=_text(folder / "queue" / "write_cache") or msgspec.UNSET,
    )


def _kind(folder: Path, model: str) -> str:
    if _ELSEWHERE.search(model):
        return "network-disk"
    if folder.name.startswith("nvme"):
        transports = {_text(one) for one in _transports(folder)} - {""}
        return "nvme" if transports <= {"pcie"} else "network-disk"
    path = f"{folder.resolve()}/"
    for bus, kind in _BY_BUS:
        if bus.search(path):
            return kind
    return next((kind for name, kind in _BY_NAME if name.fullmatch(folder.name)), "unknown")


def _transports(folder: Path) -> list[Path]:
    # ``device`` is the controller, or the subsystem of several controllers.
    device = folder / "device"
    return [device / "transport", *sorted(device.glob("nvme[0-9]*/transport"))]


def _layer(folder: Path, below: int) -> tuple[str, str]:
    """A stacked device in words, and its RAID level where it is an array."""
    level = _text(folder / "md" / "level")
    if level:
        return f"{folder.name}: {level} of {below}", level
    identity = _text(folder / "dm" / "uuid")
    name = _text(folder / "dm" / "name")
    if identity:
        kind = {"LVM": "LVM", "CRYPT": "encrypted", "mpath": "multipath"}.get(
            identity.partition("-")[0], "device mapper"
        )
        return f"{name or folder.name}: {kind}" + (f" over {below}" if below > 1 else ""), ""
    return f"{folder.name} over {below}", ""


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
