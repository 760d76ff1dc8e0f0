"""SQLite: what is loaded is what was in the files, in poorer types that the probe of the data can read."""

from __future__ import annotations

import datetime
import shutil
import sqlite3
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.worker_processes import asked, files, prepared, rows, tables
from weigh._native import digest_arrow
from weigh.answers import compare
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import read_back
from weigh.engines.process import WorkerProcess
from weigh.experiment.gate import metamorphic, probes
from weigh.model.answer import Column, ResultSchema
from weigh.model.errors import EngineFault
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender

# Arrow's cast from decimal to double would be off by a bit for 0.57, and for many more.
PRICES = [Decimal(cents) / 100 for cents in range(57, 20_057)]
COUNT = len(PRICES)
START = datetime.datetime(2026, 1, 5, tzinfo=datetime.UTC)


def every_kind() -> pa.Table:
    """Of each type that a file can have, more rows than a batch of the loader."""
    numbers = range(COUNT)
    seconds = [START + datetime.timedelta(microseconds=750_000 * number) for number in numbers]
    return pa.table(
        {
            "price": pa.array([*PRICES[:-1], None], pa.decimal128(15, 2)),
            "day": pa.array([one.date() for one in seconds], pa.date32()),
            "moment": pa.array([one.replace(tzinfo=None) for one in seconds], pa.timestamp("us")),
            "zoned": pa.array(seconds, pa.timestamp("ms", "Europe/Paris")),
            "flag": pa.array([number % 3 == 0 for number in numbers]),
            "n": pa.array(numbers, pa.int16()),
            "f": pa.array([number / 8 for number in numbers], pa.float32()),
            "word": pa.array([("a", "b", None)[number % 3] for number in numbers]).dictionary_encode(),
            "raw": pa.array([bytes([number % 256]) for number in numbers], pa.binary()),
            "void": pa.array([None] * COUNT, pa.date32()),
        }
    )


@pytest.fixture(scope="module")
def sqlite() -> PreparedContender:
    return prepared("sqlite")


def loaded(ready: PreparedContender, tables: Tables, to: Path) -> Path:
    """A copy of the store, for tests that spoil it."""
    shutil.copytree(ready.load(tables), to)
    return to


def seen(ready: PreparedContender, copy: Path, tables: Tables) -> pa.Table:
    """What the probe reads from a copy, in the types of the file."""
    (name,) = tables.paths
    with WorkerProcess(ready.engine, ready.environment, ready.settings) as worker:
        worker.attach(copy, [name])
        _, table = asked(worker, f"SELECT * FROM {name}")
    return probes._as_loaded(table, tables.paths[name][0])


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return files(tmp_path_factory.mktemp("kinds"), "kinds", every_kind(), 2)


def test_the_digest_of_what_was_loaded_is_that_of_the_files(
    sqlite: PreparedContender, kinds: Tables, tmp_path: Path
) -> None:
    store = loaded(sqlite, kinds, tmp_path / "store")
    assert digest_arrow(seen(sqlite, store, kinds)) == digest_arrow(every_kind())


@pytest.mark.long
@pytest.mark.parametrize(
    "change",
    [
        "price = price + 1e-12 WHERE n = 7",
        "price = NULL WHERE n = 7",
        "price = '0.64' || 'x' WHERE n = 7",
        "day = '2026-01-06' WHERE n = 7",
        "day = 'yesterday' WHERE n = 7",
        "moment = substr(moment, 1, 25) || '1' WHERE n = 7",
        "zoned = replace(zoned, ':00:', ':01:') WHERE n = 7",
        "flag = 2 WHERE n = 9",
        "flag = NOT flag WHERE n = 9",
        "n = 8 WHERE n = 7",
        "f = f + 0.125 WHERE n = 7",
        "word = 'A' WHERE n = 0",
        "word = '' WHERE n = 2",
        "raw = x'00' WHERE n = 7",
        "void = '2026-01-06' WHERE n = 7",
    ],
)
def test_another_row_is_another_digest(sqlite: PreparedContender, kinds: Tables, tmp_path: Path, change: str) -> None:
    """Reading text as dates and doubles as decimals must not hide a changed value."""
    store = loaded(sqlite, kinds, tmp_path / "store")
    with sqlite3.connect(store / "tables.sqlite") as connection:
        assert connection.execute(f"UPDATE kinds SET {change}").rowcount == 1
    connection.close()
    try:
        found = str(digest_arrow(seen(sqlite, store, kinds)))
    except WorkerEnded as ended:
        found = ended.detail
        assert "a column of an answer has one type" in found
    assert found != str(digest_arrow(every_kind()))


def test_doubles_are_those_next_to_the_decimals(sqlite: PreparedContender, kinds: Tables) -> None:
    with sqlite.start(kinds) as worker:
        got = [price for (price,) in rows(worker, "SELECT price FROM kinds WHERE price IS NOT NULL ORDER BY n")]
    assert got == [float(price) for price in PRICES[:-1]]


