"""``tpch`` and ``tpch-dbgen``: the 22 queries of TPC-H over the data of two generators.

Texts and published answers come with the data (``docs/reference/workloads.md#tpc-h``); what a right answer looks like
is in ``SCHEMAS``. Derived from TPC-H, with the validation parameters; parameters that are drawn
(:mod:`weigh.workloads.tpch.qgen`) and refresh functions are those of ``--streams`` (:mod:`weigh.streams`).
"""

from __future__ import annotations

import datetime
import decimal
import re
from typing import TYPE_CHECKING, Any

from weigh.model.answer import Column, ResultSchema
from weigh.model.errors import DataFault
from weigh.model.operation import Case, Operation, Workload

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.answer import Kind
    from weigh.workloads import Cubes


ROUNDING = 1e-9
"""Relative tolerance of averages and ratios of doubles."""

_KINDS: dict[str, Kind] = {
    "integer": "integer",
    "decimal": "decimal",
    "quotient": "decimal",
    "string": "string",
    "date": "date",
}


def _schema(
    columns: str, order: tuple[int, ...] = (), keys: tuple[int, ...] = (), limit: int | None = None
) -> ResultSchema:
    """A schema written as ``name:kind`` by column; ``quotient`` is the kind of averages and ratios of decimals."""
    made = []
    for column in columns.split():
        name, _, kind = column.partition(":")
        loose = kind == "quotient"
        made.append(
            Column(
                name=name,
                kind=_KINDS[kind],
                match="quotient" if loose else "exact",
                rel=ROUNDING if loose else 0.0,
            )
        )
    return ResultSchema(columns=tuple(made), ordered_by=order, keys=keys, limit=limit)


SCHEMAS = {
    1: _schema(
        "l_returnflag:string l_linestatus:string sum_qty:decimal sum_base_price:decimal sum_disc_price:decimal "
        "sum_charge:decimal avg_qty:quotient avg_price:quotient avg_disc:quotient count_order:integer",
        order=(0, 1),
        keys=(0, 1),
    ),
    # A supplier's name is its number, so order and keys leave no ties.
    2: _schema(
        "s_acctbal:decimal s_name:string n_name:string p_partkey:integer p_mfgr:string s_address:string "
        "s_phone:string s_comment:string",
        order=(0, 2, 1, 3),
        keys=(1, 3),
        limit=100,
    ),
    3: _schema(
        "l_orderkey:integer revenue:decimal o_orderdate:date o_shippriority:integer",
        order=(1, 2),
        keys=(0,),
        limit=10,
    ),
    4: _schema("o_orderpriority:string order_count:integer", order=(0,), keys=(0,)),
    5: _schema("n_name:string revenue:decimal", order=(1,), keys=(0,)),
    6: _schema("revenue:decimal"),
    7: _schema("supp_nation:string cust_nation:string l_year:integer revenue:decimal", order=(0, 1, 2), keys=(0, 1, 2)),
    8: _schema("o_year:integer mkt_share:quotient", order=(0,), keys=(0,)),
    9: _schema("nation:string o_year:integer sum_profit:decimal", order=(0, 1), keys=(0, 1)),
    10: _schema(
        "c_custkey:integer c_name:string revenue:decimal c_acctbal:decimal n_name:string c_address:string "
        "c_phone:string c_comment:string",
        order=(2,),
        keys=(0,),
        limit=20,
    ),
    11: _schema("ps_partkey:integer value:decimal", order=(1,), keys=(0,)),
    12: _schema("l_shipmode:string high_line_count:integer low_line_count:integer", order=(0,), keys=(0,)),
    13: _schema("c_count:integer custdist:integer", order=(1, 0), keys=(0,)),
    14: _schema("promo_revenue:quotient"),
    15: _schema(
        "s_suppkey:integer s_name:string s_address:string s_phone:string total_revenue:decimal",
        order=(0,),
        keys=(0,),
    ),
    16: _schema("p_brand:string p_type:string p_size:integer supplier_cnt:integer", order=(3, 0, 1, 2), keys=(0, 1, 2)),
    17: _schema("avg_yearly:quotient"),
    18: _schema(
        "c_name:string c_custkey:integer o_orderkey:integer o_orderdate:date o_totalprice:decimal sum_quantity:decimal",
        order=(4, 3),
        keys=(2,),
        limit=100,
    ),
    19: _schema("revenue:decimal"),
    20: _schema("s_name:string s_address:string", order=(0,), keys=(0,)),
    21: _schema("s_name:string numwait:integer", order=(1, 0), keys=(0,), limit=100),
    22: _schema("cntrycode:string numcust:integer totacctbal:decimal", order=(0,), keys=(0,)),
}
"""By number of the query."""

ABOUT = {
    1: "pricing summary of line items",
    2: "suppliers of a part at the least cost",
    3: "unshipped orders of most value",
    4: "orders delivered late, by priority",
    5: "revenue of local suppliers, by nation",
    6: "revenue that smaller discounts would have brought",
    7: "trade between two nations, by year",
    8: "a nation's share of a market, by year",
    9: "profit on a line of parts, by nation and year",
    10: "customers who returned most",
    11: "the stock that matters most, in one nation",
    12: "late orders by mode of shipping and priority",
    13: "customers by their number of orders; those with none count too",
    14: "share of promoted parts in a month's revenue",
    15: "the supplier of most revenue in a quarter",
    16: "suppliers by brand, type and size of part",
    17: "yearly revenue lost if small orders were not filled",
    18: "customers of large orders",
    19: "revenue of three kinds of parts, with long disjunctions",
    20: "suppliers with parts in excess, in one nation",
    21: "suppliers who alone kept orders waiting",
    22: "customers who might buy again, by country code",
}
"""One line for people, by number of the query."""


