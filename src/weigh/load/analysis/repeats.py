"""Several runs of one load: between repeats, between loops, and from a request to a page of many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model.units import Seconds
from weigh.statistics.histogram import Histogram, decode, merged
from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.runs import LoadRun

CONFIDENCE = 0.95


class Between(msgspec.Struct, frozen=True, kw_only=True):
    """One figure over several repeats of the same run.

    Attributes:
        name: ``rate``, ``p50``, ``p99``, ``p999`` or ``mean``.
        values: of each repeat that has it; requests a second, or seconds. Percentiles are by rank, resolved or not:
            the runs that do not resolve one are those in which a stall came, or none.
        mean: geometric mean of the values.
        low, high: interval in which the next run like these falls (a prediction interval of the logarithms, Student's
            t), which that of one run cannot know.
        lives: lives of the server that the values come from. Of one, the interval is that of the next run in it, and
            knows nothing of another start.
        confidence: level of that interval.
    """

    name: str
    values: tuple[float, ...]
    mean: float
    low: float
    high: float
    lives: int
    confidence: float = CONFIDENCE


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page that makes several requests at once and waits for the slowest.

    Attributes:
        fanout: requests a page makes.
        p50, p99: of pages; None where the requests do not reach so far into the tail.
        hit: share of pages with at least one request beyond the p99 of single requests.
    """

    fanout: int
    p50: Seconds | None
    p99: Seconds | None
    hit: float


class Loops(msgspec.Struct, frozen=True, kw_only=True):
    """The same load offered on a schedule and asked for in a closed loop.

    Attributes:
        open_p99, closed_p99: of the response times, by rank: also where they are not resolved.
        ratio: how many times too small the closed loop's p99 is.
        open_max, closed_max: the longest response times.
        refused: whether one of the two runs is refused; nothing follows from the figures then.
    """

    open_p99: Seconds
    closed_p99: Seconds
    open_max: Seconds
    closed_max: Seconds
    ratio: float
    refused: bool


def between(runs: Sequence[RunFigures]) -> tuple[Between, ...]:
    """Figures over repeats; those that fewer than two runs have are left out."""
    figures: dict[str, Callable[[RunFigures], float | None]] = {
        "rate": lambda run: run.rate_achieved.mean if run.rate_achieved else None,
        "p50": lambda run: run.whole.response.value_at(0.5),
        "p99": lambda run: run.whole.response.value_at(0.99),
        "p999": lambda run: run.whole.response.value_at(0.999),
        "mean": lambda run: run.whole.response.mean,
    }
    made = []
    for name, of in figures.items():
        found = [(run.life, value) for run in runs if run.operations and (value := of(run))]
        if len(found) > 1:
            made.append(next_run(name, tuple(value for _, value in found), len({life for life, _ in found})))
    return tuple(made)


def next_run(name: str, values: tuple[float, ...], lives: int) -> Between:
    """Where the next run falls, by Student's t of the logarithms.

    Args:
        name: of the figure.
        values: of two repeats or more, above zero.
        lives: of the server that they come from.
    """
    logs = np.log(values)
    centre, error = float(logs.mean()), float(logs.std(ddof=1) / np.sqrt(len(logs)))
    # For the next run, not for the mean of all: its own scatter comes on top.
    half = float(special.stdtrit(len(logs) - 1, (1 + CONFIDENCE) / 2)) * error * float(np.sqrt(1 + len(logs)))
    return Between(
        name=name,
        values=values,
        mean=float(np.exp(centre)),
        low=float(np.exp(centre - half)),
        high=float(np.exp(centre + half)),
        lives=lives,
    )


def responses(run: LoadRun, cut: int) -> Histogram:
    """All response times of a run behind the intervals that were cut."""
    return merged(decode(one.response) for part in run.intervals[cut:] for one in part.operations)


def page(whole: Histogram, fanout: int) -> Page:
    """A page of so many requests, if they are independent: its time is that of the slowest.

    A page is within a time if all of its requests are: its quantile at q is theirs at q^(1/fanout).
    """
    needed = [q ** (1 / fanout) for q in (0.5, 0.99)]
    p50, p99 = (whole.quantile(q) if whole.total * (1 - q) >= 1 else None for q in needed)
    return Page(fanout=fanout, p50=p50, p99=p99, hit=1 - 0.99**fanout)


def loops(open_: Histogram, closed: Histogram, *, refused: bool) -> Loops | None:
    """The open loop against the closed one; None where one of them has no answers.

    Args:
        open_: response times of a run on schedule.
        closed: those of a run of the closed loop.
        refused: whether one of the two is refused.
    """
    quantiles = [one.quantile(0.99) for one in (open_, closed)]
    if quantiles[0] is None or not quantiles[1] or open_.max is None or closed.max is None:
        return None
    return Loops(
        open_p99=quantiles[0],
        closed_p99=quantiles[1],
        open_max=open_.max,
        closed_max=closed.max,
        ratio=quantiles[0] / quantiles[1],
        refused=refused,
    )
