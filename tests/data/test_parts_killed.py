"""Data by parts while somebody is killed: workers, the scheduler, weigh itself; nothing is left, and it is finished."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.command import Weigh
from support.waiting import eventually

from .test_parts import PLAIN, digests

if TYPE_CHECKING:
    from pathlib import Path

IGNORED = shutil.ignore_patterns("__pycache__")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.long
def test_ctrl_c_leaves_nothing_running(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "weigh", "data", "make", "netflow", "--scale", "30M", "--files", "6", *PLAIN]
    with subprocess.Popen(
        [*command, "--on", "local:2", "--to", "there"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as one:
        try:
            eventually(lambda: list((tmp_path / "there").glob(".making-*/*.parquet")) or one.poll() is not None)
            workers = spawned(one.pid)
            one.send_signal(signal.SIGINT)
            err = one.communicate(timeout=60)[1].decode()
        finally:
            one.kill()
    assert (one.returncode, "--resume" in err) == (130, True), err
    assert len(workers) == 2
    eventually(lambda: not any(alive(pid) for pid in workers))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def spawned(pid: int) -> list[int]:
    """Workers of ``--on local:N``."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "spawn_main" in line]


@pytest.mark.long
def test_workers_that_are_killed_change_nothing(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    named = ("netflow", "--scale", "2M", "--files", "16", *PLAIN)
    expected = digests(weigh, *named)
    command = [sys.executable, "-m", "weigh", "data", "make", *named, "--on", "local:2", "--to", "there", "--json"]
    drawn, kills = random.Random(7), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        while process.poll() is None:
            time.sleep(drawn.uniform(0.3, 1.5))
            workers = spawned(process.pid)
            if kills < 5 and workers and (tmp_path / "there" / "parts").exists():
                os.kill(drawn.choice(workers), signal.SIGKILL)
                kills += 1
        out, err = process.communicate()
    assert process.returncode == 0, err.decode()
    assert kills == 5
    assert msgspec.json.decode(out)["manifest"]["digests"] == expected
    assert not [path for path in (tmp_path / "there").iterdir() if path.name.startswith((".making", "parts", "making"))]


@pytest.mark.long
def test_a_scheduler_that_is_killed_ends_the_work_and_resume_finishes_it(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    named = ("netflow", "--scale", "2M", "--files", "16", *PLAIN)
    expected = digests(weigh, *named)
    command = [sys.executable, "-m", "weigh", "data", "make", *named, "--to", "there", "--json"]
    found = 0
    for last in (False, True):
        port = free_port()
        dask = [sys.executable, "-m", "dask"]
        started = [subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"])]
        started += [
            subprocess.Popen(
                [*dask, "worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--local-directory", str(tmp_path)]
            )
            for _ in range(2)
        ]
        try:
            more = ["--on", f"dask://127.0.0.1:{port}", *(["--resume"] if last else [])]
            with subprocess.Popen(
                [*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
            ) as one:
                while not last and one.poll() is None:
                    time.sleep(0.05)
                    if len(list((tmp_path / "there" / "parts").glob("*.json"))) >= 3:
                        started[0].kill()
                        break
                out, err = one.communicate()
            if not last:
                assert one.returncode == 2, err.decode()
                assert b"the scheduler is gone" in err
                assert b"--resume" in err
                found = len(list((tmp_path / "there" / "parts").glob("*.json")))
            else:
                assert one.returncode == 0, err.decode()
                assert msgspec.json.decode(out)["manifest"]["digests"] == expected
                assert msgspec.json.decode(out)["found"] >= min(found, 3)
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait(30)
    assert not [path for path in (tmp_path / "there").iterdir() if path.name.startswith((".making", "parts", "making"))]
