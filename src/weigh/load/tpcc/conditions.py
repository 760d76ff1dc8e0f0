"""What must hold of TPC-C's tables: the twelve consistency conditions, and what the tables begin with.

Clauses 3.3.2 and 4.3.3 of the specification, in weigh's own words. Each is one query over whole tables: how many rows
break it, and the first of them.
"""

from __future__ import annotations

import msgspec

from weigh.load.tpcc.workload import SCHEMA

DISTRICTS, CUSTOMERS, ITEMS = 10, 3_000, 100_000
"""Of a warehouse, of a district, of all warehouses and of the stock of each."""
DELIVERED = 2_100
"""Orders of a district that are delivered in the data that a load begins with."""


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold of the tables.

    Attributes:
        name: ``condition N`` of the specification's twelve, or what the data must begin with.
        sentence: what it says.
        sql: answers how many rows break it, and the first of them in words.
    """

    name: str
    sentence: str
    sql: str

    @property
    def title(self) -> str:
        """For people."""
        return f"{self.name} ({self.sentence})"


def _broken(rows: str) -> str:
    """The query of one that selects the rows that break it, each in words."""
    return f"WITH broken (example) AS ({rows.replace('@', f'{SCHEMA}.')}) SELECT count(*), min(example) FROM broken"


_DELIVERED = """(SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS delivered FROM @orders
JOIN @order_line ON (ol_w_id, ol_d_id, ol_o_id) = (o_w_id, o_d_id, o_id)
WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id) AS lines
ON (o_w_id, o_d_id, o_c_id) = (c_w_id, c_d_id, c_id)"""
"""What was delivered to each customer."""

_TWELVE = (
    (
        "W_YTD is the sum of D_YTD of its districts",
        """SELECT format('w_id %s: w_ytd %s, sum of d_ytd %s', w_id, w_ytd, paid) FROM @warehouse
LEFT JOIN (SELECT d_w_id, sum(d_ytd) AS paid FROM @district GROUP BY d_w_id) AS districts ON d_w_id = w_id
WHERE w_ytd IS DISTINCT FROM paid""",
    ),
    (
        "D_NEXT_O_ID - 1 is the last O_ID of its district, and the last NO_O_ID where there is one",
        """SELECT format('d_w_id %s, d_id %s: d_next_o_id %s, last o_id %s, last no_o_id %s',
d_w_id, d_id, d_next_o_id, last_order, last_new) FROM @district
LEFT JOIN (SELECT o_w_id, o_d_id, max(o_id) AS last_order FROM @orders GROUP BY o_w_id, o_d_id) AS placed
ON (o_w_id, o_d_id) = (d_w_id, d_id)
LEFT JOIN (SELECT no_w_id, no_d_id, max(no_o_id) AS last_new FROM @new_order GROUP BY no_w_id, no_d_id) AS waiting
ON (no_w_id, no_d_id) = (d_w_id, d_id)
WHERE last_order IS DISTINCT FROM d_next_o_id - 1 OR last_new <> d_next_o_id - 1""",
    ),
    (
        "the NO_O_ID of a district have no gap",
        """SELECT format('no_w_id %s, no_d_id %s: %s rows from no_o_id %s to %s',
no_w_id, no_d_id, count(*), min(no_o_id), max(no_o_id)) FROM @new_order
GROUP BY no_w_id, no_d_id HAVING max(no_o_id) - min(no_o_id) + 1 <> count(*)""",
    ),
    (
        "the sum of O_OL_CNT of a district is the number of its order lines",
        """SELECT format('d_w_id %s, d_id %s: sum of o_ol_cnt %s, %s order lines', d_w_id, d_id, wanted, found)
