"""L10: a spike blamed by eye. A process is stopped while the server checkpoints at other moments; the twin's spikes
come with its checkpoints."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.waiting import eventually, journalled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Weigh

STALLS = (0.4, 0.8, 1.9, 2.3, 3.6, 4.2)
"""Seconds since the first answers: unevenly spaced, so that the same moments elsewhere would be seldom as good."""
BETWEEN = (0.6, 1.3, 2.1, 2.9, 3.9, 4.5)
LENGTH = 0.12
FLAGS = ("--records", "200", "--rate", "200", "--duration", "5s", "--connections", "4", "--warmup", "0s")
TRIES = 3


class Server:
    """A PostgreSQL server that weigh has started: its processes, and a session in it.

    Args:
        weigh: process id of the command.
    """

    def __init__(self, weigh: int) -> None:
        self.pids = [pid for pid, name in descendants(weigh) if name == "postgres"]
        folder = Path(f"/proc/{self.pids[0]}/cwd").readlink()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(folder / ".s.PGSQL.5432"))
        self._send(b"", struct.pack(">i", 196608) + b"user\0weigh\0database\0postgres\0\0")

    def checkpoint(self) -> None:
        """Have everything written out, and wait for it."""
        self._send(b"Q", b"CHECKPOINT\0")

    def stand_still(self) -> None:
        """Stop all of its processes for a while."""
        for wanted in (signal.SIGSTOP, signal.SIGCONT):
            for pid in self.pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, wanted)
            time.sleep(LENGTH if wanted is signal.SIGSTOP else 0.0)

    def close(self) -> None:
        """Leave it."""
        self._socket.close()

    def _send(self, kind: bytes, body: bytes) -> None:
        """A message, and everything up to the end of its answer (ReadyForQuery)."""
        self._socket.sendall(kind + struct.pack(">i", len(body) + 4) + body)
        file = self._socket.makefile("rb")
        while True:
            said, length = struct.unpack(">ci", file.read(5))
            text = file.read(length - 4)
            assert said != b"E", text
            if said == b"Z":
                return


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """Process ids and names of what a process started, and so on."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if int(rest.split()[1]) == pid:
            yield int(stat.parent.name), name
            yield from descendants(int(stat.parent.name))


def spiked(weigh: Weigh, checkpoints: tuple[float, ...]) -> dict[str, Any]:
    """The only run of a load on a server that stands still now and then, and checkpoints at these moments."""
    running = weigh.start("load", "ycsb-c", "--target", "postgres:embedded", *FLAGS, "--quiet", "--json")
    try:
        answered = journalled(weigh.folder, "interval")
        eventually(lambda: answered() or running.poll() is not None)
        began = time.monotonic()
        server = Server(running.pid)
        # The checkpoint first where both are due at once: it is over before the server stands still.
        due = sorted([(at, 0) for at in checkpoints] + [(at, 1) for at in STALLS])
        for at, which in due:
            time.sleep(max(began + at - time.monotonic(), 0.0))
            (server.checkpoint, server.stand_still)[which]()
        server.close()
    finally:
        out, err = running.communicate()
    assert running.returncode in (0, 3), err
    document: dict[str, Any] = json.loads(out)
    (run,) = document["runs"]
    (kind,) = [one for one in run["activity"]["kinds"] if one["kind"] == "checkpoint"]
    assert kind["events"] >= len(checkpoints)
    # What the finding says is what the run's figures say.
    assert kind["blamed"] == ("L10.blamed" in {one["code"] for one in document["findings"]})
    (evidence,) = (weigh.folder / "runs").iterdir()
    assert weigh("verify", str(evidence)).code == 0
    found: dict[str, Any] = kind
    return found


# On records made by hand it is tested alongside this (tests/load/test_activity.py).
@pytest.mark.long
@pytest.mark.promise("The same spikes alongside checkpoints are not.")
def test_spikes_of_a_stopped_process_are_not_blamed_on_checkpoints(fresh: Callable[[], Weigh]) -> None:
    # A machine that is busy has spikes of its own, which may meet checkpoints: another run is made.
    for _ in range(TRIES):
        found = spiked(fresh(), BETWEEN)
        if not found["blamed"]:
            break
    assert not found["blamed"], found


@pytest.mark.promise("Spikes in forced checkpoints are blamed on checkpoints.")
def test_spikes_that_come_with_checkpoints_are(fresh: Callable[[], Weigh]) -> None:
    for _ in range(TRIES):
        found = spiked(fresh(), STALLS)
        if found["blamed"]:
            break
    assert found["blamed"], found
    assert found["hits"] >= 3
    assert found["p"] <= 0.05
    assert found["exact"], "the server's own log says when"
