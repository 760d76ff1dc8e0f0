"""Judging: 3,000 verdicts of 2 x 30 runs, beside ClickHouse's T on the same runs by its exact law and by shuffling."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment.results.analysis import analyse
from weigh.model.contender import Contender
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.verdict import clickhouse_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_QUERIES = 3_000
_STARTS = 10
_RUNS = 3
_ROUNDS = 5
_SHUFFLES = 10_000
_SHUFFLED = 3
"""Queries that are shuffled: the rest takes as long again, each."""
_ARMS = ("old", "new")
_SPEC = Spec(
    workload="statistics", contenders=tuple(Contender(name=name, engine="duckdb") for name in _ARMS), baseline="old"
)


def run() -> Iterator[str]:
    """Ten starts of three executions of two contenders; executions of SD 3 %, starts of 1 %."""
    draw = np.random.default_rng(1)
    shape = (_QUERIES, _STARTS, len(_ARMS), _RUNS)
    times = np.exp(draw.normal(0, 0.03, shape) + draw.normal(0, 0.01, (*shape[:3], 1)))
    samples = _samples(times)
    old, new = (times[:, :, arm].reshape(_QUERIES, -1) for arm in (0, 1))
    clickhouse_rule.law.cache_clear()
    judged = _seconds(lambda: analyse(samples, spec=_SPEC))
    exact = _seconds(lambda: clickhouse_rule.measures(new, old))
    shuffled = _seconds(lambda: [_shuffled(*pair, draw) for pair in zip(new[:_SHUFFLED], old, strict=False)], rounds=1)
    shuffled = _Taken(*(seconds * _QUERIES / _SHUFFLED for seconds in (shuffled.wall, shuffled.cpu)))
    yield f"3,000 verdicts of 2 x 30 runs from {len(samples):,} samples: {judged} (goal: under 2 s)"
    yield (
        f"ClickHouse's T of the same: by its exact law {exact}, by 10,000 shuffles each {shuffled} "
        f"(projected from {_SHUFFLED}); ratio {shuffled.cpu / exact.cpu:,.0f}, "
        f"verdicts / exact law {judged.cpu / exact.cpu:.1f}"
    )


def _samples(times: Floats) -> list[Sample]:
    """One sample an execution, as the journal gives them."""
    return [
        Sample(
            block=block,
            start=block,
            turn=query,
            run=run + 1,
            arm=_ARMS[arm],
            contender=_ARMS[arm],
            operation=f"{query:04}",
            case="only",
            outcome=Outcome.OK,
            wall_s=wall_s,
        )
        for query, blocks in enumerate(times.tolist())
        for block, arms in enumerate(blocks)
        for arm, runs in enumerate(arms)
        for run, wall_s in enumerate(runs)
    ]


@dataclass(frozen=True, slots=True)
class _Taken:
    """Seconds on the wall, and of the processor, which others on the machine disturb less."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s ({self.cpu:.2f} s of a processor)"


def _seconds(action: Callable[[], object], rounds: int = _ROUNDS) -> _Taken:
    taken = []
    for _ in range(rounds):
        began = time.perf_counter(), time.process_time()
        action()
        taken.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    return _Taken(median(wall for wall, _ in taken), median(cpu for _, cpu in taken))


def _shuffled(new: Floats, old: Floats, draw: np.random.Generator) -> float:
    """T as it is published: the 99th percentile over 10,000 random labellings."""
    pooled = np.concatenate([new, old])
    dealt = draw.permuted(np.tile(pooled, (_SHUFFLES, 1)), axis=1)
    sides = clickhouse_rule.median(dealt[:, : len(new)]), clickhouse_rule.median(dealt[:, len(new) :])
    return float(np.sort(np.abs(sides[0] - sides[1]))[int(0.99 * _SHUFFLES)])
