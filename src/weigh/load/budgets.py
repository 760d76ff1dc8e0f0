"""Budgets that a rate is to keep, and the search for the highest such rate, as they are asked for."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from weigh.model.errors import UsageError
from weigh.model.units import Seconds, parse_duration, parse_fraction

if TYPE_CHECKING:
    from collections.abc import Sequence

BUDGET_S = 270.0
"""Time of a search: with the seconds in which a server starts and stops, below five minutes."""
_BATCH = 4
_ENOUGH = 10
"""Probes: some that halve what lies between, and a batch where the outcomes change."""
_BUDGET = re.compile(r"^\s*(p\d+(?:\.\d+)?|errors)\s*<=?\s*(\S+(?:\s*\S+)?)\s*$")
_NEXT = re.compile(r",(?=\s*[a-z])")
_PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What a rate must keep.

    Attributes:
        q: of the percentile of the response times, 0.99 for p99; None where it is about errors.
        limit_s: the longest that it may be.
        errors: share of the requests that may fail; None where it is about a percentile.
    """

    q: float | None = None
    limit_s: Seconds | None = None
    errors: float | None = None

    @property
    def share(self) -> float:
        """The share of the requests that it speaks of: 0.01 of p99."""
        return self.errors or 0.0 if self.q is None else round(1 - self.q, 6)

    @property
    def name(self) -> str:
        """Of what it is about: ``p99.9``, ``errors``."""
        return "errors" if self.q is None else f"p{100 * self.q:.6g}"

    def __str__(self) -> str:
        """As a user writes it: ``p99.9<=50ms``."""
        if self.q is None:
            return f"errors<={100 * (self.errors or 0.0):.6g}%"
        limit = self.limit_s or 0.0
        return f"{self.name}<=" + (f"{limit:.6g}s" if limit >= 1 else f"{1e3 * limit:.6g}ms")


class RateSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A search for the highest rate that keeps all budgets.

    Attributes:
        budgets: at least one, each of something else.
        budget_s: time for all probes together, with what lies between them.
        highest: the highest rate to try, in requests a second; None for what a closed loop suggests.
        probe_s: length of a probe; None for as long as its percentiles need.
        half_width: where several servers are searched in turn: half of the interval, as a share of the rate, that each
            is to reach before any of them ends. Left out of a search by itself.
    """

    budgets: tuple[Budget, ...]
    budget_s: Seconds = BUDGET_S
    highest: float | None = None
    probe_s: Seconds | None = None
    half_width: float | msgspec.UnsetType = msgspec.field(name="together", default=msgspec.UNSET)

    @property
    def share(self) -> float:
        """The smallest share of the requests that a budget speaks of."""
        return min(one.share for one in self.budgets)

    @property
    def limit_s(self) -> Seconds:
        """The longest time that a budget speaks of; 0 where all are about errors."""
        return max(one.limit_s or 0.0 for one in self.budgets)

    @property
    def errors(self) -> float | None:
        """Share of the requests that may fail; None where no budget says so."""
        return next((one.errors for one in self.budgets if one.q is None), None)

    def __str__(self) -> str:
        """All budgets: ``p99<=20ms and errors<=0.1%``."""
        return " and ".join(map(str, self.budgets))


def budgets(texts: Sequence[str]) -> tuple[Budget, ...]:
    """Budgets as they are written, several in one text with commas between them.

    Raises:
        UsageError: one cannot be read, or two are about the same.
    """
    found = tuple(_budget(part) for text in texts for part in _NEXT.split(text))
    for at, one in enumerate(found):
        for other in found[:at]:
            if one.q == other.q:
                raise UsageError(f"two budgets are about the same: {other} and {one}", remedy="leave the wider one out")
    return found


def _budget(text: str) -> Budget:
    match = _BUDGET.match(text)
    if match is None:
        raise UsageError(
            f"'{text}' is no budget", remedy="write 'p99.9<=50ms' or 'errors<=0.1%', in quotes: < means something else"
        )
    name, limit = match[1], match[2]
    if name == "errors":
        share = parse_fraction(limit, "errors")
        if not 0 < share < 1:
            raise UsageError(
                f"'{text}' is no budget", remedy="give a share above 0: no number of requests shows that none fails"
            )
        return Budget(errors=share)
    if name not in _PERCENTILES:
        raise UsageError(f"there is no budget of {name}", remedy=f"measured are {', '.join(_PERCENTILES)}")
    try:
        seconds = parse_duration(limit)
    except UsageError as error:
        raise UsageError(f"'{text}' is no budget", remedy=f"give a time with its unit: '{name}<=20ms'") from error
    if not seconds > 0:
        raise UsageError(f"'{text}' is no budget", remedy="give a time above 0, e.g. 50ms")
    return Budget(q=_PERCENTILES[name], limit_s=seconds)


def enough_s(budget: float, made: int) -> float:
    """Seconds that a search takes which made so many probes within a budget."""
    # In whole half minutes: the length of a probe changes with its rate.
    return max(30.0 * math.ceil(budget / max(made, 1) * max(_ENOUGH, made + _BATCH) / 30.0), BUDGET_S)
