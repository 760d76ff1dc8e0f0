"""PostgreSQL, really run: the server of a wheel, its lives and deaths, its types, and the same server by URL."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh._native import digest_arrow
from weigh.engines.life import Life, LifeEnded
from weigh.engines.stores import Tables
from weigh.model.contender import parse_contender
from weigh.model.errors import EngineFault, UsageError
from weigh.model.sample import Outcome
from weigh.protocol.interview import read_answer
from weigh.protocol.prepare import Ready, cache_folder, read_back, ready

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commands import Weigh

SECRET = "sesame-open-7731"
ENDLESS = "SELECT count(*) AS n FROM many a, many b, many c WHERE a.n * b.n * c.n % 7 = 1"


def made(text: str = "postgres", cache: Path | None = None) -> Ready:
    """A contender whose environment is cached and whose stores are the test's own."""
    one = ready(parse_contender(text), cache_folder())
    return msgspec.structs.replace(one, cache=cache) if cache else one


def written(folder: Path, **tables: pa.Table) -> Tables:
    """Tables as Parquet files, one each."""
    paths = {}
    for name, table in tables.items():
        path = folder / f"{name}.parquet"
        pq.write_table(table, path)
        paths[name] = [str(path)]
    return Tables(paths, key=str(folder))


def asked(life: Life, sql: str) -> tuple[dict[str, Any], pa.Table]:
    life.ask("prepare", 60, sql=sql)
    cost = life.ask("run", 60)
    path, _ = life.answer(60)
    return cost, read_answer(path)


def cells(life: Life, sql: str) -> list[dict[str, Any]]:
    return asked(life, sql)[1].to_pylist()


def value(life: Life, sql: str) -> Any:
    return asked(life, sql)[1].column(0)[0].as_py()


def servers(below: Path) -> set[int]:
    """Processes of PostgreSQL whose data lies below a folder; helpers and all."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if "postgres" in (entry / "comm").read_text() and below in (entry / "cwd").resolve().parents:
                    found.add(int(entry.name))
    return found


def eventually(check: Callable[[], bool], seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(0.05)


def planned(sql: str, helpers: int) -> str:
    """The query in front of which the planner is told how many helpers to use, also for a small table."""
    free = "parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"
    settings = {**dict.fromkeys(free, 0), "max_parallel_workers_per_gather": helpers}
    return "".join(f"SET {name} = {value}; " for name, value in settings.items()) + sql


@pytest.fixture(scope="module")
def cache() -> Iterator[Path]:
    """A cache that every user can reach, so that data lies in it also for root."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def contender(cache: Path) -> Ready:
    return made(cache=cache)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """One table in two files, in a folder whose name wants to be quoted, and one to keep a processor busy."""
    folder = tmp_path_factory.mktemp("it's data")
    things = pa.table({"n": pa.array([1, 2, 3, None], pa.int64()), "S": ["a", "", None, "é'"]})
    paths = [folder / f"{number}.parquet" for number in range(2)]
    for number, path in enumerate(paths):
        pq.write_table(things.slice(2 * number, 2), path)
    many = written(folder, many=pa.table({"n": range(20_000)}))
    return Tables({"Things": [str(path) for path in paths], **many.paths}, key="things")


@pytest.fixture(scope="module")
def life(contender: Ready, tables: Tables) -> Iterator[Life]:
    with contender.start(tables) as started:
        yield started


def test_the_server_says_its_own_version(life: Life) -> None:
    assert life.version() == "18.6"


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


def test_nothing_is_on_the_network_and_nothing_is_written(life: Life) -> None:
    assert value(life, "SHOW listen_addresses") == ""
    with pytest.raises(LifeEnded, match="read-only transaction") as caught:
        asked(life, "DELETE FROM things")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)


def test_the_server_is_nobody_special(contender: Ready, tables: Tables) -> None:
    with contender.start(tables) as started:
        found = servers(contender.cache)
        assert found
        users = {Path(f"/proc/{pid}").stat().st_uid for pid in found}
        assert started.version()
    assert users == ({os.geteuid()} if os.geteuid() else {65534})


