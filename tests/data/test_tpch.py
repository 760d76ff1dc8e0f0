"""TPC-H's workloads: published answers are true of the data that they belong to, and a wrong cell of one is caught."""

from __future__ import annotations

import datetime
import decimal
import random
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

from weigh import workloads
from weigh.answers import compare
from weigh.data import cache as store
from weigh.data.generator import dataset_name
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.model.answer import Column, ResultSchema
from weigh.model.errors import DataFault
from weigh.model.spec import LayoutSpec
from weigh.workloads.tpch import NOTICE, SCHEMAS, answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.data.cache import CachedData
    from weigh.model.operation import Workload

LONG = pytest.mark.long
PUBLISHED = [0.01, pytest.param(0.1, marks=LONG), pytest.param(1.0, marks=LONG)]
FOREIGN = {"tpch": {"q2", "q10", "q13", "q15", "q20"}, "tpch-dbgen": set()}


@cache
def dataset(name: str, scale: float) -> CachedData:
    """In weigh's cache, as any user's."""
    return store.ensure(
        dataset_name(workloads.load(name).dataset, scale, None),
        LayoutSpec(),
        cache_folder(),
        environment=lambda requirements: environment.ensure(requirements, cache_folder()).python,
    )


@cache
def built(name: str, scale: float = 0.01) -> Workload:
    return workloads.load(name).build(dataset(name, scale).truth, 42)


def published(name: str, operation: str, scale: float = 0.01) -> pa.Table | None:
    case = built(name, scale).operation(operation).cases[0]
    return workloads.load(name).expected(operation, case, dataset(name, scale).truth)


def connected(name: str, scale: float) -> duckdb.DuckDBPyConnection:
    stored = dataset(name, scale)
    connection = duckdb.connect()
    for table in stored.manifest.tables:
        connection.execute(f"CREATE VIEW {table} AS FROM read_parquet('{stored.folder}/{table}-*.parquet')")
    return connection


@pytest.mark.parametrize("name", FOREIGN)
def test_the_queries_are_22_and_in_order(name: str) -> None:
    workload = built(name)
    assert [operation.name for operation in workload.operations] == [f"q{number}" for number in range(1, 23)]
    assert workloads.operation_names(workloads.load("tpch")) == tuple(one.name for one in workload.operations)
    assert workload.notice == NOTICE
    for operation in workload.operations:
        assert operation.about
        limit = re.search(r"LIMIT (\d+)$", operation.sql)
        assert operation.schema.limit == (int(limit[1]) if limit else None)
        assert bool(operation.schema.ordered_by) == bool(re.search(r"\bORDER BY\b[^)]*$", operation.sql))
        assert [case.timed for case in operation.cases] == [True]


@pytest.mark.parametrize("scale", PUBLISHED)
@pytest.mark.parametrize("name", FOREIGN)
def test_published_answers_are_true_of_their_data_and_of_no_other(name: str, scale: float) -> None:
    connection = connected(name, scale)
    wrong = set()
    for operation in built("tpch-dbgen", scale).operations:
        got = connection.sql(operation.sql).to_arrow_table()
        expected = published("tpch-dbgen", operation.name, scale)
        assert expected is not None
        compared = compare.compare(got, expected, operation.schema, complete=True)
        if not compared.agrees:
            wrong.add(operation.name)
        assert (published(name, operation.name, scale) is None) == (operation.name in FOREIGN[name])
    assert wrong == FOREIGN[name]


@pytest.mark.parametrize(("operation", "dialect"), [("q13", "mariadb"), ("q15", "trino")])
def test_a_query_in_other_words_has_the_same_answer(operation: str, dialect: str) -> None:
    connection, one = connected("tpch", 0.01), built("tpch").operation(operation)
    assert one.dialect[dialect] != one.sql
    assert connection.sql(one.dialect[dialect]).fetchall() == connection.sql(one.sql).fetchall()


def test_the_names_of_columns_are_those_that_were_published() -> None:
    truth = dataset("tpch-dbgen", 0.01).truth
    for number, text in zip(truth["answers"]["number"], truth["answers"]["text"], strict=True):
        names = str(text).split("\n", maxsplit=1)[0].split("|")
        given = [column.name for column in SCHEMAS[int(number)].columns]
        assert [name for name in names if name != "sum"] == [name for name in given if name != "sum_quantity"]


@pytest.mark.parametrize("scale", PUBLISHED)
@pytest.mark.parametrize("name", FOREIGN)
def test_nothing_ties_at_the_limit_of_a_published_answer(name: str, scale: float) -> None:
    connection = connected(name, scale)
    for operation in built(name, scale).operations:
        schema = operation.schema
        if schema.limit is None:
            continue
        rows = connection.execute(operation.sql.rsplit("LIMIT", 1)[0]).fetchall()[schema.limit - 1 : schema.limit + 1]
        if len(rows) == 2:
            last, next_ = ([row[position] for position in schema.ordered_by] for row in rows)
            assert last != next_, operation.name


