"""Refresh sets of data maintenance: days whose sales are deleted, and orders of the same days that come instead.

The specification takes them from ``dsdgen -update``, which no package has. Here each set is drawn by a seed: three
spans of two days for the sales and returns of all three channels, three days for the inventory. As many orders come as
go; they are copies of others under new numbers. They come as people write them, with dates, and with business keys of
items and customers, so that inserting them looks surrogate keys up, as the specification has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

SPANS = 3
"""Of days, in each set."""
DAYS = 2
"""Of a span."""


class Channel(NamedTuple):
    """Tables of a channel: sales and returns, and the columns of the day of sale and the order's number."""

    sales: str
    returns: str
    day: str
    sold: str
    returned: str
    item: str
    item_returned: str


CHANNELS = {
    "ss": Channel(
        "store_sales", "store_returns", "ss_sold_date_sk", "ss_ticket_number", "sr_ticket_number", "ss_item_sk",
        "sr_item_sk",
    ),
    "cs": Channel(
        "catalog_sales", "catalog_returns", "cs_sold_date_sk", "cs_order_number", "cr_order_number", "cs_item_sk",
        "cr_item_sk",
    ),
    "ws": Channel(
        "web_sales", "web_returns", "ws_sold_date_sk", "ws_order_number", "wr_order_number", "ws_item_sk",
        "wr_item_sk",
    ),
}  # fmt: skip
INVENTORY = "inventory"


class RefreshSet(NamedTuple):
    """What the functions of a set change.

    Attributes:
        spans: first and last day of each span of sales.
        inventory_days: days of the inventory that are replaced.
        days: the same spans as keys of ``date_dim``.
        inventory_keys: the days of the inventory as keys.
        orders: by channel, numbers of the orders of these days.
        comes: rows that are inserted, by table, as the tables hold them.
    """

    spans: tuple[tuple[date, date], ...]
    inventory_days: tuple[date, ...]
    days: pa.Array
    inventory_keys: pa.Array
    orders: Mapping[str, pa.Array]
    comes: Mapping[str, pa.Table]


def refresh_sets(tables: Mapping[str, Sequence[str]], count: int, seed: int) -> list[RefreshSet]:
    """Draw refresh sets whose days are all different.

    Args:
        tables: files of the dataset by table.
        count: how many.
        seed: of the draw.

    Raises:
        DataFault: there are not so many days on which every channel sold something.
    """
    rng = np.random.default_rng([seed, 0x7BCD5])
    rows = {name: _read(tables, name) for one in CHANNELS.values() for name in (one.sales, one.returns)}
    inventory = _read(tables, INVENTORY)
    dates = _read(tables, "date_dim", ["d_date_sk", "d_date"])
    by_key = dict(zip(dates["d_date_sk"].to_pylist(), dates["d_date"].to_pylist(), strict=True))
    current = _current_items(tables)
    firsts = _spans(rows, SPANS * count, rng)
    stocked = np.unique(_numbers(inventory["inv_date_sk"]))
    if len(stocked) < SPANS * count:
        raise DataFault(
            f"{SPANS * count} days of the inventory are needed, and there are {len(stocked)}",
            remedy="fewer --streams, or a larger --scale",
        )
    stocked = rng.choice(stocked, SPANS * count, replace=False)
    gone = np.concatenate([firsts + day for day in range(DAYS)])
    last = {name: int(pc.max(rows[one.sales][one.sold]).as_py()) for name, one in CHANNELS.items()}
    found = []
    for number in range(count):
        first = firsts[SPANS * number : SPANS * (number + 1)]
        days = np.sort(np.concatenate([first + day for day in range(DAYS)]))
        orders, comes = {}, {}
        for name, one in CHANNELS.items():
            sales = rows[one.sales]
            hit = pc.is_in(sales[one.day], pa.array(days))
            orders[name] = pc.unique(sales.filter(hit)[one.sold])
            others = np.unique(_numbers(sales.filter(pc.invert(pc.is_in(sales[one.day], pa.array(gone))))[one.sold]))
            # Orders some lines of which have no day are left alone: they may be of a day that goes.
            others = np.setdiff1d(others, np.unique(_numbers(sales.filter(pc.is_null(sales[one.day]))[one.sold])))
            old = np.sort(rng.choice(others, min(len(orders[name]), len(others)), replace=False))
            new = np.arange(last[name] + 1, last[name] + 1 + len(old))
            last[name] += len(old)
            moved = dict(
                zip(old.tolist(), zip(new.tolist(), rng.choice(days, len(old)).tolist(), strict=True), strict=True)
            )
            sold_on = dict(zip(_numbers(sales[one.sold]).tolist(), sales[one.day].to_pylist(), strict=True))
            for table, key, item in ((one.sales, one.sold, one.item), (one.returns, one.returned, one.item_returned)):
                comes[table] = _copied(rows[table], key, item, moved, sold_on, current)
        keys = np.sort(stocked[SPANS * number : SPANS * (number + 1)])
        comes[INVENTORY] = _restocked(inventory, keys, current, rng)
        found.append(
            RefreshSet(
                spans=tuple((by_key[int(one)], by_key[int(one) + DAYS - 1]) for one in np.sort(first)),
                inventory_days=tuple(by_key[int(one)] for one in keys),
                days=pa.array(days),
                inventory_keys=pa.array(keys),
                orders=orders,
                comes=comes,
            )
        )
    return found


