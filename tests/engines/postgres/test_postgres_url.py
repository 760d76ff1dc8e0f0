"""PostgreSQL by URL: a server that is there already, its password, what a connection can be."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from support.command import RAN
from support.postgres_contenders import (
    ENDLESS,
    SECRET,
    asked,
    asking,
    cells,
    eventually,
    everything,
    made,
    planned,
    value,
    written,
)
from weigh._native import digest_arrow
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import read_back
from weigh.model.contender import check_url, parse_contender
from weigh.model.errors import EngineFault, UsageError
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh
    from weigh.engines.loaded import Tables

SERVE = """
import importlib.util, subprocess, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("weigh_adapter", sys.argv[1])
adapter = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = adapter
spec.loader.exec_module(adapter)
port, secret = sys.argv[2:]
user = adapter.os_user.unprivileged()
programs = adapter.os_user.programs(user)
place = adapter.os_user.temporary(Path(), user)
try:
    data = place / "data"
    adapter.server.initialise(programs, data, user, place)
    first = adapter.server.Server(programs, data, {}, place / "log", user)
    first.connection.execute("CREATE ROLE tester LOGIN PASSWORD '" + secret + "'")
    first.connection.execute("CREATE DATABASE bench OWNER tester TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'")
    first.stop()
    (data / "pg_hba.conf").write_text("local all all trust\\nhost all all 127.0.0.1/32 scram-sha-256\\n")
    options = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": "", "work_mem": "8MB"}
    words = [word for name, value in options.items() for word in ("-c", name + "=" + value)]
    running = subprocess.Popen(
        [programs / "postgres", "-D", data, *words], cwd="/", start_new_session=True, stderr=(place / "log").open("ab"),
        preexec_fn=adapter.server._ended_with_us(3), **adapter.server._as(user),
    )
    print("serving", flush=True)
    sys.stdin.read()
    running.terminate()
    running.wait()
finally:
    adapter.shutil.rmtree(place)
"""
"""A throwaway server on a port of its own, with a password, from the same wheel; ends with its standard input."""


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The URL of a server that takes a password, which is in the environment."""
    one = made()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    source = Path(__file__).parents[3] / "src"
    with subprocess.Popen(
        [str(one.environment.python), "-P", "-c", SERVE, str(one.engine.adapter), str(port), SECRET],
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "serving\n"

        def listening() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        eventually(listening)
        yield f"postgresql://tester@127.0.0.1:{port}/bench"
        assert process.stdin
        process.stdin.close()


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)


@pytest.mark.usefixtures("password")
def test_by_url_a_life_is_a_connection(served: str, tables: Tables, tmp_path: Path) -> None:
    one = made(f"postgres?weigh.url={served}&enable_hashjoin=false&weigh.threads=1", tmp_path)
    described, _ = read_back(one)
    assert described.version == "18.6"
    assert described.in_force["weigh.life"] == {"value": "connection", "default": "server"}
    assert described.in_force["enable_hashjoin"]["value"] == "off"
    assert described.in_force["max_parallel_workers_per_gather"]["value"] == "0"
    # The server's own, which the contender did not ask for.
    assert described.in_force["work_mem"] == {"value": "8MB", "default": "4MB"}
    with one.start(tables) as first, one.start(tables) as second:
        assert value(first, "SELECT count(*) AS n FROM many") == 20_000
        schemas = {value(worker, "SELECT current_schema() AS x") for worker in (first, second)}
        assert {name.startswith("weigh_") and len(name) == 18 for name in schemas} == {True}
        assert len(schemas) == 1
        # Nobody who works for a contender is taken for a stranger.
        (server,) = set(first.servers() + second.servers())
        assert Path("/proc", str(server), "comm").read_text().strip() == "postgres"
        rows = cells(first, "SELECT s FROM things ORDER BY s")
        assert [row["s"] for row in rows] == ["", "a", "é'", None]
        with pytest.raises(WorkerEnded, match="read-only transaction"):
            asked(first, "DELETE FROM things")
    (store,) = (tmp_path / "copies").glob("postgres-*")
    assert sorted(path.name for path in store.iterdir()) == ["schema", "tables.json"]


@pytest.mark.usefixtures("password")
def test_by_url_every_type_comes_back_as_it_was(served: str, tmp_path: Path) -> None:
    with made(f"postgres?weigh.url={served}", tmp_path).start(written(tmp_path, all_types=everything())) as worker:
        _, found = asked(worker, "SELECT * FROM all_types")
    assert digest_arrow(found) == digest_arrow(pq.read_table(tmp_path / "all_types.parquet"))


@pytest.mark.usefixtures("password")
def test_by_url_a_killed_life_leaves_no_query(served: str, tables: Tables, tmp_path: Path) -> None:
    one = made(f"postgres?weigh.url={served}", tmp_path)
    begun = one.start(tables)
    backend = value(begun, "SELECT pg_backend_pid() AS x")
    asker = asking(begun, planned(ENDLESS, 2))
    running = "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%a.n * b.n%' AND pid <> pg_backend_pid()"
    with one.start(tables) as watching:
        eventually(lambda: value(watching, running) > 0)
        begun.kill()
        asker.join()
        eventually(lambda: value(watching, running) == 0)
        assert value(watching, f"SELECT count(*) AS n FROM pg_stat_activity WHERE pid = {backend}") == 0


