"""Refresh sets by the rules of dbgen: the orders that RF1 inserts, and those that RF2 deletes.

Set ``n`` at scale factor ``S`` has ``1500 S`` new orders and their line items, and as many old orders to delete. Base
orders use 8 of each 32 keys: a new order has the key of base order ``i`` with the first of two free bits set
(``MK_SPARSE``). Its row is what its generator draws for the order that follows the last base order. Deleted are the
base orders from ``1500 S (n - 1) + 1`` on (``driver.c``, ``pr_drange``).

No program that comes as a package makes them. Rows beyond the last base order are those of a dataset twice as large,
but for the four columns whose range is the scale: those are drawn here, by the same random numbers.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weigh.data.tpch import run_maker
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from weigh.data.tpch import Tpch
    from weigh.model.units import Scale

    Ints = NDArray[np.int64]

ORDERS, LINES = "orders", "lineitem"
SETS = 1000
"""With these the first of the free bits are used up: as many as there are to delete."""
_MULTIPLIER, _MODULUS = 16807, 2147483647
_MOST_LINES = 7
_CUSTOMERS, _CLERKS, _PARTS, _SUPPLIERS, _BASE_ORDERS = 150_000, 1_000, 200_000, 10_000, 1_500_000
"""At scale factor 1."""
_CUSTOMER_SEED, _CLERK_SEED, _PART_SEED, _SUPPLIER_SEED = 851767375, 1171034773, 1808217256, 2095021727
_MORTALITY = 3
"""One of so many customers has no order."""


class RefreshSet(NamedTuple):
    """What a pair of refresh functions changes.

    Attributes:
        orders, lines: rows that RF1 inserts, with the columns and types of the tables.
        deleted: keys of the orders that RF2 deletes with their line items.
    """

    orders: pa.Table
    lines: pa.Table
    deleted: tuple[int, ...]


def size(scale: Scale) -> int:
    """How many orders a refresh set has.

    Raises:
        UsageError: a thousandth of the orders is no whole number.
    """
    count = round(_BASE_ORDERS * scale / SETS)
    if count < 1 or abs(count * SETS - _BASE_ORDERS * scale) > 1e-6:
        raise UsageError(
            f"a thousandth of the orders of scale factor {scale:g} is no whole number: there is no refresh set",
            remedy="a scale that is a multiple of 0.002, e.g. --scale 0.01",
        )
    return count


def refresh_set(
    made_by: Tpch, scale: Scale, number: int, schemas: Mapping[str, pa.Schema], python: Path, folder: Path
) -> RefreshSet:
    """A refresh set.

    Args:
        made_by: generator of the dataset.
        scale: of the dataset.
        number: of the set, from 1.
        schemas: of the tables ``orders`` and ``lineitem``.
        python: interpreter of the generator's environment.
        folder: an empty one; what is left in it is removed.

    Raises:
        DataFault: the program failed.
        UsageError: as :func:`size`.
    """
    count = size(scale)
    place = folder / f"set-{number}"
    job: dict[str, Any] = {
        "do": made_by.name, "scale": 2.0 * scale, "parts": 2 * SETS, "part": SETS + number, "folder": str(place),
        "codec": "SNAPPY", "threads": 1,
    }  # fmt: skip
    run_maker(job, python)
    try:
        # Not as a dataset: the folder's name is no column.
        orders, lines = (
            pa.concat_tables(pq.ParquetFile(path).read() for path in sorted((place / table).glob("*.parquet")))
            for table in (ORDERS, LINES)
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)
    first = round(_BASE_ORDERS * scale) + (number - 1) * count
    orders, lines = _at_scale(orders, lines, scale, first)
    base = np.arange(count, dtype=np.int64) + (number - 1) * count + 1
    keys = dict(zip(orders.column("o_orderkey").to_pylist(), sparse(base, 1 + number // SETS).tolist(), strict=True))
    orders = _with(orders, "o_orderkey", [keys[one] for one in orders.column("o_orderkey").to_pylist()])
    lines = _with(lines, "l_orderkey", [keys[one] for one in lines.column("l_orderkey").to_pylist()])
    return RefreshSet(
        orders=pa.table(orders.cast(schemas[ORDERS]).columns, schema=schemas[ORDERS]),
        lines=pa.table(lines.cast(schemas[LINES]).columns, schema=schemas[LINES]),
        deleted=tuple(sparse(base, 0).tolist()),
    )


def sparse(index: Ints, bits: int) -> Ints:
    """Keys of orders: the third of three parts is the index's last three bits, the second says whose they are."""
    return (((index >> 3) << 2 | bits) << 3) | (index & 7)