FROM @district
LEFT JOIN (SELECT o_w_id, o_d_id, sum(o_ol_cnt) AS wanted FROM @orders GROUP BY o_w_id, o_d_id) AS placed
ON (o_w_id, o_d_id) = (d_w_id, d_id)
LEFT JOIN (SELECT ol_w_id, ol_d_id, count(*) AS found FROM @order_line GROUP BY ol_w_id, ol_d_id) AS lines
ON (ol_w_id, ol_d_id) = (d_w_id, d_id)
WHERE wanted IS DISTINCT FROM found""",
    ),
    (
        "O_CARRIER_ID is null exactly where the order is in NEW_ORDER",
        """SELECT format('o_w_id %s, o_d_id %s, o_id %s: o_carrier_id %s, %s NEW_ORDER',
o_w_id, o_d_id, o_id, coalesce(o_carrier_id::text, 'null'), CASE WHEN no_o_id IS NULL THEN 'not in' ELSE 'in' END)
FROM @orders LEFT JOIN @new_order ON (no_w_id, no_d_id, no_o_id) = (o_w_id, o_d_id, o_id)
WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)""",
    ),
    (
        "O_OL_CNT is the number of lines of that order",
        """SELECT format('o_w_id %s, o_d_id %s, o_id %s: o_ol_cnt %s, %s lines',
o_w_id, o_d_id, o_id, o_ol_cnt, coalesce(found, 0)) FROM @orders
LEFT JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, count(*) AS found FROM @order_line GROUP BY ol_w_id, ol_d_id, ol_o_id)
AS lines ON (ol_w_id, ol_d_id, ol_o_id) = (o_w_id, o_d_id, o_id)
WHERE o_ol_cnt IS DISTINCT FROM coalesce(found, 0)""",
    ),
    (
        "OL_DELIVERY_D is null exactly where O_CARRIER_ID of its order is",
        """SELECT format('ol_w_id %s, ol_d_id %s, ol_o_id %s, ol_number %s: ol_delivery_d %s, o_carrier_id %s',
ol_w_id, ol_d_id, ol_o_id, ol_number, coalesce(ol_delivery_d::text, 'null'), coalesce(o_carrier_id::text, 'null'))
FROM @order_line JOIN @orders ON (o_w_id, o_d_id, o_id) = (ol_w_id, ol_d_id, ol_o_id)
WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)""",
    ),
    (
        "W_YTD is the sum of H_AMOUNT of its warehouse",
        """SELECT format('w_id %s: w_ytd %s, sum of h_amount %s', w_id, w_ytd, paid) FROM @warehouse
LEFT JOIN (SELECT h_w_id, sum(h_amount) AS paid FROM @history GROUP BY h_w_id) AS payments ON h_w_id = w_id
WHERE w_ytd IS DISTINCT FROM paid""",
    ),
    (
        "D_YTD is the sum of H_AMOUNT of its district",
        """SELECT format('d_w_id %s, d_id %s: d_ytd %s, sum of h_amount %s', d_w_id, d_id, d_ytd, paid) FROM @district
LEFT JOIN (SELECT h_w_id, h_d_id, sum(h_amount) AS paid FROM @history GROUP BY h_w_id, h_d_id) AS payments
ON (h_w_id, h_d_id) = (d_w_id, d_id)
WHERE d_ytd IS DISTINCT FROM paid""",
    ),
    (
        "C_BALANCE is the sum of OL_AMOUNT that was delivered to the customer, less the sum of the customer's H_AMOUNT",
        f"""SELECT format('c_w_id %s, c_d_id %s, c_id %s: c_balance %s, delivered %s, sum of h_amount %s',
c_w_id, c_d_id, c_id, c_balance, coalesce(delivered, 0), coalesce(paid, 0)) FROM @customer
LEFT JOIN {_DELIVERED}
LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) AS paid FROM @history GROUP BY h_c_w_id, h_c_d_id, h_c_id)
AS payments ON (h_c_w_id, h_c_d_id, h_c_id) = (c_w_id, c_d_id, c_id)
WHERE c_balance IS DISTINCT FROM coalesce(delivered, 0) - coalesce(paid, 0)""",
    ),
    (
        f"{DELIVERED:,} orders of a district are not in NEW_ORDER, besides those that were delivered since the load",
        f"""SELECT format('d_w_id %s, d_id %s: %s orders, %s of NEW_ORDER, %s delivered since the load',
d_w_id, d_id, coalesce(placed, 0), coalesce(waiting, 0), coalesce(delivered, 0)) FROM @district
LEFT JOIN (SELECT o_w_id, o_d_id, count(*) AS placed,
count(*) FILTER (WHERE o_id > {DELIVERED} AND o_carrier_id IS NOT NULL) AS delivered
FROM @orders GROUP BY o_w_id, o_d_id) AS orders ON (o_w_id, o_d_id) = (d_w_id, d_id)
LEFT JOIN (SELECT no_w_id, no_d_id, count(*) AS waiting FROM @new_order GROUP BY no_w_id, no_d_id) AS waiting
ON (no_w_id, no_d_id) = (d_w_id, d_id)
WHERE coalesce(placed, 0) - coalesce(waiting, 0) - coalesce(delivered, 0) <> {DELIVERED}""",
    ),
    (
        "C_BALANCE and C_YTD_PAYMENT together are the sum of OL_AMOUNT that was delivered to the customer",
        f"""SELECT format('c_w_id %s, c_d_id %s, c_id %s: c_balance %s, c_ytd_payment %s, delivered %s',
c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, coalesce(delivered, 0)) FROM @customer
LEFT JOIN {_DELIVERED}
WHERE c_balance + c_ytd_payment IS DISTINCT FROM coalesce(delivered, 0)""",
    ),
)
"""Sentence, and the rows that break it, of each of the specification's conditions in its order."""

