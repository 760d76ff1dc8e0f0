"""PostgreSQL, really run: the server of a wheel, its settings, its lives and deaths."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.postgres_contenders import (
    ENDLESS,
    asked,
    asking,
    cells,
    eventually,
    made,
    planned,
    segments,
    servers,
    value,
)
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import PreparedContender, read_back
from weigh.engines.process import WorkerProcess
from weigh.model.errors import EngineFault
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from support.command import Weigh
    from weigh.engines.loaded import Tables


def test_the_server_says_its_own_version(worker: WorkerProcess) -> None:
    assert worker.version() == "18.6"


def test_settings_are_read_back_from_the_server() -> None:
    described, findings = read_back(
        made("postgres?work_mem=64MB&Enable_HashJoin=false&statement_timeout=90s&fsync=off")
    )
    assert described.version == "18.6"
    assert described.in_force["work_mem"] == {"value": "64MB", "default": "4MB"}
    assert described.in_force["Enable_HashJoin"] == {"value": "off", "default": "on"}
    assert described.in_force["statement_timeout"] == {"value": "90s", "default": "0"}
    assert described.in_force["fsync"] == {"value": "off", "default": "on"}
    assert described.in_force["shared_buffers"] == {"value": "128MB", "default": "128MB"}
    # The wheel is built without LLVM, whatever the setting says.
    assert described.in_force["jit_available"]["value"] == "off"
    assert "weigh.life" not in described.in_force
    assert "psycopg==" in described.lock
    assert not findings


@pytest.mark.parametrize(("threads", "helpers"), [(1, "0"), (3, "2")])
def test_threads_are_the_processes_of_a_query(threads: int, helpers: str) -> None:
    described, _ = read_back(made(f"postgres?weigh.threads={threads}"))
    assert described.in_force["max_parallel_workers_per_gather"]["value"] == helpers
    assert described.in_force["weigh.threads"] == {"value": threads, "default": 3}


@pytest.mark.long
@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("thraeds=1", 'unrecognized configuration parameter "thraeds"'),
        ("no_such.extension=1", 'unrecognized configuration parameter "no_such.extension"'),
        ("work_mem=lots", 'invalid value for parameter "work_mem": "lots"'),
        ("port=5432", "port is decided by weigh"),
        ("weigh.threads=0", "weigh.threads = 0 is not a number of processes"),
    ],
)
def test_what_is_no_setting_is_refused(setting: str, said: str) -> None:
    with pytest.raises(EngineFault, match="cannot be started") as caught:
        read_back(made(f"postgres?{setting}"))
    assert said in caught.value.what


def test_nothing_is_on_the_network_and_nothing_is_written(worker: WorkerProcess) -> None:
    assert value(worker, "SHOW listen_addresses") == ""
    with pytest.raises(WorkerEnded, match="read-only transaction") as caught:
        asked(worker, "DELETE FROM things")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)


def test_the_server_is_nobody_special(contender: PreparedContender, tables: Tables) -> None:
    with contender.start(tables) as started:
        found = servers(contender.cache)
        assert found
        users = {Path(f"/proc/{pid}").stat().st_uid for pid in found}
        assert started.version()
    assert users == ({os.geteuid()} if os.geteuid() else {65534})


def test_all_files_of_a_table_are_read_and_names_are_folded(worker: WorkerProcess) -> None:
    cost, table = asked(worker, "SELECT N, S FROM Things ORDER BY n NULLS LAST")
    assert cost.rows == table.num_rows == 4
    assert table.to_pylist() == [
        {"n": 1, "s": "a"}, {"n": 2, "s": ""}, {"n": 3, "s": None}, {"n": None, "s": "é'"}
    ]  # fmt: skip


def test_what_the_client_costs_is_not_told_as_the_engine_s(worker: WorkerProcess) -> None:
    cost, _ = asked(worker, "SELECT count(*) AS n FROM things")
    assert cost.wall_s > 0
    assert cost.rows == 1
    of_the_client = (cost.cpu_s, cost.peak_memory, cost.bytes_read, cost.bytes_written, cost.major_faults)
    assert set(of_the_client) == {None}


@pytest.mark.parametrize(
    "sql", ["SELEKT 1", "SELECT no_such_function(1)", "SELECT n, s, count(*) FROM things GROUP BY n"]
)
def test_what_it_cannot_parse_is_unsupported_and_no_failure(worker: WorkerProcess, sql: str) -> None:
    with pytest.raises(WorkerEnded) as caught:
        asked(worker, sql)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.UNSUPPORTED, True)


@pytest.mark.parametrize("sql", ["SELECT s::integer FROM things WHERE s = 'a'", "SELECT 1 FROM no_such_table"])
def test_after_an_error_the_life_goes_on(worker: WorkerProcess, sql: str) -> None:
    with pytest.raises(WorkerEnded) as caught:
        asked(worker, sql)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)
    assert cells(worker, "SELECT count(*) AS n FROM things") == [{"n": 4}]


def test_two_lives_share_a_store_but_not_a_directory(tmp_path: Path, tables: Tables, cache: Path) -> None:
    one = made("postgres?work_mem=5MB", cache)
    where = "SELECT setting AS x FROM pg_settings WHERE name = 'data_directory'"
    with one.start(tables) as first, one.start(tables) as second:
        directories = {Path(value(worker, where)) for worker in (first, second)}
        assert [value(worker, "SELECT count(*) AS n FROM many") for worker in (first, second)] == [20_000, 20_000]
    assert {directory.name for directory in directories} == {"0", "1"}
    with one.start(tables) as third:
        assert Path(value(third, where)) in directories
    assert sorted(path.name for path in directories.pop().parent.iterdir()) == ["0", "0.lock", "1", "1.lock"]


@pytest.mark.long
@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("how", ["worker", "group"])
@pytest.mark.parametrize("helpers", [0, 2])
def test_a_killed_worker_leaves_no_server_and_no_query(
    contender: PreparedContender, tables: Tables, how: str, helpers: int
) -> None:
    """Neither the death of the worker alone, nor weigh's kill of its group: a query would be computed to its end."""
    before = servers(contender.cache)
    begun = contender.start(tables)
    asker = asking(begun, planned(ENDLESS, helpers))

    def busy() -> int:
        names = [Path(f"/proc/{pid}/cmdline") for pid in servers(contender.cache, before)]
        return sum(b"] SELECT" in name.read_bytes() or b"parallel worker" in name.read_bytes() for name in names)

    eventually(lambda: busy() > bool(helpers))
    if how == "worker":
        os.kill(begun.pid, signal.SIGKILL)
    else:
        begun.kill()
    eventually(lambda: not servers(contender.cache, before))
    begun.kill()
    asker.join()
    with contender.start(tables) as after:
        assert value(after, "SELECT count(*) AS n FROM many") == 20_000