def test_all_files_of_a_table_are_read_and_names_are_folded(life: Life) -> None:
    cost, table = asked(life, "SELECT N, S FROM Things ORDER BY n NULLS LAST")
    assert cost["rows"] == table.num_rows == 4
    assert table.to_pylist() == [
        {"n": 1, "s": "a"}, {"n": 2, "s": ""}, {"n": 3, "s": None}, {"n": None, "s": "é'"}
    ]  # fmt: skip


def test_what_the_client_costs_is_not_told_as_the_engine_s(life: Life) -> None:
    cost, _ = asked(life, "SELECT count(*) AS n FROM things")
    assert cost.pop("wall_s") > 0
    assert cost == {"rows": 1, "cpu_s": None, "peak_memory": None, "bytes_read": None, "major_faults": None}


def everything() -> pa.Table:
    """Every type that has one in PostgreSQL, with the values at which conversions go wrong."""
    instant = datetime.datetime(2024, 2, 29, 23, 59, 59, 999999)
    columns: dict[str, tuple[pa.DataType, list[Any]]] = {
        "b": (pa.bool_(), [True, False]),
        "i8": (pa.int8(), [-128, 127]),
        "i16": (pa.int16(), [-(2**15), 2**15 - 1]),
        "i32": (pa.int32(), [-(2**31), 2**31 - 1]),
        "i64": (pa.int64(), [-(2**63), 2**63 - 1]),
        "u8": (pa.uint8(), [0, 255]),
        "u16": (pa.uint16(), [0, 2**16 - 1]),
        "u32": (pa.uint32(), [0, 2**32 - 1]),
        "u64": (pa.uint64(), [0, 2**64 - 1]),
        "f32": (pa.float32(), [0.1, float("-inf")]),
        "f64": (pa.float64(), [float("nan"), 5e-324]),
        "g64": (pa.float64(), [-0.0, 1.7976931348623157e308]),
        "d": (pa.decimal128(38, 4), [Decimal("-1.1000"), Decimal("9" * 34 + ".9999")]),
        "wide": (pa.decimal256(60, 2), [Decimal("8" * 58 + ".25"), Decimal("0.00")]),
        "day": (pa.date32(), [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
        "ts": (pa.timestamp("us"), [datetime.datetime(1, 1, 1), instant]),
        "ms": (pa.timestamp("ms"), [datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), None]),
        "utc": (pa.timestamp("us", "UTC"), [instant, None]),
        "berlin": (pa.timestamp("us", "Europe/Berlin"), [instant, None]),
        "t": (pa.time64("us"), [datetime.time(23, 59, 59, 999999), datetime.time(0)]),
        "s": (pa.string(), ["", 'a "quoted",\r\n\\.\n\\N line']),
        "l": (pa.large_string(), ["NULL", "é漢🐘"]),
        "raw": (pa.binary(), [b"", b"\x00\xff\\x"]),
        "six": (pa.binary(2), [b"\x00\x01", b"ab"]),
    }
    made = {name: pa.array([*values, None], kind) for name, (kind, values) in columns.items()}
    made["word"] = pa.array(["x", "", None]).dictionary_encode()
    return pa.table(made)


def test_every_type_comes_back_as_it_was(contender: Ready, tmp_path: Path) -> None:
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


def test_a_column_with_nothing_but_null_keeps_its_rows(contender: Ready, tmp_path: Path) -> None:
    """A line of COPY for one NULL is empty."""
    with contender.start(written(tmp_path, lonely=pa.table({"s": pa.array([None, "", None], pa.string())}))) as started:
        assert cells(started, "SELECT s, count(*) AS n FROM lonely GROUP BY s ORDER BY s NULLS LAST") == [
            {"s": "", "n": 1},
            {"s": None, "n": 2},
        ]


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
    contender: Ready, tmp_path: Path, column: pa.Array, outcome: Outcome, said: str
) -> None:
    before = servers(contender.cache)
    with pytest.raises(LifeEnded, match=re.escape(said)) as caught:
        contender.start(written(tmp_path, t=pa.table({"x": column})))
    assert caught.value.outcome is outcome
    eventually(lambda: servers(contender.cache) <= before)
    assert not list((contender.cache / "stores").glob("loading-*"))


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
def test_expressions_have_the_types_of_their_values(life: Life, expression: str, expected: object) -> None:
    assert value(life, f"SELECT {expression} AS x FROM things") == expected