def test_moments_are_text_that_sorts(sqlite: PreparedContender, kinds: Tables) -> None:
    with sqlite.start(kinds) as worker:
        text = rows(worker, "SELECT moment, zoned, day FROM kinds ORDER BY n LIMIT 2")
    assert text == [
        ("2026-01-05 00:00:00.000000", "2026-01-05 00:00:00.000000", "2026-01-05"),
        ("2026-01-05 00:00:00.750000", "2026-01-05 00:00:00.750000", "2026-01-05"),
    ]


def test_two_lives_read_one_store_and_change_nothing(sqlite: PreparedContender, kinds: Tables) -> None:
    store = sqlite.load(kinds)
    assert store == sqlite.load(kinds)
    (before,) = store.iterdir()
    stamp = before.stat()
    with sqlite.start(kinds) as one, sqlite.start(kinds) as other:
        sql = "SELECT word, count(*) AS n FROM kinds GROUP BY word ORDER BY word"
        assert rows(one, sql) == rows(other, sql)
        with pytest.raises(WorkerEnded, match="readonly"):
            asked(one, "DELETE FROM kinds")
    assert [(path, path.stat().st_mtime_ns) for path in store.iterdir()] == [(before, stamp.st_mtime_ns)]


def test_what_it_has_no_type_for_is_named(sqlite: PreparedContender, tmp_path: Path) -> None:
    tables = files(tmp_path, "t", pa.table({"list": [[1, 2]]}))
    with pytest.raises(WorkerEnded, match="column list: SQLite has no type for list<element: int64>"):
        sqlite.start(tables)


def test_digits_are_not_lost_silently(sqlite: PreparedContender, tmp_path: Path) -> None:
    tables = files(tmp_path, "t", pa.table({"at": pa.array([1], pa.timestamp("ns"))}))
    with pytest.raises(WorkerEnded, match="below the microsecond"):
        sqlite.start(tables)


@pytest.mark.parametrize(
    "setting",
    ["journal_mode=wal", "cache_size=many", "optimize=1", "integrity_check=1", "temp_store=everywhere", "nosuch=1"],
)
def test_a_pragma_that_is_not_in_force_is_refused(setting: str) -> None:
    with pytest.raises(EngineFault, match=setting.partition("=")[0]):
        read_back(prepared(f"sqlite?{setting}"))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("temp_store", "MEMORY"),
        ("mmap_size", 1 << 30),
        ("threads", 2),
        ("case_sensitive_like", True),
        ("page_size", 8192),
    ],
)
def test_a_pragma_is_in_force_where_the_tables_are(setting: str, value: object, tmp_path: Path) -> None:
    ready = prepared(f"sqlite?{setting}={value}")
    with ready.start(files(tmp_path, "t", pa.table({"n": [1]}))) as worker:
        found = worker.settings()[setting]
    assert str(found["value"]) in {"temp_store": "2", "case_sensitive_like": "1"}.get(setting, str(value))
    assert found["value"] != found["default"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM kinds WHERE day < CAST('2026-01-06' AS DATE)",
        "SELECT cast(coalesce(day, '') as Timestamp) AS n FROM kinds",
        "SELECT count(*) AS n FROM kinds WHERE moment < TIMESTAMP '2026-01-06 00:00:00'",
        "SELECT extract(year FROM day) AS n FROM kinds",
        "SELECT count(*) AS n FROM kinds WHERE day < DATE '2026-01-06'",
        "SELECT CAST(word AS STRING) AS n FROM kinds",
        "SELECT CAST(word AS UUID) AS n FROM kinds",
        "SELECT CAST(moment AS TIMESTAMP(3)) AS n FROM kinds",
        "SELECT CAST('1' AS INTERVAL) AS n FROM kinds",
    ],
)
def test_types_that_it_would_take_for_numbers_are_refused(sqlite: PreparedContender, kinds: Tables, sql: str) -> None:
    with sqlite.start(kinds) as worker, pytest.raises(WorkerEnded) as caught:
        asked(worker, sql)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.UNSUPPORTED, True)


def test_words_that_look_like_a_cast_are_none(sqlite: PreparedContender, kinds: Tables) -> None:
    sql = (
        "SELECT 'CAST(x AS DATE)' AS s, CAST(d.n AS TEXT) AS date, -- CAST(x AS DATE)\n"
        "(SELECT max(day) AS date FROM kinds) AS last FROM kinds AS d WHERE CAST(('7') AS INTEGER) = d.n "
        "AND CAST(n AS DECIMAL(9, 2)) = CAST(n AS DOUBLE PRECISION) AND CAST(n AS UNSIGNED BIG INT) = CAST(n AS INT8) "
        "AND CAST(n AS VARCHAR(9)) = CAST(n AS CHARACTER VARYING)"
    )
    with sqlite.start(kinds) as worker:
        assert rows(worker, sql) == [("CAST(x AS DATE)", "7", "2026-01-05")]


