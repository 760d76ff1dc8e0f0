"""Figures of one file that cannot all be true, whatever tool wrote them. Pure.

Each rule is one of arithmetic, and allows for what rounding, warm-up and the time to connect do: a file of an honest
run fulfils all of them. What is only unusual is no contradiction.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction
from weigh.model import units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.published import Latency, Published

_SUM = 0.05
"""Share by which a sum, or a count divided by a time, may be off: tools round, and begin and end their clocks apart."""
_RATE = 0.10
"""Share by which a rate may be off what count and time give: the time to connect is in one of them alone."""
_SHORT = 5.0
"""Seconds below which a rate says nothing about count and time."""
_OFFERED = 0.05
"""Share by which a rate may exceed what was offered: arrivals are random."""
_FEW = 100
"""Times below which a percentile may be far from all of them."""
_FULL = 100.0


def found(one: Published) -> tuple[Contradiction, ...]:
    """All that contradicts itself, that of its form first."""
    return (*one.contradicted, *_clock(one), *_latencies(one), *_rates(one), *_parts(one), *_load(one))


def _clock(one: Published) -> Iterator[Contradiction]:
    """A clock that was set meanwhile."""
    if one.seconds is not None and one.seconds < 0:
        text = f"it took {one.seconds:g} s, which is less than no time: the clock was set meanwhile"
        yield Contradiction(row="A10", text=text)
    elif one.rate is not None and one.rate < 0:
        yield Contradiction(row="A10", text=f"{one.rate:,.6g} requests a second are fewer than none")


def _latencies(one: Published) -> Iterator[Contradiction]:
    for latency in one.latencies:
        yield from _negative(latency)
        yield from _order(latency)
        yield from _mean(latency)
        yield from _total(latency)


def _negative(one: Latency) -> Iterator[Contradiction]:
    """Nothing takes less than no time."""
    ranks = {f"p{rank:g}": value for rank, value in sorted(one.percentiles.items())}
    for name, value in {"the mean": one.mean, "the least": one.least, **ranks, "the most": one.most}.items():
        if value is not None and value < 0:
            yield Contradiction(row="L1", text=f"{one.name}: {name} is {value:g} s, which is less than no time")
            return


def _order(one: Latency) -> Iterator[Contradiction]:
    """Percentiles grow with their rank, from the least to the most."""
    # Of each the name, and the least and the most that it may be.
    known = [(f"p{rank:g}", value, *_between(one, value)) for rank, value in sorted(one.percentiles.items())]
    if one.least is not None:
        known.insert(0, ("the least", one.least, one.least, one.least))
    # The upper end of a bucket lies above what is in it.
    if one.most is not None and not one.coarse:
        known.append(("the most", one.most, one.most, one.most))
    for (name, low, at_least, _), (other, high, _, at_most) in pairwise(known):
        if at_least > at_most + 2 * one.step + 1e-3 * high:
            text = f"{one.name}: {name} is {units.seconds(low)} and {other} is {units.seconds(high)}"
            yield Contradiction(row="L1", text=f"{text}, which cannot be less")


def _between(one: Latency, percentile: float) -> tuple[float, float]:
    """The least and the most that a percentile may be, by the bucket that it stands for."""
    return percentile * (1 - one.share), percentile * (1 + one.share) + one.width


def _mean(one: Latency) -> Iterator[Contradiction]:
    """The mean lies between the least and the most that percentiles allow."""
    if one.mean is None:
        return
    slack = 2 * one.step + _SUM * one.mean
    if one.least is not None and one.mean < one.least - slack:
        yield Contradiction(row="L1", text=f"{one.name}: the mean {units.seconds(one.mean)} is below the least time")
    yield from _small(one, slack)
    if one.most is None:
        return
    ranks = [0.0, *sorted(one.percentiles), _FULL]
    percentiles = [_between(one, one.percentiles[rank])[1] for rank in ranks[1:-1]]
    values = [*percentiles, max(one.most, *percentiles, one.most)]
    bound = sum((high - low) / _FULL * value for (low, high), value in zip(pairwise(ranks), values, strict=True))
    if one.mean > bound + slack:
        last = ranks[-2]
        what = f"p{last:g} of {units.seconds(one.percentiles[last])} and " if last else ""
        text = f"{one.name}: the mean {units.seconds(one.mean)} is more than {what}the most, "
        yield Contradiction(row="L1", text=f"{text}{units.seconds(one.most)}, allow: at most {units.seconds(bound)}")


def _small(one: Latency, slack: float) -> Iterator[Contradiction]:
    """What lies above a percentile is no less than it: half of the times are at least the median."""
    # The upper end of a bucket lies above what is in it; of few times, percentiles lie between two of them.
    if one.mean is None or one.coarse or (one.count is not None and one.count < _FEW):
        return
    ranks = [*sorted(one.percentiles), _FULL]
    at_least = [_between(one, one.percentiles[rank])[0] for rank in ranks[:-1]]
    bound = sum((high - low) / _FULL * value for (low, high), value in zip(pairwise(ranks), at_least, strict=True))
    if one.mean < bound * (1 - _SUM) - slack:
        text = f"{one.name}: the mean {units.seconds(one.mean)} is less than its percentiles allow: at least "
        yield Contradiction(row="L1", text=f"{text}{units.seconds(bound)}")


def _total(one: Latency) -> Iterator[Contradiction]:
    """The sum of the times is their mean times their number."""
    if not one.total or not one.count or one.mean is None:
        return
    mean = one.total / one.count
    if abs(mean - one.mean) > 2 * one.step + _SUM * max(mean, one.mean):
        text = f"{one.name}: {one.count:,.0f} times sum up to {units.seconds(one.total)}, which is a mean of "
        yield Contradiction(row="L1", text=f"{text}{units.seconds(mean)} and not {units.seconds(one.mean)}")


def _rates(one: Published) -> Iterator[Contradiction]:
    for rate in one.rates:
        if rate.seconds < _SHORT or rate.count <= 0:
            continue
        counted = rate.count / rate.seconds
        if abs(counted - rate.rate) > _RATE * max(counted, rate.rate):
            text = f"{rate.name}: {rate.count:,.0f} in {units.seconds(rate.seconds)} are {counted:,.6g} a second"
            yield Contradiction(row="R2", text=f"{text}, and not {rate.rate:,.6g}")


def _parts(one: Published) -> Iterator[Contradiction]:
    for part in one.parts:
        total = sum(part.parts.values())
        differs = max(total - part.total, 0.0) if part.incomplete else abs(total - part.total)
        if differs > 1.0 + _SUM / 5 * max(total, part.total):
            named = ", ".join(f"{name} {value:,.6g}" for name, value in part.parts.items())
            yield Contradiction(row="R2", text=f"{part.name} is {part.total:,.6g}, and its parts are {named}")


def _load(one: Published) -> Iterator[Contradiction]:
    """A rate is not above what was offered, nor above what so many clients can have under way (Little's law)."""
    if one.offered and one.rate and one.rate > one.offered * (1 + _OFFERED):
        text = f"{one.rate:,.6g} requests a second were answered, and {one.offered:,.6g} were offered"
        yield Contradiction(row="L3", text=text)
    means = [latency for latency in one.latencies if latency.mean is not None]
    if one.loop != "closed" or one.pipelined or one.offered or not one.clients or not one.rate or len(means) != 1:
        return
    (latency,) = means
    mean = latency.mean or 0.0
    under_way = one.rate * max(mean - 2 * latency.step, 0.0)
    if under_way > one.clients * (1 + _SUM):
        each, open_at_once = units.seconds(mean), units.quantity(under_way)
        text = f"{one.rate:,.6g} answers a second that take {each} each are {open_at_once} under way"
        yield Contradiction(row="L2", text=f"{text}, and there were {one.clients:,.0f} clients")
