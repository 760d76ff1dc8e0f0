"""What is asked of the tables of TPC-C behind a run, and what the answers say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.tpcc.account import CUSTOMERS_IN_BIN, ITEMS_IN_BIN, Tables
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.gate_events import Answer

_LOADED = 3_000
"""Orders of a district, and its rows of history, that are loaded."""
_DELIVERED = 2_100
"""Of the orders."""
_DISTRICTS = 10
_ITEMS, _CUSTOMERS = 100_000, 3_000


def queries(schema: str) -> tuple[str, ...]:
    """What is asked, each for itself.

    Args:
        schema: of the tables.
    """
    new = f"o_id > {_LOADED}"
    return (
        f"SELECT count(*), coalesce(sum(o_ol_cnt), 0) FROM {schema}.orders WHERE {new}",
        f"SELECT coalesce(sum(d_next_o_id - {_LOADED + 1}), 0) FROM {schema}.district",
        "SELECT count(*), count(*) FILTER (WHERE ol_supply_w_id <> ol_w_id) "
        f"FROM {schema}.order_line WHERE ol_o_id > {_LOADED}",
        f"SELECT count(*), count(*) FILTER (WHERE h_c_w_id <> h_w_id) FROM {schema}.history",
        f"SELECT count(*) FROM {schema}.orders WHERE o_carrier_id IS NOT NULL",
        f"SELECT o_w_id, count(*) FROM {schema}.orders WHERE {new} GROUP BY 1 ORDER BY 1",
        f"SELECT h_w_id, count(*) FROM {schema}.history GROUP BY 1 ORDER BY 1",
        f"SELECT (ol_i_id - 1) / {ITEMS_IN_BIN}, count(*) FROM {schema}.order_line WHERE ol_o_id > {_LOADED} "
        "GROUP BY 1 ORDER BY 1",
        f"SELECT (o_c_id - 1) / {CUSTOMERS_IN_BIN}, count(*) FROM {schema}.orders WHERE {new} GROUP BY 1 ORDER BY 1",
    )


def tables(answers: Sequence[Answer], warehouses: int) -> Tables:
    """What the answers to :func:`queries` say.

    Raises:
        EvidenceFault: one of them is no answer.
    """
    for one in answers:
        if one.kind != "rows" or one.digest is not None:
            raise EvidenceFault(
                f"the tables cannot be read back: {one.text or 'too many rows'}",
                where="the tables of tpcc",
                remedy="let the user of the load read them",
            )
    try:
        found = [[[int(cell or 0) for cell in row] for row in one.rows] for one in answers]
        [orders], [counters], [lines], [history], [delivered], by_home, paid, items, customers = found
    except ValueError as error:
        raise EvidenceFault(
            f"the tables cannot be read back: {error}",
            where="the tables of tpcc",
            remedy="see what holds other tables of these names",
        ) from error
    districts = _DISTRICTS * warehouses
    paid_before = _LOADED * _DISTRICTS
    return Tables(
        orders=orders[0],
        lines_of_orders=orders[1],
        next_orders=counters[0],
        lines=lines[0],
        remote_lines=lines[1],
        payments=history[0] - _LOADED * districts,
        remote_payments=history[1],
        delivered=delivered[0] - _DELIVERED * districts,
        orders_by_home=_counts(by_home, 1, warehouses),
        payments_by_home=tuple(max(one - paid_before, 0) for one in _counts(paid, 1, warehouses)),
        items=_counts(items, 0, _ITEMS // ITEMS_IN_BIN),
        customers=_counts(customers, 0, _CUSTOMERS // CUSTOMERS_IN_BIN),
    )


def _counts(rows: Sequence[Sequence[int]], first: int, most: int) -> tuple[int, ...]:
    """Counts by number from ``first`` on; what is beyond stands in one more place."""
    found = [0] * most
    beyond = 0
    for number, times in rows:
        if first <= number < first + most:
            found[number - first] = times
        else:
            beyond += times
    return (*found, beyond) if beyond else tuple(found)
