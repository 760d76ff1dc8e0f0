"""Engines whose time is known: they sleep, so that a comparison of them comes out as it must on any machine."""

from __future__ import annotations

import math
import random
import time
from pathlib import Path
from typing import Any

from .honest import OURS, Engine


class Pace(Engine):
    """Takes the time that a law gives it. The query is executed, and what is left of the time is slept.

    The logarithm of the time is the sum of

    * ``ms``, and the logarithm of ``limit`` where the query has a LIMIT: the true time;
    * ``spread``: the standard deviation of a normal law from life to life, as of the layout of a process in memory;
    * ``gap``: added in every other life or so, at random: two levels;
    * ``drift``: added once for each life before this one, as on a machine that gets hotter;
    * ``jitter``: the standard deviation from execution to execution;
    * the logarithm of ``stall`` in every execution of a life whose number is a multiple of ``every``.

    ``burn`` milliseconds of it are spent at work, not asleep.

    What is random is drawn for each query from ``seed``, the number of the life and that of the execution, whatever
    happens between them. Lives are counted in the file ``diary``, together by all contenders that name the same;
    without it all lives are alike.
    """

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.law: dict[str, Any] = {**OURS, **self.wanted}
        self.worker = workers(str(self.law["diary"]))
        self.executions = 0

    def run(self) -> int:
        began, worked = time.perf_counter(), time.process_time()
        self.executions += 1
        rows = super().run()
        while time.process_time() - worked < float(self.law["burn"]) / 1e3:
            pass
        time.sleep(max(0.0, began + self.seconds() - time.perf_counter()))
        return rows

    def seconds(self) -> float:
        """How long this execution takes."""
        of = {name: float(self.law[name]) for name in ("ms", "limit", "spread", "gap", "drift", "jitter")}
        log = math.log(of["ms"] / 1e3 * (of["limit"] if "LIMIT" in self.sql else 1.0))
        every = int(self.law["every"])
        if every and self.executions % every == 0:
            log += math.log(float(self.law["stall"]))
        if self.worker:
            drawn = random.Random(f"{self.law['seed']} {self.worker} {self.sql}")
            log += of["spread"] * drawn.gauss(0.0, 1.0) + of["gap"] * (drawn.random() < 0.5) + of["drift"] * self.worker
            log += of["jitter"] * random.Random(f"{drawn.random()} {self.executions}").gauss(0.0, 1.0)
        return math.exp(log)


def workers(diary: str) -> int:
    """The number of this life, from 1; 0 without a diary."""
    if not diary:
        return 0
    with Path(diary).open("ab", buffering=0) as file:
        file.write(b".")
        return file.tell()
