"""Machines that are not this one: the parts of /sys, /proc and /dev that tell of disks, as files in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host.sysfs import Machine

if TYPE_CHECKING:
    from pathlib import Path

EBS = "Amazon Elastic Block Store"
STORE = "Amazon EC2 NVMe Instance Storage"
_PCI = "sys/devices/pci0000:00"


class Made:
    """A machine that is being made.

    Args:
        root: an empty folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.minor = 0
        for folder in ("sys/block", "sys/class/block", "sys/dev/block", "proc/self", "dev"):
            (root / folder).mkdir(parents=True)
        self._mounts: list[str] = []
        self.mounted("0:21", "/proc", "proc", "proc")

    @property
    def machine(self) -> Machine:
        """To be asked."""
        (self.root / "proc/self/mountinfo").write_text("".join(f"{line}\n" for line in self._mounts))
        return Machine(self.root)

    def mounted(self, number: str, point: str, kind: str, source: str, options: str = "rw,noatime") -> None:
        """One line of mountinfo."""
        self._mounts.append(f"{len(self._mounts) + 20} 1 {number} / {point} {options} shared:1 - {kind} {source} rw")

    def file(self, path: str, text: str) -> None:
        """Any other file."""
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{text}\n")

    def disk(self, name: str, bus: str, model: str = "", *, gib: int = 100, **more: str) -> str:
        """A block device at a place of the bus; its ``MAJOR:MINOR``."""
        folder = self.root / bus / name
        number = self._device(folder)
        self.file(f"{bus}/{name}/size", str(gib << 21))
        self.file(f"{bus}/{name}/queue/rotational", "0")
        if model:
            self.file(f"{bus}/{name}/device/model", model)
        for path, text in more.items():
            self.file(f"{bus}/{name}/{path.replace('__', '/')}", text)
        return number

    def nvme(self, name: str, model: str, transport: str = "pcie") -> str:
        """An NVMe disk."""
        return self.disk(name, f"{_PCI}/0000:00:1f.0/nvme/{name[:-2]}", model, device__transport=transport)

    def part(self, disk: str, number: int) -> str:
        """A partition of a disk."""
        folder = (self.root / "sys/block" / disk).resolve()
        name = f"{disk}p{number}" if disk[-1].isdigit() else f"{disk}{number}"
        found = self._device(folder / name, whole=False)
        (folder / name / "partition").write_text(f"{number}\n")
        return found

    def over(self, name: str, below: list[str], **files: str) -> str:
        """A device that stands on others: an array, a volume."""
        number = self.disk(name, "sys/devices/virtual/block", **files)
        folder = (self.root / "sys/block" / name).resolve()
        (folder / "slaves").mkdir()
        for one in below:
            lower = (self.root / "sys/class/block" / one).resolve()
            (folder / "slaves" / one).symlink_to(lower)
            (lower / "holders").mkdir(exist_ok=True)
            (lower / "holders" / name).symlink_to(folder)
        return number

    def content(self, name: str, *pieces: tuple[int, bytes], size: int = 4 << 20) -> None:
        """What lies on a disk, as a file of zeros with these pieces in it."""
        with (self.root / "dev" / name).open("wb") as file:
            file.truncate(size)
            for offset, piece in pieces:
                file.seek(offset)
                file.write(piece)

    def _device(self, folder: Path, *, whole: bool = True) -> str:
        folder.mkdir(parents=True)
        self.minor += 1
        number = f"259:{self.minor}"
        (folder / "dev").write_text(f"{number}\n")
        (self.root / "sys/class/block" / folder.name).symlink_to(folder)
        (self.root / "sys/dev/block" / number).symlink_to(folder)
        if whole:
            (self.root / "sys/block" / folder.name).symlink_to(folder)
        return number


def metal(root: Path) -> Made:
    """EC2 metal as it starts: an EBS volume is mounted, four disks of the instance are not; and four file systems."""
    made = Made(root)
    made.nvme("nvme0n1", EBS)
    made.mounted(made.part("nvme0n1", 1), "/", "xfs", "/dev/nvme0n1p1")
    for name in ("nvme1n1", "nvme2n1", "nvme3n1", "nvme4n1"):
        made.nvme(name, STORE)
        made.content(name)
    made.mounted("0:25", "/dev/shm", "tmpfs", "tmpfs")
    made.mounted("0:26", "/mnt/bucket", "fuse.s3fs", "s3fs")
    made.mounted("0:27", "/mnt/home", "nfs4", "10.0.0.1:/home")
    made.mounted("0:28", "/var/container", "overlay", "overlay")
    return made
