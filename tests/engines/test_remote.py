"""Systems by URL, from the command line: how they are written, and drivers without a profile."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import types
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.engines import loaded
from weigh.engines.remote.adapter import Engine, profile_named, tables
from weigh.engines.remote.adapter.address import Address
from weigh.engines.remote.adapter.dbapi import DRIVER
from weigh.engines.remote.adapter.profile import Profile
from weigh.model.contender import parse_contender
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Weigh

SECRET = "hunter2-planted"


@pytest.mark.parametrize(
    ("text", "name", "engine", "url"),
    [
        ("new=trino://ana@h:8080/hive/tpch", "new", "trino", "trino://ana@h:8080/hive/tpch"),
        ("mariadb://root@127.0.0.1:3306", "mariadb://127.0.0.1:3306", "mariadb", "mariadb://root@127.0.0.1:3306"),
        ("sc://ana@h:15002/lake", "sc://h:15002/lake", "spark", "sc://ana@h:15002/lake"),
        ("pg=postgresql://me@h/db?work_mem=1MB", "pg", "postgres", "postgresql://me@h/db"),
    ],
)
def test_a_url_is_a_contender(text: str, name: str, engine: str, url: str) -> None:
    one = parse_contender(text)
    assert (one.name, one.engine, one.settings["weigh.url"], one.remote) == (name, engine, url, True)


def test_settings_stand_behind_the_url_and_passwords_in_none() -> None:
    assert parse_contender("a=mariadb://h/db?join_cache_level=8").settings["join_cache_level"] == 8
    with pytest.raises(UsageError, match="holds a password") as refused:
        parse_contender(f"a=mariadb://root:{SECRET}@h/db")
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("name", ["password", "passwd", "auth_token", "secret_access_key"])
@pytest.mark.parametrize("spec", ["a=dbapi:module?{}={}", "a=trino://h/hive?{}={}"])
def test_a_secret_among_the_arguments_is_refused_and_not_repeated(spec: str, name: str) -> None:
    with pytest.raises(UsageError, match="is a secret by its name") as refused:
        parse_contender(spec.format(name, SECRET))
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "arguments",
    [
        "dbapi:psycopg?conninfo=host=db password={}",
        "dbapi:psycopg?conninfo=host=db%20password%20=%20'{}'",
        "dbapi:pyodbc?dsn=SERVER=db;UID=me;PWD={}",
        "adbc:postgresql?uri=postgresql://db/x?user=me%26password={}",
        'adbc:x?options={{"access_token": "{}"}}',
    ],
)
def test_a_secret_inside_an_argument_is_refused_and_not_repeated(arguments: str) -> None:
    with pytest.raises(UsageError, match="holds a") as refused:
        parse_contender("a=" + arguments.format(SECRET))
    assert SECRET not in str(refused.value)


def test_no_secret_is_seen_where_there_is_none() -> None:
    for text in (
        "adbc:postgresql?uri=postgresql://me@db:5432/tokens?sslmode=disable",
        "dbapi:m?dsn=host=db user=passat",
    ):
        assert parse_contender("a=" + text).settings


def test_adbc_puts_the_password_into_the_address_that_names_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}
    driver = types.ModuleType("adbc_driver_here.dbapi")

    def connect(uri: str, db_kwargs: dict[str, str] | None = None) -> None:
        seen.update(uri=uri, **(db_kwargs or {}))
        raise OSError(f"no server at {uri}")

    driver.connect = connect  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "adbc_driver_here.dbapi", driver)
    address = Address("", "", "p@ss/word", "", 0, ())
    for uri, wanted in (
        ("x://me@db:1/d", {"uri": "x://me:p%40ss%2Fword@db:1/d"}),
        ("x://db", {"password": "p@ss/word"}),
    ):
        seen.clear()
        with pytest.raises(OSError, match="no server") as failed:
            profile_named("adbc").connect(address, {DRIVER: "here", "uri": uri})
        assert wanted.items() <= seen.items()
        assert "word" not in str(failed.value)


def test_a_connection_that_its_driver_closed_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr("os._exit", ended.append)
    life = Engine.__new__(Engine)
    life.system = profile_named("dbapi")
    error = sqlite3.OperationalError("terminating connection")
    for closed, codes in (
        (False, []),
        (0, []),
        (lambda: False, []),
        (True, [os.EX_UNAVAILABLE]),
        (2, [os.EX_UNAVAILABLE] * 2),
    ):
        life.connection = types.SimpleNamespace(closed=closed)
        life.classify(error)
        assert ended == codes


@pytest.mark.long
@pytest.mark.parametrize("driver", ["dbapi:sqlite3?database", "adbc:sqlite?uri"])
@pytest.mark.parametrize(("planted", "code"), [(7, 0), (8, 1)])
def test_a_driver_without_a_profile_is_asked_what_the_others_are(
    weigh: Weigh, driver: str, planted: int, code: int
) -> None:
    """The twin has the rows of the files; the liar another value in one of them."""
    pq.write_table(pa.table({"id": [1, 2, 3], "v": [5, 6, 7]}), weigh.folder / "t.parquet")
    with sqlite3.connect(weigh.folder / "t.db") as database:
        database.execute("CREATE TABLE t (id INTEGER, v INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(1, 5), (2, 6), (3, planted)])
    database.close()
    (weigh.folder / "q").mkdir()
    (weigh.folder / "q" / "total.sql").write_text("SELECT sum(v) AS total FROM t")
    lite = f"lite={driver}=t.db&weigh.lineage=sqlite"
    run = weigh(
        "gate",
        "--data",
        "t.parquet",
        "--sql",
        "q",
        "--contender",
        "duckdb",
        "--contender",
        lite,
        "--json",
        "--no-shrink",
    )
    assert run.code == code, run.err
    assert {"T10.sessions", "A9.unknown"} <= run.codes
    wrong = [row["operation"] for row in run.json["gate"] if row["status"] == "diverged"]
    assert bool(wrong or "A4.rows" in run.codes) == bool(code)


def test_a_driver_of_unknown_lineage_confirms_nobody(weigh: Weigh) -> None:
    """It may be the very engine that it agrees with."""
    pq.write_table(pa.table({"v": [5, 6, 7]}), weigh.folder / "t.parquet")
    (weigh.folder / "q").mkdir()
    (weigh.folder / "q" / "total.sql").write_text("SELECT sum(v) AS total FROM t")
    with sqlite3.connect(weigh.folder / "t.db") as database:
        database.execute("CREATE TABLE t (v INTEGER)")
        database.executemany("INSERT INTO t VALUES (?)", [(5,), (6,), (7,)])
    database.close()
    contenders = ("--contender", "duckdb", "--contender", "lite=dbapi:sqlite3?database=t.db")
    run = weigh("gate", "--data", "t.parquet", "--sql", "q", *contenders, "--json")
    assert [row["status"] for row in run.json["gate"]] == ["unverified"], run.err
    page = next(weigh.folder.glob("runs/*/report.txt")).read_text()
    assert "Of lite nobody knows what it is: weigh.lineage=NAME says it." in " ".join(page.split())


@pytest.mark.long
def test_what_a_driver_cannot_plan_is_unsupported_and_what_it_cannot_execute_has_failed(weigh: Weigh) -> None:
    pq.write_table(pa.table({"v": [2_000_000_000_000_000_000] * 7}), weigh.folder / "t.parquet")
    (weigh.folder / "q").mkdir()
    (weigh.folder / "q" / "unknown.sql").write_text("SELECT bit_xor(v) AS n FROM t")
    (weigh.folder / "q" / "wide.sql").write_text("SELECT sum(v) AS n FROM t")
    with sqlite3.connect(weigh.folder / "t.db") as database:
        database.execute("CREATE TABLE t (v INTEGER)")
        database.executemany("INSERT INTO t VALUES (?)", [(2_000_000_000_000_000_000,)] * 7)
    database.close()
    contenders = ("--contender", "duckdb", "--contender", "lite=dbapi:sqlite3?database=t.db")
    run = weigh("gate", "--data", "t.parquet", "--sql", "q", *contenders, "--no-shrink")
    text = " ".join(run.out.split())
    assert "lite cannot answer unknown: OperationalError: no such function: bit_xor." in text
    assert "lite failed on wide: " in text


@pytest.mark.long
def test_a_driver_that_cannot_connect_names_its_arguments(weigh: Weigh) -> None:
    run = weigh("gate", "--scale", "2K", "--contender", "a=adbc:nosuch?uri=t.db", "--contender", "duckdb")
    assert run.code == 2
    assert "No module named 'adbc_driver_nosuch'" in run.err
    assert "+PACKAGE==VERSION" in run.err


@pytest.mark.parametrize("key", ["password", "session_token"])
def test_a_secret_in_the_file_is_refused_and_not_repeated(weigh: Weigh, key: str) -> None:
    (weigh.folder / "weigh.toml").write_text(
        f"[[contender]]\nengine = 'dbapi'\nsettings = {{'weigh.driver' = 'dbapi:m', {key} = '{SECRET}'}}\n"
    )
    run = weigh("gate", "--scale", "2K")
    assert run.code == 2
    assert "is a secret by its name" in run.err
    assert SECRET not in run.err


class _Loading(Profile):
    name, lineage, about, types = "loading", "loading", "a system that is loaded", {"int64": "bigint"}

    def connect(self, address: Any, options: Any) -> Any:
        raise AssertionError("nothing is connected to")


def _loaded(folder: Path, ask: Callable[[str], Any], *columns: str) -> Path:
    """The copy of one table, as a loader of weigh's makes it."""
    copy = folder / "loading-x-k1-b"
    copy.mkdir(parents=True)
    pq.write_table(pa.table({name: pa.array([], pa.int64()) for name in columns}), folder / "t.parquet")
    cursor = SimpleNamespace(execute=lambda *_: None, close=lambda: None)
    connection = SimpleNamespace(cursor=lambda: cursor)
    tables.make(_Loading(), connection, ask, "load", "", {"t": [str(folder / "t.parquet")]}, copy, "x://me@there/db")
    return copy


