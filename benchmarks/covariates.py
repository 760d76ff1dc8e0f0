"""Covariates: whether what was seen around a turn narrows the difference of two contenders, on DuckDB against itself.

A control variate must not depend on what is measured: then to take ``b * covariate`` away, with b from the same
starts, leaves the ratio where it is and lowers its variance. Fixed work just before and just after a turn, the turn's
own untimed execution, and the CPU seconds of others are tried. The CPU seconds of the turn itself are shown
alongside them and are none: a contender that works more would have its own slowness taken away.
"""

from __future__ import annotations

import math
import os
import random
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median, stdev
from typing import TYPE_CHECKING

from weigh._native import calibrate_integer, calibrate_memory
from weigh.data import cache
from weigh.data.generator import dataset_name
from weigh.engines import environment as environments
from weigh.engines.prepared import cache_folder, ready
from weigh.experiment.data.data_link import tables_of
from weigh.model.contender import parse_contender
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.engines.process import WorkerProcess

_STARTS = int(os.environ.get("WEIGH_COVARIATES_STARTS", "20"))
_ROUNDS = 6
_TIMED = 2
_QUERIES = {
    "eq_user": "SELECT count(*) AS events FROM events WHERE user_name = 'ada.adler'",
    "by_proto": "SELECT proto, count(*) AS events, sum(packets) AS packets FROM events GROUP BY proto ORDER BY proto",
    "distinct": "SELECT count(DISTINCT user_name) AS u, count(DISTINCT src_ip) AS s FROM events",
}
_NAMES = (
    "fixed work before",
    "fixed work after",
    "untimed execution",
    "CPU seconds of others",
    "CPU seconds of its own",
)


@dataclass(frozen=True, slots=True)
class _Turn:
    """Logarithms, but for the seconds of others."""

    time: float
    timings: tuple[float, ...]


def run() -> Iterator[str]:
    """Two equal arms in rounds; per operation the standard deviation of a start's number, without and with each."""
    data = cache.ensure(
        dataset_name("netflow", 1_000_000, 42),
        LayoutSpec(),
        cache_folder(),
        environment=lambda requirements: environments.ensure(requirements, cache_folder()).python,
    )
    contender, tables = ready(parse_contender("duckdb"), cache_folder()), tables_of(data.folder, data.manifest)
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in _QUERIES}
    draw = random.Random(1)
    for _ in range(_STARTS):
        with contender.start(tables) as one, contender.start(tables) as other:
            for name, sql in _QUERIES.items():
                found[name].append(_start((one, other), sql, draw))
    yield f"load average {os.getloadavg()[0]:.1f}; {_STARTS} starts of {_ROUNDS} rounds of {_TIMED}"
    for name, starts in found.items():
        yield f"covariates, {name}: {_line(starts)}"


def _start(workers: tuple[WorkerProcess, WorkerProcess], sql: str, draw: random.Random) -> tuple[float, ...]:
    """The median of the paired differences of a start, of the times and of what was observed."""
    differences = []
    for _ in range(_ROUNDS):
        turns: dict[int, _Turn] = {}
        for arm in draw.sample((0, 1), 2):
            turns[arm] = _turn(workers[arm], sql)
        pairs = zip(turns[0].timings, turns[1].timings, strict=True)
        differences.append((turns[0].time - turns[1].time, *(one - other for one, other in pairs)))
    return tuple(median(column) for column in zip(*differences, strict=True))


def _turn(worker: WorkerProcess, sql: str) -> _Turn:
    before, busy = _fixed(), _busy()
    worker.prepare(sql, 60)
    untimed = worker.run(60)
    timed = [worker.run(60) for _ in range(_TIMED)]
    cpu_s = sum(one.cpu_s or 0.0 for one in (untimed, *timed))
    others = _busy() - busy - cpu_s
    walls = [math.log(one.wall_s) for one in timed]
    cpus = [math.log(max(one.cpu_s or 0.0, 1e-6)) for one in timed]
    return _Turn(median(walls), (before, _fixed(), math.log(untimed.wall_s), others, median(cpus)))


def _fixed() -> float:
    """A few milliseconds of arithmetic and of copying."""
    return math.log(calibrate_integer() + calibrate_memory())


def _busy() -> float:
    """CPU seconds that anybody used since the machine began (proc(5))."""
    with Path("/proc/stat").open() as file:
        user, nice, system, _, _, irq, soft, steal, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


def _line(starts: list[tuple[float, ...]]) -> str:
    effects = [one[0] for one in starts]
    parts = [f"SD {stdev(effects):.4f}"]
    for number, name in enumerate(_NAMES, start=1):
        values = [one[number] for one in starts]
        parts.append(f"with {name} {_left(effects, values):.4f}")
    return ", ".join(parts)


def _left(effects: list[float], values: list[float]) -> float:
    """Standard deviation that is left after least squares, one degree of freedom taken for it."""
    spread = sum((value - mean(values)) ** 2 for value in values)
    if spread == 0:
        return stdev(effects)
    slope = sum((e - mean(effects)) * (v - mean(values)) for e, v in zip(effects, values, strict=True)) / spread
    rest = [e - mean(effects) - slope * (v - mean(values)) for e, v in zip(effects, values, strict=True)]
    return math.sqrt(sum(one**2 for one in rest) / (len(rest) - 2))
