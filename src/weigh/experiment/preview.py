"""The preview of an experiment: what would be asked of whom, how often, how long and for how much. It asks nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh import workloads
from weigh.model.metrics.price import amount, parse_price
from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.schedule import arms
from weigh.model.text import one_line
from weigh.model.units import Seconds, count, duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.config.run_request import RunRequest
    from weigh.model.metrics.price import Price
    from weigh.model.spec import Spec

SCHEMA = "weigh/plan/1"
GATE_EXECUTIONS = 4
"""Of each operation and contender before any clock: the same question three times, and one that nobody asked before."""
_MOST_ROUNDS, _MOST_RUNS = 6, 2
"""That are chosen where nothing else was asked for."""
_UNKNOWN = {
    "bytes": "the bytes that it scans", "credits": "the credits that it charges", "seconds": "how long it is asked",
}  # fmt: skip


class PlannedContender(msgspec.Struct, frozen=True, kw_only=True):
    """Who would be asked.

    Attributes:
        name, spec: as in every report.
        gate: executions before any clock, at least: other literals of an operation are asked, too.
        least, most: executions in the blocks; None of a gate.
        price: as declared; None without one.
        known: the least and the most money that is known beforehand; None where nothing is.
        unknown: what its price hangs on besides, which nobody knows before the first execution.
    """

    name: str
    spec: str
    gate: int
    least: int | None
    most: int | None
    price: str | None
    known: tuple[float, float] | None
    unknown: tuple[str, ...]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What would be done.

    Attributes:
        experiment: its id.
        operations: names.
        contenders: in order.
        starts: fresh starts of every contender, the least and the most; None of a gate.
        budget_s: seconds that measuring may take; None without a limit, and of a gate.
        currency: of all amounts; None without a price.
        spend: that may be spent, as declared; None without a limit.
    """

    experiment: str
    operations: tuple[str, ...]
    contenders: tuple[PlannedContender, ...]
    starts: tuple[int, int] | None
    budget_s: Seconds | None
    currency: str | None
    spend: str | None


def preview(spec: Spec, request: RunRequest) -> Preview:
    """What an experiment would ask.

    Args:
        spec: of the experiment.
        request: how it is carried out.

    Raises:
        WeighError: something of it does not exist.
    """
    source = request.user_files.source() if request.user_files else workloads.load(spec.workload)
    names = spec.operations or (
        tuple(one.name for one in source.build({}, spec.seed).operations)
        if request.user_files
        else tuple(workloads.operation_names(source) or ())
    )
    starts = None
    if request.measure:
        starts = (min(spec.starts, MIN_STARTS if spec.budget else FULL_STARTS), spec.starts)
        starts = starts if spec.precision or spec.budget else (spec.starts, spec.starts)
    everyone = [arm.contender for arm in arms(spec)]
    found = []
    for one in spec.contenders:
        price, times = spec.prices.get(one.name), everyone.count(one.name) * len(names)
        least = most = None
        if starts:
            least = starts[0] * times * (spec.rounds or 1) * (1 + (spec.runs or 1))
            most = starts[1] * times * (spec.rounds or _MOST_ROUNDS) * (1 + (spec.runs or _MOST_RUNS))
        gate = GATE_EXECUTIONS * len(names)
        found.append(
            PlannedContender(
                name=one.name,
                spec=one.spec,
                gate=gate,
                least=least,
                most=most,
                price=price.text if price else None,
                known=_known(price, gate + (least or 0), gate + (most or 0), spec.budget if starts else None),
                unknown=_unknown(price, spec.budget if starts else None),
            )
        )
    return Preview(
        experiment=spec.id,
        operations=names,
        contenders=tuple(found),
        starts=starts,
        budget_s=spec.budget if starts else None,
        currency=next((one.currency for one in spec.prices.values()), None),
        spend=spec.spend or None,
    )


def _known(price: Price | None, least: int, most: int, budget: Seconds | None) -> tuple[float, float] | None:
    """What executions cost by their number, and time up to the end of the budget."""
    if price is None or not price.quantities - set(_unknown(price, budget)):
        return None
    by_number = sum(term.money for term in price.terms if term.quantity == "queries")
    by_time = sum(term.money for term in price.terms if term.quantity == "seconds")
    return by_number * least, by_number * most + by_time * (budget or 0.0)


def _unknown(price: Price | None, budget: Seconds | None) -> tuple[str, ...]:
    """What a price hangs on that nobody knows beforehand; where there is a budget of time, that bounds it."""
    unknown = _UNKNOWN.keys() if budget is None else _UNKNOWN.keys() - {"seconds"}
    return tuple(sorted(price.quantities & unknown)) if price else ()


def lines(found: Preview) -> Iterator[str]:
    """For people."""
    yield f"experiment {found.experiment}: {count(len(found.operations), 'operation')}"
    yield f"  {one_line(', '.join(found.operations), 400)}"
    yield "the answers first, before any clock:"
    for one in found.contenders:
        yield f"  {one.name} ({one.spec}) executes at least {one.gate} queries, and hands out its tables"
    if found.starts:
        least, most = found.starts
        starts = f"{least}" if least == most else f"{least} to {most}"
        yield f"then {starts} fresh starts of everyone, the baseline twice:"
        for one in found.contenders:
            executions = f"{one.least:,}" if one.least == one.most else f"{one.least:,} to {one.most:,}"
            yield f"  {one.name} executes {executions} queries"
        yield f"  for at most {duration(found.budget_s)}" if found.budget_s else "  however long that takes"
    for one in found.contenders:
        if one.price is not None:
            yield f"{one.name} is charged {one.price}: {_cost(one, found.currency or '')}"
    if found.spend:
        yield f"no execution is begun that might exceed {found.spend}; the first one of each question is the estimate"
    yield "nothing was asked"


def _cost(one: PlannedContender, currency: str) -> str:
    parts = []
    if one.known:
        least, most = one.known
        known = f"{amount(least)} to {amount(most)} {currency}" if least != most else f"{amount(most)} {currency}"
        timed = "seconds" in parse_price(one.price or "").quantities - set(one.unknown)
        parts.append(f"{known}, without the time that the gate takes" if timed else known)
    parts += [f"nobody knows {_UNKNOWN[name]} before the first execution" for name in one.unknown]
    return "; ".join(parts)
