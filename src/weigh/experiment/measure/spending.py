"""Spending: what the executions of an attempt have cost, and whether the next one is still allowed.

Nobody knows what a query costs before it was executed once, but by its number. Of one that was, the dearest execution
is the estimate of the next; of a text that nobody asked before, the dearest of all that its contender executed.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment.results.cost.quantities import cost
from weigh.model import codes
from weigh.model.errors import UsageError
from weigh.model.metrics.price import Money, amount, parse_money
from weigh.model.sample import Samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from weigh.engines.run_cost import Meter, RunCost
    from weigh.model.finding import Finding
    from weigh.model.metrics.price import Price
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec
    from weigh.model.units import Seconds


_EARLIER = ""
"""Stands for everybody whose executions a killed attempt recorded."""


class Overspent(Exception):
    """The next execution could cost more than is left."""


class Spending:
    """What was spent.

    Args:
        limit: that may be.
        prices: of contenders, by name.
        now: seconds of a clock that only goes forward.
    """

    def __init__(self, limit: Money, prices: Mapping[str, Price], now: Callable[[], Seconds] = time.monotonic) -> None:
        self.limit, self._prices, self._now = limit, prices, now
        self._metered: dict[str, float] = defaultdict(float)
        self._began: dict[str, Seconds] = {}
        self._dearest: dict[tuple[str, str], float] = {}
        self._most: dict[str, float] = defaultdict(float)
        self.unknown: set[str] = set()
        """Contenders of which it is not known what an execution cost."""

    @classmethod
    def of(cls, spec: Spec) -> Spending | None:
        """That of an experiment; None where no budget was declared."""
        return cls(parse_money(spec.spend, "spend"), spec.prices) if spec.spend else None

    @property
    def spent(self) -> float:
        """Money, up to now: who is charged by time is so from its first session on."""
        passed = sum(
            term.money * (self._now() - began)
            for name, began in self._began.items()
            for term in self._prices[name].terms
            if term.quantity == "seconds"
        )
        return passed + sum(self._metered.values())

    @property
    def left(self) -> float:
        """Money that may still be spent."""
        return self.limit.amount - self.spent

    def meter(self, contender: str) -> Meter | None:
        """What counts the executions of one contender, from now on; None where it has no price."""
        if contender not in self._prices:
            return None
        self._began.setdefault(contender, self._now())

        @contextmanager
        def metered(sql: str) -> Iterator[list[RunCost]]:
            self.check(contender, sql)
            costs: list[RunCost] = []
            try:
                yield costs
            finally:
                self.charge(contender, sql, costs[0] if costs else None)

        return metered

    def estimate(self, contender: str, sql: str) -> float:
        """What the next execution of a query may cost; 0 where nothing is known of it."""
        price = self._prices.get(contender)
        by_number = sum(term.money for term in price.terms if term.quantity == "queries") if price else 0.0
        return max(by_number, self._dearest.get((contender, sql), self._most[contender]))

    def check(self, contender: str, sql: str) -> None:
        """Raises Overspent where the next execution might exceed what is left."""
        if (may := self.estimate(contender, sql)) > self.left:
            raise Overspent(
                f"{self.words()}, and the next execution on {contender} may cost {amount(may)} {self.limit.currency}"
            )

    def charge(self, contender: str, sql: str, cost: RunCost | None) -> None:
        """Count an execution.

        Args:
            contender: whose.
            sql: its text.
            cost: of it; None of one that failed, which counts as the dearest one.
        """
        wall, metered, known = (cost.wall_s if cost else 0.0), 0.0, cost is not None
        by_time = 0.0
        for term in self._prices[contender].terms:
            match term.quantity:
                case "seconds":
                    by_time += term.money * wall
                    continue
                case "queries":
                    count: float | None = 1.0
                case "credits":
                    count = cost.reported.credits if cost and cost.reported else None
                case "bytes":
                    count = _bytes(cost)
            if count is None:
                known = False
            else:
                metered += term.money * count
        if not known:
            if cost is not None:
                self.unknown.add(contender)
            metered = max(metered, self.estimate(contender, sql))
        self._metered[contender] += metered
        self._dearest[contender, sql] = max(self._dearest.get((contender, sql), 0.0), metered + by_time)
        self._most[contender] = max(self._most[contender], metered + by_time)

    def restore(self, attempts: Iterable[Iterable[Sample]]) -> None:
        """Count what earlier attempts have spent: the gate of each as dear as that of now, and their executions.

        Args:
            attempts: the executions of each, killed and interrupted ones alike.
        """
        gate = self.spent
        self._metered[_EARLIER] += sum(
            gate + float(np.nansum(cost(Samples.of(samples), self._prices))) for samples in attempts
        )

    def per_second(self, contenders: Iterable[str]) -> float:
        """Money that some contenders are charged for each second that passes."""
        return sum(
            term.money for name in contenders if name in self._prices for term in self._prices[name].terms
            if term.quantity == "seconds"
        )  # fmt: skip

    def words(self) -> str:
        """``4.90 of 5.00 USD are spent``."""
        return f"{amount(self.spent)} of {self.limit} are spent"

    def finding(self, ended: str) -> Finding:
        """What it came to.

        Args:
            ended: what the budget has ended, one clause; empty where it has ended nothing.
        """
        unknown = f"; what {', '.join(sorted(self.unknown))} charges is not known of every execution"
        remedy = "declare a price by what it reports, or by the hour" if self.unknown else "nothing is wrong"
        return codes.X_SPENT.finding(
            "warning" if ended or self.unknown else "note",
            text=self.words() + (unknown if self.unknown else "") + (f": {ended}" if ended else ""),
            remedy="raise --spend for tighter intervals" if ended else remedy,
        )


def _bytes(cost: RunCost | None) -> int | None:
    if cost is None or cost.reported is None:
        return None
    return cost.reported.scanned_bytes if cost.reported.billed_bytes is None else cost.reported.billed_bytes


@contextmanager
def refused() -> Iterator[None]:
    """Before there is any measurement, an end of the budget is a refusal.

    Raises:
        UsageError: in the place of Overspent.
    """
    try:
        yield
    except Overspent as error:
        raise UsageError(
            f"the budget is too small for the gate: {error}",
            remedy="raise --spend, or name fewer --operations; weigh run --plan says how often each is asked",
        ) from None
