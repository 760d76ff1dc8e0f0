"""A machine that slows down: a run that is given less of the CPU from some block on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Weigh

PERIOD, QUOTA = 5_000, 1_000
"""Microseconds: a fifth of a CPU, in slices so short that every piece of work is slowed down alike."""
_GROUPS = Path("/sys/fs/cgroup")
_NEIGHBOURS = 3
"""For every CPU, where there are no control groups: as many others that want it."""


def slowed(weigh: Weigh, *arguments: str, blocks: int, **environment: str) -> Run:
    """A run during whose later blocks the machine is five times slower.

    Args:
        weigh: in an empty folder.
        arguments: of ``weigh run``.
        blocks: how many begin before that.
        environment: of the run.
    """
    process = weigh.start("run", *arguments, **environment)
    with _brake(process.pid) as brake:
        while _begun(weigh.folder) <= blocks and process.poll() is None:
            time.sleep(0.05)
        try:
            with brake:
                out, err = process.communicate(timeout=600)
        finally:
            process.kill()
    assert "Traceback" not in err, err
    return Run(process.returncode, out, err, weigh.folder)


def _begun(folder: Path) -> int:
    return sum(path.read_text().count('{"event":"block"') for path in folder.glob("runs/*/journal.jsonl"))


@contextmanager
def _brake(pid: int) -> Iterator[object]:
    """What slows a process and those that it starts, once it is entered."""
    old, new = _GROUPS / "cpu", _GROUPS / "cgroup.subtree_control"
    name = f"weigh-drift-{pid}"
    if os.access(old / "cgroup.procs", os.W_OK):
        with _group(old / name, pid) as group:
            # The tests alongside it want the CPUs too: this run is served first, and only its brake slows it down.
            (group / "cpu.shares").write_text("262144")
            (group / "cpu.cfs_period_us").write_text(str(PERIOD))
            yield _set(group / "cpu.cfs_quota_us", str(QUOTA), "-1")
    elif new.exists() and "cpu" in new.read_text().split() and os.access(_GROUPS / "cgroup.procs", os.W_OK):
        with _group(_GROUPS / name, pid) as group:
            (group / "cpu.weight").write_text("10000")
            yield _set(group / "cpu.max", f"{QUOTA} {PERIOD}", f"max {PERIOD}")
    else:
        yield _neighbours()


@contextmanager
def held_back(pid: int) -> Iterator[Callable[[], object]]:
    """A process in a control group of its own, and what gives that group a hundredth of a CPU from then on."""
    old, new = _GROUPS / "cpu", _GROUPS / "cgroup.subtree_control"
    name = f"weigh-held-{pid}"
    if os.access(old / "cgroup.procs", os.W_OK):
        with _group(old / name, pid) as group:
            yield lambda: (group / "cpu.cfs_quota_us").write_text("1000")
    elif new.exists() and "cpu" in new.read_text().split() and os.access(_GROUPS / "cgroup.procs", os.W_OK):
        with _group(_GROUPS / name, pid) as group:
            yield lambda: (group / "cpu.max").write_text("1000 100000")
    else:
        pytest.skip("control groups with limits of CPU cannot be made here")


@contextmanager
def _group(folder: Path, pid: int) -> Iterator[Path]:
    folder.mkdir()
    try:
        (folder / "cgroup.procs").write_text(str(pid))
        yield folder
    finally:
        for left in (folder / "cgroup.procs").read_text().split():
            with suppress(OSError):
                (folder.parent / "cgroup.procs").write_text(left)
        # One that is dying is in it a moment longer.
        for _ in range(200):
            with suppress(OSError):
                folder.rmdir()
                break
            time.sleep(0.01)


@contextmanager
def _set(file: Path, value: str, after: str) -> Iterator[None]:
    file.write_text(value)
    try:
        yield
    finally:
        file.write_text(after)


@contextmanager
def _neighbours() -> Iterator[None]:
    burn = [sys.executable, "-c", "while True: pass"]
    burning = [subprocess.Popen(burn) for _ in range(_NEIGHBOURS * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for one in burning:
            one.kill()
            one.wait()
