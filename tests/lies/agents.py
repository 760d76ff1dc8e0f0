"""A cluster of Dask whose workers are agents, some of which lie."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WAIT = 60.0
"""Seconds for scheduler and workers, on a machine that does much else."""
AGENTS = ("ycsb-a", "--target", "valkey:embedded", "--records", "2000", "--connections", "6", "--rate", "150")


class Cluster:
    """A scheduler and its workers, each a process without a nanny.

    Attributes:
        place: as ``--agents`` takes it.
        workers: in the order in which they were started.
    """

    def __init__(self, place: str, workers: list[subprocess.Popen[bytes]]) -> None:
        self.place = place
        self.workers = workers


@contextmanager
def cluster(folder: Path, *lies: str) -> Iterator[Cluster]:
    """Start it; a worker for each lie.

    Args:
        folder: for its files.
        lies: ``none`` for an honest one.
    """
    with ExitStack() as stack:
        port = _free()
        dask = [sys.executable, "-m", "dask"]
        quiet = ["--no-dashboard"]
        where = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        address = f"127.0.0.1:{port}"
        scheduler = subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), *quiet], **where)
        stack.callback(_end, scheduler)
        _listening(port)
        workers = []
        for number, lie in enumerate(lies):
            options = ["--nthreads", "1", "--no-nanny", *quiet, "--name", f"{number}-{lie.partition(':')[0]}"]
            preload = ["--preload", "weigh_liars.agents"] if lie != "none" else []
            worker = subprocess.Popen(
                [*dask, "worker", f"tcp://{address}", *options, *preload],
                env={**os.environ, "WEIGH_LIARS_AGENT": lie},
                **where,
            )
            stack.callback(_end, worker)
            workers.append(worker)
        _joined(f"tcp://{address}", len(lies))
        yield Cluster(f"dask://{address}", workers)


def _free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listening(port: int) -> None:
    until = time.monotonic() + _WAIT
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the scheduler does not listen")


def _joined(address: str, workers: int) -> None:
    from distributed import Client

    with Client(address, timeout=_WAIT, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=_WAIT)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
