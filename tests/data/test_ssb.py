"""SSB: data from a seed, and its 13 answers by addition, against an engine that reads the same rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from weigh.answers import compare
from weigh.data.ssb import dimensions, ssb
from weigh.workloads.ssb import QUESTIONS, workload

if TYPE_CHECKING:
    from weigh.data.ground_truth import Truth

SCALE = 0.01


@pytest.fixture(scope="module")
def made() -> tuple[dict[str, pa.Table], Truth]:
    source = ssb.open(SCALE, 7)
    with ThreadPoolExecutor(2) as executor:
        tables = {name: pa.Table.from_batches(one.batches(executor)) for name, one in source.tables.items()}
    return tables, source.truth()


def test_tables_have_the_rows_that_were_promised(made: tuple[dict[str, pa.Table], Truth]) -> None:
    tables, _ = made
    source = ssb.open(SCALE, 7)
    assert {name: table.num_rows for name, table in tables.items()} == {
        name: one.rows for name, one in source.tables.items()
    }
    assert {name: table.num_rows for name, table in tables.items()} == {
        "dates": 2556, "customer": 300, "supplier": 20, "part": 2000, "lineorder": tables["lineorder"].num_rows
    }  # fmt: skip
    assert 55_000 < tables["lineorder"].num_rows < 65_000


def test_answers_are_those_of_an_engine_over_the_same_rows(made: tuple[dict[str, pa.Table], Truth]) -> None:
    tables, truth = made
    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register(name, table)
    built = workload.build(truth, 7)
    answered = 0
    for one in built.operations:
        right = workload.expected(one.name, one.cases[0], truth)
        assert right is not None
        answer = connection.sql(one.sql).to_arrow_table()
        assert compare.compare(answer, right, one.schema).agrees, one.name
        answered += bool(right.num_rows)
    # At this scale there are few suppliers; most of the queries find something all the same.
    assert answered >= 9
    assert len(QUESTIONS) == 13


def test_another_seed_is_other_rows(made: tuple[dict[str, pa.Table], Truth]) -> None:
    other = ssb.open(SCALE, 8)
    with ThreadPoolExecutor(1) as executor:
        supplier = pa.Table.from_batches(other.tables["supplier"].batches(executor))
    assert supplier != made[0]["supplier"]


def test_names_are_those_that_the_queries_ask_for() -> None:
    assert dimensions.city(23 * 10 + 1) == "UNITED KI1"
    assert dimensions.brand(6 * 40 + 20) == "MFGR#2221"
    assert dimensions.dates(2161, 2162).column(6).to_pylist() == ["Dec1997"]
