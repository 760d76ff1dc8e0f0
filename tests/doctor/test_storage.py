"""On what a path lies, on machines that are made of files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.fake_disks import EBS, STORE, Made, metal
from weigh.host import storage
from weigh.host.sysfs import Machine
from weigh.model.errors import UsageError
from weigh.model.resources import cpus_text, parse_cpus
from weigh.model.units import parse_size

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.model.data.storage import Place


def at(made: Made, path: str) -> Place:
    return storage.place(path, machine=made.machine)


def test_the_local_disk_of_ec2_is_a_volume_over_the_network(tmp_path: Path) -> None:
    """Text 001, finding 1."""
    found = at(metal(tmp_path), "/home/ubuntu/data")
    assert (found.kind, found.filesystem, found.mount) == ("network-disk", "xfs", "/")
    assert [(one.name, one.model, one.bytes) for one in found.devices] == [("nvme0n1", EBS, 100 << 30)]
    assert found.on == f"xfs on nvme0n1 (network-disk, {EBS})"
    assert "noatime" in found.options


@pytest.mark.parametrize(
    ("path", "kind", "filesystem"),
    [
        ("/dev/shm/data", "memory", "tmpfs"),
        ("/mnt/bucket/a/b", "network", "fuse.s3fs"),
        ("/mnt/home", "network", "nfs4"),
        ("/var/container/tmp", "overlay", "overlay"),
        ("/var/containers", "network-disk", "xfs"),
        ("/mnt/homework", "network-disk", "xfs"),
    ],
)
def test_what_is_no_local_disk(tmp_path: Path, path: str, kind: str, filesystem: str) -> None:
    found = at(metal(tmp_path), path)
    assert (found.kind, found.filesystem) == (kind, filesystem)


def test_an_array_of_the_instance_s_disks(tmp_path: Path) -> None:
    made = metal(tmp_path)
    array = made.over("md0", ["nvme1n1", "nvme2n1"], md__level="raid0")
    made.mounted(array, "/mnt/local-ssd", "xfs", "/dev/md0")
    found = at(made, "/mnt/local-ssd/tpch")
    assert (found.kind, found.raid, found.layers) == ("nvme", "raid0", ("md0: raid0 of 2",))
    assert [one.name for one in found.devices] == ["nvme1n1", "nvme2n1"]
    assert found.on == f"xfs on nvme1n1, nvme2n1 (raid0, nvme, {STORE})"


def test_an_encrypted_volume_over_an_array_of_two_kinds(tmp_path: Path) -> None:
    made = metal(tmp_path)
    made.disk("sdb", "sys/devices/pci0000:00/0000:00:1d.0/ata3/host2/target2:0:0/2:0:0:0/block", "SAMSUNG MZ7")
    made.over("md127", ["nvme1n1", "sdb"], md__level="raid1")
    crypt = made.over("dm-0", ["md127"], dm__uuid="CRYPT-LUKS2-ab-data", dm__name="data")
    made.mounted(crypt, "/data", "ext4", "/dev/mapper/data")
    found = at(made, "/data/x")
    assert (found.kind, found.raid) == ("mixed", "raid1")
    assert found.layers == ("data: encrypted", "md127: raid1 of 2")
    assert {one.name: one.kind for one in found.devices} == {"nvme1n1": "nvme", "sdb": "sata"}


def test_btrfs_over_two_disks_is_found_by_name(tmp_path: Path) -> None:
    made = metal(tmp_path)
    made.mounted("0:40", "/pool", "btrfs", "/dev/nvme3n1")
    for name in ("nvme3n1", "nvme4n1"):
        folder = tmp_path / "sys/fs/btrfs/6a3b/devices"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(tmp_path / "sys/class/block" / name)
    made.file("/sys/fs/btrfs/6a3b/allocation/data/raid0/total_bytes", "1")
    found = at(made, "/pool/data")
    assert (found.kind, found.raid) == ("nvme", "btrfs raid0")
    assert [one.name for one in found.devices] == ["nvme3n1", "nvme4n1"]


def test_a_loop_device_is_what_its_file_lies_on(tmp_path: Path) -> None:
    made = metal(tmp_path)
    number = made.disk("loop0", "sys/devices/virtual/block", loop__backing_file="/dev/shm/image")
    made.mounted(number, "/image", "ext4", "/dev/loop0")
    found = at(made, "/image/data")
    assert (found.kind, found.layers) == ("memory", ("loop device over /dev/shm/image",))


@pytest.mark.parametrize(
    ("name", "bus", "kind"),
    [
        ("vda", "sys/devices/pci0000:00/0000:00:02.0/virtio1/block", "virtio"),
        ("xvda", "sys/devices/vbd-768/block", "xen"),
        ("sda", "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block", "usb"),
        ("sdc", "sys/devices/platform/host7/session1/target7:0:0/7:0:0:1/block", "network-disk"),
        ("sdd", "sys/devices/pci0000:00/0000:00:03.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block", "sas"),
        ("sde", "sys/devices/LNXSYSTM:00/VMBUS:00/host1/target1:0:0/1:0:0:0/block", "scsi"),
        ("mmcblk0", "sys/devices/platform/mmc0/mmc0:0001/block", "mmc"),
        ("zram0", "sys/devices/virtual/block", "memory"),
        ("rbd0", "sys/devices/rbd/0/block", "network-disk"),
        ("odd0", "sys/devices/virtual/block", "unknown"),
    ],
)
def test_the_kind_of_a_disk(tmp_path: Path, name: str, bus: str, kind: str) -> None:
    made = Made(tmp_path)
    made.mounted(made.disk(name, bus), "/", "ext4", f"/dev/{name}")
    assert at(made, "/data").kind == kind


@pytest.mark.parametrize(
    ("model", "transport", "kind"),
    [
        ("SAMSUNG MZQL2", "pcie", "nvme"),
        (STORE, "pcie", "nvme"),
        ("SAMSUNG MZQL2", "tcp", "network-disk"),
        ("MSFT NVMe Accelerator v1.0", "pcie", "network-disk"),
        ("Microsoft NVMe Direct Disk v2", "pcie", "nvme"),
        ("nvme_card-pd", "pcie", "network-disk"),
        ("nvme_card", "pcie", "nvme"),
    ],
)
def test_not_all_that_is_called_nvme_is_a_disk_here(tmp_path: Path, model: str, transport: str, kind: str) -> None:
    made = Made(tmp_path)
    made.mounted(made.nvme("nvme0n1", model, transport), "/", "ext4", "/dev/nvme0n1")
    assert at(made, "/data").kind == kind


@pytest.mark.parametrize(("more", "cache"), [({"queue__write_cache": "write back"}, "write back"), ({}, msgspec.UNSET)])
def test_the_write_cache_is_what_the_kernel_tells(tmp_path: Path, more: dict[str, str], cache: object) -> None:
    made = Made(tmp_path)
    made.mounted(made.disk("vda", "sys/devices/pci0000:00/virtio1/block", **more), "/", "ext4", "/dev/vda")
    assert [one.write_cache for one in at(made, "/data").devices] == [cache]


def test_what_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    assert storage.place("/data", machine=Machine(tmp_path)).kind == "unknown"
    made = Made(tmp_path)
    made.mounted("0:30", "/tank", "zfs", "tank/data")
    found = at(made, "/tank/x")
    assert (found.kind, found.devices) == ("unknown", ())
    assert "tank" in found.layers[0]


def test_a_later_mount_hides_an_earlier_one(tmp_path: Path) -> None:
    made = metal(tmp_path)
    made.mounted("0:50", "/mnt/home", "tmpfs", "tmpfs")
    assert at(made, "/mnt/home/x").kind == "memory"


def test_a_mount_point_with_a_blank(tmp_path: Path) -> None:
    made = metal(tmp_path)
    made.mounted("0:51", "/mnt/a\\040b", "tmpfs", "tmpfs")
    assert at(made, "/mnt/a b/c").mount == "/mnt/a b"


def test_this_machine_answers(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/shm")
    found = storage.place(tmp_path / "link" / "not-yet")
    assert (found.filesystem, found.kind) == ("tmpfs", "memory")
    assert found.path.startswith("/dev/shm")
    assert found.free
    here = storage.place(tmp_path)
    assert here.mount
    assert here.free == pytest.approx(os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize, rel=0.2)


@pytest.mark.parametrize(("text", "cpus"), [("0", (0,)), ("0-3,8", (0, 1, 2, 3, 8)), ("5,1-2", (1, 2, 5))])
def test_lists_of_cpus(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpus(text) == cpus
    assert parse_cpus(cpus_text(cpus)) == cpus


@pytest.mark.parametrize("text", ["", "a", "3-1", "0-99999", "1,,2", "-1"])
def test_no_list_of_cpus(text: str) -> None:
    with pytest.raises(UsageError, match="not a list of CPUs"):
        parse_cpus(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [("4G", 4 << 30), ("512 MiB", 512 << 20), ("1.5k", 1536), ("2GB", 2 * 10**9), ("1000", 1000), ("18.8 GiB", None)],
)
def test_sizes(text: str, size: int | None) -> None:
    assert parse_size(text) == (int(18.8 * (1 << 30)) if size is None else size)


@pytest.mark.parametrize("text", ["", "G", "-4G", "0", "4 GX", "four"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(UsageError, match="is not a size"):
        parse_size(text)