def _at_scale(orders: pa.Table, lines: pa.Table, scale: Scale, first: int) -> tuple[pa.Table, pa.Table]:
    """The rows with the four columns whose range is the scale, and what follows from them.

    Args:
        orders: of a dataset of another scale.
        lines: of these orders.
        scale: the wanted one.
        first: how many orders come before.
    """
    count = orders.num_rows
    customers = round(_CUSTOMERS * scale)
    clerks = max(_CLERKS, round(_CLERKS * scale))
    orders = _with(
        orders, "o_custkey", [_alive(one, customers) for one in _drawn(_CUSTOMER_SEED, first, count, 1, customers)]
    )
    names = [f"Clerk#{one:09}" for one in _drawn(_CLERK_SEED, first, count, 1, clerks)]
    orders = _with(orders, "o_clerk", names)
    # Every order has room for seven numbers, whether or not it has so many lines.
    suppliers = round(_SUPPLIERS * scale)
    parts_of = _drawn(_PART_SEED, first * _MOST_LINES, count * _MOST_LINES, 1, round(_PARTS * scale))
    which = _drawn(_SUPPLIER_SEED, first * _MOST_LINES, count * _MOST_LINES, 0, 3)
    at = {key: place for place, key in enumerate(orders.column("o_orderkey").to_pylist())}
    place = np.array(
        [
            at[key] * _MOST_LINES + line - 1
            for key, line in zip(
                lines.column("l_orderkey").to_pylist(), lines.column("l_linenumber").to_pylist(), strict=True
            )
        ]
    )
    part = np.array(parts_of)[place]
    supplier = (part + np.array(which)[place] * (suppliers // 4 + (part - 1) // suppliers)) % suppliers + 1
    quantity, discount, tax = (
        np.array([int(one * 100) for one in lines.column(name).to_pylist()], np.int64)
        for name in ("l_quantity", "l_discount", "l_tax")
    )
    price = (90_000 + part // 10 % 20_001 + 100 * (part % 1_000)) * (quantity // 100)
    for name, values in (("l_partkey", part), ("l_suppkey", supplier)):
        lines = _with(lines, name, values.tolist())
    lines = _with(lines, "l_extendedprice", _money(price))
    # In whole cents after each step, as dbgen computes.
    charged = price * (100 - discount) // 100 * (100 + tax) // 100
    total = np.bincount(place // _MOST_LINES, weights=charged.astype(float), minlength=count)
    return _with(orders, "o_totalprice", _money(total.astype(np.int64))), lines


def _drawn(seed: int, skipped: int, count: int, low: int, high: int) -> list[int]:
    """Numbers of one of dbgen's streams, after so many."""
    state = seed * pow(_MULTIPLIER, skipped, _MODULUS) % _MODULUS
    found = []
    for _ in range(count):
        state = state * _MULTIPLIER % _MODULUS
        found.append(low + int(state / float(_MODULUS) * float(high - low + 1)))
    return found


def _alive(customer: int, customers: int) -> int:
    """The next customer who may order: up and down by one in turn."""
    step = 1
    while customer % _MORTALITY == 0:
        customer = min(customer + step, customers)
        step = -step
    return customer


def _money(cents: Ints) -> pa.Array:
    return pc.divide(
        pa.array(cents).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2)), pa.scalar(100, pa.decimal128(3, 0))
    )


def _with(table: pa.Table, name: str, values: Any) -> pa.Table:
    at = table.column_names.index(name)
    wanted = table.schema.field(name).type
    made = (
        values.cast(wanted)
        if isinstance(values, pa.Array)
        else pa.array(values, pa.string()).cast(wanted)
        if isinstance(values[0], str)
        else pa.array(values, pa.int64()).cast(wanted)
    )
    return table.set_column(at, name, made)
