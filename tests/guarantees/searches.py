"""Searches for the highest rate on servers whose limit is known: does the interval hold it, in how many probes.

A probe is as many requests as the search asks for, against a queue or a token bucket whose speed differs from probe to
probe, in the time that a search has. Whether it kept the budget is judged as that of a measured one.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.load.rate_search.probes import PARTS, SPREAD
from weigh.load.rate_search.search import MOST, Made, Plan, Probe, Search, Verdict, threshold
from weigh.statistics.percentiles import exceedances, judged

from .rates import Rate, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.load.rate_search.threshold import Threshold

    Draw = np.random.Generator

LIMIT_S, SHARE = 0.02, 0.01
"""The budget: p99 <= 20 ms."""
TIME_S, BETWEEN_S = 270.0, 2.5
"""Time of a search, and of what lies between two probes."""
_INTERVALS = 100


@dataclass(frozen=True, slots=True)
class Server:
    """A server whose limit is known.

    Attributes:
        verdict: of a probe: of the server's speed, and of the probe.
        limit: the rate at which a long run has the budget exactly, of the speed.
        speed: in requests a second.
        scatter: standard deviation of the speed from probe to probe, as a logarithm.
        lapse: share of the probes whose outcome is turned round.
    """

    verdict: Callable[[float, Probe, Draw], Verdict]
    limit: Callable[[float], float]
    speed: float = 3_000.0
    scatter: float = 0.0
    lapse: float = 0.0


def bucket(speed: float, probe: Probe, _draw: Draw) -> Verdict:
    """What is beyond the bucket's rate waits longer than the limit."""
    return "kept" if max(1 - speed / probe.rate, 0) <= SHARE else "broken"


def queue(speed: float, probe: Probe, draw: Draw) -> Verdict:
    """One queue, requests and service times at random: M/M/1, by Lindley's recursion."""
    count = int(probe.rate * probe.seconds)
    served, between = draw.exponential(1 / speed, count), draw.exponential(1 / probe.rate, count)
    walk = np.cumsum(served - between)
    waited = walk - np.minimum.accumulate(np.minimum(walk, 0))
    value = float(np.sort(waited)[math.ceil((1 - SHARE) * count) - 1])
    kept: Verdict = "kept" if value <= LIMIT_S else "broken"
    parts = np.array_split(waited, _INTERVALS)
    above, ties, totals = (np.array(one) for one in zip(
        *(((part > value).sum(), (part == value).sum(), len(part)) for part in parts), strict=True
    ))  # fmt: skip
    excess = exceedances(above, ties, SHARE * count) - SHARE * totals
    resolved = judged(1 - SHARE, value, excess, count, 0.95, lambda _low, _high: (None, None)).resolved
    eighths = np.array_split(waited, PARTS)
    throughout = sum(float((part > LIMIT_S).mean()) > SHARE for part in eighths) >= SPREAD
    sure = resolved or (not (waited > LIMIT_S).any() if kept == "kept" else throughout)
    return kept if sure or probe.last else "undecided"


def of_bucket(speed: float) -> float:
    """Where one request in a hundred is beyond."""
    return speed / (1 - SHARE)


def of_queue(speed: float) -> float:
    """Sojourn times of M/M/1 are exponential with the rate that is left."""
    return speed + math.log(SHARE) / LIMIT_S


SERVERS = {
    "token bucket": Server(bucket, of_bucket),
    "token bucket, limit scatters by 1 %": Server(bucket, of_bucket, scatter=0.01),
    "token bucket, limit scatters by 3 %": Server(bucket, of_bucket, scatter=0.03),
    "M/M/1": Server(queue, of_queue),
    "M/M/1, speed scatters by 1 %": Server(queue, of_queue, scatter=0.01),
    "M/M/1, speed scatters by 3 %": Server(queue, of_queue, scatter=0.03),
    "M/M/1, speed scatters by 10 %": Server(queue, of_queue, scatter=0.1),
    "token bucket, 1 %, one probe in 30 is wrong": Server(bucket, of_bucket, scatter=0.01, lapse=1 / 30),
}


def found(server: Server, seed: int, number: int) -> tuple[float, Threshold | None, list[Made]]:
    """One search: the truth, what it found, and its probes."""
    draw = np.random.default_rng([seed, number])
    # Where it begins must not matter.
    closed = server.speed * float(np.exp(draw.uniform(-0.3, 0.3)))
    plan = Plan(
        low=60.0, high=2 * closed, start=closed, share=SHARE, limit_s=LIMIT_S, duration_s=None, longest_s=45.0,
        seed=number,
    )  # fmt: skip
    search = Search(plan)
    deciding = search.run()
    probe, spent = next(deciding), 0.0
    with suppress(StopIteration):
        while (spent := spent + probe.seconds + BETWEEN_S) <= TIME_S:
            speed = server.speed * math.exp(server.scatter * draw.standard_normal())
            verdict = server.verdict(speed, probe, draw)
            if draw.random() < server.lapse:
                verdict = "broken" if verdict == "kept" else "kept"
            probe = deciding.send(verdict)
    return server.limit(server.speed), threshold(plan, search.made), search.made


@dataclass(frozen=True, slots=True)
class Searches:
    """Many searches of one server.

    Attributes:
        covered: how often the interval holds the truth.
        near: how often the rate is within 5 % of it.
        none: how often there is no interval.
        width: median half width of the interval, as a share.
        probes: median, and the most.
    """

    covered: Rate
    near: Rate
    none: int
    width: float
    probes: tuple[float, int]


def searches(server: Server, many: int, seed: int) -> Searches:
    """Many searches, each with numbers of its own."""
    inside, near, widths, probes = [], [], [], []
    for number in range(many):
        truth, one, made = found(server, seed, number)
        probes.append(len(made))
        if one is not None:
            inside.append(one.low <= truth <= one.high)
            near.append(abs(one.rate / truth - 1) <= 0.05)
            widths.append(one.width)
    return Searches(
        covered=rate(np.array(inside)),
        near=rate(np.array(near)),
        none=many - len(inside),
        width=float(np.median(widths)),
        probes=(float(np.median(probes)), max(probes)),
    )


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    many = max(experiments // 100, 20)
    for name, server in SERVERS.items():
        of = searches(server, many, 91)
        said = (
            f"{of.none} without, half width {100 * of.width:.1f} %, {of.probes[0]:.0f} probes, at most {of.probes[1]}"
        )
        yield Row(
            "95 % interval of the highest rate", name, ">= 93 %", of.covered.banded, of.covered.within(0.93, 1), said
        )
        yield Row("the highest rate within 5 %", name, "", of.near.banded, None)
        yield Row("probes of a search", name, f"<= {MOST}", str(of.probes[1]), of.probes[1] <= MOST)
