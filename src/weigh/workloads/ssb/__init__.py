"""``ssb``: the 13 queries of the Star Schema Benchmark over its five tables.

Texts as of the paper (O'Neil, O'Neil, Chen, revision 3, 2009), with explicit names of columns; its table DATE is
``dates``, since the name is a keyword. Answers are known while the data is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Operation, Workload

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.answer import Kind
    from weigh.workloads import Cubes

_DATE = "lo_orderdate = d_datekey"
_PART = "lo_partkey = p_partkey"
_SUPPLIER = "lo_suppkey = s_suppkey"
_CUSTOMER = "lo_custkey = c_custkey"
_CITIES = "c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5')"
_YEARS = "d_year >= 1992 AND d_year <= 1997"
_MAKERS = "(p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')"
_LATE = "(d_year = 1997 OR d_year = 1998)"
_AMERICAS = "c_region = 'AMERICA' AND s_region = 'AMERICA'"


def _first(about: str, where: str) -> tuple[str, str, tuple[str, ...], str, tuple[int, ...]]:
    sql = f"SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, dates WHERE {_DATE} AND {where}"
    return about, sql, (), "revenue", ()


def _second(about: str, where: str) -> tuple[str, str, tuple[str, ...], str, tuple[int, ...]]:
    sql = (
        "SELECT sum(lo_revenue) AS revenue, d_year, p_brand1 FROM lineorder, dates, part, supplier "
        f"WHERE {_DATE} AND {_PART} AND {_SUPPLIER} AND {where} GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1"
    )
    return about, sql, ("d_year", "p_brand1"), "revenue", (1, 2)


def _third(about: str, by: str, where: str) -> tuple[str, str, tuple[str, ...], str, tuple[int, ...]]:
    keys = f"c_{by}, s_{by}, d_year"
    sql = (
        f"SELECT {keys}, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, dates "
        f"WHERE {_CUSTOMER} AND {_SUPPLIER} AND {_DATE} AND {where} GROUP BY {keys} ORDER BY d_year, revenue DESC"
    )
    return about, sql, tuple(keys.split(", ")), "revenue", (2, 3)


def _fourth(about: str, keys: str, where: str) -> tuple[str, str, tuple[str, ...], str, tuple[int, ...]]:
    sql = (
        f"SELECT {keys}, sum(lo_revenue - lo_supplycost) AS profit FROM dates, customer, supplier, part, lineorder "
        f"WHERE {_CUSTOMER} AND {_SUPPLIER} AND {_PART} AND {_DATE} AND {where} GROUP BY {keys} ORDER BY {keys}"
    )
    names = tuple(keys.split(", "))
    return about, sql, names, "profit", tuple(range(len(names)))


QUESTIONS = {
    "q1.1": _first("a year's discounts", "d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25"),
    "q1.2": _first(
        "a month's discounts",
        "d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35",
    ),
    "q1.3": _first(
        "a week's discounts",
        "d_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35",
    ),
    "q2.1": _second("brands of a category", "p_category = 'MFGR#12' AND s_region = 'AMERICA'"),
    "q2.2": _second("eight brands", "p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'"),
    "q2.3": _second("a brand", "p_brand1 = 'MFGR#2221' AND s_region = 'EUROPE'"),
    "q3.1": _third("nations of a region", "nation", f"c_region = 'ASIA' AND s_region = 'ASIA' AND {_YEARS}"),
    "q3.2": _third(
        "cities of a nation", "city", f"c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND {_YEARS}"
    ),
    "q3.3": _third("two cities", "city", f"{_CITIES} AND {_YEARS}"),
    "q3.4": _third("two cities in a month", "city", f"{_CITIES} AND d_yearmonth = 'Dec1997'"),
    "q4.1": _fourth("profit by nation", "d_year, c_nation", f"{_AMERICAS} AND {_MAKERS}"),
    "q4.2": _fourth("profit by category", "d_year, s_nation, p_category", f"{_AMERICAS} AND {_LATE} AND {_MAKERS}"),
    "q4.3": _fourth(
        "profit by brand",
        "d_year, s_city, p_brand1",
        f"c_region = 'AMERICA' AND s_nation = 'UNITED STATES' AND {_LATE} AND p_category = 'MFGR#14'",
    ),
}
"""By name: what for, the text, keys of its groups, name of the sum, columns by which rows are ordered."""


class Ssb:
    """The source of the workload."""

    name = "ssb"
    dataset = "ssb"
    operation_names = tuple(QUESTIONS)
    indexes = (
        ("dates", "d_datekey"), ("customer", "c_custkey"), ("part", "p_partkey"), ("supplier", "s_suppkey"),
    )  # fmt: skip
    """On the keys of the dimensions, for servers of rows."""

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The 13 queries, whose literals are those of the paper."""
        return Workload(name=self.name, dataset=self.dataset, operations=tuple(map(_operation, QUESTIONS)))

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """The answer by the sums of the data, in the order of the query."""
        if operation not in truth:
            return None
        import pyarrow as pa

        cube, (_, _, keys, value, _) = truth[operation], QUESTIONS[operation]
        sums: list[int | None] = [int(one) for one in cube["sum"]]
        if not keys:
            return pa.table({value: pa.array(sums or [None], pa.int64())})
        columns = {key: list(cube[key]) for key in keys}
        columns[value] = sums
        table = pa.table(columns)
        order = [("d_year", "ascending"), (value, "descending")] if operation.startswith("q3") else None
        table = table.sort_by(order or [(key, "ascending") for key in keys])
        return table.select([column.name for column in _operation(operation).schema.columns])


def _operation(name: str) -> Operation:
    about, sql, keys, value, order = QUESTIONS[name]
    names = (value, *keys) if name.startswith("q2") else (*keys, value)
    return Operation(
        name=name,
        sql=sql,
        schema=ResultSchema(
            columns=tuple(Column(name=one, kind=_kind(one, value)) for one in names),
            ordered_by=order,
            keys=tuple(names.index(key) for key in keys),
        ),
        cases=(Case(name="only", timed=True),),
        about=about,
    )


def _kind(name: str, value: str) -> Kind:
    return "integer" if name in ("d_year", value) else "string"


workload = Ssb()
