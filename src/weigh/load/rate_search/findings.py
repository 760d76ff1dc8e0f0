"""What is to be reported of a search alongside its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.rate_search.probes import sentence
from weigh.model import codes
from weigh.model.units import count, percent, quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.rate_search.probes import ProbeFigures
    from weigh.load.rate_search.results import RateSearchResults
    from weigh.model.finding import Finding
    from weigh.model.verdict import Reason

_ABOVE = 1.05
"""A throughput is above the highest rate where it is so many times the upper end of its interval."""
_BUSY = 0.8
"""Share of the connections that wait for answers, on average, from which on they are the limit."""


def findings(one: RateSearchResults, best: RunFigures | None, *, late: bool) -> Iterator[Finding]:
    """Everything that is found.

    Args:
        one: the search.
        best: figures of the probe at the highest rate that kept the budgets.
        late: whether the generator was late in the probe that is shown.
    """
    if late:
        yield codes.L3_LATE.finding(
            text="in the probe that is shown the generator was late by more than the median response time: the budget "
            "is judged in spite of that, and the median is the generator's",
            remedy="give the generator a machine of its own to know the server's typical time",
        )
    yield from _wasted(one)
    if one.status == "generator":
        yield codes.L3_GENERATOR.finding(
            text=f"the generator could not offer more: {_generator(one)}. That is the generator's limit, not the "
            "server's, which was not reached",
            remedy="raise --threads or --connections, or give the generator a machine of its own",
        )
    unsure = [probe for probe in one.counted if probe.unsure]
    if unsure:
        yield codes.L3_UNSURE.finding(
            text=f"{count(len(unsure), 'probe')} of {len(one.counted)} counted by what they saw, made a second "
            f"time: {unsure[-1].why}",
            remedy="--budget 15m makes longer probes",
        )
    if best is not None and one.best is not None and best.whole.service.mean is not None:
        busy = best.whole.service.mean * (one.best.achieved or 0.0) / best.connections
        if busy > _BUSY:
            yield codes.L3_CONNECTIONS.finding(
                text=f"at {rate(one.best.rate)} {percent(busy, 0)} of the {count(best.connections, 'connection')} wait "
                "for an answer at any time: the limit is theirs, and the server may carry more over more of them",
                remedy="raise --connections",
            )


def _wasted(one: RateSearchResults) -> Iterator[Finding]:
    """Throughput at a broken budget."""
    limit = one.threshold.high if one.threshold else one.broken
    if limit is None:
        return
    open_ = one.wasted
    candidates: list[tuple[float, ProbeFigures, str]] = []
    if open_ is not None and open_.achieved is not None:
        candidates.append((open_.achieved, open_, "on schedule"))
    if one.pilot and one.pilot.broken:
        candidates.append((one.pilot.rate, one.pilot.probe, "in a closed loop"))
    most, probe, how = max(candidates, key=lambda each: each[0], default=(0.0, None, ""))
    if probe is None or most <= _ABOVE * limit:
        return
    broken = ", ".join(sentence(outcome) for outcome in probe.budgets if not outcome.within)
    carried = f"it is broken from {rate(limit)} on"
    if one.threshold:
        carried = f"the highest rate is {rate(one.threshold.rate)}"
    yield codes.L3_THROUGHPUT.finding(
        text=f"{rate(most)} went through {how}, with {broken}: a throughput at a broken budget is no capacity. With "
        f"{one.search} {carried}",
        remedy="quote a throughput with the budget that it keeps",
    )


def _generator(one: RateSearchResults) -> str:
    probe = next(each for each in reversed(one.probes) if each.verdict == "generator")
    return f"at {rate(probe.rate)} {probe.why}"


def reasons(one: RateSearchResults, *, fresh: bool) -> Iterator[Reason]:
    """Why a search is at most suggestive.

    Args:
        one: the search.
        fresh: whether each probe had a life of the server of its own.
    """
    if one.status == "unresolved":
        yield codes.L3_UNRESOLVED.reason("the search ended before it was clear which rates keep the budget")
    if not fresh:
        yield codes.T10_RUN.reason("all probes met one life of the server: what another start would carry is not known")


def rate(value: float) -> str:
    """A rate with four digits: ``2,985/s``."""
    return f"{quantity(value)}/s"
