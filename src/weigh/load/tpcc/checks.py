"""Whether a run was TPC-C's: its mix, its draws, its users' times, and whether the tables show the work. Pure.

Nothing is held against a run that chance explains: a share is judged when it is outside of what the specification
allows and a true one would be as far outside less often than :data:`ERROR`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from weigh.load.tpcc import nurand
from weigh.load.tpcc.account import CUSTOMERS_IN_BIN, ITEMS_IN_BIN
from weigh.load.tpcc.terminals import KEYING_S, KINDS, MINIMUMS, THINKING_S
from weigh.model.units import count, percent
from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.tpcc.account import Account, Tables
    from weigh.load.tpcc.workload import TpccWorkload
    from weigh.statistics.arrays import Floats

ERROR = 1e-5
"""How often a true implementation may be accused, by each check of a run."""
Outcome = Literal["kept", "broken", "too few"]
Subject = Literal["mix", "draws", "work", "users"]
_ITEMS, _CUSTOMERS = 100_000, 3_000
_LINES = (9.5, 10.5)
_SPREAD = math.sqrt(10.0)
"""Standard deviation of a number from 5 to 15."""
_RANGES = {
    "rolled back": (0.009, 0.01, 0.011),
    "remote lines": (0.0095, 0.01, 0.0105),
    "remote payments": (0.14, 0.15, 0.16),
    "payments by last name": (0.57, 0.60, 0.63),
    "order-statuses by last name": (0.57, 0.60, 0.63),
}
"""What clause 5.2.5 lets a share be, and what is drawn: lowest, drawn, highest."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at when a run was over.

    Attributes:
        name: what.
        subject: what it says something about.
        source: whose word it is: the tables', or the generator's own account.
        wanted: by the specification, in words.
        observed: in this run, in words.
        outcome: kept, broken, or seen too seldom to tell.
    """

    name: str
    subject: Subject
    source: Literal["tables", "generator"]
    wanted: str
    observed: str = msgspec.field(name="seen")
    outcome: Outcome


def checks(
    workload: TpccWorkload, counts: Mapping[str, int], account: Account, tables: Tables | None, *, terminals: bool
) -> tuple[Check, ...]:
    """Everything that is looked at.

    Args:
        workload: what was to be done.
        counts: answers by operation, over the whole run.
        account: of the generator.
        tables: as they were read back; None where they were not.
        terminals: whether users at terminals asked.
    """
    return (
        *_mix(counts),
        *_drawn(workload, account, tables),
        *(_work(account, tables) if tables else ()),
        *(_users(account) if terminals else ()),
    )


def _mix(counts: Mapping[str, int]) -> Iterator[Check]:
    everything = sum(counts.values())
    for kind, least in MINIMUMS.items():
        number = counts.get(kind, 0)
        # A deck is drawn to its end: the share scatters less than one of independent draws.
        broken = everything > 0 and number / everything < least and special.bdtr(number, everything, least) < ERROR
        enough = everything * least >= 1 / least
        yield Check(
            name=f"{kind} in the mix",
            subject="mix",
            source="generator",
            wanted=f"at least {percent(least)}",
            observed=_share(number, everything),
            outcome="broken" if broken else "kept" if enough and number / everything >= least else "too few",
        )


def _drawn(workload: TpccWorkload, account: Account, tables: Tables | None) -> Iterator[Check]:
    committed = account.new_orders
    # By the tables, an order that was to be taken back and is there was not.
    placed = tables.orders if tables else committed.committed
    both = committed.committed + committed.rolled_back
    yield _ranged("rolled back", "tables" if tables else "generator", max(both - placed, 0), both)
    lines, remote = (tables.lines, tables.remote_lines) if tables else (committed.lines, committed.remote_lines)
    paid, away = (
        (tables.payments, tables.remote_payments) if tables else (account.payments.done, account.payments.remote)
    )
    if workload.warehouses > 1:
        yield _ranged("remote lines", "tables" if tables else "generator", remote, lines)
        yield _ranged("remote payments", "tables" if tables else "generator", away, paid)
    yield _ranged("payments by last name", "generator", account.payments.by_name, account.payments.done)
    statuses = account.order_statuses
    yield _ranged("order-statuses by last name", "generator", statuses.by_name, statuses.done)
    if tables:
        yield _lines(tables)
        yield from _distributions(workload, tables)


def _ranged(name: str, source: Literal["tables", "generator"], number: int, trials: int) -> Check:
    low, drawn, high = _RANGES[name]
    share = number / trials if trials else drawn
    below, above = float(special.bdtr(number, trials, drawn)), _at_least(number, trials, drawn)
    broken = trials > 0 and not low <= share <= high and min(below, above) < ERROR / 2
    # Enough for the range to be two standard errors wide on each side.
    enough = trials > 0 and 2 * math.sqrt(drawn * (1 - drawn) / trials) <= high - drawn
    return Check(
        name=name,
        subject="draws",
        source=source,
        wanted=f"{100 * low:.4g} to {100 * high:.4g} %",
        observed=_share(number, trials),
        outcome="broken" if broken else "kept" if enough and low <= share <= high else "too few",
    )


def _at_least(number: int, trials: int, share: float) -> float:
    return float(special.bdtrc(number - 1, trials, share)) if number else 1.0


def _lines(tables: Tables) -> Check:
    mean = tables.lines_of_orders / tables.orders if tables.orders else 10.0
    error = _SPREAD / math.sqrt(tables.orders) if tables.orders else math.inf
    outside = not _LINES[0] <= mean <= _LINES[1]
    broken = outside and 2 * special.ndtr(-abs(mean - 10) / error) < ERROR
    return Check(
        name="lines of an order",
        subject="draws",
        source="tables",
        wanted=f"{_LINES[0]} to {_LINES[1]} on average",
        observed=f"{mean:.2f} of {count(tables.orders, 'order')}" if tables.orders else "no orders",
        outcome="broken" if broken else "kept" if 2 * error <= 0.5 and not outside else "too few",
    )


def _distributions(workload: TpccWorkload, tables: Tables) -> Iterator[Check]:
    constants = workload.nurand
    items = nurand.binned(nurand.probabilities(8_191, 1, _ITEMS, constants.item), ITEMS_IN_BIN)
    customers = nurand.binned(nurand.probabilities(1_023, 1, _CUSTOMERS, constants.customer), CUSTOMERS_IN_BIN)
    yield _follows("items", tables.items, items, f"NURand(8191, 1, {_ITEMS}), C {constants.item}")
    yield _follows("customers", tables.customers, customers, f"NURand(1023, 1, {_CUSTOMERS}), C {constants.customer}")
    for name, counts in (("orders", tables.orders_by_home), ("payments", tables.payments_by_home)):
        if workload.warehouses > 1:
            even = np.full(workload.warehouses, 1 / workload.warehouses)
            yield _follows(f"{name} over the warehouses", counts, even, "evenly")


def _follows(name: str, counts: Sequence[int], shares: Floats, wanted: str) -> Check:
    likely = nurand.unlikely(counts, shares)
    counted = f"of {sum(counts):,}" + (f": p {likely:.2g} (chi-square)" if likely is not None else "")
    outcome: Outcome = "too few" if likely is None else "broken" if likely < ERROR else "kept"
    return Check(name=name, subject="draws", source="tables", wanted=wanted, observed=counted, outcome=outcome)


def _work(account: Account, tables: Tables) -> Iterator[Check]:
    """What was acknowledged must be there; of what is not known how it ended, it may."""
    committed = account.new_orders
    for name, acknowledged, there in (
        ("orders", committed.committed, tables.orders),
        ("order lines", committed.lines, tables.lines),
        ("remote order lines", committed.remote_lines, tables.remote_lines),
        ("districts' counters of orders", committed.committed, tables.next_orders),
        ("payments in history", account.payments.done, tables.payments),
        ("remote payments in history", account.payments.remote, tables.remote_payments),
        ("delivered orders", account.deliveries.delivered, tables.delivered),
    ):
        # An order has 15 lines, and a delivery 10 orders, at most.
        most = acknowledged + account.unknown * (15 if "lines" in name else 10 if "delivered" in name else 1)
        yield Check(
            name=name,
            subject="work",
            source="tables",
            wanted=f"{acknowledged:,} acknowledged",
            observed=f"{there:,} there",
            outcome="kept" if acknowledged <= there <= most else "broken",
        )


def _users(account: Account) -> Iterator[Check]:
    for kind, times in zip(KINDS, account.times, strict=False):
        typed = times.keying_s / times.typed if times.typed else KEYING_S[kind]
        yield Check(
            name=f"typing of {kind}",
            subject="users",
            source="generator",
            wanted=f"{KEYING_S[kind]:g} s",
            observed=f"{typed:.3g} s of {times.typed:,}",
            outcome="kept" if math.isclose(typed, KEYING_S[kind], rel_tol=1e-6) else "broken",
        )
        mean = THINKING_S[kind]
        if not times.thought:
            continue
        mean_s = times.thinking_s / times.thought
        # Sums of exponential times have a gamma distribution; the end at ten means moves it by less than 0.1 %.
        sum_of = times.thinking_s / mean
        unlikely = min(special.gammainc(times.thought, sum_of), special.gammaincc(times.thought, sum_of))
        broken = bool(unlikely < ERROR / 2)
        yield Check(
            name=f"thinking after {kind}",
            subject="users",
            source="generator",
            wanted=f"{mean:g} s on average",
            observed=f"{mean_s:.3g} s of {times.thought:,}",
            outcome="broken" if broken else "kept" if times.thought >= 30 else "too few",
        )


def _share(number: int, trials: int) -> str:
    return f"{100 * number / trials:.3g} % ({number:,} of {trials:,})" if trials else "none"
