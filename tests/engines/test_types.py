"""Values of every kind come out of every engine as they went in, whatever types they come in; so do aggregates."""

from __future__ import annotations

import datetime
import re
import subprocess
from decimal import Decimal
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from support.worker_processes import asked, files, prepared
from weigh.answers import compare
from weigh.model.answer import Column, ResultSchema

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess

CONTENDERS = (
    "chdb@4.4.0+chdb-core==26.9.0", "datafusion@50.1.0", "datafusion@55.0.0", "duckdb@2.0.0", "polars@1.35.2",
    "polars@2.1.0", "pyarrow@21.0.0", "pyarrow@26.0.1", "sqlite@3.50.4.0", "sqlite@3.54.1.0",
)  # fmt: skip
NOON = datetime.datetime(2026, 1, 5, 12)
EPOCH = datetime.datetime(1970, 1, 1)
PRICES = [None if text is None else Decimal(text) for text in ("0.57", "-3.25", "99.99", "1", None, "0")]
DAYS = [NOON.date(), datetime.date(1992, 2, 29), None, None, EPOCH.date(), datetime.date(1969, 12, 31)]
TIMES = [NOON, NOON.replace(microsecond=1), None, None, EPOCH, EPOCH - datetime.timedelta(seconds=1)]
KINDS = pa.table(
    {
        "g": ["a", "a", "b", "b", None, "c"],
        "small": pa.array([1, -2, 2**31 - 1, 2**31 - 1, None, 0], pa.int32()),
        "large": pa.array([2**53 + 1, -(2**62), 7, None, 0, 1], pa.int64()),
        "price": pa.array(PRICES, pa.decimal128(15, 2)),
        "ratio": pa.array([0.1, -2.5, 1e300, None, 0.0, 3.0], pa.float64()),
        "name": ["", "é'\n", "a%b", None, "李🦆", "x" * 300],
        "day": pa.array(DAYS, pa.date32()),
        "moment": pa.array(TIMES, pa.timestamp("us")),
        "flag": [True, False, None, None, True, False],
        "void": pa.array([None] * 6, pa.int32()),
    }
)
SCHEMA = ResultSchema(
    columns=tuple(
        Column(name=name, kind=kind)
        for name, kind in (
            ("g", "string"), ("small", "integer"), ("large", "integer"), ("price", "decimal"), ("ratio", "double"),
            ("name", "string"), ("day", "date"), ("moment", "timestamp"), ("flag", "boolean"), ("void", "integer"),
        )
    )
)  # fmt: skip
GROUPED = (
    "SELECT g, count(*) AS n, count(price) AS priced, sum(large) AS total, sum(price) AS prices, avg(ratio) AS mean, "
    "min(day) AS first, max(moment) AS last, min(name) AS least, max(small) AS most, sum(void) AS voids, "
    "count(DISTINCT name) AS names FROM kinds GROUP BY g ORDER BY g"
)
GROUPED_SCHEMA = ResultSchema(
    columns=tuple(
        Column(name=name, kind=kind, match="approx" if name == "mean" else "exact", rel=1e-12)
        for name, kind in (
            ("g", "string"), ("n", "integer"), ("priced", "integer"), ("total", "integer"), ("prices", "decimal"),
            ("mean", "double"), ("first", "date"), ("last", "timestamp"), ("least", "string"), ("most", "integer"),
            ("void", "integer"), ("names", "integer"),
        )
    )
)  # fmt: skip
ZERO_SUMS = ("polars@1.35.2",)
"""The sum of nothing is 0 (docs/reference/engines.md, known wrong answers)."""
SCRIPTED = ("chdb", "datafusion", "duckdb", "polars", "pyarrow", "sqlite")


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """In two files of several row groups."""
    return files(tmp_path_factory.mktemp("kinds"), "kinds", KINDS, 2, row_group_size=2)


@pytest.fixture(scope="module", params=CONTENDERS)
def contender(request: pytest.FixtureRequest) -> PreparedContender:
    return prepared(request.param)


@pytest.fixture(scope="module")
def worker(contender: PreparedContender, kinds: Tables) -> Iterator[WorkerProcess]:
    with contender.start(kinds) as started:
        yield started


