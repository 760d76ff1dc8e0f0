"""Peers: processes at the other ends of a life's sockets that its adapter does not name, and what they use (A11)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.host import processes
from weigh.host.processes import server_ties
from weigh.model import codes
from weigh.model.units import seconds

if TYPE_CHECKING:
    from weigh.engines.process import WorkerProcess
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds
    from weigh_worker.protocol import ServersReply

FLOOR = 0.05
"""CPU seconds of a peer in a life below which nobody is accused: the kernel counts theirs in hundredths."""
RATIO = 0.5
"""Above the floor: more than this share of what the life used itself meanwhile."""


class _Reading(NamedTuple):
    """CPU seconds of a peer, and of the life, when the peer was met."""

    peer: Seconds
    life: Seconds


class Peers:
    """The peers of one life.

    Args:
        worker: the life.
        declared: what its adapter says that works for it.
    """

    def __init__(self, worker: WorkerProcess, declared: ServersReply) -> None:
        self._worker = worker
        self._quiet = declared.elsewhere
        """Its adapter says that others execute, and its CPU is not taken for the engine's."""
        self._declared = {os.getpid(), *(one.pid for pid in declared.pids for one in processes.family(pid))}
        self._met: dict[int, _Reading] = {}
        self.looked = 0

    def look(self) -> None:
        """Whom it is connected to now; outside of turns, for it takes milliseconds."""
        self.looked += 1
        if self._quiet:
            return
        family = [self._worker.pid, *self._pids]
        for pid in {*server_ties.peers(family)} - {*family} - self._declared:
            used = processes.cpu_seconds(pid)
            if pid > 0 and used is not None:
                self._met.setdefault(pid, _Reading(used, self._life))

    def finding(self, contender: str) -> Finding | None:
        """Who did so much of the work that it must have been named."""
        for pid, before in self._met.items():
            used, life = (processes.cpu_seconds(pid) or 0.0) - before.peer, self._life - before.life
            if used > FLOOR and used > RATIO * life:
                return codes.A11_PEER.finding(
                    contender=contender,
                    text=f"it is connected to {_name(pid)} (pid {pid}, user {_user(pid)}), which used {seconds(used)} "
                    f"of CPU in one of its lives and is not counted; it used {seconds(life)} itself meanwhile",
                    remedy="an adapter whose engine executes in other processes says so (elsewhere = True), and names "
                    "them (servers()); it is not compared",
                )
        return None

    @property
    def _pids(self) -> list[int]:
        return self._worker.family.pids() if self._worker.family else []

    @property
    def _life(self) -> Seconds:
        return self._worker.family.seconds() if self._worker.family else 0.0


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "a process"


def _user(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}").stat().st_uid)
    except OSError:
        return "unknown"
