"""A Valkey that a user might run: durable, started by a command, and killed by another."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from support.waiting import eventually
from weigh.engines import environment as environments
from weigh.engines.prepared import cache_folder
from weigh.load.target.valkey.target import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterator


class Killable(NamedTuple):
    """Where it listens, and the commands."""

    socket: str
    kill: str
    start: str

    @property
    def flags(self) -> tuple[str, ...]:
        """Of ``weigh load``."""
        return ("--kill-command", self.kill, "--start-command", self.start)


@contextmanager
def killable(preload: Path | None = None) -> Iterator[Killable]:
    """While the body runs.

    Args:
        preload: a library that it loads first.
    """
    environment = environments.ensure([PACKAGE], cache_folder()).python.parent.parent
    (program,) = environment.glob("lib/python*/site-packages/**/valkey-server")
    folder = Path(tempfile.mkdtemp(prefix="weigh-test-"))
    options = {
        "port": "0", "unixsocket": folder / "socket", "dir": folder, "daemonize": "yes", "pidfile": folder / "pid",
        "logfile": folder / "log", "appendonly": "yes", "appendfsync": "always", "save": "",
    }  # fmt: skip
    words = [str(program), *(word for name, value in options.items() for word in (f"--{name}", str(value)))]
    kill = f"kill -9 $(cat {shlex.quote(str(folder / 'pid'))})"
    try:
        surroundings = {**os.environ, "LD_PRELOAD": str(preload)} if preload else None
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=surroundings)
        eventually(lambda: (folder / "socket").exists() and (folder / "pid").exists())
        yield Killable(socket=str(folder / "socket"), kill=kill, start=shlex.join(words))
    finally:
        subprocess.run(kill, shell=True, check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
