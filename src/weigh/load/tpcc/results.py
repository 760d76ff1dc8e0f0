"""What is reported of runs of TPC-C: their figure, its bound, the response limits, and what was checked. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.tpcc.checks import ERROR, Check, checks
from weigh.load.tpcc.limits import what_judges
from weigh.load.tpcc.terminals import BEYOND, KINDS, LEAST, LIMITS_S, MOST, NEW_ORDER, PER_WAREHOUSE, ROLLBACK
from weigh.model.units import Seconds, seconds
from weigh.statistics.share_beyond import ShareBeyond
from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.tpcc.account import TpccRun
    from weigh.load.tpcc.workload import TpccWorkload

_INTERVAL = 7_200.0
"""Seconds that a measurement lasts at least (clause 5.5)."""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One operation of a run.

    Attributes:
        count: answers over the part that counts.
        whole: answers of the whole run.
    """

    count: int
    whole: int


class Responses(msgspec.Struct, frozen=True, kw_only=True):
    """Response times of one transaction, over the part that counts and what was answered behind the end.

    Attributes:
        p90: 90th percentile; None where it is not resolved.
        empirical: the same by rank, resolved or not; None where nothing was answered.
        slow: how many lie beyond the limit.
    """

    p90: Seconds | None
    empirical: Seconds | None = msgspec.field(name="seen")
    slow: ShareBeyond


class RunCounts(msgspec.Struct, frozen=True, kw_only=True):
    """A run as its histograms have it.

    Attributes:
        number: of the run.
        seconds: the part that counts, without what came behind the end.
        operations: by name.
        responses: by transaction; of New-Orders those that were rolled back too.
        refused: whether its figures are not to be used.
        durable: whether every acknowledged write is kept; None where that is not known.
    """

    number: int
    seconds: Seconds
    operations: dict[str, Operation]
    responses: dict[str, Responses]
    refused: bool
    durable: bool | None


class Transaction(msgspec.Struct, frozen=True, kw_only=True):
    """One of the five.

    Attributes:
        name: of it.
        count: answers over the part that counts.
        share: of all answers; None where there are none.
        p90: 90th percentile of its response times; None where it is not resolved.
        empirical: the same by rank, resolved or not; None where nothing was answered.
        limit_s: that at least 90 % of the response times must keep.
        slow: how many lie beyond it, with 99 % bounds of their share (docs/concept/series.md).
        met: whether at most 10 % lie beyond it, by the bounds; None where that cannot be determined, or no users at
            terminals asked.
    """

    name: str
    count: int
    share: float | None
    p90: Seconds | None
    empirical: Seconds | None = msgspec.field(name="seen")
    limit_s: Seconds
    slow: ShareBeyond
    met: bool | None = msgspec.field(name="kept")


class TpccFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One run of TPC-C.

    Attributes:
        number: of the run.
        warehouses: how many.
        terminals: users at them; None where transactions were offered at a rate, or as fast as they are answered.
        tpmc: committed New-Orders a minute; None without users at terminals, or where there is no figure.
        most: what their times allow.
        per_second: transactions of all kinds a second; None where there is no figure.
        retried: attempts that the server gave up because of others, and that were made again.
        skipped: districts that a Delivery found nothing in.
        transactions: the five.
        checks: what was looked at.
        unread: why the tables were not read back; empty where they were.
        missing: what it lacks of a run of TPC-C, each with what adds it.
        too_fast: whether more New-Orders were committed than the users' times allow, chance left aside.
    """

    number: int
    warehouses: int
    terminals: int | None
    tpmc: float | None
    most: float
    per_second: float | None
    retried: int
    skipped: int
    transactions: tuple[Transaction, ...]
    checks: tuple[Check, ...]
    unread: str
    missing: tuple[str, ...]
    too_fast: bool

    @property
    def broken(self) -> tuple[Check, ...]:
        """Checks that are not kept."""
        return tuple(one for one in self.checks if one.outcome == "broken")


def tpcc_figures(
    workload: TpccWorkload, runs: Sequence[TpccRun], counted: Mapping[int, RunCounts]
) -> tuple[TpccFigures, ...]:
    """What is reported of each run.

    Args:
        workload: what was to be done.
        runs: what their terminals asked for, and what the tables held.
        counted: the same runs by their numbers, as the histograms have them.
    """
    return tuple(_figures(workload, one, counted[one.run]) for one in runs if one.run in counted)


def _figures(workload: TpccWorkload, run: TpccRun, counted: RunCounts) -> TpccFigures:
    minutes = counted.seconds / 60
    most = MOST * workload.warehouses
    counts = {name: one.whole for name, one in counted.operations.items()}
    # A New-Order that is taken back is one of the mix.
    mixed = {kind: counts.get(kind, 0) for kind in KINDS}
    mixed[NEW_ORDER] += counts.get(ROLLBACK, 0)
    usable = minutes > 0 and not counted.refused
    new_orders = counted.operations[NEW_ORDER].count
    tpmc = new_orders / minutes if usable and workload.terminals else None
    transactions = tuple(_transactions(workload, counted))
    allowed = most * minutes
    too_fast = bool(workload.terminals and allowed and special.pdtrc(new_orders - 1, allowed) < ERROR)
    return TpccFigures(
        number=run.run,
        warehouses=workload.warehouses,
        terminals=PER_WAREHOUSE * workload.warehouses if workload.terminals else None,
        tpmc=tpmc,
        most=most,
        per_second=sum(one.count for one in transactions) / counted.seconds if usable else None,
        retried=sum(run.account.retries.values()),
        skipped=run.account.deliveries.skipped,
        transactions=transactions,
        checks=checks(workload, mixed, run.account, run.tables, terminals=workload.terminals),
        unread=run.unread,
        missing=tuple(_missing(workload, counted, transactions, tpmc)),
        too_fast=too_fast and new_orders > allowed,
    )


def _transactions(workload: TpccWorkload, counted: RunCounts) -> Iterator[Transaction]:
    counts = {kind: counted.operations[kind].count for kind in KINDS}
    counts[NEW_ORDER] += counted.operations[ROLLBACK].count
    everything = sum(counts.values())
    for kind, found in counted.responses.items():
        yield Transaction(
            name=kind,
            count=counts[kind],
            share=counts[kind] / everything if everything else None,
            p90=found.p90,
            empirical=found.empirical,
            limit_s=LIMITS_S[kind],
            slow=found.slow,
            met=found.slow.at_most(BEYOND) if workload.terminals else None,
        )


def _missing(
    workload: TpccWorkload, counted: RunCounts, transactions: Sequence[Transaction], tpmc: float | None
) -> Iterator[str]:
    if not workload.terminals:
        yield "no users at terminals, so no tpmC: leave --rate, --arrivals, --closed and --find-rate out"
    if counted.seconds < _INTERVAL:
        yield f"{seconds(counted.seconds)} measured instead of two hours: --duration 150m --warmup 30m"
    open_ = {one.name: one.slow for one in transactions if one.met is None}
    if open_ and counted.seconds and workload.terminals:
        yield what_judges(open_, counted.seconds, workload.warehouses)
    if tpmc is not None and tpmc < LEAST * workload.warehouses:
        yield f"less than {LEAST:g} tpmC a warehouse: fewer --warehouses, a faster server, or a longer --duration"
    if workload.warehouses == 1:
        yield "one warehouse has no remote payments and lines: --warehouses 2"
    if counted.durable is not True:
        yield "a server that is known to keep what it acknowledged: its settings fsync and synchronous_commit on"
    yield "an audit, prices, and space for 60 days: weigh has none of them"