@pytest.mark.parametrize("name", FOREIGN)
def test_keys_are_unique_and_order_is_as_declared(name: str) -> None:
    connection = connected(name, 0.01)
    for operation in built(name).operations:
        rows = connection.sql(operation.sql).fetchall()
        keys = [tuple(row[position] for position in operation.schema.keys) for row in rows]
        assert len(set(keys)) == len(keys), operation.name
        # In which direction each column goes is the query's; that columns before it are equal is what order means.
        for position, column in enumerate(operation.schema.ordered_by):
            before = operation.schema.ordered_by[:position]
            groups: dict[tuple[Any, ...], list[Any]] = {}
            for row in rows:
                groups.setdefault(tuple(row[at] for at in before), []).append(row[column])
            up = all(values == sorted(values) for values in groups.values())
            down = all(values == sorted(values, reverse=True) for values in groups.values())
            assert up or down, (operation.name, column)


def test_other_scale_factors_have_no_published_answers() -> None:
    source = workloads.load("tpch")
    truth = {"queries": dataset("tpch", 0.01).truth["queries"]}
    assert source.build(truth, 42) == built("tpch")
    assert source.expected("q1", built("tpch").operations[0].cases[0], truth) is None


def table(rows: list[list[Any]], schema: ResultSchema) -> pa.Table:
    columns = [pa.array([row[position] for row in rows]) for position in range(len(schema.columns))]
    return pa.table(columns, names=[column.name for column in schema.columns])


def test_only_averages_and_ratios_are_not_exact() -> None:
    loose = {number: schema.loose for number, schema in SCHEMAS.items() if schema.loose}
    assert loose == {1: (6, 7, 8), 8: (1,), 14: (0,), 17: (0,)}
    for number in loose:
        assert re.search(r"\bavg\(|\)\s*/\s", built("tpch").operation(f"q{number}").sql)


def wrong_values(value: Any) -> Iterator[Any]:
    """Values that are not this one, as near to it as a wrong one can be."""
    if isinstance(value, decimal.Decimal):
        exponent = value.as_tuple().exponent
        assert isinstance(exponent, int)
        yield from (value + decimal.Decimal(1).scaleb(min(-2, exponent)), -value - 1)
    elif isinstance(value, float):
        yield value * (1 + 1e-8) + 1e-12
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, datetime.date):
        yield value + datetime.timedelta(days=1)
    elif isinstance(value, str):
        yield from (value + " ", value[:-1], "!" + value[1:], "")
    yield 0.0 if value is None else None


def wrong_columns(values: list[Any], row: int, column: Column) -> Iterator[list[Any]]:
    """A column of an answer with one wrong cell."""
    for value in wrong_values(values[row]):
        yield [*values[:row], value, *values[row + 1 :]]
    if column.match == "quotient" and values[row] is not None:
        # In seven digits, and two units of the last one away: more than rounding and truncating explain.
        unit = decimal.Decimal(1).scaleb(decimal.Decimal(values[row]).adjusted() - 6)
        coarse = [decimal.Decimal(value).quantize(unit) for value in values]
        yield [*coarse[:row], coarse[row] + 2 * unit, *coarse[row + 1 :]]


@pytest.mark.parametrize("number", SCHEMAS)
def test_a_wrong_value_in_any_column_of_a_published_answer_is_caught(number: int) -> None:
    known = published("tpch-dbgen", f"q{number}")
    assert known is not None
    schema = SCHEMAS[number]
    right = [column.to_pylist() for column in known.columns]
    names = known.column_names
    assert compare.compare(pa.table([pa.array(values) for values in right], names), known, schema).agrees
    last = known.num_rows - 1
    chosen = {0, last, *random.Random(number).sample(range(last + 1), min(4, last + 1))}
    for position, column in enumerate(schema.columns):
        for row in chosen:
            for values in wrong_columns(right[position], row, column):
                wrong = pa.table([pa.array(v) for v in [*right[:position], values, *right[position + 1 :]]], names)
                compared = compare.compare(wrong, known, schema, complete=True)
                assert not compared.agrees, (row, column.name, right[position][row], values[row])


@pytest.mark.parametrize("number", [number for number, schema in SCHEMAS.items() if schema.keys])
def test_a_missing_a_doubled_and_a_misplaced_row_are_caught(number: int) -> None:
    known = published("tpch-dbgen", f"q{number}")
    assert known is not None
    schema = SCHEMAS[number]
    right = [list(row.values()) for row in known.to_pylist()]
    # Rows that tie in the order may stand either way: the first and the last one do not.
    wrong = [right[1:], right[:-1], [*right, right[-1]]]
    wrong += [[right[-1], *right[1:-1], right[0]], [right[0], right[0], *right[2:]]] if len(right) > 1 else []
    for rows in wrong:
        if rows:
            assert not compare.compare(table(rows, schema), known, schema, complete=True).agrees


def test_quotients_agree_at_the_coarser_scale() -> None:
    schema = ResultSchema(columns=(Column(name="share", kind="decimal", match="quotient", rel=1e-9),))
    known = answer("share\n0.034436\n", schema)
    for given, agrees in (("0.0344", True), ("0.0345", True), ("0.0342", False), ("0.03", True), ("0.05", False)):
        assert compare.compare(table([[decimal.Decimal(given)]], schema), known, schema).agrees is agrees


def test_an_answer_of_another_form_is_refused() -> None:
    schema = ResultSchema(columns=(Column(name="a", kind="integer"), Column(name="b", kind="string")))
    assert answer("a|b\n1| x \n2|\n", schema).to_pylist() == [{"a": 1, "b": " x "}, {"a": 2, "b": ""}]
    assert answer("a|b\n", schema).num_rows == 0
    with pytest.raises(DataFault, match="2 columns"):
        answer("a|b\n1|x|y\n", schema)
