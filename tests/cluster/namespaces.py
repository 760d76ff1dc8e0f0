"""Hosts of a cluster as network namespaces of this machine: each with an address of its own, joined by a bridge.

They share a kernel and its clocks, and not the network: nothing reaches another one but by its address.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_WAIT = 90.0
"""Seconds for a scheduler and its workers."""
_NUMBER = itertools.count()


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
            # The kernel takes away what is in a namespace some time after it: the next one would find the name taken.
            stack.callback(subprocess.run, ["ip", "link", "del", outside], check=False, capture_output=True)
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


class Dask:
    """A scheduler at the bridge, and a worker on each host.

    Attributes:
        place: as ``--on`` and ``--agents`` take it.
    """

    def __init__(self, own: Hosts, folder: Path) -> None:
        self._own = own
        self._folder = folder
        # Another one for each: two may run at a time.
        port = 20_000 + (os.getpid() + next(_NUMBER)) % 10_000
        self._address = f"tcp://{own.address}:{port}"
        self._scheduler = self._started("scheduler", "--host", own.address, "--port", str(port))
        self._workers = {name: self._worker(name) for name in own.names}
        self.place = f"dask://{own.address}:{port}"

    def kill_worker(self, name: str) -> None:
        """With SIGKILL; another one is started on its host."""
        self._workers[name].kill()
        self._workers[name].wait()
        self._workers[name] = self._worker(name)

    def kill_scheduler(self) -> None:
        """With SIGKILL."""
        self._scheduler.kill()
        self._scheduler.wait()

    def joined(self) -> None:
        """Wait for all workers."""
        from distributed import Client

        workers, until = len(self._workers), time.monotonic() + _WAIT
        while time.monotonic() < until:
            with suppress(OSError, TimeoutError), Client(self._address, timeout=_WAIT, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=_WAIT)
                return
        raise AssertionError("the workers did not join")

    def end(self) -> None:
        """Workers first: the scheduler tells nobody that it goes."""
        for process in (*self._workers.values(), self._scheduler):
            process.terminate()
        for process in (*self._workers.values(), self._scheduler):
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()

    def _worker(self, name: str) -> subprocess.Popen[bytes]:
        options = ["--nthreads", "1", "--no-nanny", "--name", f"{name}-{time.monotonic_ns()}"]
        return self._started("worker", self._address, *options, before=["ip", "netns", "exec", name])

    def _started(self, *words: str, before: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        command = [*before, sys.executable, "-m", "dask", *words, "--no-dashboard"]
        return subprocess.Popen(command, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def dask(own: Hosts, folder: Path) -> Iterator[Dask]:
    """Dask on these hosts, ready."""
    found = Dask(own, folder)
    try:
        found.joined()
        yield found
    finally:
        found.end()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