def test_a_column_has_the_type_of_its_values(sqlite: PreparedContender, kinds: Tables) -> None:
    with sqlite.start(kinds) as worker:
        _, table = asked(worker, "SELECT 1 AS a UNION ALL SELECT 2.5 UNION ALL SELECT NULL ORDER BY 1")
        assert table.column(0).to_pylist() == [None, 1.0, 2.5]
        assert asked(worker, "SELECT NULL AS a")[1].schema.field("a").type == pa.null()
        with pytest.raises(WorkerEnded, match="column a holds int, str"):
            asked(worker, "SELECT 1 AS a UNION ALL SELECT 'x'")
        with pytest.raises(WorkerEnded, match="column a holds float, int"):
            asked(worker, "SELECT 9007199254740993 AS a UNION ALL SELECT 0.5")
        assert rows(worker, "SELECT n, n FROM kinds WHERE n = 3") == [(3, 3)]


def test_answers_agree_with_those_of_other_types(sqlite: PreparedContender, kinds: Tables) -> None:
    sql = "SELECT min(day) AS d, max(moment) AS m, sum(price) AS p FROM kinds"
    schema = ResultSchema(
        columns=(
            Column(name="d", kind="date"), Column(name="m", kind="timestamp"), Column(name="p", kind="decimal"),
        )
    )  # fmt: skip
    with sqlite.start(kinds) as worker, prepared("duckdb").start(kinds) as other:
        compared = compare.compare(asked(worker, sql)[1], asked(other, sql)[1], schema)
    assert compared.agrees, compared.differences
    assert any(note.startswith("A7: doubles for the decimals of p") for note in compared.notes)


def test_a_copy_is_not_checked_against_itself_from_more_files(sqlite: PreparedContender, kinds: Tables) -> None:
    names = [
        [switch.name for switch, _ in metamorphic._variants(ready, kinds)] for ready in (sqlite, prepared("polars"))
    ]
    assert metamorphic.MORE_FILES not in names[0]
    assert metamorphic.MORE_FILES in names[1]
    assert "rows read backwards" in names[0]


def test_a_type_that_it_has_not_is_unsupported() -> None:
    """A limit of the engine is no mistake of its adapter."""
    from weigh.engines.sqlite.adapter import copy_in

    with pytest.raises(copy_in.Unsupported, match="SQLite has no type for time64"):
        copy_in._kind(pa.field("t", pa.time64("us")))


def test_a_table_is_there_without_the_columns_that_it_cannot_have(sqlite: PreparedContender, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    odd = {"u": pa.array([1, 2**64 - 1], pa.uint64()), "l": [[1], None], "at": pa.array([1, 2], pa.timestamp("ns"))}
    pq.write_table(pa.table({"n": [1, 2], **odd, "s": ["u * u", "b"]}), path)
    with sqlite.start(tables({"t": [path]})) as worker:
        for sql, value in (("SELECT sum(n) FROM t", 3), ("SELECT count(*) FROM t WHERE s = 'u * u'", 1)):
            assert asked(worker, sql)[1].column(0).to_pylist() == [value]
        for sql, columns in (
            ("SELECT * FROM t", "l .* u .* at"),
            ("SELECT max(u) FROM t", "u"),
            ("SELECT t.* FROM t", "l"),
        ):
            with pytest.raises(
                WorkerEnded, match=f"its table t is without .*{columns} .*: ask for other columns"
            ) as ended:
                asked(worker, sql)
            assert ended.value.outcome is Outcome.UNSUPPORTED


def test_a_table_that_it_cannot_have_takes_no_other_one(sqlite: PreparedContender, tmp_path: Path) -> None:
    made = {"plain": pa.table({"n": [1, 2]}), "times": pa.table({"t": pa.array([1], pa.time64("us"))})}
    paths = {name: [tmp_path / f"{name}.parquet"] for name in made}
    for name, table in made.items():
        pq.write_table(table, paths[name][0])
    with sqlite.start(tables(paths)) as worker:
        assert asked(worker, "SELECT sum(n) AS n FROM plain")[1].to_pylist() == [{"n": 3}]
        with pytest.raises(
            WorkerEnded, match=r"column t: SQLite has no type for time64.us., so it has no table times"
        ) as ended:
            asked(worker, "SELECT count(*) AS n FROM times")
    assert ended.value.outcome is Outcome.UNSUPPORTED


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (pa.table([pa.array([1]), pa.array([2])], names=["v", "V"]), "duplicate column name: V"),
        (pa.table({"at": pa.array([1], pa.timestamp("ns"))}), "below the microsecond"),
        (pa.table({"n": pa.array([1, 2**64 - 1], pa.uint64())}), "integers end at"),
    ],
)
def test_a_table_whose_rows_it_cannot_have_takes_no_other_one(
    sqlite: PreparedContender, tmp_path: Path, odd: pa.Table, why: str
) -> None:
    paths = {name: [tmp_path / f"{name}.parquet"] for name in ("odd", "plain")}
    pq.write_table(odd, paths["odd"][0])
    pq.write_table(pa.table({"n": [1, 2]}), paths["plain"][0])
    with sqlite.start(tables(paths)) as worker:
        assert asked(worker, "SELECT sum(n) AS n FROM plain")[1].to_pylist() == [{"n": 3}]
        with pytest.raises(WorkerEnded, match=f"{why}.*, so it has no table odd"):
            asked(worker, "SELECT count(*) AS n FROM odd")
