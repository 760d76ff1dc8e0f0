"""Systems by URL, from the command line: a driver without a profile, and MariaDB where it is installed."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import time
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.model.contender import parse_contender
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Weigh

SECRET = "hunter2-planted"


@pytest.mark.parametrize(
    ("text", "name", "engine", "url"),
    [
        ("new=trino://ana@h:8080/hive/tpch", "new", "trino", "trino://ana@h:8080/hive/tpch"),
        ("mariadb://root@127.0.0.1:3306", "mariadb://127.0.0.1:3306", "mariadb", "mariadb://root@127.0.0.1:3306"),
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


@pytest.fixture(scope="module")
def maria(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """Port and socket of a MariaDB of this test's own, whose root has a password."""
    server, make = shutil.which("mariadbd", path=f"{os.environ['PATH']}:/usr/sbin"), shutil.which("mariadb-install-db")
    if server is None or make is None:
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server-core mariadb-client-core")
    folder = tmp_path_factory.mktemp("maria")
    common = ["--no-defaults", f"--datadir={folder / 'data'}", "--user=root"]
    subprocess.run(
        [make, *common, "--auth-root-authentication-method=normal", "--skip-test-db"], check=True, capture_output=True
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    first = folder / "first.sql"
    first.write_text(f"ALTER USER root@localhost IDENTIFIED BY '{SECRET}';")
    address = [f"--socket={folder / 's'}", f"--port={port}", "--bind-address=127.0.0.1", f"--init-file={first}"]
    with subprocess.Popen([server, *common, *address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while not (folder / "s").exists():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        yield port, folder / "s"
        # Its orderly end waits for clients that are gone.
        process.kill()


@pytest.mark.long
def test_mariadb_agrees_and_its_password_is_nowhere(weigh: Weigh, maria: tuple[int, Path]) -> None:
    spec = f"maria=mariadb://root@127.0.0.1:{maria[0]}?weigh.secret=DB_PASSWORD"
    asked = "by_action,eq_user,time_window,duration_by_proto"
    run = weigh(
        "gate",
        "--scale",
        "2K",
        "--operations",
        asked,
        "--contender",
        "duckdb",
        "--contender",
        spec,
        "--json",
        DB_PASSWORD=SECRET,
    )
    assert run.code == 0, run.err
    assert not [row for row in run.json["gate"] if row["status"] != "agreed"]
    assert "T10.sessions" in run.codes
    assert SECRET not in run.out + run.err
    assert not [one for one in run.evidence.rglob("*") if one.is_file() and SECRET.encode() in one.read_bytes()]


@pytest.mark.long
def test_what_is_abandoned_at_a_time_out_is_ended_in_the_server(weigh: Weigh, maria: tuple[int, Path]) -> None:
    """Without keys MariaDB takes minutes for this query."""
    spec = f"maria=mariadb://root@127.0.0.1:{maria[0]}"
    of_tpch = ("--workload", "tpch", "--scale", "0.01", "--operations", "q8", "--timeout", "3s")
    named = ("--contender", "duckdb", "--contender", spec)
    run = weigh("gate", *of_tpch, *named, "--json", MARIADB_PASSWORD=SECRET)
    assert "maria failed on q8" in " ".join(weigh("report", "latest").out.split()), run.json["gate"]
    client = shutil.which("mariadb")
    if client is None:
        pytest.skip("the client of MariaDB is not installed: apt-get install mariadb-client-core")
    command = [client, "--no-defaults", f"--socket={maria[1]}", "-uroot", "-N", "-e", "SHOW FULL PROCESSLIST"]
    own = {**os.environ, "MYSQL_PWD": SECRET}
    listed = subprocess.run(command, env=own, check=True, capture_output=True, text=True)
    assert "mkt_share" not in listed.stdout
