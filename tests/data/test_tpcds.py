"""TPC-DS: texts as engines get them, and answers that lineages agreed on."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import duckdb
import msgspec
import pytest

from weigh import workloads
from weigh.answers import agreement
from weigh.data import cache as store
from weigh.data.generator import dataset_name
from weigh.data.tpcds import query_text
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.model.errors import DataFault
from weigh.model.spec import LayoutSpec
from weigh.workloads.tpcds import NOTICE, SCHEMAS, agreed
from weigh.workloads.tpcds.texts import dialects, nulls_first

if TYPE_CHECKING:
    from weigh.data.cache import CachedData
    from weigh.model.operation import Workload

EMPTY = {0.01: {"q4", "q10", "q23", "q24", "q30", "q31", "q54", "q74", "q82", "q83"}, 0.1: set()}
"""What the documentation names."""
TIED = {0.01: {"q47", "q57", "q67"}, 0.1: {"q47", "q57", "q67", "q89"}}
"""All of whose rows tie at the limit, so that no digest tells one right answer from another."""


@cache
def dataset(scale: float) -> CachedData:
    """In weigh's cache, as any user's."""
    return store.ensure(
        dataset_name("tpcds-dsdgen", scale, None),
        LayoutSpec(),
        cache_folder(),
        environment=lambda requirements: environment.ensure(requirements, cache_folder()).python,
    )


def built(scale: float) -> Workload:
    return workloads.load("tpcds").build(dataset(scale).truth, 42)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a NULLS FIRST"),
        (
            "SELECT a FROM t ORDER BY a DESC, b NULLS LAST LIMIT 5",
            "SELECT a FROM t ORDER BY a DESC NULLS FIRST, b NULLS LAST LIMIT 5",
        ),
        (
            "SELECT rank() OVER (PARTITION BY a, b ORDER BY f(c, d)) FROM t",
            "SELECT rank() OVER (PARTITION BY a, b ORDER BY f(c, d) NULLS FIRST) FROM t",
        ),
        (
            "SELECT sum(x) OVER (ORDER BY d ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), y FROM t ORDER BY 1\nLIMIT 3",
            "SELECT sum(x) OVER (ORDER BY d NULLS FIRST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), y FROM t "
            "ORDER BY 1 NULLS FIRST\nLIMIT 3",
        ),
        ("SELECT 'order by', \"a, b\" FROM t", "SELECT 'order by', \"a, b\" FROM t"),
        (
            "SELECT a FROM (SELECT a FROM t ORDER BY a) s, u",
            "SELECT a FROM (SELECT a FROM t ORDER BY a NULLS FIRST) s, u",
        ),
    ],
)
def test_where_nulls_stand_is_said(text: str, expected: str) -> None:
    assert nulls_first(text) == expected
    assert nulls_first(expected) == expected


def test_what_clickhouse_takes_otherwise_is_written_otherwise() -> None:
    assert dialects("SELECT 1 UNION ALL SELECT 2") == {}
    day = "d_date BETWEEN '2002-02-01' AND CAST ('2002-04-02' AS date) AND q = '2002Q1'"
    assert dialects(day) == {
        "sqlite": "d_date BETWEEN '2002-02-01' AND '2002-04-02' AND q = '2002Q1'",
        "trino": "d_date BETWEEN DATE '2002-02-01' AND CAST (DATE '2002-04-02' AS date) AND q = '2002Q1'",
    }
    assert dialects("SELECT 1 UNION SELECT 2")["clickhouse"] == "SELECT 1 UNION DISTINCT SELECT 2"
    rolled = dialects("SELECT a FROM t GROUP BY ROLLUP (a)")["clickhouse"]
    assert rolled.endswith("\nSETTINGS group_by_use_nulls = 1")


def test_mariadb_and_sqlite_get_null_order_days_and_decimals_as_they_have_them() -> None:
    ordered = nulls_first("SELECT 1 FROM t ORDER BY sum(x) DESC, dt.y, cnt DESC LIMIT 9")
    assert dialects(ordered) == {
        "mariadb": "SELECT 1 FROM t ORDER BY sum(x) IS NULL DESC, sum(x) DESC, dt.y, cnt IS NULL DESC, cnt DESC LIMIT 9"
    }
    named = nulls_first("SELECT sum(x) total, n FROM (SELECT upper(a) n, * FROM t) s GROUP BY n ORDER BY total DESC")
    assert dialects(named)["mariadb"] == (
        "SELECT sum(x) total, n FROM (SELECT upper(a) n, t.* FROM t) s GROUP BY n "
        "ORDER BY sum(x) IS NULL DESC, total DESC"
    )
    later = dialects("d3.d_date > d1.d_date + 5 AND cast(a.b AS decimal(15,4)) > CAST (x AS DECIMAL(17, 2))")
    assert later["mariadb"].startswith("d3.d_date > d1.d_date + INTERVAL 5 DAY AND ")
    assert later["sqlite"] == "d3.d_date > date(d1.d_date, '+5 days') AND cast(a.b AS REAL) > CAST (x AS REAL)"
    assert dialects("SELECT 1 WHERE cast(d_date AS date) < CAST ('2000-03-11' AS date)")["sqlite"] == (
        "SELECT 1 WHERE d_date < '2000-03-11'"
    )


def test_a_literal_that_is_not_where_it_was_is_an_error() -> None:
    assert query_text(93, "SELECT 'reason 28';", 0.1) == "SELECT 'Package was damaged'"
    assert query_text(93, "SELECT 'reason 28';", 1) == "SELECT 'reason 28'"
    with pytest.raises(DataFault, match="query 93"):
        query_text(93, "SELECT 1", 0.1)


def test_three_lineages_agreed_on_nearly_everything_at_two_scales() -> None:
    assert [one.scale for one in agreed()] == [0.01, 0.1]
    for one in agreed():
        assert len(one.answers) >= 98
        assert all(len(answer.lineages) >= 3 for answer in one.answers.values())
        empty = {name for name, answer in one.answers.items() if not answer.rows}
        assert empty == EMPTY[one.scale]
        assert {name for name, answer in one.answers.items() if not answer.tells} == TIED[one.scale]
        for name, answer in one.answers.items():
            assert len(answer.sums) == len(SCHEMAS[int(name[1:])].loose), name


@pytest.mark.long
@pytest.mark.parametrize("scale", [0.01, 0.1])
def test_the_queries_are_99_and_have_the_answers_that_were_agreed_on(scale: float) -> None:
    stored, workload = dataset(scale), built(scale)
    assert [one.name for one in workload.operations] == [f"q{number}" for number in range(1, 100)]
    assert workload.notice == NOTICE
    connection = duckdb.connect()
    for table in stored.manifest.tables:
        connection.execute(f"CREATE VIEW {table} AS FROM read_parquet('{stored.folder}/{table}-*.parquet')")
    source = workloads.load("tpcds")
    for operation in workload.operations:
        limit = re.search(r"\bLIMIT (\d+)$", operation.sql)
        assert operation.schema.limit == (int(limit[1]) if limit else None), operation.name
        answer = connection.sql(operation.sql).to_arrow_table()
        assert answer.num_columns == len(operation.schema.columns)
        pinned = workloads.agreements(source, stored.manifest.digests)(operation, operation.cases[0])
        assert (pinned is None) == (operation.name in TIED[scale]), operation.name
        if pinned is None:
            continue
        assert agreement.fits(answer, pinned, operation.schema), operation.name
        changed = msgspec.structs.replace(pinned, rows=pinned.rows + 1)
        assert not agreement.fits(answer, changed, operation.schema)


@pytest.mark.long
def test_answers_belong_to_their_data() -> None:
    source, operation = workloads.load("tpcds"), built(0.01).operations[0]
    other = {**dataset(0.01).manifest.digests, "store": "x3s2:1:0"}
    assert workloads.agreements(source, other)(operation, operation.cases[0]) is None
