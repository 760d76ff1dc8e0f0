"""Hosts of a cluster as network namespaces of this machine: each with an address of its own, joined by a bridge.

They share a kernel and its clocks, and not the network: nothing reaches another one but by its address.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WAIT = 90.0
"""Seconds for a scheduler and its workers."""


class Hosts:
    """A few hosts.

    Attributes:
        address: of the bridge, where whoever asks for the work is.
        names: of the namespaces.
    """

    def __init__(self, address: str, names: list[str]) -> None:
        self.address = address
        self.names = names


def missing() -> str:
    """Why namespaces cannot be made here; empty where they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "there is no ip: apt-get install iproute2"
    name = f"weigh-try-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"network namespaces cannot be made: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    link = f"wgt{os.getpid() % 100_000}"
    made = subprocess.run(["ip", "link", "add", link, "type", "bridge"], capture_output=True, text=True, check=False)
    subprocess.run(["ip", "link", "del", link], capture_output=True, check=False)
    return "" if made.returncode == 0 else f"a bridge cannot be made: {made.stderr.strip()}"


@contextmanager
def hosts(number: int) -> Iterator[Hosts]:
    """Make them, and take them away."""
    own = os.getpid() % 10_000
    net = f"10.{100 + own % 100}.{own // 100}"
    bridge = f"wgb{own}"
    with ExitStack() as stack:
        _ip("link", "add", bridge, "type", "bridge")
        stack.callback(_ip, "link", "del", bridge)
        _ip("addr", "add", f"{net}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        names = []
        for at in range(1, number + 1):
            name, outside, inside = f"weigh-{own}-{at}", f"wgo{own}{at}", f"wgi{own}{at}"
            _ip("netns", "add", name)
            stack.callback(_ip, "netns", "del", name)
            _ip("link", "add", outside, "type", "veth", "peer", "name", inside)
            _ip("link", "set", inside, "netns", name)
            _ip("link", "set", outside, "master", bridge, "up")
            for words in (
                ["addr", "add", f"{net}.{10 + at}/24", "dev", inside],
                ["link", "set", inside, "up"],
                ["link", "set", "lo", "up"],
            ):
                _ip("-n", name, *words)
            names.append(name)
        yield Hosts(f"{net}.1", names)


@contextmanager
def dask(own: Hosts, folder: Path) -> Iterator[str]:
    """A scheduler at the bridge and a worker on each host; how ``--on`` and ``--agents`` take it."""
    with ExitStack() as stack:
        where = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = [sys.executable, "-m", "dask"]
        port = 20_000 + os.getpid() % 10_000
        address = f"tcp://{own.address}:{port}"
        scheduler = [*command, "scheduler", "--host", own.address, "--port", str(port), "--no-dashboard"]
        stack.callback(_end, subprocess.Popen(scheduler, **where))
        for name in own.names:
            options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name]
            inside = ["ip", "netns", "exec", name, *command, "worker", address, *options]
            stack.callback(_end, subprocess.Popen(inside, **where))
        _joined(address, len(own.names))
        yield f"dask://{own.address}:{port}"


def _joined(address: str, workers: int) -> None:
    from distributed import Client

    until = time.monotonic() + _WAIT
    while time.monotonic() < until:
        with suppress(OSError, TimeoutError), Client(address, timeout=_WAIT, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=_WAIT)
            return
    raise AssertionError("the workers did not join")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(10)
    process.kill()
    process.wait()
