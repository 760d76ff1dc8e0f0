"""The translation of SELECTs for PyArrow: what it takes it takes rightly, and it takes nothing else."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

from support.worker_processes import asked, files, prepared, rows
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import read_back
from weigh.model.errors import EngineFault
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.engines.loaded import Tables
    from weigh.engines.process import WorkerProcess

QUERIES = 250
ROWS = 300
POOLS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int32(), [0, 1, 2, 7, -1, 2**31 - 1, -(2**31)]),
    "b": (pa.int64(), [0, 1, 3, 2**62, -(2**62), 2**63 - 1, -(2**63), 2**53 + 1]),
    "d": (pa.decimal128(10, 2), [Decimal(text) for text in ("0.57", "1.00", "-3.25", "0.00", "99999999.99")]),
    "f": (pa.float64(), [0.57, 1.0, -3.25, 0.0, 0.1, 1e300]),
    "s": (pa.string(), ["", "a", "ab", "abc", "A", "é", "%", "a%b", "b_", "x\ny", "李"]),
    "t": (pa.timestamp("us"), [datetime.datetime(2026, 1, 1, 0, 0, 0, n) for n in (0, 1)]),
    "y": (pa.date32(), [datetime.date(2026, 1, 1), datetime.date(1999, 12, 31)]),
    "o": (pa.bool_(), [True, False]),
    "z": (pa.int32(), [None]),
}
LITERALS = {
    "i": ["0", "1", "-1", "2147483648", "0.5", "1.0", "NULL"],
    "b": ["0", "2", "9007199254740993", "9007199254740992", "9223372036854775808", "1.5", "NULL"],
    "d": ["0.57", "1", "0.570", "-3.25", "0.005", "99999999.99", "1e2", "NULL"],
    "f": ["0.57", "1", "0.1", "-3.25", "NULL"],
    "s": ["''", "'a'", "'AB'", "'é'", "'ab'", "NULL"],
    "t": ["TIMESTAMP '2026-01-01 00:00:00'", "TIMESTAMP '2026-01-01 00:00:00.000001'", "DATE '2026-01-01'", "NULL"],
    "y": ["DATE '2026-01-01'", "CAST('1999-12-31' AS DATE)", "TIMESTAMP '2026-01-01 00:00:00'", "NULL"],
    "o": ["TRUE", "FALSE", "NULL"],
    "z": ["1", "NULL"],
}
PATTERNS = ["%", "a%", "%b", "%a%", "a_", "_", "a%b", "", "x%y", "abc"]
AGGREGATES = (
    "count(*)", "count({any})", "min({any})", "max({any})",
    "sum({number})", "avg({number})", "count(DISTINCT {key})",
)  # fmt: skip


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Every kind of column, a quarter of it NULL, in two files of small row groups."""
    chance = random.Random(26)
    columns = {
        name: pa.array([None if chance.random() < 0.25 else chance.choice(pool) for _ in range(ROWS)], kind)
        for name, (kind, pool) in POOLS.items()
    }
    return files(tmp_path_factory.mktemp("plain"), "t", pa.table(columns), 2, row_group_size=37)


@pytest.fixture(scope="module")
def duck(table: Tables) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet({table.paths['t']})")
    return connection


@pytest.fixture(scope="module")
def worker(table: Tables) -> Iterator[WorkerProcess]:
    with prepared("pyarrow").start(table) as started:
        yield started


