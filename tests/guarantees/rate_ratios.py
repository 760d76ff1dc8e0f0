"""The ratio of two highest rates on servers whose limits are known, searched in turn under weather that both share.

The machine is faster or slower for both by a factor that drifts over the session and scatters from round to round.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.load.comparison.rate_search.ratio import Ratio, decide
from weigh.load.rate_search.search import Plan, Search, posterior
from weigh.model.rules import Rules
from weigh.model.verdict import VerdictName

from .rates import Rate, rate
from .row import Row
from .searches import BETWEEN_S, LIMIT_S, SERVERS, SHARE, TIME_S, Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.comparison.rate_search.ratio import Decided
    from weigh.load.rate_search.search import Probe

RULES = Rules()
CLAIMS = (VerdictName.FASTER, VerdictName.SLOWER)
ALIKE = (VerdictName.SAME, VerdictName.SMALL)


@dataclass(frozen=True, slots=True)
class Weather:
    """What the machine does to both.

    Attributes:
        drift: logarithm of the speed at the end of the session over that at its beginning.
        scatter: standard deviation from round to round, as a logarithm.
    """

    drift: float = 0.0
    scatter: float = 0.0


CALM, ROUGH = Weather(), Weather(drift=-0.05, scatter=0.01)


class _Going:
    """A search of one server as it goes on."""

    def __init__(self, server: Server, speed: float, draw: np.random.Generator, seed: int) -> None:
        self._server, self._speed, self._draw = server, speed, draw
        closed = speed * float(np.exp(draw.uniform(-0.3, 0.3)))
        self.plan = Plan(
            low=60.0, high=2 * closed, start=closed, share=SHARE, limit_s=LIMIT_S, duration_s=None, longest_s=45.0,
            seed=seed, precision=RULES.margin / 2, alone=False,
        )  # fmt: skip
        self.search = Search(self.plan)
        self._deciding = self.search.run()
        self._next: Probe | None = next(self._deciding)
        self.spent = 0.0

    @property
    def goes_on(self) -> bool:
        return self._next is not None and self.spent + self._next.seconds + BETWEEN_S <= TIME_S

    def step(self, weather: float) -> None:
        assert self._next is not None
        self.spent += self._next.seconds + BETWEEN_S
        speed = self._speed * math.exp(weather + self._server.scatter * self._draw.standard_normal())
        verdict = self._server.verdict(speed, self._next, self._draw)
        if self._draw.random() < self._server.lapse:
            verdict = "broken" if verdict == "kept" else "kept"
        try:
            self._next = self._deciding.send(verdict)
        except StopIteration:
            self._next = None


def compared(server: Server, ratio: float, weather: Weather, seed: int, number: int) -> Decided | None:
    """Two servers searched in turn; None where one of them has no rate.

    Args:
        server: the first; the other is as much faster as its limit says.
        ratio: of the limits, the second over the first.
        weather: that both share.
        seed: of all comparisons.
        number: of this one.
    """
    draw = np.random.default_rng([seed, number])
    # Both are queues or buckets of the same kind: the second one's speed follows from its limit.
    faster = server.speed + (ratio - 1) * server.limit(server.speed) * (server.speed / _slope(server))
    own = [_Going(server, speed, draw, 2 * number + at) for at, speed in enumerate((server.speed, faster))]
    order = random.Random(number)
    while going := [one for one in own if one.goes_on]:
        if all(one.search.narrow for one in going):
            break
        spent = sum(one.spent for one in own) / (2 * TIME_S)
        shared = weather.drift * spent + weather.scatter * draw.standard_normal()
        for one in order.sample(going, len(going)):
            one.step(shared)
    limits = [posterior(one.plan, one.search.made) for one in own]
    if limits[0] is None or limits[1] is None:
        return None
    return decide({"second": Ratio(limits[1], limits[0])}, RULES)["second"]


def _slope(server: Server) -> float:
    """Speed over the change of the limit with it: 1 more of the limit for so much more speed."""
    return server.speed * (server.limit(server.speed + 1) - server.limit(server.speed))


@dataclass(frozen=True, slots=True)
class Ratios:
    """Many comparisons of two servers.

    Attributes:
        excluded: 99 % intervals that leave 1 out.
        held: 99 % intervals that hold the true ratio.
        claimed: FASTER or SLOWER.
        alike: SAME or SMALL.
        none: how often there is no ratio.
        width: median of half of the 99 % interval, a fraction.
    """

    excluded: Rate
    held: Rate
    claimed: Rate
    alike: Rate
    none: int
    width: float


def ratios(server: Server, ratio: float, weather: Weather, many: int, seed: int) -> Ratios:
    """Many comparisons, each with numbers of its own; arguments as of :func:`compared`."""
    made = [compared(server, ratio, weather, seed, number) for number in range(many)]
    found = [one for one in made if one is not None]
    return Ratios(
        excluded=rate(np.array([not one.low <= 1 <= one.high for one in found])),
        held=rate(np.array([one.low <= ratio <= one.high for one in found])),
        claimed=rate(np.array([one.verdict in CLAIMS for one in found])),
        alike=rate(np.array([one.verdict in ALIKE for one in found])),
        none=many - len(found),
        width=float(np.median([math.sqrt(one.high / one.low) - 1 for one in found])),
    )


_SHOWN = ("token bucket, limit scatters by 1 %", "token bucket, limit scatters by 3 %", "M/M/1, speed scatters by 3 %")


def rows(experiments: int) -> Iterator[Row]:
    """The rows of the table of guarantees."""
    many = max(experiments // 100, 20)
    for name in _SHOWN:
        for said, weather in (("calm", CALM), ("rough", ROUGH)):
            server, setting = SERVERS[name], f"{name}, {said}"
            same = ratios(server, 1.0, weather, many, 93)
            margin = ratios(server, 1 + RULES.margin, weather, many, 94)
            twice = ratios(server, 2.0, weather, many, 95)
            width = f"half of it {100 * same.width:.1f} %"
            for guarantee, goal, of, ends, more in (
                ("99 % interval of the ratio of rates leaves 1 out", "<= 1 %", same.excluded, (0.0, 0.01), width),
                ("FASTER or SLOWER of the same rate", "<= 1 %", same.claimed, (0.0, 0.01), ""),
                ("SAME or SMALL at the margin", "<= 5 %", margin.alike, (0.0, 0.05), ""),
                ("FASTER at twice the rate", ">= 95 %", twice.claimed, (0.95, 1.0), ""),
            ):
                yield Row(guarantee, setting, goal, of.banded, of.within(*ends), more)
