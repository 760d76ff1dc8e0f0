"""db-benchmark's table: what is known about it is true of its rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from weigh import workloads
from weigh._native import digest_arrow
from weigh.answers import compare
from weigh.data.h2o import Recording, drawn
from weigh.data.h2o import joined as joined_data
from weigh.workloads.frames import functions

if TYPE_CHECKING:
    from weigh.data.ground_truth import Truth

KNOWN = ("q1", "q2", "q3", "q4", "q5", "q7", "q8", "q9")


@cache
def made() -> tuple[pa.Table, Truth]:
    # More than one run of rows, and groups of several rows.
    recording = Recording(200_000, 7)
    with ThreadPoolExecutor(2) as executor:
        table = pa.Table.from_batches(recording.tables["x"].batches(executor))
    return table, recording.truth()


@pytest.mark.parametrize("name", KNOWN)
def test_the_truth_is_that_of_the_rows_and_a_wrong_row_is_noticed(name: str) -> None:
    x, truth = made()
    source = workloads.load("h2o-groupby")
    operation = source.build(truth, 42).operation(name)
    expected = source.expected(name, operation.cases[0], truth)
    assert expected is not None
    answer = duckdb.sql(operation.sql).to_arrow_table()
    assert compare.compare(answer, expected, operation.schema, complete=True).agrees
    x = x.slice(1)
    other = duckdb.sql(operation.sql).to_arrow_table()
    # One row of 200,000 need not be the largest of its group.
    assert name in ("q7", "q8") or not compare.compare(other, expected, operation.schema, complete=True).agrees


def test_what_is_not_known_is_left_to_votes() -> None:
    source = workloads.load("h2o-groupby")
    workload = source.build(made()[1], 42)
    unknown = {one.name for one in workload.operations if source.expected(one.name, one.cases[0], made()[1]) is None}
    assert unknown == {"q6", "q10"}
    assert tuple(one.name for one in workload.operations) == workloads.operation_names(source)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "datafusion", "dask", "daft"])
def test_every_library_has_ten_functions(library: str) -> None:
    source = workloads.load("h2o-groupby")
    assert set(functions(*source.frames(library))) == {f"q{number}" for number in range(1, 11)}  # type: ignore[attr-defined]
    source = workloads.load("h2o-join")
    assert set(functions(*source.frames(library))) == {f"q{number}" for number in range(1, 6)}  # type: ignore[attr-defined]


JOINED = 20_000


@cache
def joined() -> tuple[dict[str, pa.Table], Truth]:
    recording = joined_data.Recording(JOINED, 7)
    with ThreadPoolExecutor(2) as executor:
        tables = {
            name: pa.Table.from_batches(table.batches(executor), table.schema)
            for name, table in recording.tables.items()
        }
    return tables, recording.truth()


@pytest.mark.parametrize("name", ["q1", "q2", "q3", "q4", "q5"])
def test_the_sums_of_a_join_are_those_of_its_rows(name: str) -> None:
    tables, truth = joined()
    source = workloads.load("h2o-join")
    operation = source.build(truth, 42).operation(name)
    expected = source.expected(name, operation.cases[0], truth)
    assert expected is not None
    connection = duckdb.connect()
    for table, rows in tables.items():
        connection.register(table, rows)
    assert compare.compare(connection.sql(operation.sql).to_arrow_table(), expected, operation.schema).agrees
    outer = connection.sql(operation.sql.replace("x JOIN", "x LEFT JOIN").replace("x LEFT LEFT", "x"))
    without = connection.sql(operation.sql.replace("LEFT JOIN", "JOIN"))
    assert outer.fetchall() != without.fetchall()


def test_the_same_seed_means_the_same_rows_wherever_they_are_cut() -> None:
    whole, part = drawn(3, 1000, 0), drawn(3, 1000, 400)
    assert all((whole[name][400:] == part[name]).all() for name in whole)
    assert any((drawn(4, 1000, 0)[name] != whole[name]).any() for name in whole)
    # Pinned: another row anywhere would be another dataset under the old name.
    assert str(digest_arrow(made()[0])) == "x3s2:200000:b798d7e5733d53f742e032c9ce6e80d6"
