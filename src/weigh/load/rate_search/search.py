"""Which rate next: a search as a pure decision, told the outcome of each probe (docs/concept/rate-search.md).

It begins at half of what a closed loop gets out of the server, goes down or up until it has seen the budget kept and
broken, halves what lies between, and then makes batches of probes around where the outcomes change, in random order:
a server that slows down over the session must not look as if higher rates slowed it.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.load.rate_search.threshold import Outcome, Posterior, Threshold
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

Verdict = Literal["kept", "broken", "undecided", "generator", "disturbed"]
Ending = Literal["found", "lowest", "highest", "generator", "probes", "disturbed", "time"]

PRECISION = 0.025
"""Half of the interval, as a share of the rate, at which the search ends."""
MOST = 40
"""Probes of a search, whatever they say."""
RESOLVE = 2.5
"""How many times the 20 slow requests that a percentile needs a probe has, if they come independently."""
EXCEEDANCES = 20
_DECIDED = ("kept", "broken")
OVERLOAD = 0.025
"""An overload by this share is to break the budget within the probe: the queue it leaves grows to the limit."""
SHORTEST = 5.0
NEAR = 2.5
"""Where the outcomes change probes are so many times as long: near its limit a queue grows and empties slowly, and a
short run mostly misses the rare times at which it is long."""
_LONGER = 2.0
_UP, _DOWN, _BEGIN = 1.5, 2.0, 0.5
_NEAR = 0.15
"""Between what was kept and what was broken, as a logarithm: from here on the order is random."""
_SHARES = (0.15, 0.4, 0.6, 0.85)
"""Of a batch: the chance that the budget is broken at each rate."""
_CLOSE = 1.1
"""The highest rate that the generator could offer is this close to one that was kept, and the search ends."""
_AGAIN = 2
"""Probes at the lowest and the highest rate before it is reported that the budget is broken, or kept, there."""
_LEAST = 2
"""Probes that kept the budget, and that broke it, before there is an interval."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is searched; rates in requests a second.

    Attributes:
        low, high: the lowest and the highest rate to try.
        start: where to begin.
        share: the smallest share of the requests that a budget speaks of: 0.001 of p99.9 or of errors<=0.1%.
        limit_s: the longest time that a budget speaks of; 0 where it is about errors alone.
        duration_s: of a probe, where the user says so.
        longest_s: that a probe may be.
        seed: of the order.
        precision: half of the interval, as a share of the rate, at which it is narrow enough.
        alone: whether the search ends there; otherwise it goes on as long as it is asked, for those alongside it.
    """

    low: float
    high: float
    start: float
    share: float
    limit_s: Seconds
    duration_s: Seconds | None
    longest_s: Seconds
    seed: int
    precision: float = PRECISION
    alone: bool = True

    def length(self, rate: float, times: float = 1.0) -> Seconds:
        """How long a probe at a rate is.

        Args:
            rate: requests a second.
            times: how much longer it is than the shortest that will do.
        """
        if self.duration_s is not None:
            return self.duration_s
        return min(times * max(SHORTEST, needed_s(self.share, self.limit_s, rate)), self.longest_s)


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is asked for.

    Attributes:
        rate: requests a second.
        seconds: its length.
        last: whether it counts by what it sees, resolved and steady or not: the one before was not, and half as long.
    """

    rate: float
    seconds: Seconds
    last: bool = False


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that was made, and what it says."""

    probe: Probe
    verdict: Verdict


def needed_s(share: float, limit_s: Seconds, rate: float) -> Seconds:
    """Seconds of a probe in which such a share is resolved, and in which a small overload breaks the limit."""
    return max(RESOLVE * EXCEEDANCES / (share * rate), limit_s / OVERLOAD)


def outcomes(made: Sequence[Made]) -> tuple[Outcome, ...]:
    """Those that count."""
    return tuple(Outcome(rate=one.probe.rate, met=one.verdict == "kept") for one in made if one.verdict in _DECIDED)


def threshold(plan: Plan, made: Sequence[Made]) -> Threshold | None:
    """Where the budget breaks; None where too few probes kept it, or broke it."""
    found = posterior(plan, made)
    return found.threshold if found else None


def posterior(plan: Plan, made: Sequence[Made]) -> Posterior | None:
    """What is to be believed of where the budget breaks; None where too few probes kept it, or broke it."""
    found = outcomes(made)
    passed = sum(one.met for one in found)
    if min(passed, len(found) - passed) < _LEAST:
        return None
    return Posterior(found, plan.low, plan.high * _UP)


class Search:
    """A search that goes on; :meth:`run` is the decision, and told every outcome.

    Args:
        plan: what is searched.

    Attributes:
        made: probes so far.
        narrow: whether the interval was narrow enough after the last whole batch.
    """

    narrow = False

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._top = plan.high
        self._random = random.Random(plan.seed)
        self.made: list[Made] = []

    def run(self) -> Generator[Probe, Verdict, Ending]:
        """Each probe in turn; sent what came of it. Returns why it ends."""
        ended = yield from self._bracket()
        if ended is None:
            ended = yield from self._halve()
        while ended is None:
            ended = yield from self._batch()
        return ended

    def _bracket(self) -> Generator[Probe, Verdict, Ending | None]:
        """Down while it is broken, up while it is kept."""
        plan = self._plan
        rate, down = min(max(plan.start * _BEGIN, plan.low), self._top), _DOWN
        while not self._over():
            verdict = yield from self._probe(rate)
            if self._passing and self._broken:
                return None
            if verdict == "broken":
                if rate <= plan.low:
                    if self._many(rate, "broken") >= _AGAIN:
                        return "lowest"
                    continue
                rate, down = max(rate / down, plan.low), down * _DOWN
            elif verdict == "kept":
                if rate >= self._top / _CLOSE and self._many(rate, "kept") >= _AGAIN:
                    return self._highest()
                rate = min(rate * _UP, self._top)
            elif verdict == "generator":
                if ended := self._lowered(rate):
                    return ended
                rate = math.sqrt(rate * max(self._passing)) if self._passing else max(rate / _DOWN, plan.low)
            else:
                return "disturbed"
        return "probes"

    def _halve(self) -> Generator[Probe, Verdict, Ending | None]:
        """What lies between, while it is wide."""
        while math.log((top := min(*self._broken, self._top)) / max(self._passing)) > _NEAR:
            if self._over():
                return "probes"
            rate = math.sqrt(top * max(self._passing))
            verdict = yield from self._probe(rate)
            if verdict == "disturbed":
                return "disturbed"
            if verdict == "generator" and (ended := self._lowered(rate)):
                return ended
        return None

    def _batch(self) -> Generator[Probe, Verdict, Ending | None]:
        """Probes around where the outcomes change, in random order."""
        rates = Posterior(outcomes(self.made), self._plan.low, self._plan.high * _UP).rates(_SHARES)
        failed: list[Verdict] = []
        for rate in self._random.sample(rates, len(rates)):
            if self._over():
                return "probes"
            verdict = yield from self._probe(min(max(rate, self._plan.low), self._top), NEAR)
            if verdict not in _DECIDED:
                failed.append(verdict)
        if len(failed) > len(rates) / 2:
            return "generator" if "generator" in failed else "disturbed"
        found = threshold(self._plan, self.made)
        self.narrow = found is not None and found.width <= self._plan.precision
        return "found" if self.narrow and self._plan.alone else None

    def _probe(self, rate: float, times: float = 1.0) -> Generator[Probe, Verdict, Verdict]:
        """One rate, again where its probe decides nothing."""
        seconds, last = self._plan.length(rate, times), False
        verdict: Verdict = "undecided"
        for _ in range(3):
            verdict = yield Probe(rate=rate, seconds=seconds, last=last)
            self.made.append(Made(probe=Probe(rate=rate, seconds=seconds, last=last), verdict=verdict))
            if verdict in _DECIDED:
                break
            if verdict == "undecided":
                if self._plan.duration_s is None:
                    seconds = min(seconds * _LONGER, self._plan.longest_s)
                last = True
            elif self._many(rate, verdict) >= _AGAIN:
                break
        return verdict

    def _lowered(self, rate: float) -> Ending | None:
        """The generator cannot offer that: the highest to try is lower."""
        self._top = rate
        highest = max(self._passing, default=None)
        if highest is not None and rate <= highest * _CLOSE:
            return "generator"
        return "disturbed" if rate <= self._plan.low * _CLOSE else None

    def _highest(self) -> Ending:
        return "highest" if self._top == self._plan.high else "generator"

    @property
    def _passing(self) -> list[float]:
        return [one.probe.rate for one in self.made if one.verdict == "kept"]

    @property
    def _broken(self) -> list[float]:
        return [one.probe.rate for one in self.made if one.verdict == "broken"]

    def _many(self, rate: float, verdict: Verdict) -> int:
        return sum(one.probe.rate == rate and one.verdict == verdict for one in self.made)

    def _over(self) -> bool:
        return len(self.made) >= MOST