INDEXES = (
    ("orders", "o_orderkey"), ("orders", "o_custkey"), ("lineitem", "l_orderkey"),
    ("lineitem", "l_partkey, l_suppkey"), ("lineitem", "l_suppkey"), ("partsupp", "ps_partkey, ps_suppkey"),
    ("partsupp", "ps_suppkey"), ("part", "p_partkey"), ("customer", "c_custkey"), ("customer", "c_nationkey"),
    ("supplier", "s_suppkey"), ("supplier", "s_nationkey"),
)  # fmt: skip
"""Columns of primary and foreign keys by table, on which indexes are allowed (1.5.4): for servers of rows, where two of
the queries take minutes without them."""

_DATE = re.compile(r"CAST\(('\d{4}-\d\d-\d\d') AS date\)|date ('\d{4}-\d\d-\d\d')", re.IGNORECASE)

NOTICE = "derived from TPC-H, not comparable to published results"
"""On every report: the name is a trademark, and a result under it needs an audit."""


class Tpch:
    """The source of one of the two workloads.

    Args:
        name: of the workload.
        dataset: name of the generator of its data.
    """

    operation_names = tuple(f"q{number}" for number in SCHEMAS)
    indexes = INDEXES
    notice = NOTICE

    def __init__(self, name: str, dataset: str) -> None:
        self.name = name
        self.dataset = dataset

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The 22 queries in order, as the data brought them."""
        texts = dict(zip(map(int, truth["queries"]["number"]), truth["queries"]["text"], strict=True))
        operations = tuple(
            Operation(
                name=f"q{number}",
                sql=texts[number],
                schema=schema,
                cases=(Case(name="only", timed=True),),
                dialect=dialects(number, texts[number]),
                about=ABOUT[number],
            )
            for number, schema in SCHEMAS.items()
        )
        return Workload(
            name=self.name, dataset=self.dataset, operations=operations, notice=NOTICE, witness="published answer"
        )

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """The published answer; None at other scale factors, and for what is not true of the generator's data.

        It ends at the query's limit. Nothing ties there (tests/data/test_tpch.py), so no row is missing from it.
        """
        if "answers" not in truth:
            return None
        published = dict(zip(map(int, truth["answers"]["number"]), truth["answers"]["text"], strict=True))
        number = int(operation.removeprefix("q"))
        return answer(published[number], SCHEMAS[number]) if number in published else None


_NAMED_ELSEWHERE = {
    # A column of the answer is no name in GROUP BY: the standard's rule.
    ("trino", 15): (("        supplier_no\n)", "        l_suppkey\n)"),),
    # A derived table's columns are named in it.
    ("mariadb", 13): (
        ("        count(o_orderkey)\n", "        count(o_orderkey) AS c_count\n"),
        (" AS c_orders (c_custkey,\n        c_count)", " AS c_orders"),
    ),
}
"""What is written otherwise, by dialect and number of the query."""


def dialects(number: int, text: str) -> dict[str, str]:
    """The same query where a name stands elsewhere; for SQLite, to which a date is text, its literals are text."""
    found = {"sqlite": _DATE.sub(lambda date: date[1] or date[2], text)}
    for (dialect, query), replaced in _NAMED_ELSEWHERE.items():
        if query == number:
            found[dialect] = text
            for one, other in replaced:
                found[dialect] = found[dialect].replace(one, other)
    return {dialect: other for dialect, other in found.items() if other != text}


def answer(text: str, schema: ResultSchema) -> pa.Table:
    """A published answer as a table: a line of names, then a line for each row, cells between bars.

    Numbers that the schema calls exact were printed with all their digits. Averages and ratios are doubles printed with
    as many as tell them apart. An empty cell that is no text is NULL.

    Raises:
        DataFault: it does not have the columns of the schema.
    """
    import pyarrow as pa

    names, *lines = text.removesuffix("\n").split("\n")
    rows = [line.split("|") for line in lines]
    width = len(schema.columns)
    if any(len(row) != width for row in [names.split("|"), *rows]):
        raise DataFault(f"a published answer does not have {width} columns: {names}", remedy="make the dataset again")
    columns = [
        pa.array([_value(row[position], column) for row in rows], type=None if rows else pa.null())
        for position, column in enumerate(schema.columns)
    ]
    return pa.table(columns, names=[column.name for column in schema.columns])


def _value(cell: str, column: Column) -> Any:
    if column.kind == "string":
        return cell
    if not cell:
        return None
    if column.match == "quotient":
        return float(cell)
    if column.kind == "date":
        return datetime.date.fromisoformat(cell)
    return int(cell) if column.kind == "integer" else decimal.Decimal(cell)


tpch = Tpch("tpch", "tpchgen")
tpch_dbgen = Tpch("tpch-dbgen", "dbgen")
