"""A shop: its data, and the log of a server that answers its traffic. Every name and value of it may be looked for."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FIRST = ("Ottilie", "Bartholomew", "Xiomara", "Evangeline", "Thaddeus", "Siobhan", "Zoë")
LAST = ("O'Connell", "Wolfeschlegel", "Featherstone", "Nakamura-Ruiz", "Hohenzollern", "Łukasiewicz")
PLACES = ("Birmingham", "Albuquerque", "Reykjavik", "Montevideo", "Gothenburg")
KINDS = ("express", "standard", "collect")
NOTES = ("leave with neighbour", "fragile glassware inside", "birthday present", "ring twice please")
CUSTOMERS, ORDERS = 200, 700
NAMES = (
    "customers", "purchases", "customer_id", "full_name", "home_town", "balance", "member_since", "level",
    "purchase_id", "placed_at", "amount", "Shipping Kind", "remark", "biggest_spenders", "spent_total",
    "before_payment", "postcode", "shopdb", "appuser", "reporting_tool", "shop-server",
)  # fmt: skip
"""Of tables, columns, aliases, savepoints, the database, its user, a client, and the log's file."""


def tables(seed: int = 3) -> dict[str, pa.Table]:
    """The data."""
    draw = random.Random(seed)
    ids = draw.sample(range(10_000, 99_999), CUSTOMERS)
    names = [f"{draw.choice(FIRST)} {draw.choice(LAST)} {number}" for number in range(CUSTOMERS)]
    customers = pa.table(
        {
            "customer_id": pa.array(ids, pa.int32()),
            "full_name": names,
            "home_town": [draw.choice(PLACES) for _ in ids],
            "balance": pa.array([Decimal(draw.randrange(-9_999, 99_999)) / 100 for _ in ids], pa.decimal128(9, 2)),
            "member_since": [date(2001, 1, 1) + timedelta(draw.randrange(6_000)) for _ in ids],
            "postcode": [str(draw.randrange(10_000, 99_999)) for _ in ids],
            "level": pa.array([draw.randrange(1, 9) for _ in ids], pa.int32()),
        }
    )
    begun = datetime(2019, 3, 1)
    purchases = pa.table(
        {
            "purchase_id": pa.array(range(500_000, 500_000 + ORDERS), pa.int64()),
            "customer_id": pa.array([draw.choice(ids) for _ in range(ORDERS)], pa.int32()),
            "placed_at": pa.array(
                [begun + timedelta(seconds=draw.randrange(40_000_000)) for _ in range(ORDERS)], pa.timestamp("us")
            ),
            "amount": pa.array(
                [Decimal(draw.randrange(100, 99_999)) / 100 for _ in range(ORDERS)], pa.decimal128(9, 2)
            ),
            "Shipping Kind": [draw.choice(KINDS) for _ in range(ORDERS)],
            "remark": [draw.choice((None, *NOTES)) for _ in range(ORDERS)],
        }
    )
    return {"customers": customers, "purchases": purchases}


def sql(found: dict[str, pa.Table]) -> str:
    """The tables, as pg_dump writes them."""
    return "".join(_table(name, table) for name, table in found.items())


def _table(name: str, table: pa.Table) -> str:
    columns = ", ".join(f'"{field.name}" {_type(field.type)}' for field in table.schema)
    rows = "".join("\t".join(_cell(one) for one in row.values()) + "\n" for row in table.to_pylist())
    names = ", ".join(f'"{one}"' for one in table.schema.names)
    return f'CREATE TABLE "{name}" ({columns});\nCOPY "{name}" ({names}) FROM stdin;\n{rows}\\.\n\n'


def _type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return "numeric"
    return {"int32": "integer", "int64": "bigint", "date32[day]": "date", "timestamp[us]": "timestamp"}.get(
        str(kind), "text"
    )


def _cell(value: Any) -> str:
    return "\\N" if value is None else str(value)


Said = tuple[str, tuple[str, ...]]
"""A text, and what was bound."""