class Chance:
    """Random SELECTs of the translated part of SQL."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one(self, choices: Any) -> Any:
        return self.random.choice(list(choices))

    def condition(self, depth: int = 0) -> str:
        kind = self.random.random()
        if depth < 3 and kind < 0.35:
            return f"({self.condition(depth + 1)}) {self.one(('AND', 'OR'))} ({self.condition(depth + 1)})"
        if depth < 3 and kind < 0.5:
            return f"NOT ({self.condition(depth + 1)})"
        if depth < 3 and kind < 0.55:
            return f"({self.condition(depth + 1)}) IS {self.one(('', 'NOT '))}NULL"
        column, negated = self.one(POOLS), self.one(("", "NOT "))
        literals = [self.one(LITERALS[column]) for _ in range(4)]
        forms = [
            f"{column} IS {negated}NULL",
            f"{column} {negated}IN ({', '.join(literals[: self.random.randint(1, 4)])})",
            f"{column} {self.one(('=', '<>', '<', '<=', '>', '>='))} {literals[0]}",
            f"{literals[0]} {self.one(('=', '<>', '<', '<=', '>', '>='))} {column}",
        ]
        if column != "o":
            forms.append(f"{column} {negated}BETWEEN {literals[0]} AND {literals[1]}")
        if column == "s":
            forms += [f"s {negated}LIKE '{self.one(PATTERNS)}'"] * 2
        return self.one([*forms, "o"])

    def aggregate(self) -> str:
        return str(self.one(AGGREGATES)).format(any=self.one(POOLS), number=self.one("ibdfz"), key=self.one("ibdstyoz"))

    def query(self) -> str:
        where = f" WHERE {self.condition()}" if self.random.random() < 0.8 else ""
        aggregates = [f"{self.aggregate()} AS a{number}" for number in range(self.random.randint(1, 4))]
        kind = self.random.random()
        if kind < 0.3:
            columns = self.random.sample(list(POOLS), 3)
            order = ", ".join(f"{column} {self.one(('ASC', 'DESC'))}" for column in columns)
            limit = self.one(("", " LIMIT 0", " LIMIT 7", " LIMIT 5 OFFSET 3", " OFFSET 290"))
            return f"SELECT {', '.join(columns)} FROM t{where} ORDER BY {order} {self.one(('', 'NULLS LAST'))}{limit}"
        if kind < 0.6:
            return f"SELECT {', '.join(aggregates)} FROM t{where}"
        keys = ", ".join(self.random.sample("ibdstyoz", 2))
        end = self.one(("", f" ORDER BY {keys}", f" ORDER BY {keys} LIMIT 3"))
        return f"SELECT {keys}, {', '.join(aggregates)} FROM t{where} GROUP BY {keys}{end}"


def canonical(value: Any) -> Any:
    """Sums of integers come as decimals, averages with other last bits."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return float(f"{value:.12g}") if isinstance(value, float) else value


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_what_is_translated_is_right(worker: WorkerProcess, duck: duckdb.DuckDBPyConnection, seed: int) -> None:
    chance = Chance(seed)
    for _ in range(QUERIES):
        sql = chance.query()
        got, expected = (
            [tuple(map(canonical, row)) for row in answer]
            for answer in (rows(worker, sql), duck.execute(sql).fetchall())
        )
        if "ORDER BY" not in sql:
            got, expected = sorted(got, key=str), sorted(expected, key=str)
        assert got == expected, sql