def test_what_went_in_comes_out(worker: WorkerProcess) -> None:
    _, table = asked(worker, "SELECT * FROM kinds")
    compared = compare.compare(table, KINDS, SCHEMA)
    assert compared.agrees, compared.differences


def test_a_changed_cell_is_another_answer(worker: WorkerProcess) -> None:
    """The comparison above can fail: of each column one value is changed."""
    _, table = asked(worker, "SELECT * FROM kinds")
    changes = ("z", 4, 8, Decimal("0.58"), 0.2, "?", datetime.date(2026, 1, 6), NOON.replace(microsecond=2), False, 1)
    for position, value in enumerate(changes):
        values = KINDS.column(position).to_pylist()
        column = pa.array([value, *values[1:]], KINDS.field(position).type)
        changed = KINDS.set_column(position, KINDS.field(position), column)
        assert not compare.compare(table, changed, SCHEMA).agrees, KINDS.column_names[position]


def test_aggregates_are_those_of_duckdb(contender: PreparedContender, worker: WorkerProcess, kinds: Tables) -> None:
    _, table = asked(worker, GROUPED)
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW kinds AS SELECT * FROM read_parquet({kinds.paths['kinds']})")
    sql = GROUPED
    if contender.name in ZERO_SUMS:
        sql = re.sub(r"sum\((\w+)\)", r"coalesce(sum(\1), 0)", sql)
    expected = connection.sql(sql).to_arrow_table()
    # Where NULL is ordered is the engine's; the rows are compared as a set.
    compared = compare.compare(table, expected, GROUPED_SCHEMA)
    assert compared.agrees, compared.differences


@pytest.mark.parametrize("where", ["g = 'nobody'", "void = 1", "NOT (void = 1)"])
def test_of_nothing_counts_are_zero_and_the_rest_is_null(
    contender: PreparedContender, worker: WorkerProcess, where: str
) -> None:
    sql = f"SELECT count(*) AS n, count(large) AS m, sum(large) AS s, min(name) AS least FROM kinds WHERE {where}"
    expected = (0, 0, 0 if contender.name in ZERO_SUMS else None, None)
    assert asked(worker, sql)[1].to_pydict() == dict(
        zip(("n", "m", "s", "least"), ([one] for one in expected), strict=True)
    )


def test_no_rows_have_columns(worker: WorkerProcess) -> None:
    cost, table = asked(worker, "SELECT * FROM kinds WHERE g = 'nobody'")
    assert (cost.rows, table.num_rows, table.column_names) == (0, 0, KINDS.column_names)


@pytest.mark.parametrize("name", ["datafusion", "polars", "pyarrow", "sqlite"])
def test_a_path_is_no_pattern(name: str, tmp_path: Path) -> None:
    table = pa.table({"n": [1, 2, 3]})
    odd = files(tmp_path / "[a] {b,c} it's * 100%", "numbers", table, 3)
    with prepared(name).start(odd) as started:
        assert asked(started, "SELECT count(*) AS c, sum(n) AS s FROM numbers")[1].to_pydict() == {"c": [3], "s": [6]}


@pytest.mark.long
@pytest.mark.parametrize("name", SCRIPTED)
def test_its_script_asks_it_without_weigh(name: str, kinds: Tables, tmp_path: Path) -> None:
    """A reproducer of a divergence is made of it, so it must stand alone."""
    ready = prepared(name)
    setting = {"datafusion": {"datafusion.execution.target_partitions": 1}, "sqlite": {"cache_size": 10}}
    settings = setting.get(name, {"max_threads" if name == "chdb" else "threads": 1})
    script = tmp_path / "script.py"
    sql = "SELECT g, count(*) AS n, max(small) AS most FROM kinds WHERE g = 'b' GROUP BY g"
    script.write_text(
        f"{ready.engine.script}\nprint([tuple(row) for row in ask({kinds.paths!r}, {sql!r}, {settings!r})])\n"
    )
    done = subprocess.run(
        [ready.environment.python, "-I", script], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert done.stdout.strip() == "[('b', 2, 2147483647)]", done.stderr
