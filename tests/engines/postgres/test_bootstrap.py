"""weigh, or the process that holds the engine, killed while initdb fills a data directory: no shared memory stays."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from support import bootstrap
from support.command import Weigh
from support.waiting import eventually
from weigh.engines.exchange import WorkerEnded
from weigh.engines.process import WorkerProcess
from weigh.host import scratch

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.engines.prepared import PreparedContender

LOAD = ("load", "ycsb-c", "--target", "postgres:embedded", "--rate", "10", "--records", "50", "--duration", "1s")
RUN = ("run", "--contender", "postgres", "--scale", "1K", "--operations", "by_action", "--quiet")


@pytest.mark.long
@pytest.mark.parametrize("asked", [LOAD, RUN], ids=["load", "run"])
def test_weigh_is_killed_and_another_sweeps(tmp_path: Path, asked: tuple[str, ...]) -> None:
    """A server whose data is removed aborts, and gives nothing back."""
    running = Weigh(tmp_path, forked=False).start(*asked)
    found: list[bootstrap.Bootstrap] = []

    def caught() -> bool:
        assert running.poll() is None, running.communicate()
        one = bootstrap.caught(f"-{running.pid}-")
        found.extend([one] if one else [])
        return bool(one)

    eventually(caught)
    (server,) = found
    try:
        running.kill()
        running.communicate()
        scratch.sweep()
        assert server.memory == server.left()
    finally:
        server.go_on()
    eventually(server.gone)
    eventually(lambda: not server.left())

    def swept() -> bool:
        scratch.sweep()
        return not [path for place in (scratch.USUAL, tmp_path) for path in place.glob(f"weigh-*-{running.pid}-*")]

    eventually(swept)


@pytest.mark.parametrize("how", ["worker", "group"])
def test_the_process_of_the_engine_is_killed(contender: PreparedContender, how: str) -> None:
    """Neither its death alone, nor weigh's kill of its group, takes the server before it has given its memory back."""
    life = WorkerProcess(contender.engine, contender.environment, contender.settings)

    def ask() -> None:
        with suppress(WorkerEnded):
            life.version()

    asker = threading.Thread(target=ask)
    asker.start()
    found: list[bootstrap.Bootstrap] = []

    def caught() -> bool:
        one = bootstrap.caught(f"-{os.getpid()}-")
        found.extend([one] if one else [])
        return bool(one)

    eventually(caught)
    (server,) = found
    server.go_on()
    if how == "worker":
        os.kill(life.pid, signal.SIGKILL)
    else:
        life.kill()
    eventually(server.gone)
    life.kill()
    asker.join()
    assert not server.left()