def test_a_numeric_that_is_no_number_makes_doubles(life: Life) -> None:
    _, table = asked(life, "SELECT x FROM (VALUES ('NaN'::numeric), ('-Infinity'), (1.5)) AS v(x) ORDER BY x")
    assert table.schema.types == [pa.float64()]
    assert [str(one) for one in table.column(0).to_pylist()] == ["-inf", "1.5", "nan"]


def test_text_is_compared_by_bytes(life: Life) -> None:
    rows = cells(life, "SELECT x FROM (VALUES ('a'), ('B'), ('é'), ('Z'), ('ab'), ('')) AS v(x) ORDER BY x")
    assert [row["x"] for row in rows] == ["", "B", "Z", "a", "ab", "é"]


def test_an_answer_can_be_fetched_twice_and_the_next_one_is_another(life: Life) -> None:
    _, first = asked(life, "SELECT n FROM many ORDER BY n")
    path, _ = life.answer(30)
    assert read_answer(path).equals(first)
    assert (first.num_rows, first.column(0)[19_999].as_py()) == (20_000, 19_999)
    assert cells(life, "SELECT 2 AS x") == [{"x": 2}]
    assert cells(life, "SELECT n FROM things WHERE n = 77") == []


@pytest.mark.parametrize(
    "sql", ["SELEKT 1", "SELECT no_such_function(1)", "SELECT n, s, count(*) FROM things GROUP BY n"]
)
def test_what_it_cannot_parse_is_unsupported_and_no_failure(life: Life, sql: str) -> None:
    with pytest.raises(LifeEnded) as caught:
        asked(life, sql)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.UNSUPPORTED, True)


@pytest.mark.parametrize("sql", ["SELECT s::integer FROM things WHERE s = 'a'", "SELECT 1 FROM no_such_table"])
def test_after_an_error_the_life_goes_on(life: Life, sql: str) -> None:
    with pytest.raises(LifeEnded) as caught:
        asked(life, sql)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)
    assert cells(life, "SELECT count(*) AS n FROM things") == [{"n": 4}]


def test_a_type_without_an_arrow_form_is_an_error(life: Life) -> None:
    with pytest.raises(LifeEnded, match=r"no Arrow form for the PostgreSQL type int8\[\] of column x") as caught:
        asked(life, "SELECT array_agg(n) AS x FROM things")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)


def test_two_lives_share_a_store_but_not_a_directory(tmp_path: Path, tables: Tables, cache: Path) -> None:
    one = made("postgres?work_mem=5MB", cache)
    where = "SELECT setting AS x FROM pg_settings WHERE name = 'data_directory'"
    with one.start(tables) as first, one.start(tables) as second:
        directories = {Path(value(life, where)) for life in (first, second)}
        assert [value(life, "SELECT count(*) AS n FROM many") for life in (first, second)] == [20_000, 20_000]
    assert {directory.name for directory in directories} == {"0", "1"}
    with one.start(tables) as third:
        assert Path(value(third, where)) in directories
    assert sorted(path.name for path in directories.pop().parent.iterdir()) == ["0", "0.lock", "1", "1.lock"]


def asking(life: Life, sql: str) -> threading.Thread:
    """A question that nobody waits for."""

    def ask() -> None:
        with suppress(LifeEnded):
            asked(life, sql)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


