"""Wrong answers that docs/reference/engines.md names. One that is mended belongs out of it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from support.worker_processes import files, prepared, rows, tables
from weigh.data.layout import vortex
from weigh.engines import environment
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CHDB = "chdb@4.4.0+chdb-core==26.9.0"
NUMBERS = pa.table(
    {
        "small": pa.array([2_000_000_000, 2_000_000_000], pa.int32()),
        "large": pa.array([2**62, 2**62], pa.int64()),
        "price": pa.array([Decimal("1.00"), Decimal("2.00")], pa.decimal128(10, 2)),
        "name": ["ADA", "bob"],
    }
)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """What DuckDB answers: in one life, which is asked all queries."""
    with prepared("duckdb@2.0.0").start(files(tmp_path_factory.mktemp("honest"), "t", NUMBERS)) as started:
        yield lambda sql: rows(started, sql)


@pytest.mark.parametrize(
    ("contender", "sql", "got", "right"),
    [
        ("polars@2.1.0", "SELECT sum(small) AS s FROM t", -294_967_296, 4_000_000_000),
        ("polars@2.1.0", "SELECT sum(large) AS s FROM t", -(2**63), 2**63),
        ("polars@1.35.2", "SELECT sum(small) AS s FROM t", -294_967_296, 4_000_000_000),
        ("polars@1.35.2", "SELECT count(*) AS n FROM t WHERE name NOT IN ('ADA', NULL)", 1, 0),
        ("polars@1.35.2", "SELECT sum(large) AS s FROM t WHERE name = 'x'", 0, None),
        ("polars@2.1.0", "SELECT strpos(CASE WHEN price > 1 THEN name END, 'A') AS n FROM t WHERE price = 1", 0, None),
        (CHDB, "SELECT sum(large) AS s FROM t", -(2**63), 2**63),
        (CHDB, "SELECT avg(large) AS s FROM t", -(2.0**62), 2.0**62),
        (CHDB, "SELECT count(*) AS n FROM t WHERE name NOT IN ('ADA', NULL)", 1, 0),
        ("datafusion@55.0.0", "SELECT sum(large) AS s FROM t", -(2**63), 2**63),
        ("pyarrow@21.0.0", "SELECT count(*) AS n FROM t WHERE price = 1", 0, 1),
        ("sqlite@3.54.1.0", "SELECT count(*) AS n FROM t WHERE name LIKE 'a%'", 1, 0),
    ],
)
def test_it_is_still_wrong(
    contender: str, sql: str, got: Any, right: Any, tmp_path: Path, honest: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    with prepared(contender).start(files(tmp_path, "t", NUMBERS)) as started:
        assert rows(started, sql) == [(got,)]
    assert honest(sql) == [(right,)]


@pytest.mark.parametrize(
    ("contender", "sql", "right"),
    [
        ("pyarrow@26.0.1", "SELECT count(*) AS n FROM t WHERE price = 1", 1),
        ("pyarrow@26.0.1", "SELECT sum(large) AS s FROM t", 2**63),
        ("polars@2.1.0", "SELECT count(*) AS n FROM t WHERE name NOT IN ('ADA', NULL)", 0),
        ("sqlite@3.54.1.0?case_sensitive_like=true", "SELECT count(*) AS n FROM t WHERE name LIKE 'a%'", 0),
    ],
)
def test_its_neighbour_is_right(contender: str, sql: str, right: Any, tmp_path: Path) -> None:
    with prepared(contender).start(files(tmp_path, "t", NUMBERS)) as started:
        assert rows(started, sql) == [(right,)]


def test_a_mean_of_spans_is_off_by_what_their_sum_leaves_over(
    honest: Callable[[str], list[tuple[Any, ...]]],
) -> None:
    """Half a microsecond a row: of 300 spans of a second and a millionth at most 150 too many."""
    spans = "SELECT to_microseconds(1000000::BIGINT + i % 2) AS span FROM range(300) AS s(i)"
    assert honest(f"SELECT epoch_us(avg(span)) AS n FROM ({spans}) AS s") == [(1_000_150,)]


def test_over_vortex_rows_are_counted_that_are_not_there(tmp_path: Path) -> None:
    """What TPC-H Q22 asks of its customers: who of seven countries has more than the average of those countries."""
    names = [f"{10 + number % 25}-x" for number in range(200)]
    balances = [float(number * 7_919 % 11_000 - 1_000) for number in range(200)]
    given = pa.table({"country": [number % 25 for number in range(200)], "name": names, "v": balances})
    path = tmp_path / "t.vortex"
    python = environment.ensure(vortex.REQUIREMENTS, cache_folder()).python
    vortex.write([(path, iter(given.to_batches()))], [path], schema=given.schema, python=python)
    seven = "substring(name FROM 1 FOR 2) IN ('11', '13', '15', '17', '19', '21', '23')"
    average = f"SELECT avg(v) FROM t WHERE v > 0 AND {seven}"
    asked = f"SELECT count(*) AS n FROM t WHERE {seven} AND v > ({average})"
    with prepared("duckdb@1.5.5").start(files(tmp_path, "t", given)) as started:
        ((right,),) = rows(started, asked)
        ((bound,),) = rows(started, average)
    of_seven = [v for name, v in zip(names, balances, strict=True) if name[:2] in seven]
    assert right == sum(v > bound for v in of_seven)
    with prepared("duckdb@1.5.5", "vortex").start(tables({"t": [path]})) as started:
        assert rows(started, average) == [(bound,)]
        assert rows(started, asked) == [(right + 8,)]
        with pytest.raises(WorkerEnded, match="INTERNAL Error"):
            rows(started, "SELECT avg(v) AS a FROM t WHERE v > 0 AND country = 3")
