"""The adapters, really run: versions and settings read back, answers complete, errors distinguished."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.worker_processes import asked, files, prepared, rows, tables
from weigh.engines import resources
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import PreparedContender, read_back
from weigh.engines.process import WorkerProcess
from weigh.experiment.gate.queries import read_answer
from weigh.model.errors import EngineFault
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.engines.loaded import Tables

CHDB = "chdb@4.4.0+chdb-core==26.9.0"
VERSIONS = {
    "duckdb@1.5.5": "1.5.5",
    "duckdb@2.0.0": "2.0.0",
    CHDB: "26.9.",
    "datafusion@50.1.0": "50.2.0",
    "datafusion@55.0.0": "55.2.0",
    "polars@1.35.2": "1.35.2",
    "polars@2.1.0": "2.1.0",
    "pyarrow@21.0.0": "21.0.0",
    "pyarrow@26.0.1": "26.0.1",
    "sqlite@3.50.4.0": "3.50.4",
    "sqlite@3.54.1.0": "3.54.1",
}
"""What each contender says of itself: the package's version is not always the engine's."""
SETTINGS = {
    "duckdb": ("threads", 1),
    "chdb": ("max_threads", 1),
    "datafusion": ("datafusion.execution.target_partitions", 1),
    "polars": ("threads", 1),
    "pyarrow": ("threads", 1),
    "sqlite": ("cache_size", 77),
}
FAILING = {
    "sqlite": "SELECT abs(-9223372036854775807 - 1) AS n",
    # Acero computes nothing here that can fail.
    "pyarrow": "SELECT * FROM nothing",
}
OUT_OF_MEMORY = {
    "duckdb@2.0.0?memory_limit=10MB": "SELECT list(i) AS n FROM range(10000000) AS t(i)",
    f"{CHDB}?max_memory_usage=1000000": "SELECT groupArray(number) AS n FROM numbers(10000000)",
    "datafusion@50.1.0?datafusion.runtime.memory_limit=1M": "SELECT array_agg(value) FROM generate_series(1, 5000000)",
    "datafusion@55.0.0?datafusion.runtime.memory_limit=1M": "SELECT array_agg(value) FROM generate_series(1, 5000000)",
    "sqlite@3.54.1.0?hard_heap_limit=2000000": "SELECT length(hex(zeroblob(5000000))) AS n",
}


@pytest.fixture(scope="module", params=VERSIONS)
def contender(request: pytest.FixtureRequest) -> PreparedContender:
    return prepared(request.param)


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """One table in two files, in a folder whose name wants to be quoted."""
    table = pa.table({"n": pa.array([1, 2, 3, None], pa.int64()), "s": ["a", "", None, "é'"]})
    return files(tmp_path_factory.mktemp("it's data"), "things", table, 2)


@pytest.fixture(scope="module")
def worker(contender: PreparedContender, things: Tables) -> Iterator[WorkerProcess]:
    with contender.start(things) as started:
        yield started


def test_the_engine_says_its_own_version(contender: PreparedContender, worker: WorkerProcess) -> None:
    assert worker.version().startswith(VERSIONS[contender.name])


@pytest.mark.long
def test_a_setting_is_read_back_as_it_is_in_force(contender: PreparedContender) -> None:
    setting, value = SETTINGS[contender.engine.name]
    described, findings = read_back(prepared(f"{contender.name}?{setting}={value}"))
    assert str(described.in_force[setting]["value"]) == str(value)
    assert described.settings == {setting: value}
    assert described.version.startswith(VERSIONS[contender.name])
    assert "nanoarrow==" in described.lock
    assert not findings


def test_what_a_life_may_use_is_read_as_all_settings_are(contender: PreparedContender, worker: WorkerProcess) -> None:
    names = resources.named(contender.engine)
    read, every = worker.settings(names), worker.settings()
    found, usual = ({name: one[name]["value"] for name in names if name in one} for one in (read, every))
    assert found == usual
    assert found or contender.engine.name != "duckdb"


def test_an_unknown_setting_is_refused(contender: PreparedContender) -> None:
    with pytest.raises(EngineFault, match="thraeds") as caught:
        read_back(prepared(f"{contender.name}?thraeds=1"))
    assert caught.value.where == f"contender {contender.name}?thraeds=1"


def test_all_files_of_a_table_are_read(worker: WorkerProcess) -> None:
    cost, table = asked(worker, "SELECT * FROM things")
    assert cost.rows == table.num_rows == 4
    assert sorted(table.to_pylist(), key=str) == sorted(
        [{"n": 1, "s": "a"}, {"n": 2, "s": ""}, {"n": 3, "s": None}, {"n": None, "s": "é'"}], key=str
    )


def test_an_execution_costs_something_that_is_told(worker: WorkerProcess) -> None:
    cost, _ = asked(worker, "SELECT count(*) AS n FROM things")
    assert cost.rows == 1
    assert cost.wall_s > 0
    # Memory and reads may be hidden from a process; what it was charged is not.
    assert None not in (cost.cpu_s, cost.major_faults)


def test_no_rows_are_an_answer(worker: WorkerProcess) -> None:
    cost, table = asked(worker, "SELECT n FROM things WHERE n = 77")
    assert (cost.rows, table.num_rows, table.column_names) == (0, 0, ["n"])


def test_an_answer_can_be_fetched_twice_and_the_next_one_is_another(worker: WorkerProcess) -> None:
    _, first = asked(worker, "SELECT 1 AS x")
    path, _ = worker.answer(30)
    assert read_answer(path).equals(first)
    assert asked(worker, "SELECT 2 AS x")[1].to_pylist() == [{"x": 2}]


@pytest.mark.parametrize("sql", ["SELEKT 1", "SELECT no_such_function(1)"])
def test_what_it_cannot_parse_is_unsupported_and_no_failure(worker: WorkerProcess, sql: str) -> None:
    with pytest.raises(WorkerEnded) as caught:
        asked(worker, sql)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.UNSUPPORTED, True)


def test_a_union_of_no_kind_is_answered_or_not_supported(worker: WorkerProcess) -> None:
    """ClickHouse wants to be determined whether ALL or DISTINCT is meant: it did not fail."""
    try:
        _, table = asked(worker, "SELECT n FROM things UNION SELECT n FROM things")
    except WorkerEnded as ended:
        assert ended.outcome is Outcome.UNSUPPORTED
    else:
        assert table.num_rows == 4


def test_after_an_error_the_life_goes_on(contender: PreparedContender, worker: WorkerProcess) -> None:
    with pytest.raises(WorkerEnded) as caught:
        asked(worker, FAILING.get(contender.engine.name, "SELECT CAST(s AS INTEGER) AS n FROM things WHERE s = 'a'"))
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)
    assert asked(worker, "SELECT count(*) AS n FROM things")[1].to_pylist() == [{"n": 4}]


def test_a_missing_table_is_an_error(worker: WorkerProcess) -> None:
    with pytest.raises(WorkerEnded) as caught:
        asked(worker, "SELECT count(*) AS n FROM nowhere")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)
    assert asked(worker, "SELECT count(*) AS n FROM things")[1].to_pylist() == [{"n": 4}]


@pytest.mark.parametrize(("contender", "sql"), OUT_OF_MEMORY.items(), indirect=["contender"])
def test_no_memory_is_no_error(contender: PreparedContender, things: Tables, sql: str) -> None:
    with contender.start(things) as started:
        with pytest.raises(WorkerEnded) as caught:
            asked(started, sql)
        assert (caught.value.outcome, caught.value.alive) == (Outcome.OUT_OF_MEMORY, True)
        assert rows(started, "SELECT max(n) AS n FROM things") == [(3,)]


@pytest.mark.long
@pytest.mark.parametrize("there", [0, 1])
def test_a_missing_file_is_an_error(contender: PreparedContender, things: Tables, there: int) -> None:
    paths = [Path(path) for path in things.paths["things"][:there]]
    missing = tables({"t": [*paths, Path("/nowhere/at all.parquet")]})
    with pytest.raises(WorkerEnded) as caught, contender.start(missing) as started:
        asked(started, "SELECT * FROM t")
    assert caught.value.outcome in (Outcome.ERROR, Outcome.UNSUPPORTED)


def test_a_life_leaves_nothing_behind(contender: PreparedContender, things: Tables) -> None:
    with contender.start(things) as started:
        path, _ = (asked(started, "SELECT 1 AS x"), started.answer(30))[1]
        folders, pid = (started.folder, path.parent), started.pid
        assert all(folder.is_dir() for folder in folders)
    assert not any(folder.exists() for folder in folders)
    assert not Path(f"/proc/{pid}").exists()


def test_it_does_not_see_what_is_installed_beside_weigh(
    contender: PreparedContender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the worker package and its own environment are importable."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "src"))
    with WorkerProcess(contender.engine, contender.environment, contender.settings) as started:
        entries = Path(f"/proc/{started.pid}/environ").read_bytes().split(b"\0")
    (path,) = [entry for entry in entries if entry.startswith(b"PYTHONPATH=")]
    assert path == f"PYTHONPATH={started.folder}/lib".encode()


def test_chdb_s_query_cache_is_off_and_read_back() -> None:
    described, findings = read_back(prepared(CHDB))
    assert described.in_force["use_query_cache"]["value"] == "0"
    assert not findings


def test_chdb_s_query_cache_is_found_when_it_is_on() -> None:
    _, findings = read_back(prepared(f"{CHDB}?use_query_cache=1"))
    assert [finding.code for finding in findings] == ["A9.enabled"], json.dumps([f.text for f in findings])


@pytest.mark.parametrize("engine", ["duckdb", CHDB, "datafusion", "polars", "pyarrow", "sqlite"])
def test_a_table_that_cannot_be_read_takes_no_other_one(engine: str, tmp_path: Path) -> None:
    paths = {name: [tmp_path / f"{name}.parquet"] for name in ("odd", "plain")}
    paths["odd"][0].write_bytes(b"PAR1 is no Parquet file PAR1")
    pq.write_table(pa.table({"n": [1, 2]}), paths["plain"][0])
    with prepared(engine).start(tables(paths)) as started:
        assert rows(started, "SELECT n FROM plain") == [(1,), (2,)]
        with pytest.raises(WorkerEnded):
            rows(started, "SELECT n FROM odd")
