"""Runs of TPC-C, made by hand: what their terminals asked for, and what the tables hold afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from support import load_records
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End
from weigh.load import record as load_record
from weigh.load.runs import LoadInterval
from weigh.load.spec import Arrivals
from weigh.load.tpcc.account import Account, Deliveries, Named, NewOrders, Tables, TpccRun, UserTimes
from weigh.load.tpcc.terminals import KEYING_S, KINDS, OPERATIONS, THINKING_S
from weigh.load.tpcc.workload import workload

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.runs import LoadRun
    from weigh.load.spec import LoadSpec
    from weigh.load.tpcc.workload import TpccWorkload

WAREHOUSES = 4
LENGTH = 50
"""Intervals of a run."""
SHARES = {"new-order": 10 / 23, "payment": 10 / 23, "order-status": 1 / 23, "delivery": 1 / 23, "stock-level": 1 / 23}


def drawn(random: np.random.Generator, count: int, a: int, most: int, constant: int) -> Any:
    """Numbers from 1 to ``most`` by NURand, written as the specification writes it."""
    return ((random.integers(0, a + 1, count) | random.integers(1, most + 1, count)) + constant) % most + 1


def honest(made: TpccWorkload, transactions: int, seed: int = 1) -> TpccRun:
    """A run of so many transactions that is as it should be."""
    random = np.random.default_rng(seed)
    counts = {kind: round(transactions * share) for kind, share in SHARES.items()}
    orders = counts["new-order"]
    back = int(random.binomial(orders, 0.01))
    committed = orders - back
    lengths = random.integers(5, 16, committed)
    lines = int(lengths.sum())
    several = made.warehouses > 1
    remote_lines = int(random.binomial(lines, 0.01)) if several else 0
    remote = int(random.binomial(counts["payment"], 0.15)) if several else 0
    delivered = 10 * counts["delivery"]
    items = drawn(random, lines, 8_191, 100_000, made.nurand.item)
    customers = drawn(random, committed, 1_023, 3_000, made.nurand.customer)
    even = np.full(made.warehouses, 1 / made.warehouses)
    times = tuple(
        UserTimes(
            typed=counts[kind],
            thought=counts[kind],
            keying_s=counts[kind] * KEYING_S[kind],
            thinking_s=float(random.exponential(THINKING_S[kind], counts[kind]).sum()),
        )
        for kind in KINDS
    )
    by_lines = np.bincount(lengths - 5, minlength=11)
    account = Account(
        home=tuple(random.multinomial(transactions, even).tolist()),
        new_orders=NewOrders(
            committed=committed,
            rolled_back=back,
            lines=lines,
            remote_lines=remote_lines,
            by_lines=tuple(by_lines.tolist()),
        ),
        payments=Named(done=counts["payment"], by_name=int(random.binomial(counts["payment"], 0.6)), remote=remote),
        order_statuses=Named(done=counts["order-status"], by_name=int(random.binomial(counts["order-status"], 0.6))),
        deliveries=Deliveries(done=counts["delivery"], delivered=delivered),
        stock_levels=counts["stock-level"],
        times=times,
    )
    tables = Tables(
        orders=committed,
        lines_of_orders=lines,
        next_orders=committed,
        lines=lines,
        remote_lines=remote_lines,
        payments=counts["payment"],
        remote_payments=remote,
        delivered=delivered,
        orders_by_home=tuple(random.multinomial(committed, even).tolist()),
        payments_by_home=tuple(random.multinomial(counts["payment"], even).tolist()),
        items=tuple(np.bincount((items - 1) // 500, minlength=200).tolist()),
        customers=tuple(np.bincount((customers - 1) // 50, minlength=60).tolist()),
    )
    return TpccRun(run=1, account=account, tables=tables)


def counts_of(run: TpccRun) -> dict[str, int]:
    """Answers by transaction, New-Orders that were taken back among them."""
    one = run.account
    new_orders = one.new_orders.committed + one.new_orders.rolled_back
    done = (new_orders, one.payments.done, one.order_statuses.done, one.deliveries.done, one.stock_levels)
    return dict(zip(KINDS, done, strict=True))


def spec(seconds: float, *, terminals: bool, warehouses: int = WAREHOUSES) -> LoadSpec:
    """A load of TPC-C, one run of so many seconds."""
    made = workload(warehouses, 42, terminals=terminals)
    loops: dict[str, Any] = {"loops": ("closed",), "arrivals": Arrivals(kind="closed")} if terminals else {}
    return load_records.spec(
        LENGTH,
        workload="tpcc",
        tpcc=made,
        target="postgres:embedded",
        duration_s=seconds,
        interval_s=seconds / LENGTH,
        warmup_s=0.0,
        **loops,
    )


def raw(asked: LoadSpec, run: TpccRun, slow: tuple[str, float] | None = None) -> LoadRun:
    """The histograms of a run: its operations evenly over its intervals, each answer within milliseconds.

    Args:
        asked: of it.
        run: what it did.
        slow: a transaction, and the share of its answers that took six seconds, at any time.
    """
    random = np.random.default_rng(2)
    whole = counts_of(run)
    whole["new-order"] -= run.account.new_orders.rolled_back
    whole["rollback"] = run.account.new_orders.rolled_back
    made = []
    for at in range(LENGTH):
        operations = []
        for name in OPERATIONS:
            each = whole[name] * (at + 1) // LENGTH - whole[name] * at // LENGTH
            took = random.gamma(16, 3e-4, each)
            if slow and name == slow[0]:
                took[random.random(each) < slow[1]] = 6.0
            part = load_records.interval(at, took)
            operations.append(msgspec.structs.replace(part.operations[0], name=name))
        begins, ends = at * asked.interval_s, (at + 1) * asked.interval_s
        made.append(LoadInterval(from_s=begins, to_s=ends, operations=tuple(operations), client_cpu_s=0.001))
    return load_records.run(made, loop=asked.loops[0], seconds=asked.duration_s)


def written(folder: Path, asked: LoadSpec, run: TpccRun, slow: tuple[str, float] | None = None) -> None:
    """The journal of a load of one run; arguments as of :func:`raw`."""
    own = Journal(folder)
    own.append(load_record.OPENED, load_record.LoadOpened(attempt=1, spec=asked))
    where = load_records.target(kind="postgres", product="PostgreSQL")
    own.append(
        "environment",
        load_record.LoadEnvironment(weigh="0", command="weigh load tpcc", host={"cpu": "some"}, target=where),
    )
    one = raw(asked, run, slow)
    fields = {field: getattr(one, field) for field in load_record.RunBegun.__struct_fields__}
    own.append("run", load_record.RunBegun(**fields))
    for interval in one.intervals:
        own.append("interval", load_record.RunInterval(run=1, interval=interval))
    own.append("summary", load_record.RunEnded(run=1, summary=one.summary))
    own.append("tpcc", run)
    own.append("end", End(how="complete"))
    own.close()
