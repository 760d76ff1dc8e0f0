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


LEFT_OUT = {
    "lists": (
        pa.array([{"a": 1}], pa.struct({"a": pa.int64()})),
        "column x: weigh loads no struct<a: int64> into PostgreSQL",
    ),
    "fine": (pa.array([1], pa.timestamp("ns")), "below the microsecond"),
    "ancient": (pa.array([-800_000], pa.date32()), "in the year -221"),
    "nul": (pa.array(["a\0b"]), "invalid byte sequence"),
    "vast": (pa.array([2**62], pa.timestamp("us")), "PostgreSQL"),
}
"""By name of a table what PostgreSQL cannot hold, and what is reported of it."""


def test_a_table_that_cannot_be_loaded_takes_no_other_with_it(contender: PreparedContender, tmp_path: Path) -> None:
    odd = {name: pa.table({"x": column}) for name, (column, _) in LEFT_OUT.items()}
    with contender.start(written(tmp_path, plain=pa.table({"x": [1, 2]}), **odd)) as worker:
        assert cells(worker, "SELECT sum(x)::bigint AS x FROM plain") == [{"x": 3}]
        for name, (_, why) in LEFT_OUT.items():
            with pytest.raises(WorkerEnded, match=f"{re.escape(why)}.*so it has no table {name}") as caught:
                asked(worker, f"SELECT * FROM {name}")
            assert (caught.value.outcome, caught.value.alive) == (Outcome.UNSUPPORTED, True), name


@pytest.mark.long
def test_what_cannot_be_loaded_is_said(contender: PreparedContender, tmp_path: Path) -> None:
    before = servers(contender.cache)
    with pytest.raises(
        WorkerEnded, match=re.escape("column x: weigh loads no struct<a: int64> into PostgreSQL")
    ) as caught:
        contender.start(written(tmp_path, t=pa.table({"x": LEFT_OUT["lists"][0]})))
    assert caught.value.outcome is Outcome.UNSUPPORTED
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


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("array_agg(n ORDER BY n)", [1, 2, 3, None]),
        ("array_agg(n * 0.25 ORDER BY n)", [Decimal("0.25"), Decimal("0.50"), Decimal("0.75"), None]),
        ("ARRAY[date '2024-02-29', NULL]", [datetime.date(2024, 2, 29), None]),
        ("'{}'::text[]", []),
        ("INTERVAL '1 year 2 months 3 days -04:05:06.7'", pa.MonthDayNano([14, 3, -14_706_700_000_000])),
        ("INTERVAL '-1 month 5 days'", pa.MonthDayNano([-1, 5, 0])),
        ("INTERVAL '0'", pa.MonthDayNano([0, 0, 0])),
        ("max(moment) - max(moment)", pa.MonthDayNano([0, 0, 0])),
        ("time '12:34:56.7'", datetime.time(12, 34, 56, 700_000)),
        ("B'101'", "101"),
        ("'12:00+02'::timetz", "12:00:00+02"),
        ("ROW(1, 'a b')", '(1,"a b")'),
        ("'192.168.0.1/24'::inet", "192.168.0.1/24"),
        ("'10.0.0.0/8'::cidr", "10.0.0.0/8"),
        ("ARRAY['::1'::inet]", "{::1}"),
        ("'-$1,234.50'::money", Decimal("-1234.50")),
        ("numrange(1, 2.5)", "[1,2.5)"),
        ("'{[1,3), [5,7)}'::int4multirange", "{[1,3),[5,7)}"),
        ("point '(1,2)'", "(1,2)"),
        ("'a b'::tsvector", "'a' 'b'"),
    ],
)
def test_arrays_and_spans(worker: WorkerProcess, expression: str, expected: object) -> None:
    source = "(SELECT n, now() AS moment FROM things) AS t"
    assert value(worker, f"SELECT {expression} AS x FROM {source}") == expected


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("'infinity'::timestamp", "value of the timestamp column x"),
        ("date '0044-03-15 BC'", "value of the date column x"),
        ("time '24:00'", "value of the time column x"),
        ("ARRAY[[1], [2]]", r"value of the int4\[\] column x"),
        ("10::numeric ^ 80", "value of the numeric column x"),
    ],
)
def test_what_has_no_arrow_form_is_unsupported(worker: WorkerProcess, expression: str, said: str) -> None:
    with pytest.raises(WorkerEnded, match=f"no Arrow form for .*{said}") as caught:
        asked(worker, f"SELECT {expression} AS x")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.UNSUPPORTED, True)
