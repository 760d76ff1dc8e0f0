"""Data by parts: against one process, memory of who asks, and workers that are killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCALE = os.environ.get("WEIGH_BENCH_CLUSTER_SCALE", "1")
"""Of tpchgen."""
_ROWS = os.environ.get("WEIGH_BENCH_CLUSTER_ROWS", "30M")
"""Of netflow, for the memory."""
_KILLS = int(os.environ.get("WEIGH_BENCH_CLUSTER_KILLS", "20"))
_ROUNDS = int(os.environ.get("WEIGH_BENCH_CLUSTER_ROUNDS", "2"))
_MIB = 1 << 20


def run() -> Iterator[str]:
    """Today's path and two local workers in turn; then memory; then kills."""
    yield from _overhead()
    yield from _memory()
    yield from _kills()


def _overhead() -> Iterator[str]:
    named = ("tpchgen", "--scale", _SCALE)
    here, there, digests = [], [], set()
    for _ in range(_ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            # Environments are made once, and belong to neither.
            cache = Path(folder) / "cache"
            cache.mkdir()
            for name in ("envs", "uv"):
                if (cache_folder() / name).exists():
                    (cache / name).symlink_to(cache_folder() / name)
            began = time.perf_counter()
            digests.add(_made(*named, WEIGH_CACHE=str(cache)))
            here.append(time.perf_counter() - began)
            began = time.perf_counter()
            digests.add(_made(*named, "--on", "local:2", "--to", f"{folder}/there"))
            there.append(time.perf_counter() - began)
    yield (
        f"tpchgen at SF {_SCALE}: {min(here):.1f} s in one process, {min(there):.1f} s with --on local:2, "
        f"{min(there) / min(here):.2f} times (goal: at most 1.2); digests {'equal' if len(digests) == 1 else 'DIFFER'}"
    )


def _memory() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "weigh", "data", "make", "netflow", "--scale", _ROWS, "--quiet"]
        with subprocess.Popen(
            [*command, "--on", "local:2", "--to", f"{folder}/there"], stdout=subprocess.DEVNULL
        ) as one:
            most = 0
            while one.poll() is None:
                most = max(most, _peak(one.pid))
                time.sleep(0.2)
        assert one.returncode == 0
    yield f"netflow of {_ROWS} rows: the asking process has at most {most / _MIB:.0f} MiB (goal: 500 at any scale)"


def _peak(pid: int) -> int:
    """Most memory of a process until now, bytes; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def _kills() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp())
    try:
        named = ("netflow", "--scale", "10M", "--files", "64")
        expected = _made(*named, WEIGH_CACHE=str(cache_folder()))
        command = [sys.executable, "-m", "weigh", "data", "make", *named, "--quiet", "--json"]
        drawn, kills = random.Random(1), 0
        with subprocess.Popen(
            [*command, "--on", "local:2", "--to", str(folder / "there")], stdout=subprocess.PIPE, text=True
        ) as one:
            while one.poll() is None:
                time.sleep(drawn.uniform(0.2, 1.5))
                workers = _workers(one.pid)
                if kills < _KILLS and workers and (folder / "there" / "parts").exists():
                    os.kill(drawn.choice(workers), signal.SIGKILL)
                    kills += 1
            out = one.communicate()[0]
        same = one.returncode == 0 and json.dumps(json.loads(out)["manifest"]["digests"], sort_keys=True) == expected
        left = sorted(path.name for path in (folder / "there").iterdir() if path.suffix != ".parquet")
        outcome = "the same digests" if same else "FAILED"
        yield f"{kills} workers killed while 64 parts are made: {outcome}; there: {left}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _workers(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "spawn_main" in line]


def _made(*arguments: str, **variables: str) -> str:
    """The digests of a dataset that is made."""
    command = [sys.executable, "-m", "weigh", "data", "make", *arguments, "--quiet", "--json"]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=True)
    return json.dumps(json.loads(done.stdout)["manifest"]["digests"], sort_keys=True)
