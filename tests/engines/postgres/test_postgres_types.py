"""PostgreSQL, really run: what is loaded comes back as it was."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.postgres_contenders import (
    asked,
    cells,
    eventually,
    everything,
    servers,
    value,
    written,
)
from weigh._native import digest_arrow
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import read_answer
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess


def test_every_type_comes_back_as_it_was(contender: PreparedContender, tmp_path: Path) -> None:
    table = everything()
    assert len(set(table.schema.types)) == len(table.schema.types) - 1  # two of doubles
    with contender.start(written(tmp_path, all_types=table)) as started:
        _, found = asked(started, "SELECT * FROM all_types")
        _, empty = asked(started, "SELECT * FROM all_types WHERE i8 = 1")
    assert digest_arrow(found) == digest_arrow(pq.read_table(tmp_path / "all_types.parquet"))
    assert empty.num_rows == 0
    numeric = {"u64", "d", "wide"}
    for field in found.schema:
        if field.name in numeric:
            assert pa.types.is_decimal(field.type)
            assert pa.types.is_decimal(empty.schema.field(field.name).type)
        else:
            assert empty.schema.field(field.name).type == field.type
    assert found.schema.field("i16").type == pa.int16()
    assert found.schema.field("utc").type == pa.timestamp("us", "UTC")


def test_a_column_with_nothing_but_null_keeps_its_rows(contender: PreparedContender, tmp_path: Path) -> None:
    """A line of COPY for one NULL is empty."""
    with contender.start(written(tmp_path, lonely=pa.table({"s": pa.array([None, "", None], pa.string())}))) as started:
        assert cells(started, "SELECT s, count(*) AS n FROM lonely GROUP BY s ORDER BY s NULLS LAST") == [
            {"s": "", "n": 1},
            {"s": None, "n": 2},
        ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("column", "outcome", "said"),
    [
        (pa.array([[1]], pa.list_(pa.int64())), Outcome.UNSUPPORTED, "no type for list<element: int64> of column x"),
        (pa.array([1], pa.timestamp("ns")), Outcome.ERROR, "would lose data"),
        (pa.array([-800_000], pa.date32()), Outcome.ERROR, "in the year -221"),
        (pa.array(["a\0b"]), Outcome.ERROR, "invalid byte sequence"),
    ],
)
def test_what_cannot_be_loaded_is_said(
    contender: PreparedContender, tmp_path: Path, column: pa.Array, outcome: Outcome, said: str
) -> None:
    before = servers(contender.cache)
    with pytest.raises(WorkerEnded, match=re.escape(said)) as caught:
        contender.start(written(tmp_path, t=pa.table({"x": column})))
    assert caught.value.outcome is outcome
    eventually(lambda: servers(contender.cache) <= before)
    assert not list((contender.cache / "copies").glob("loading-*"))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sum(n)", Decimal(6)),  # of bigint: numeric
        ("avg(n)", Decimal(2)),
        ("sum(n)::bigint", 6),
        ("sum(n * 0.001)", Decimal("0.006")),
        ("max(0.1::numeric + 'NaN'::numeric)::text", "NaN"),
        ("sum(1e40::numeric)", Decimal(4 * 10**40)),
        ("sum(NULL::numeric)", None),
        ("min(date '2024-02-29' + n::integer)", datetime.date(2024, 3, 1)),
        ("bool_or(n = 1)", True),
        ("max(n)::float8 / 3", 1.0),
        ("max(s)", "é'"),
    ],
)
def test_expressions_have_the_types_of_their_values(worker: WorkerProcess, expression: str, expected: object) -> None:
    assert value(worker, f"SELECT {expression} AS x FROM things") == expected


def test_a_numeric_that_is_no_number_makes_doubles(worker: WorkerProcess) -> None:
    _, table = asked(worker, "SELECT x FROM (VALUES ('NaN'::numeric), ('-Infinity'), (1.5)) AS v(x) ORDER BY x")
    assert table.schema.types == [pa.float64()]
    assert [str(one) for one in table.column(0).to_pylist()] == ["-inf", "1.5", "nan"]


def test_text_is_compared_by_bytes(worker: WorkerProcess) -> None:
    rows = cells(worker, "SELECT x FROM (VALUES ('a'), ('B'), ('é'), ('Z'), ('ab'), ('')) AS v(x) ORDER BY x")
    assert [row["x"] for row in rows] == ["", "B", "Z", "a", "ab", "é"]


def test_an_answer_can_be_fetched_twice_and_the_next_one_is_another(worker: WorkerProcess) -> None:
    _, first = asked(worker, "SELECT n FROM many ORDER BY n")
    path, _ = worker.answer(30)
    assert read_answer(path).equals(first)
    assert (first.num_rows, first.column(0)[19_999].as_py()) == (20_000, 19_999)
    assert cells(worker, "SELECT 2 AS x") == [{"x": 2}]
    assert cells(worker, "SELECT n FROM things WHERE n = 77") == []


def test_a_type_without_an_arrow_form_is_an_error(worker: WorkerProcess) -> None:
    with pytest.raises(WorkerEnded, match=r"no Arrow form for the PostgreSQL type int8\[\] of column x") as caught:
        asked(worker, "SELECT array_agg(n) AS x FROM things")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)