@pytest.mark.usefixtures("life")
@pytest.mark.parametrize("how", ["worker", "group"])
@pytest.mark.parametrize("helpers", [0, 2])
def test_a_killed_worker_leaves_no_server_and_no_query(
    contender: Ready, tables: Tables, how: str, helpers: int
) -> None:
    """Neither the death of the worker alone, nor weigh's kill of its group: a query would be computed to its end."""
    before = servers(contender.cache)
    begun = contender.start(tables)
    asker = asking(begun, planned(ENDLESS, helpers))

    def busy() -> int:
        names = [Path(f"/proc/{pid}/cmdline") for pid in servers(contender.cache) - before]
        return sum(b"] SELECT" in name.read_bytes() or b"parallel worker" in name.read_bytes() for name in names)

    eventually(lambda: busy() > bool(helpers))
    if how == "worker":
        os.kill(begun.pid, signal.SIGKILL)
    else:
        begun.kill()
    eventually(lambda: servers(contender.cache) <= before)
    begun.kill()
    asker.join()
    with contender.start(tables) as after:
        assert value(after, "SELECT count(*) AS n FROM many") == 20_000


@pytest.mark.usefixtures("life")
def test_what_a_dead_server_left_stops_nobody(contender: Ready, tables: Tables) -> None:
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


def test_a_backend_that_dies_ends_the_life_and_not_the_next(contender: Ready, tables: Tables) -> None:
    before = servers(contender.cache)
    begun = contender.start(tables)
    backend = value(begun, "SELECT pg_backend_pid() AS x")
    killer = threading.Timer(1.0, os.kill, (backend, signal.SIGSEGV))
    killer.start()
    with pytest.raises(LifeEnded, match=r"SIGSEGV[\s\S]*terminated by signal 11") as caught:
        asked(begun, ENDLESS)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.CRASH, False)
    eventually(lambda: servers(contender.cache) <= before)
    with contender.start(tables) as after:
        assert value(after, "SELECT count(*) AS n FROM many") == 20_000


def test_a_life_leaves_nothing_behind(contender: Ready, tables: Tables) -> None:
    running = servers(contender.cache)
    before = {path.name for path in Path("/dev/shm").iterdir() if path.name.startswith("PostgreSQL")}
    with contender.start(tables) as begun:
        assert begun.version()
    with Life(contender.engine, contender.environment, contender.settings) as bare:
        assert bare.version()
        ours = list(Path(tempfile.gettempdir()).glob(f"weigh-postgres-{os.getpid()}-*"))
        assert len(ours) == (0 if os.geteuid() else 1)
    assert servers(contender.cache) <= running
    assert not any(folder.exists() for folder in ours)
    assert before == {path.name for path in Path("/dev/shm").iterdir() if path.name.startswith("PostgreSQL")}


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