CONDITIONS = tuple(
    Condition(name=f"condition {number}", sentence=sentence, sql=_broken(rows))
    for number, (sentence, rows) in enumerate(_TWELVE, 1)
)
"""The twelve."""


def population(warehouses: int) -> tuple[Condition, ...]:
    """What the tables hold when a load begins.

    Args:
        warehouses: how many it was asked for.
    """
    districts = warehouses * DISTRICTS
    customers = districts * CUSTOMERS
    rows = {
        "history": customers,
        "orders": customers,
        "new_order": districts * (CUSTOMERS - DELIVERED),
    }
    a_tenth = f"""SELECT format('i_id 1 to {ITEMS}: %s', count(*)) FROM @item WHERE i_data LIKE '%ORIGINAL%'
HAVING count(*) <> {ITEMS // 10}
UNION ALL SELECT format('s_w_id %s: %s', s_w_id, count(*) FILTER (WHERE s_data LIKE '%ORIGINAL%')) FROM @stock
GROUP BY s_w_id HAVING count(*) FILTER (WHERE s_data LIKE '%ORIGINAL%') <> {ITEMS // 10}"""
    bad = f"""SELECT format('c_w_id %s, c_d_id %s: %s', c_w_id, c_d_id, count(*) FILTER (WHERE c_credit = 'BC'))
FROM @customer GROUP BY c_w_id, c_d_id HAVING count(*) FILTER (WHERE c_credit = 'BC') <> {CUSTOMERS // 10}"""
    placed = f"""SELECT format('o_w_id %s, o_d_id %s: %s customers', o_w_id, o_d_id, count(DISTINCT o_c_id))
FROM @orders GROUP BY o_w_id, o_d_id
HAVING count(DISTINCT o_c_id) <> {CUSTOMERS} OR count(*) <> {CUSTOMERS} OR min(o_ol_cnt) < 5 OR max(o_ol_cnt) > 15"""
    amounts = f"""SELECT format('ol_w_id %s, ol_d_id %s, ol_o_id %s, ol_number %s: ol_amount %s',
ol_w_id, ol_d_id, ol_o_id, ol_number, ol_amount) FROM @order_line
WHERE ol_amount NOT BETWEEN 0 AND 9999.99 OR (ol_amount = 0) <> (ol_o_id <= {DELIVERED})"""
    found = (
        ("the tables have the rows of their warehouses", f"{_counted(fixed(warehouses))}\nUNION ALL {_counted(rows)}"),
        ("a tenth of the items, and of each warehouse's stock, is ORIGINAL", a_tenth),
        ("a tenth of the customers of each district has bad credit", bad),
        ("each customer of a district has one order, of 5 to 15 lines", placed),
        ("what is delivered costs 0.00, and nothing else does", amounts),
    )
    return tuple(Condition(name="population", sentence=one, sql=_broken(rows)) for one, rows in found)


def cardinality(warehouses: int) -> Condition:
    """Of the tables that no transaction adds rows to, or removes them from."""
    return Condition(
        name="cardinality",
        sentence="the tables that do not grow have the rows of their warehouses",
        sql=_broken(_counted(fixed(warehouses))),
    )


def fixed(warehouses: int) -> dict[str, int]:
    """Rows of the tables that no transaction adds any to."""
    districts = warehouses * DISTRICTS
    return {
        "warehouse": warehouses,
        "district": districts,
        "customer": districts * CUSTOMERS,
        "item": ITEMS,
        "stock": warehouses * ITEMS,
    }


def _counted(rows: dict[str, int]) -> str:
    return "\nUNION ALL ".join(
        f"SELECT format('{table}: %s rows, not {count}', count(*)) FROM @{table} HAVING count(*) <> {count}"
        for table, count in rows.items()
    )


def required(warehouses: int, *, after: bool) -> tuple[Condition, ...]:
    """Conditions that hold before a run, whose data was just loaded, or after one; in order."""
    if after:
        return (*CONDITIONS, cardinality(warehouses))
    return (*CONDITIONS, *population(warehouses))
