"""Records of a search as it would have gone against a server whose limit is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from support.load_records import EACH, interval, record, spec, summary
from weigh.evidence.sealing import End
from weigh.load.analysis.figures import figures
from weigh.load.budgets import Budget, RateSearch
from weigh.load.rate_search.probes import judged
from weigh.load.rate_search.results import planned
from weigh.load.rate_search.search import Search
from weigh.load.runs import LoadRun
from weigh.load.spec import Arrivals

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadInterval

LENGTH_S = 6.0
CLOSED = 900.0
"""Answers a second of the closed loop."""
QUICK, SLOW = 1e-3, 0.2


def bucket(limit: float) -> Callable[[float], float]:
    """The share of requests that are slow at a rate: those beyond a limit."""
    return lambda rate: max(1 - limit / rate, 0.0)


def searched(slow: Callable[[float], float], most: int = 9, **changed: object) -> LoadRecord:
    """A search of at most so many probes of six seconds.

    Args:
        slow: share of the requests that take 200 ms, by the rate; the others take a millisecond.
        most: probes.
        changed: of the search: p90 <= 50 ms up to 1,500/s.
    """
    usual = {"budgets": (Budget(q=0.9, limit_s=0.05),), "probe_s": LENGTH_S, "highest": 1_500.0}
    search = RateSearch(**{**usual, **changed})  # type: ignore[arg-type]
    asked = spec(round(LENGTH_S / EACH), arrivals=Arrivals(rate=None), find_rate=search, duration_s=LENGTH_S)
    runs = [probe_run(1, None, CLOSED, 0.3)]
    plan = planned(asked, search, CLOSED)
    assert plan
    deciding = Search(plan).run()
    probe = next(deciding)
    complete = "complete"
    try:
        for number in range(2, most + 2):
            run = probe_run(number, probe.rate, probe.rate, slow(probe.rate))
            runs.append(run)
            probe = deciding.send(judged(run, figures(run, asked), search.budgets, last=probe.last).verdict)
    except StopIteration:
        pass
    made = record(runs, asked)
    return msgspec.structs.replace(made, end=End(how=complete))


def probe_run(number: int, rate: float | None, speed: float, slow: float, length: float = LENGTH_S) -> LoadRun:
    """A run, the same in every interval: histograms are encoded once. Without a rate it is a closed loop."""
    each = round(speed * EACH)
    times = np.full(each, QUICK)
    times[: round(slow * each)] = SLOW
    # A little up and down, without any trend.
    others = times.copy()
    others[-1] = 1.1 * QUICK
    service = np.full(each, 5e-4)
    parts: list[LoadInterval] = [
        interval(at, times if at % 2 else others, service=service) for at in range(round(length / EACH))
    ]
    return LoadRun(
        number=number,
        loop="closed" if rate is None else "open",
        connections=16,
        repeat=1,
        life=number,
        rate=rate,
        duration_s=length,
        intervals=tuple(parts),
        summary=summary(parts),
    )