def test_what_was_loaded_is_listed_with_the_statement_that_drops_it(tmp_path: Path) -> None:
    asked: list[str] = []
    _loaded(tmp_path / "copies", asked.append, "a").rename(tmp_path / "copies" / "x-k1")
    (found,) = loaded.in_servers(tmp_path)
    assert asked[0] == f'CREATE SCHEMA "{found.schema}"'
    assert (found.address, found.drop, found.killed) == (
        "x://me@there/db",
        f'DROP SCHEMA "{found.schema}" CASCADE',
        False,
    )


def test_a_schema_that_could_not_be_filled_is_dropped(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(sql: str) -> None:
        asked.append(sql)
        if sql.startswith("CREATE TABLE"):
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        _loaded(tmp_path / "copies", ask, "a")
    assert asked[-1].startswith('DROP SCHEMA "weigh_')
    assert loaded.in_servers(tmp_path) == []


def test_what_a_killed_loader_left_is_listed_and_dropped_by_the_next_one(tmp_path: Path) -> None:
    left = tmp_path / "copies" / "loading-x-k1-a"
    left.mkdir(parents=True)
    note = {"schema": "weigh_1", "left_out": {}, "address": "x://me@there/db", "drop": "DROP SCHEMA weigh_1"}
    (left / loaded.NOTE).write_text(json.dumps(note))
    (found,) = loaded.in_servers(tmp_path)
    assert found.killed
    asked: list[str] = []
    _loaded(tmp_path / "copies", asked.append, "a")
    assert asked[0] == "DROP SCHEMA weigh_1"
    assert not (left / loaded.NOTE).exists()