@pytest.mark.usefixtures("worker")
def test_what_a_dead_server_left_stops_nobody(contender: PreparedContender, tables: Tables) -> None:
    """Its process id belongs to a living process of the same user by now."""
    with contender.start(tables) as begun:
        directory = Path(value(begun, "SELECT setting AS x FROM pg_settings WHERE name = 'data_directory'"))
        lines = (directory / "postmaster.pid").read_text().splitlines()
    somebody = min(servers(contender.cache))
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        left = directory / name
        left.write_text("\n".join([str(somebody), *lines[1:]]) + "\n")
        shutil.chown(left, directory.stat().st_uid)
    with contender.start(tables) as after:
        assert value(after, "SELECT count(*) AS n FROM many") == 20_000


def test_a_backend_that_dies_ends_the_life_and_not_the_next(contender: PreparedContender, tables: Tables) -> None:
    before = servers(contender.cache)
    begun = contender.start(tables)
    backend = value(begun, "SELECT pg_backend_pid() AS x")
    killer = threading.Timer(1.0, os.kill, (backend, signal.SIGSEGV))
    killer.start()
    with pytest.raises(WorkerEnded, match=r"SIGSEGV[\s\S]*terminated by signal 11") as caught:
        asked(begun, ENDLESS)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.CRASH, False)
    eventually(lambda: not servers(contender.cache, before))
    with contender.start(tables) as after:
        assert value(after, "SELECT count(*) AS n FROM many") == 20_000


def test_a_life_leaves_nothing_behind(contender: PreparedContender, tables: Tables) -> None:
    running = servers(contender.cache)
    with contender.start(tables) as begun:
        assert begun.version()
        shared = segments(servers(contender.cache, running))
    assert shared
    before = folders()
    with WorkerProcess(contender.engine, contender.environment, contender.settings) as bare:
        assert bare.version()
        ours = folders() - before
        assert len(ours) == (0 if os.geteuid() else 1)
    assert not servers(contender.cache, running)
    assert not [path for path in (*ours, *shared) if path.exists()]


def folders() -> set[Path]:
    """Where servers without data have theirs, of this process's lives."""
    return set(Path(tempfile.gettempdir()).glob(f"weigh-postgres-{os.getpid()}-*"))


@pytest.mark.long
def test_data_in_a_private_cache_lies_where_the_server_can_read_it(tmp_path: Path, tables: Tables) -> None:
    """Root's cache is out of reach of the user that the server runs as."""
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    one = made("postgres?work_mem=6MB", private)
    where = "SELECT setting AS x FROM pg_settings WHERE name = 'data_directory'"
    with one.start(tables) as begun:
        directory = Path(value(begun, where))
        assert value(begun, "SELECT count(*) AS n FROM many") == 20_000
    outside = private not in directory.parents
    assert outside == (os.geteuid() == 0)
    shutil.rmtree(private)
    # The next load elsewhere finds that nobody needs it any more.
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    store = made("postgres?work_mem=7MB", other).load(tables)
    assert not directory.exists()
    assert (store / "data").exists() != outside
    if outside:
        shutil.rmtree((store / "elsewhere").read_text())


@pytest.mark.long
def test_the_gate_agrees_on_every_operation_of_netflow(weigh: Weigh) -> None:
    run = weigh("gate", "--contender", "postgres", "--contender", "duckdb", "--scale", "20K", "--json")
    assert run.code == 0, run.err
    operations = run.json["gate"]
    assert len(operations) == 31
    assert {(one["status"], *one["contenders"]) for one in operations} == {("agreed", "postgres", "duckdb")}
    # Some literals select no row, rightly.
    assert {code for code in run.codes if code.startswith("A")} <= {"A13.empty"}