def _read(tables: Mapping[str, Sequence[str]], name: str, columns: list[str] | None = None) -> pa.Table:
    read = pa.concat_tables(pq.ParquetFile(path).read(columns) for path in tables[name])
    return read.replace_schema_metadata(None)


def _numbers(column: pa.ChunkedArray) -> np.ndarray:
    return np.asarray(pc.drop_null(column).to_numpy())


def _spans(rows: Mapping[str, pa.Table], count: int, rng: np.random.Generator) -> np.ndarray:
    """First days of spans, no two of which meet, in each of which every channel sold something."""
    firsts: np.ndarray | None = None
    for one in CHANNELS.values():
        sold = np.unique(_numbers(rows[one.sales][one.day]))
        able = np.unique(np.concatenate([sold - day for day in range(DAYS)]))
        firsts = able if firsts is None else np.intersect1d(firsts, able)
    assert firsts is not None
    chosen: list[int] = []
    for first in rng.permutation(firsts).tolist():
        if all(abs(first - other) >= DAYS for other in chosen):
            chosen.append(first)
        if len(chosen) == count:
            return np.array(chosen)
    raise DataFault(
        f"{count} spans of {DAYS} days are needed, and there are {len(chosen)} on which every channel sold something",
        remedy="fewer --streams, or a larger --scale",
    )


def _current_items(tables: Mapping[str, Sequence[str]]) -> dict[int, int]:
    """For each key of an item that of its current revision: a business key has one without an end."""
    items = _read(tables, "item", ["i_item_sk", "i_item_id", "i_rec_end_date"]).to_pylist()
    now = {one["i_item_id"]: one["i_item_sk"] for one in items if one["i_rec_end_date"] is None}
    return {one["i_item_sk"]: now[one["i_item_id"]] for one in items if one["i_item_id"] in now}


def _copied(
    table: pa.Table,
    key: str,
    item: str,
    moved: Mapping[int, tuple[int, int]],
    sold_on: Mapping[int, int],
    current: Mapping[int, int],
) -> pa.Table:
    """The lines of orders under new numbers, days later or earlier, of items as they are now, and no item twice."""
    rows, taken = [], set()
    days = [name for name in table.column_names if name.endswith("_date_sk")]
    for row in table.filter(pc.is_in(table[key], pa.array(list(moved), table.schema.field(key).type))).to_pylist():
        old = row[key]
        row[key], day = moved[old]
        row[item] = current.get(row[item])
        if row[item] is None or (row[key], row[item]) in taken:
            continue
        taken.add((row[key], row[item]))
        for name in days:
            row[name] = None if row[name] is None else row[name] + day - sold_on[old]
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=table.schema)


def _restocked(inventory: pa.Table, days: np.ndarray, current: Mapping[int, int], rng: np.random.Generator) -> pa.Table:
    """The inventory of some days, of current items, with other quantities."""
    rows, taken = [], set()
    for row in inventory.filter(pc.is_in(inventory["inv_date_sk"], pa.array(days))).to_pylist():
        row["inv_item_sk"] = current.get(row["inv_item_sk"])
        where = (row["inv_date_sk"], row["inv_item_sk"], row["inv_warehouse_sk"])
        if row["inv_item_sk"] is None or where in taken:
            continue
        taken.add(where)
        row["inv_quantity_on_hand"] = int(rng.integers(0, 1001))
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=inventory.schema)
