"""``ladder.json`` and ``load-ladder.json``, as far as a list needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import units
from weigh.model.verdict import TierName
from weigh.serve.stored.figured import Figured, rate, seconds
from weigh.serve.stored.summary import Figure, Summary, name

if TYPE_CHECKING:
    from collections.abc import Iterable


class Ladder(msgspec.Struct, frozen=True):
    """What was measured at every rung."""

    workload: str
    margin: float
    baseline: str


class Rung(msgspec.Struct, frozen=True):
    """A rung of a ladder."""

    scale: int | float | None
    tier: str | None


class Series(msgspec.Struct, frozen=True):
    """One contender on one operation over all rungs."""

    operation: str
    contender: str
    itself: bool
    first: int | float | None


class StoredLadder(msgspec.Struct, frozen=True):
    """The document of a ladder."""

    ladder: Ladder
    rungs: tuple[Rung, ...]
    first: int | float | None
    series: tuple[Series, ...]

    def summary(self) -> Summary:
        """One line of a list."""
        margin, compared = units.percent(self.ladder.margin), [one for one in self.series if not one.itself]
        able = sum(one.first is not None for one in compared)
        total = units.count(len(compared), "comparison")
        if self.first is not None:
            says = f"The margin of {margin} is resolvable from {units.scale(self.first)} on, on all of {total}."
        elif compared:
            says = f"No rung resolves the margin of {margin} throughout: {able} of {total} do."
        else:
            says = "No rung gave an interval: nothing can be reported about the scale."
        return Summary(
            workload=name(self.ladder.workload),
            says=says,
            tier=_weakest(one.tier for one in self.rungs),
            contenders=tuple(dict.fromkeys(name(one.contender) for one in self.series)),
            operations=tuple(dict.fromkeys(name(one.operation) for one in self.series)),
        )

    def figures(self) -> list[Figure]:
        """From which scale on each comparison resolves the margin."""
        return [
            Figure(
                f"{name(one.operation)}: {name(one.contender)} resolves the margin",
                f"from {units.scale(one.first)} on" if one.first is not None else "at no rung",
            )
            for one in self.series
            if not one.itself
        ]


class Plan(msgspec.Struct, frozen=True):
    """What was asked for."""

    workload: str
    target: str


class LoadRung(msgspec.Struct, frozen=True):
    """A rung of a ladder of loads."""

    ratio: float
    tier: str | None
    verdict: str | None
    rate_achieved: Figured | None
    response: dict[str, Figured | None] | None


class StoredLoadLadder(msgspec.Struct, frozen=True):
    """The document of a ladder of loads."""

    plan: Plan
    product: str | None
    rungs: tuple[LoadRung, ...]
    outgrown: float | None

    def summary(self) -> Summary:
        """One line of a list."""
        if self.outgrown is not None:
            says = f"The data no longer fits into the memory from {self.outgrown:g}x on."
        else:
            says = (
                f"No rung up to {max((one.ratio for one in self.rungs), default=0):g}x is known to outgrow the memory."
            )
        return Summary(
            workload=name(self.plan.workload),
            says=says,
            tier=_weakest(one.tier for one in self.rungs),
            contenders=tuple(name(one) for one in (self.plan.target, self.product) if one),
        )

    def figures(self) -> list[Figure]:
        """Rates and response times of every rung."""
        return [
            figure
            for one in self.rungs
            for figure in (
                Figure(f"at {one.ratio:g}x, answers a second", rate(one.rate_achieved)),
                *(Figure(f"at {one.ratio:g}x, {at}", seconds((one.response or {}).get(at))) for at in ("p50", "p99")),
            )
        ]


def _weakest(tiers: Iterable[str | None]) -> str | None:
    """The worst of what the rungs are good for."""
    order = [str(one) for one in TierName]
    known = [one for one in tiers if one in order]
    return max(known, key=order.index, default=None)