@pytest.mark.long
@pytest.mark.parametrize(
    "settings", ["pushdown=false", "use_threads=false&batch_size=50", "pre_buffer=false&threads=1"]
)
def test_it_is_right_in_other_ways(table: Tables, duck: duckdb.DuckDBPyConnection, settings: str) -> None:
    with prepared(f"pyarrow?{settings}").start(table) as started:
        chance = Chance(len(settings))
        for _ in range(QUERIES // 4):
            sql = chance.query()
            got, expected = (
                sorted([tuple(map(canonical, row)) for row in answer], key=str)
                for answer in (rows(started, sql), duck.execute(sql).fetchall())
            )
            assert got == expected, sql


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("SELECT i FROM t, t AS u", "joins"),
        ("SELECT t.i FROM t JOIN t AS u ON t.i = u.i", "joins"),
        ("SELECT DISTINCT i FROM t", "distinct"),
        ("SELECT i FROM t UNION SELECT b FROM t", "UNION"),
        ("SELECT i FROM (SELECT i FROM t) AS u", "Subquery"),
        ("WITH u AS (SELECT 1) SELECT * FROM u", "with"),
        ("SELECT s, count(*) FROM t GROUP BY s HAVING count(*) > 1", "having"),
        ("SELECT s FROM t GROUP BY ROLLUP (s)", "ROLLUP"),
        ("SELECT f FROM t GROUP BY f", "GROUP BY a column of double"),
        ("SELECT i + 1 FROM t", "Add"),
        ("SELECT i FROM t WHERE i % 0 = 1", "Mod"),
        ("SELECT i FROM t WHERE i % b = 1", "Mod"),
        ("SELECT i FROM t WHERE f % 2 = 1", "Mod"),
        ("SELECT i FROM t WHERE i % 9 % 2 = 1", "Mod"),
        ("SELECT i % 2 FROM t", "Mod"),
        ("SELECT sum(i + 1) FROM t", "other than a column"),
        ("SELECT sum(DISTINCT i) FROM t", "DISTINCT"),
        ("SELECT count(DISTINCT i, b) FROM t", "DISTINCT"),
        ("SELECT max(i, 3) FROM t", "Max with count"),
        ("SELECT sum(i) FILTER (WHERE i > 1) FROM t", "Filter"),
        ("SELECT sum(i) OVER () FROM t", "Window"),
        ("SELECT sum(s) FROM t", "sum of string"),
        ("SELECT upper(s) FROM t", "Upper"),
        ("SELECT i, count(*) FROM t", "neither aggregated nor grouped"),
        ("SELECT nowhere FROM t", "nowhere"),
        ('SELECT "I" FROM t', "no such column"),
        ("SELECT u.i FROM t", "u.i"),
        ("SELECT * EXCLUDE (i) FROM t", "except"),
        ("SELECT i FROM t TABLESAMPLE 10 PERCENT", "sample"),
        ("SELECT i FROM t WHERE i IN (SELECT b FROM t)", "query"),
        ("SELECT i FROM t WHERE i = 'a'", "compared with string"),
        ("SELECT i FROM t WHERE s = 1", "compared with integer"),
        ("SELECT i FROM t WHERE i = f", "compared with double"),
        ("SELECT i FROM t WHERE s LIKE 'a!%' ESCAPE '!'", "Escape"),
        ("SELECT i FROM t WHERE s LIKE 'a\\%'", "backslash"),
        ("SELECT i FROM t WHERE s ILIKE 'a'", "ILike"),
        ("SELECT i FROM t WHERE o IS TRUE", "IS NULL"),
        ("SELECT i FROM t WHERE i", "as a condition"),
        ("SELECT i FROM t WHERE i BETWEEN SYMMETRIC 1 AND 2", "symmetric"),
        ("SELECT i FROM t WHERE y = DATE '2026-01-01' + INTERVAL 1 DAY", "Add"),
        ("SELECT i FROM t WHERE t > TIMESTAMP '2026-01-01 00:00:00.0000001'", "Cast"),
        ("SELECT i FROM t ORDER BY i NULLS FIRST, b", "NULLS FIRST"),
        ("SELECT i FROM t ORDER BY i LIMIT 10%", "limit_options"),
        ("SELECT i FROM t ORDER BY i FETCH FIRST 3 ROWS WITH TIES", "FETCH"),
        ("SELECT i FROM t ORDER BY 4", "ORDER BY 4"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("DELETE FROM t", "DELETE"),
    ],
)
def test_what_is_not_translated_is_named(worker: WorkerProcess, sql: str, named: str) -> None:
    with pytest.raises(WorkerEnded, match=named) as caught:
        asked(worker, sql)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.UNSUPPORTED, True)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 AS x, 'a' AS y, 2.50 AS z, NULL AS n", [(1, "a", Decimal("2.50"), None)]),
        ("SELECT count(*) AS n FROM t", [(ROWS,)]),
        ("SELECT count(1) AS n FROM t AS e WHERE e.I = e.i OR e.i IS NULL", [(ROWS,)]),
        ("SELECT count(*) AS n FROM t WHERE 17 = 17 AND 'a' < 'b' AND NOT (1 = NULL) IS NOT NULL", [(ROWS,)]),
        ("SELECT s FROM t WHERE s IS NOT NULL GROUP BY s ORDER BY count(*), s", None),
        ("SELECT o, count(*) AS n FROM t GROUP BY o ORDER BY max(z), o NULLS LAST LIMIT 1", None),
        ("SELECT i FROM t WHERE i >= 0 AND i % 7 = 3 ORDER BY i", None),
        ("SELECT i FROM t WHERE i % 5 IN (-2, 1) ORDER BY i", None),
        ("SELECT count(*) AS n FROM t WHERE NOT i % 2 = 0 AND (i % 3) BETWEEN -1 AND 1 AND i % 4 <> i", None),
        ("SELECT count(*) AS n FROM t WHERE i % 2 IS NULL", None),
        ("SELECT min(i) AS n FROM t WHERE i IN (" + ", ".join(map(str, range(1, 2000))) + ")", [(1,)]),
    ],
)
def test_corners(worker: WorkerProcess, duck: duckdb.DuckDBPyConnection, sql: str, expected: list[Any] | None) -> None:
    assert rows(worker, sql) == (expected if expected is not None else duck.execute(sql).fetchall())


@pytest.mark.parametrize(
    ("setting", "said"),
    [("batch_size=many", "not of the kind of its default"), ("use_threads=1", "default"), ("threads=0", "must be")],
)
def test_a_value_that_is_none_is_refused(setting: str, said: str) -> None:
    with pytest.raises(EngineFault, match=said):
        read_back(prepared(f"pyarrow?{setting}"))


def test_a_limit_keeps_few_rows(tmp_path: Any) -> None:
    """More rows than the pool holds, of which the last ones are wanted."""
    count = 700_000
    table = files(tmp_path, "t", pa.table({"n": pa.array(range(count), pa.int64())}), row_group_size=50_000)
    with prepared("pyarrow").start(table) as started:
        assert rows(started, "SELECT n FROM t ORDER BY n DESC LIMIT 3 OFFSET 1") == [
            (count - 2,),
            (count - 3,),
            (count - 4,),
        ]
        assert rows(started, "SELECT n FROM t ORDER BY n LIMIT 2") == [(0,), (1,)]
        assert len(rows(started, "SELECT n FROM t LIMIT 5")) == 5


def test_views_and_dictionaries_are_read_as_plain_columns(tmp_path: Any) -> None:
    words = pa.array(["a", "b", "a", None])
    table = pa.table({"d": words.dictionary_encode(), "v": words.cast(pa.string_view())})
    with prepared("pyarrow").start(files(tmp_path, "t", table)) as started:
        assert rows(started, "SELECT d, count(v) AS n FROM t WHERE v = 'a' GROUP BY d") == [("a", 2)]
