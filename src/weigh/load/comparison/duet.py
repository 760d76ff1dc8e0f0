"""Duets: two servers that are offered the same schedule at the same moment, each on its half of the CPUs.

Whatever else the machine does meets both at once, and most of it cancels in their ratio (L. Bulej, V. Horky, P. Tuma,
F. Farquet, A. Prokopec, "Duet benchmarking: improving measurement accuracy in the cloud", ICPE 2020). The price is
another question: how long users wait while the other server is loaded too. Disk and memory bandwidth are not split.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from weigh.host import facts
from weigh.host.affinity import halves, keep_on
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.runs import LoadRun
    from weigh.load.session import Session
    from weigh.load.session.offering import Run
    from weigh.load.spec import Loop
    from weigh.model.finding import Finding

_LATE = 60.0
"""Seconds that one side waits for the other to be ready."""


def finding() -> Finding:
    """That the figures are those of a duet."""
    return codes.X_DUET.finding(
        text="measured while the other ran: both servers were offered the same schedule at the same moment, each with "
        "its generator on half of the CPUs, the halves drawn anew for every block; the disk and the memory they share",
        remedy="leave --duet out to measure each with the machine to itself",
    )


def make(sessions: Sequence[Session], loop: Loop, connections: int, repeat: int, name: str) -> None:
    """A run of each of two sessions, begun together.

    Args:
        sessions: the first has the first half of the CPUs.
        loop: on a schedule, or closed.
        connections: how many each has.
        repeat: the block.
        name: for who watches.

    Raises:
        WeighError: a server is in the way; nothing more is offered to the other one.
    """
    places = halves(facts.allowed_cpus())
    runs = []
    for session, cpus in zip(sessions, places, strict=True):
        run = session.ready(loop, connections, repeat, name=name)
        if (process := session.lives.reached.process) is not None:
            keep_on(process, cpus)
        runs.append(run)
    for session, run, made in zip(sessions, runs, _at_once(runs, places), strict=True):
        session.ended(run, made)


def _at_once(runs: Sequence[Run], places: Sequence[Sequence[int]]) -> list[LoadRun]:
    """Both runs, each in a thread of its own: this one, which signals reach, waits for them."""
    barrier = threading.Barrier(len(runs))
    made: dict[int, LoadRun] = {}
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            # Its generator's threads begin where this one is.
            os.sched_setaffinity(0, places[number])
            made[number] = runs[number].made(lambda: barrier.wait(_LATE))
        except BaseException as error:  # it is raised by the other thread
            failed.append(error)
            barrier.abort()
            _stop(runs)

    threads = [
        threading.Thread(target=work, args=(number,), name=f"weigh-duet-{number}") for number in range(len(runs))
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
    except BaseException:
        barrier.abort()
        _stop(runs)
        for thread in threads:
            thread.join()
        raise
    if failed:
        # A broken barrier is what the other side met.
        raise next((one for one in failed if not isinstance(one, threading.BrokenBarrierError)), failed[0])
    return [made[number] for number in range(len(runs))]


def _stop(runs: Sequence[Run]) -> None:
    for run in runs:
        run.stop()
