"""Disks that nobody uses: which of them may be taken, and the script that would."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.fake_disks import Made, metal
from weigh.doctor import read_rates, unused_disks
from weigh.doctor.read_rates import rate_of
from weigh.host import cgroup

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh


def states(made: Made) -> dict[str, tuple[str, str]]:
    return {one.device.name: (one.state, one.why) for one in unused_disks.spares(made.machine)}


def doctor(weigh: Weigh, made: Made, *flags: str) -> Run:
    assert made.machine
    return weigh("doctor", "storage", "/", *flags, WEIGH_ROOT=str(made.root))


def test_four_blank_disks_of_an_instance_become_an_array(weigh: Weigh) -> None:
    """Text 001, finding 1: nobody told that they are there."""
    run = doctor(weigh, metal(weigh.folder / "metal"), "--json")
    assert run.code == 0, run.err
    assert {one["device"]["name"]: one["state"] for one in run.json["spares"]} == {
        f"nvme{number}n1": "blank" for number in (1, 2, 3, 4)
    }
    assert run.json["script"].splitlines()[2:] == [
        "for disk in /dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1 /dev/nvme4n1; do "
        'test -z "$(wipefs --no-act "$disk")"; done',
        "mdadm --create /dev/md0 --level=0 --raid-devices=4 /dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1 /dev/nvme4n1",
        "mkdir -p /etc/mdadm && mdadm --detail --scan >> /etc/mdadm/mdadm.conf",
        "mkfs.xfs /dev/md0",
        "mkdir -p /mnt/weigh",
        'echo "UUID=$(blkid -s UUID -o value /dev/md0) /mnt/weigh xfs defaults,noatime,nofail 0 2" >> /etc/fstab',
        "mount /mnt/weigh",
    ]
    subprocess.run(["sh", "-n"], input=run.json["script"], text=True, check=True)
    text = doctor(weigh, metal(weigh.folder / "again"), "--mount", "/mnt/ssd").out
    assert "weigh does not run it" in text
    assert "mount /mnt/ssd" in text


@pytest.mark.promise("Disks with other content or partitions, and those that cannot be read, are refused and named")
@pytest.mark.parametrize(
    ("offset", "content", "why"),
    [
        (0, b"XFSB", "an XFS file system"),
        (0x438, b"\x53\xef", "an ext2, ext3 or ext4 file system"),
        (0x10040, b"_BHRfS_M", "a btrfs file system"),
        (0x200, b"LABELONE", "an LVM physical volume"),
        (0x1000, b"\xfc\x4e\x2b\xa9", "a member of an md array"),
        (0x200, b"EFI PART", "a GPT partition table"),
        (70_000, b"x", "data of a kind that weigh does not know"),
        ((4 << 20) - 8192, b"\xfc\x4e\x2b\xa9", "data at its end, such as that of an array or a ZFS pool"),
    ],
)
def test_what_bears_anything_is_refused(tmp_path: Path, offset: int, content: bytes, why: str) -> None:
    made = metal(tmp_path)
    made.content("nvme2n1", (offset, content))
    assert states(made)["nvme2n1"] == ("signed", why)
    names = [one.name for one in unused_disks.chosen(unused_disks.spares(made.machine))]
    assert names == ["nvme1n1", "nvme3n1", "nvme4n1"]


@pytest.mark.promise("Disks with other content or partitions, and those that cannot be read, are refused and named")
def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    made = metal(tmp_path)
    (tmp_path / "dev/nvme1n1").unlink()
    made.content("nvme2n1", size=0)
    found = states(made)
    assert found["nvme1n1"] == ("unreadable", "it cannot be opened: No such file or directory")
    assert found["nvme2n1"] == ("unreadable", "nothing can be read from it")


def test_what_is_in_use_is_not_listed(tmp_path: Path) -> None:
    made = metal(tmp_path)
    made.over("md0", ["nvme1n1", "nvme2n1"], md__level="raid0")
    made.mounted(made.part("nvme3n1", 1), "/data", "ext4", "/dev/nvme3n1p1")
    made.file("/proc/swaps", "Filename Type Size Used Priority\n/dev/nvme4n1 partition 1 0 -2")
    assert states(made) == {}


def test_partitions_that_nobody_mounted_are_refused(tmp_path: Path) -> None:
    made = metal(tmp_path)
    made.part("nvme1n1", 1)
    assert states(made)["nvme1n1"] == ("signed", "partitions")


@pytest.mark.promise("Network volumes are listed and never joined.")
def test_a_volume_over_the_network_is_never_joined(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.nvme("nvme5n1", "Amazon Elastic Block Store")
    made.content("nvme5n1")
    assert states(made) == {"nvme5n1": ("blank", "")}
    assert unused_disks.chosen(unused_disks.spares(made.machine)) == ()


def test_one_disk_needs_no_array(tmp_path: Path) -> None:
    made = metal(tmp_path)
    text = unused_disks.script(unused_disks.chosen(unused_disks.spares(made.machine))[:1], "/dev/md0", "/mnt/weigh")
    assert "mdadm" not in text
    assert "mkfs.xfs /dev/nvme1n1\n" in text


@pytest.mark.parametrize("point", ["mnt", "/", "/mnt/$(reboot)", "/mnt/a b", "/dev/shm"])
def test_no_mount_point(weigh: Weigh, point: str) -> None:
    assert doctor(weigh, metal(weigh.folder / "metal"), "--mount", point).code == 2


def test_read_rates_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_rates, "_SECONDS", 0.05)
    monkeypatch.setattr(read_rates, "_WRITING", 0.1)
    found = read_rates.measure(tmp_path)
    assert list(tmp_path.iterdir()) == []
    if found.why_not:
        assert not found.rates
        return
    assert [(one.pattern, one.depth) for one in found.rates] == [
        ("sequential", 1), ("sequential", 64), ("random", 1), ("random", 64),
    ]  # fmt: skip
    assert all(one.bytes_s > 0 and one.reads_s * one.block == pytest.approx(one.bytes_s) for one in found.rates)


def test_a_fio_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_rates, "_SECONDS", 0.02)
    monkeypatch.setattr(read_rates, "_WRITING", 0.1)
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/false")
    found = read_rates.measure(tmp_path)
    assert found.why_not or found.how.endswith("(fio is installed and failed)")


def test_what_fio_says() -> None:
    said = json.loads('{"jobs": [{"read": {"bw_bytes": 1048576, "iops": 256.5, "iops_mean": 1}}]}')
    found = rate_of(said, "random", 64)
    assert (found.bytes_s, found.reads_s, found.block, found.depth) == (1048576.0, 256.5, 4096, 64)


def grouped(made: Made, version: int, limits: dict[str, str], own: str) -> None:
    """A hierarchy of control groups, with this process in one of them."""
    if version == 2:
        made.mounted("0:30", "/sys/fs/cgroup", "cgroup2", "cgroup2")
        made.file("/proc/self/cgroup", f"0::{own}")
        made.file("/sys/fs/cgroup/cgroup.controllers", "cpu memory")
        top, name = "/sys/fs/cgroup", "memory.max"
    else:
        made.file("/proc/self/cgroup", f"4:memory:{own}\n0::/")
        made._mounts.append("35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory")
        top, name = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
    for group, limit in limits.items():
        made.file(f"{top}{group}/{name}", limit)


@pytest.mark.parametrize(
    ("version", "limits", "allowed"),
    [
        (2, {"/a": "max", "/a/b": "4294967296"}, 4 << 30),
        (2, {"/a": "1073741824", "/a/b": "4294967296"}, 1 << 30),
        (2, {"/a": "max", "/a/b": "max"}, None),
        (1, {"": "9223372036854771712", "/a": "2147483648", "/a/b": "9223372036854771712"}, 2 << 30),
        (1, {"": "9223372036854771712", "/a/b": "9223372036854771712"}, None),
    ],
)
def test_memory_that_control_groups_allow(
    tmp_path: Path, version: int, limits: dict[str, str], allowed: int | None
) -> None:
    made = Made(tmp_path)
    grouped(made, version, limits, "/a/b")
    assert cgroup.allowed_memory(made.machine) == allowed


def test_a_group_is_made_where_version_2_hands_memory_down(tmp_path: Path) -> None:
    made = Made(tmp_path)
    grouped(made, 2, {"/user": "max", "/user/scope": "max"}, "/user/scope")
    made.file("/sys/fs/cgroup/user/cgroup.subtree_control", "memory pids")
    # Left by one that was killed.
    (tmp_path / "sys/fs/cgroup/user/weigh-999999999-1").mkdir()
    place = cgroup.usable(made.machine)
    assert place is not None
    assert place.group_path == tmp_path / "sys/fs/cgroup/user"
    assert list(place.group_path.glob("weigh-*")) == []


def test_no_group_where_nothing_hands_memory_down(tmp_path: Path) -> None:
    made = Made(tmp_path)
    grouped(made, 2, {"/user": "max"}, "/user")
    assert cgroup.usable(made.machine) is None
    assert cgroup.usable(Made(tmp_path / "none").machine) is None