def _statements(draw: random.Random, found: dict[str, list[Any]], number: int) -> list[Said]:
    """What a session sends: one statement, or a transaction."""
    customer = draw.choice(found["customer_id"])
    name = draw.choice(found["full_name"]).replace("'", "''")
    place, day = draw.choice(PLACES), draw.choice(found["member_since"])
    purchase = draw.choice(found["purchase_id"])
    match number % 16:
        case 0:
            return [(f"SELECT * FROM customers WHERE customer_id = {customer + number // 16 % 2}", ())]
        case 1:
            return [("SELECT full_name, level FROM customers WHERE customer_id = $1", (str(customer),))]
        case 2:
            return [(f"SELECT customer_id FROM customers c WHERE c.full_name = '{name}' -- reporting_tool", ())]
        case 3:
            return [("SELECT count(*) FROM customers WHERE home_town = $1 AND level >= $2", (place, str(number % 9)))]
        case 4:
            text = "SELECT c.home_town, sum(p.amount) AS spent_total FROM customers AS c JOIN purchases p "
            since = f"USING (customer_id) WHERE c.member_since < DATE '{day}'"
            return [(f"{text}{since} GROUP BY c.home_town ORDER BY 2 DESC LIMIT 3", ())]
        case 5:
            low = draw.randrange(100, 90_000) / 100
            text = (
                f'SELECT purchase_id, "Shipping Kind" FROM purchases WHERE amount BETWEEN {low:.2f} AND {low + 50:.2f} '
            )
            return [(f"{text}AND \"Shipping Kind\" IN ('express', '{draw.choice(KINDS)}')", ())]
        case 6:
            word = draw.choice(NOTES).split()[-1]
            return [(f"SELECT purchase_id FROM purchases WHERE remark LIKE '%{word}%' OR remark IS NULL OFFSET 7", ())]
        case 7:
            at = draw.choice(found["placed_at"])
            text = "SELECT count(*), max(amount) FROM purchases WHERE placed_at >= $1 AND placed_at < $2"
            return [(text, (str(at), str(at + timedelta(30))))]
        case 8:
            text = "WITH biggest_spenders AS (SELECT customer_id, count(*) AS times FROM purchases GROUP BY 1 HAVING "
            return [(f"{text}count(*) > 5) SELECT * FROM biggest_spenders NATURAL JOIN customers WHERE level > 2", ())]
        case 9:
            text = "SELECT purchase_id FROM purchases WHERE placed_at > timestamp '2019-09-13 10:15:00' - interval "
            return [(f"{text}'45 days' AND amount * 2 > {draw.randrange(100, 800)} ORDER BY purchase_id LIMIT 20", ())]
        case 10:
            text = f"UPDATE purchases SET remark = 'ring twice please' WHERE purchase_id = {purchase}"
            insert = "INSERT INTO purchases (purchase_id, customer_id, placed_at, amount) VALUES ($1, $2, now(), 19.99)"
            return [
                ("BEGIN", ()),
                (text, ()),
                ("SAVEPOINT before_payment", ()),
                (insert, (str(600_000 + number), str(customer))),
                (f"DELETE FROM purchases WHERE purchase_id = {purchase}", ()),
                ("ROLLBACK TO SAVEPOINT before_payment", ()),
                ("COMMIT", ()),
            ]
        case 11:
            return [(f"SELECT level, count(*) FROM customers WHERE home_town <> '{place}' GROUP BY level", ())]
        case 12:
            # Neither the setting nor the function could be determined from the data.
            return [("SET application_name = 'reporting_tool'", ())]
        case 13:
            return [("SELECT customer_id FROM customers WHERE postcode = $1", (draw.choice(found["postcode"]),))]
        case 14:
            text = f"SELECT full_name FROM customers WHERE customer_id IN ('{customer}') "
            return [(f"{text}OR postcode = '{draw.choice(found['postcode'])}'", ())]
        case _:
            return [("SELECT U&'Birmingham' FROM customers", ())]


def calls(found: dict[str, pa.Table], rounds: int = 160, seed: int = 5) -> list[Said]:
    """The traffic."""
    draw = random.Random(seed)
    columns = {name: table[name].to_pylist() for table in found.values() for name in table.schema.names}
    return [said for number in range(rounds) for said in _statements(draw, columns, number)]


def log(made: Iterable[Said]) -> Iterator[str]:
    """As ``jsonlog`` of a server has it."""
    at = datetime(2026, 11, 2, 10, tzinfo=UTC)
    for number, (text, bound) in enumerate(made):
        at += timedelta(milliseconds=10)
        how = "execute <unnamed>" if bound else "statement"
        line = {
            "timestamp": f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03} UTC",
            "user": "appuser",
            "dbname": "shopdb",
            "pid": 40_917,
            "session_id": "6727a3c1.9fd5",
            "line_num": number,
            "error_severity": "LOG",
            "message": f"duration: {0.1 + number % 7 / 10:.3f} ms  {how}: {text}",
            "backend_type": "client backend",
        }
        if bound:
            values = ", ".join(f"${place} = '{one}'" for place, one in enumerate(bound, 1))
            line["detail"] = f"Parameters: {values}"
        yield json.dumps(line) + "\n"
