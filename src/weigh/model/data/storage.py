"""Storage: on what a path lies, from its file system down to the devices."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from weigh.model import units
from weigh.model.units import Bytes

Kind = Literal[
    "nvme", "sata", "sas", "scsi", "usb", "mmc", "virtio", "xen", "pmem",
    "network-disk", "network", "host", "overlay", "memory", "mixed", "unknown",
]  # fmt: skip
"""What storage is, in one word. ``network-disk`` is a block device that is a volume elsewhere, such as Amazon EBS
behind an NVMe name, iSCSI or RBD; ``network`` a file system over the network; ``host`` a folder of the machine under
this one; ``overlay`` a container's layers; ``mixed`` several devices of different kinds."""
KINDS: tuple[str, ...] = get_args(Kind)

Use = Literal["data", "copy", "temp"]
"""``data``: the Parquet files; ``copy``: tables that an engine has loaded from them; ``temp``: where lives keep their
temporary files and, unless an engine decides otherwise, spill."""


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A block device that stands on nothing else here.

    Attributes:
        name: as the kernel calls it.
        kind: of storage, by its transport and model.
        model: as it says itself; empty where it says nothing.
        bytes: its size.
        rotational: as the kernel believes; a virtual disk often says so and is not.
        write_cache: ``write back`` where the kernel has to have its cache emptied, ``write through`` where not; absent
            where that is not told.
    """

    name: str
    kind: str
    model: str = ""
    bytes: Bytes | None = None
    rotational: bool | None = None
    write_cache: str | msgspec.UnsetType = msgspec.UNSET


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """On what a path lies. What cannot be read is None or empty.

    Attributes:
        use: what lies there.
        path: the path, symbolic links followed.
        kind: of storage, in one word.
        filesystem: type of the file system.
        source: what was mounted.
        mount: where it is mounted.
        options: of the mount and of the file system.
        raid: level, of md or btrfs.
        layers: what stands between the file system and the devices, from above.
        devices: block devices at the bottom.
        free: space that may still be written.
        contender: whose it is; None where it is that of all.
    """

    use: Use
    path: str
    kind: str
    filesystem: str = ""
    source: str = ""
    mount: str = ""
    options: str = ""
    raid: str = ""
    layers: tuple[str, ...] = ()
    devices: tuple[Device, ...] = ()
    free: Bytes | None = None
    contender: str | None = None

    @property
    def on(self) -> str:
        """The file system in few words: ``ext4 on vda (virtio)``."""
        if not self.devices and self.source in ("", self.filesystem):
            return f"{self.filesystem or 'an unknown file system'} ({self.kind})"
        return f"{self.filesystem} on {self.below}"

    @property
    def below(self) -> str:
        """The devices in few words, with what makes one of them."""
        names = ", ".join(one.name for one in self.devices) or self.source
        parts = [self.raid, self.kind, *dict.fromkeys(one.model for one in self.devices if one.model)]
        return f"{names} ({', '.join(word for word in parts if word)})"

    @property
    def description(self) -> str:
        """Everything in one line."""
        layers = f", {', '.join(self.layers)}" if self.layers else ""
        free = "" if self.free is None else f", {units.size(self.free)} free"
        options = f", {self.options}" if self.options else ""
        return f"{self.on} at {self.mount or '?'}{layers}{options}{free}"
