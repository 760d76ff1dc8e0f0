"""Lines of orders, and what each run of them adds to the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from weigh.data.ssb import dimensions, truth
from weigh.data.ssb.dimensions import drawn

if TYPE_CHECKING:
    from weigh.data.ssb.dimensions import Ints
    from weigh.data.ssb.truth import Found
    from weigh.model.units import Scale

ORDERS = 1_500_000
"""At scale factor 1."""
_MOST_LINES = 7
_ORDER_DAYS = 2_406
"""From 1992-01-01 to 1998-08-02, as of TPC-H's orders."""
_PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECI", "5-LOW")
_MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
_MORTALITY = 3
"""Every third customer has no order."""


def counts(seed: int, first: int, end: int) -> Ints:
    """How many lines each order has."""
    return drawn(seed, "lines", first, end, _MOST_LINES) + 1


def rows(seed: int, scale: Scale, first: int, end: int) -> tuple[pa.RecordBatch, Found]:
    """The lines of orders, and their sums. Pure: it may run in any thread or process."""
    many = counts(seed, first, end)
    order = np.repeat(np.arange(first, end), many)
    number = np.arange(len(order)) - np.repeat(np.cumsum(many) - many, many)
    # Each order has room for seven numbers of each column, whether or not it has so many lines.
    at = (order - first) * _MOST_LINES + number

    def of_line(what: str, size: int) -> Ints:
        return np.asarray(drawn(seed, f"line {what}", first * _MOST_LINES, end * _MOST_LINES, size)[at], np.int64)

    def of_order(what: str, size: int) -> Ints:
        return np.repeat(drawn(seed, f"order {what}", first, end, size), many)

    customer = of_order("customer", dimensions.customers(scale)) + 1
    customer = np.where(customer % _MORTALITY == 0, customer - 1, customer)
    day, part = of_order("day", _ORDER_DAYS), of_line("part", dimensions.parts(scale)) + 1
    supplier = of_line("supplier", dimensions.suppliers(scale)) + 1
    quantity, discount, tax = of_line("quantity", 50) + 1, of_line("discount", 11), of_line("tax", 9)
    price = 90_000 + part // 10 % 20_001 + part % 1_000 * 100
    extended = price * quantity
    revenue, cost = extended * (100 - discount) // 100, 6 * price // 10
    total = np.bincount(order - first, weights=(revenue * (100 + tax) // 100).astype(float), minlength=end - first)
    known = dimensions.calendar()
    # Money has 64 bits: a sum of 32 wraps around in some engines, and that is no question of this benchmark.
    whole = pa.int32()
    columns: dict[str, pa.Array] = {
        # Eight of each 32 keys are used, as of TPC-H's orders.
        "lo_orderkey": pa.array(((order + 1 >> 3) << 5) | (order + 1 & 7), pa.int64()),
        "lo_linenumber": pa.array(number + 1, whole),
        "lo_custkey": pa.array(customer, whole),
        "lo_partkey": pa.array(part, whole),
        "lo_suppkey": pa.array(supplier, whole),
        "lo_orderdate": pa.array(known["key"][day], whole),
        "lo_orderpriority": pa.array(np.array(_PRIORITIES)[of_order("priority", len(_PRIORITIES))], pa.string()),
        "lo_shippriority": pa.array(np.zeros(len(order), np.int64), whole),
        "lo_quantity": pa.array(quantity, whole),
        "lo_extendedprice": pa.array(extended, pa.int64()),
        "lo_ordtotalprice": pa.array(np.repeat(total.astype(np.int64), many), pa.int64()),
        "lo_discount": pa.array(discount, whole),
        "lo_revenue": pa.array(revenue, pa.int64()),
        "lo_supplycost": pa.array(cost, pa.int64()),
        "lo_tax": pa.array(tax, whole),
        "lo_commitdate": pa.array(known["key"][day + 30 + of_line("commit", 61)], whole),
        "lo_shipmode": pa.array(np.array(_MODES)[of_line("mode", len(_MODES))], pa.string()),
    }
    facts = truth.Lines(
        year=known["year"][day],
        month=known["month"][day],
        week=known["week"][day],
        customer=dimensions.all_cities(seed, "customer", dimensions.customers(scale))[customer - 1],
        supplier=dimensions.all_cities(seed, "supplier", dimensions.suppliers(scale))[supplier - 1],
        brand=dimensions.all_brands(seed, dimensions.parts(scale))[part - 1],
        quantity=quantity,
        discount=discount,
        extended=extended,
        revenue=revenue,
        cost=cost,
    )
    return pa.record_batch(list(columns.values()), names=list(columns)), truth.found(facts)