@pytest.mark.usefixtures("password")
def test_by_url_a_lost_connection_ends_the_life(served: str, tables: Tables, tmp_path: Path) -> None:
    one = made(f"postgres?weigh.url={served}", tmp_path)
    begun = one.start(tables)
    backend = value(begun, "SELECT pg_backend_pid() AS x")
    with one.start(tables) as other:
        assert value(other, f"SELECT pg_terminate_backend({backend}) AS x") is True
    with pytest.raises(WorkerEnded, match="connection is lost") as caught:
        asked(begun, "SELECT 1 AS x")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.LOST, False)


@pytest.mark.usefixtures("password")
def test_by_url_a_schema_that_is_gone_is_said(served: str, tables: Tables, tmp_path: Path) -> None:
    one = made(f"postgres?weigh.url={served}", tmp_path)
    store = one.load(tables)
    (store / "schema").write_text("weigh_000000000000")
    with pytest.raises(WorkerEnded, match=f"no schema weigh_000000000000 any more; remove {store}"):
        one.start(tables)


@pytest.mark.usefixtures("password")
@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("shared_buffers=1GB", "cannot be changed without restarting the server"),
        ("thraeds=1", 'unrecognized configuration parameter "thraeds"'),
        ("no_such.extension=1", 'unrecognized configuration parameter "no_such.extension"'),
    ],
)
def test_by_url_what_a_session_cannot_set_is_refused(served: str, setting: str, said: str) -> None:
    with pytest.raises(EngineFault) as caught:
        read_back(made(f"postgres?weigh.url={served}&{setting}"))
    assert said in caught.value.what


def test_by_url_without_the_password_nothing_begins(served: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with pytest.raises(EngineFault, match="no password supplied"):
        read_back(made(f"postgres?weigh.url={served}"))


def test_by_url_the_password_is_nowhere_in_the_evidence(weigh: Weigh, served: str) -> None:
    run = weigh(
        "run", "--contender", f"pg=postgres?weigh.url={served}", "--contender", "duckdb", "--scale", "2K",
        "--operations", "eq_action,by_proto", "--starts", "1", "--rounds", "1", "--runs", "1", "--json",
        PGPASSWORD=SECRET,
    )  # fmt: skip
    assert run.code in RAN, run.err
    assert {one["status"] for one in run.json["gate"]} == {"agreed"}
    files = [path for path in run.evidence.rglob("*") if path.is_file()]
    assert files
    assert not [path.name for path in files if SECRET.encode() in path.read_bytes()]
    assert SECRET not in run.out + run.err
    assert any(served.encode() in path.read_bytes() for path in files)
    # What nobody measured is not said to be measured, and nobody is accused for it.
    metrics = {one["metric"] for one in run.json["timings"] if one["contender"] == "pg"}
    assert metrics <= {"wall_s"}
    assert {code for code in run.codes if code.startswith("A")} <= {"A12.unseen"}, "its data could not be exchanged"


def test_a_password_in_the_url_is_refused_before_anything_is_written(weigh: Weigh) -> None:
    url = f"postgresql://tester:{SECRET}@127.0.0.1/bench"
    (weigh.folder / "weigh.toml").write_text(
        f'[[contender]]\nname = "pg"\nengine = "postgres"\nsettings = {{ "weigh.url" = "{url}" }}\n'
    )
    for contender in (f"postgres?weigh.url={url}", "pg"):
        run = weigh("run", "--contender", contender, "--contender", "duckdb")
        assert run.code == 2
        assert "weigh.url holds a password" in run.err
        assert SECRET not in run.out + run.err
        assert not (weigh.folder / "runs").exists()


@pytest.mark.parametrize("place", ["h:0", "h:99999", "h:-5", "h:abc", "[::1]:65536", "one:5432,two:70000"])
def test_a_port_that_is_none_is_refused_before_anything_starts(place: str) -> None:
    with pytest.raises(UsageError, match="its port is no number from 1 to 65535"):
        check_url({"weigh.url": f"postgresql://tester@{place}/bench"})
    check_url({"weigh.url": "postgresql://tester@[fe80::1]:65535,two:1/bench"})


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://tester:{SECRET}@127.0.0.1/bench",
        f"postgresql://tester@127.0.0.1/bench?password={SECRET}",
        f"postgresql://tester@127.0.0.1/bench?sslmode=require%26sslpassword={SECRET}",
        f"postgresql://tester@127.0.0.1/bench?sslmode=require%2526SSLpassword={SECRET}",
        f"postgresql://tester:17%252F{SECRET}@127.0.0.1/bench",
        # Not encoded, so that it would not be where a parser looks for it.
        f"postgresql://tester:a/{SECRET}@127.0.0.1/bench",
        f"postgresql://tester:1/{SECRET}@127.0.0.1/bench",
        f"postgresql://tester:1?{SECRET}@127.0.0.1/bench",
        f"postgresql://tester:1%23{SECRET}@127.0.0.1/bench",
        f"host=127.0.0.1 password={SECRET}",
    ],
)
def test_a_password_in_the_url_is_found_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError, match=r"weigh\.url (holds a password|is not a URL)") as caught:
        parse_contender(f"postgres?weigh.url={url}")
    assert SECRET not in f"{caught.value} {caught.value.where} {caught.value.remedy}"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://tester@db.example:5432/bench?sslmode=require",
        "postgresql://tester:@db.example/bench",
        "postgresql:///bench?host=/run/postgresql",
        "postgresql://[::1]:5433,db.example:1/bench",
    ],
)
def test_a_url_without_a_password_is_one(url: str) -> None:
    assert parse_contender(f"postgres?weigh.url={url}").settings == {"weigh.url": url}


def test_another_engine_has_no_url() -> None:
    with pytest.raises(UsageError, match=r"is no server: no URL reaches it"):
        made("duckdb?weigh.url=postgresql://tester@db.example/bench")