SERVE = """
import importlib.util, subprocess, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("weigh_adapter", sys.argv[1])
adapter = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = adapter
spec.loader.exec_module(adapter)
port, secret = sys.argv[2:]
user = adapter.account.unprivileged()
programs = adapter.account.programs(user)
place = adapter.account.temporary(Path(), user)
try:
    data = place / "data"
    adapter.server.initialise(programs, data, user)
    first = adapter.server.Server(programs, data, {}, place / "log", user)
    first.connection.execute("CREATE ROLE tester LOGIN PASSWORD '" + secret + "'")
    first.connection.execute("CREATE DATABASE bench OWNER tester TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'")
    first.stop()
    (data / "pg_hba.conf").write_text("local all all trust\\nhost all all 127.0.0.1/32 scram-sha-256\\n")
    options = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": "", "work_mem": "8MB"}
    words = [word for name, value in options.items() for word in ("-c", name + "=" + value)]
    running = subprocess.Popen(
        [programs / "postgres", "-D", data, *words], cwd="/", start_new_session=True, stderr=(place / "log").open("ab"),
        preexec_fn=adapter.server._ended_with_us(), **adapter.server._as(user),
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
    source = Path(__file__).parents[2] / "src"
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
        schemas = {value(life, "SELECT current_schema() AS x") for life in (first, second)}
        assert {name.startswith("weigh_") and len(name) == 18 for name in schemas} == {True}
        assert len(schemas) == 1
        rows = cells(first, "SELECT s FROM things ORDER BY s")
        assert [row["s"] for row in rows] == ["", "a", "é'", None]
        with pytest.raises(LifeEnded, match="read-only transaction"):
            asked(first, "DELETE FROM things")
    (store,) = (tmp_path / "stores").glob("postgres-*")
    assert [path.name for path in store.iterdir()] == ["schema"]


@pytest.mark.usefixtures("password")
def test_by_url_every_type_comes_back_as_it_was(served: str, tmp_path: Path) -> None:
    with made(f"postgres?weigh.url={served}", tmp_path).start(written(tmp_path, all_types=everything())) as life:
        _, found = asked(life, "SELECT * FROM all_types")
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
    with pytest.raises(LifeEnded, match="connection is lost") as caught:
        asked(begun, "SELECT 1 AS x")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.CRASH, False)


@pytest.mark.usefixtures("password")
def test_by_url_a_schema_that_is_gone_is_said(served: str, tables: Tables, tmp_path: Path) -> None:
    one = made(f"postgres?weigh.url={served}", tmp_path)
    store = one.load(tables)
    (store / "schema").write_text("weigh_000000000000")
    with pytest.raises(LifeEnded, match=f"no schema weigh_000000000000 any more; remove {store}"):
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
        "--operations", "eq_action,by_proto", "--starts", "1", "--runs", "1", "--json", PGPASSWORD=SECRET,
    )  # fmt: skip
    assert run.code == 0, run.err
    assert {one["status"] for one in run.json["gate"]} == {"agreed"}
    files = [path for path in run.evidence.rglob("*") if path.is_file()]
    assert files
    assert not [path.name for path in files if SECRET.encode() in path.read_bytes()]
    assert SECRET not in run.out + run.err
    assert any(served.encode() in path.read_bytes() for path in files)
    # What nobody measured is not said to be measured, and nobody is accused for it.
    metrics = {one["metric"] for one in run.json["timings"] if one["contender"] == "pg"}
    assert metrics <= {"wall_s"}
    assert not {code for code in run.codes if code.startswith("A")}


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://tester:{SECRET}@127.0.0.1/bench",
        f"postgresql://tester@127.0.0.1/bench?password={SECRET}",
        f"postgresql://tester@127.0.0.1/bench?sslmode=require%26sslpassword={SECRET}",
        f"postgresql://tester:17%252F{SECRET}@127.0.0.1/bench",
        # Not encoded, so that it would not be where a parser looks for it.
        f"postgresql://tester:a/{SECRET}@127.0.0.1/bench",
        f"postgresql://tester:1/{SECRET}@127.0.0.1/bench",
        f"postgresql://tester:1?{SECRET}@127.0.0.1/bench",
        f"host=127.0.0.1 password={SECRET}",
    ],
)
def test_a_password_in_the_url_is_refused_before_anything_is_written(weigh: Weigh, url: str) -> None:
    for arguments in (("--contender", f"postgres?weigh.url={url}"), ("--contender", "pg")):
        (weigh.folder / "weigh.toml").write_text(
            f'[[contender]]\nname = "pg"\nengine = "postgres"\nsettings = {{ "weigh.url" = "{url}" }}\n'
        )
        run = weigh("run", *arguments, "--contender", "duckdb")
        assert run.code == 2
        assert "weigh.url" in run.err
        assert SECRET not in run.out + run.err
        assert not (weigh.folder / "runs").exists()


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
    with pytest.raises(UsageError, match=r"no variant 'weigh\.url'"):
        made("duckdb?weigh.url=postgresql://tester@db.example/bench")


def test_the_gate_agrees_on_every_operation_of_netflow(weigh: Weigh) -> None:
    run = weigh("gate", "--contender", "postgres", "--contender", "duckdb", "--scale", "20K", "--json")
    assert run.code == 0, run.err
    operations = run.json["gate"]
    assert len(operations) == 24
    assert {(one["status"], *one["contenders"]) for one in operations} == {("agreed", "postgres", "duckdb")}
    assert not {code for code in run.codes if code.startswith("A")}
