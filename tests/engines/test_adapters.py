"""The adapters, really run: versions and settings read back, answers complete, errors told apart."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.engines.life import Life, LifeEnded
from weigh.model.contender import parse_contender
from weigh.model.errors import EngineFault
from weigh.model.sample import Outcome
from weigh.protocol.interview import read_answer
from weigh.protocol.prepare import Ready, cache_folder, read_back, ready

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTENDERS = ("duckdb@1.5.5", "duckdb@2.0.0", "chdb@4.4.0+chdb-core==26.9.0")
VERSIONS = dict(zip(CONTENDERS, ("1.5.5", "2.0.0", "26.9."), strict=True))
THREADS = dict(zip(CONTENDERS, ("threads", "threads", "max_threads"), strict=True))


@pytest.fixture(scope="module", params=CONTENDERS)
def contender(request: pytest.FixtureRequest) -> Ready:
    return ready(parse_contender(request.param), cache_folder())


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """One table in two files, in a folder whose name wants to be quoted."""
    folder = tmp_path_factory.mktemp("it's data")
    rows = pa.table({"n": pa.array([1, 2, 3, None], pa.int64()), "s": ["a", "", None, "é'"]})
    paths = [folder / f"{number}.parquet" for number in range(2)]
    for number, path in enumerate(paths):
        pq.write_table(rows.slice(2 * number, 2), path)
    return {"things": [str(path) for path in paths]}


@pytest.fixture(scope="module")
def life(contender: Ready, tables: dict[str, list[str]]) -> Iterator[Life]:
    with contender.start(tables) as started:
        yield started


def asked(life: Life, sql: str) -> tuple[dict[str, object], pa.Table]:
    life.ask("prepare", 30, sql=sql)
    cost = life.ask("run", 30)
    path, _ = life.answer(30)
    return cost, read_answer(path)


def test_the_engine_says_its_own_version(contender: Ready, life: Life) -> None:
    assert life.version().startswith(VERSIONS[contender.name])


def test_a_setting_is_read_back_as_it_is_in_force(contender: Ready) -> None:
    setting = THREADS[contender.name]
    described, findings = read_back(ready(parse_contender(f"{contender.name}?{setting}=1"), cache_folder()))
    assert str(described.in_force[setting]["value"]) == "1"
    assert described.settings == {setting: 1}
    assert described.version.startswith(VERSIONS[contender.name])
    assert "nanoarrow==" in described.lock
    assert not findings


def test_an_unknown_setting_is_refused(contender: Ready) -> None:
    with pytest.raises(EngineFault, match="thraeds") as caught:
        read_back(ready(parse_contender(f"{contender.name}?thraeds=1"), cache_folder()))
    assert caught.value.where == f"contender {contender.name}?thraeds=1"


def test_all_files_of_a_table_are_read(life: Life) -> None:
    cost, table = asked(life, "SELECT * FROM things")
    assert cost["rows"] == table.num_rows == 4
    assert sorted(table.to_pylist(), key=str) == sorted(
        [{"n": 1, "s": "a"}, {"n": 2, "s": ""}, {"n": 3, "s": None}, {"n": None, "s": "é'"}], key=str
    )


def test_an_execution_costs_something_that_is_told(life: Life) -> None:
    cost, _ = asked(life, "SELECT count(*) AS n FROM things")
    assert {"wall_s", "cpu_s", "rows", "peak_memory", "bytes_read", "major_faults"} == cost.keys()
    assert cost["rows"] == 1


def test_no_rows_are_an_answer(life: Life) -> None:
    cost, table = asked(life, "SELECT n FROM things WHERE n = 77")
    assert (cost["rows"], table.num_rows, table.column_names) == (0, 0, ["n"])


def test_an_answer_can_be_fetched_twice_and_the_next_one_is_another(life: Life) -> None:
    _, first = asked(life, "SELECT 1 AS x")
    path, _ = life.answer(30)
    assert read_answer(path).equals(first)
    assert asked(life, "SELECT 2 AS x")[1].to_pylist() == [{"x": 2}]


@pytest.mark.parametrize("sql", ["SELEKT 1", "SELECT no_such_function(1)"])
def test_what_it_cannot_parse_is_unsupported_and_no_failure(life: Life, sql: str) -> None:
    with pytest.raises(LifeEnded) as caught:
        asked(life, sql)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.UNSUPPORTED, True)


def test_after_an_error_the_life_goes_on(life: Life) -> None:
    with pytest.raises(LifeEnded) as caught:
        asked(life, "SELECT CAST(s AS INTEGER) AS n FROM things WHERE s = 'a'")
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)
    assert asked(life, "SELECT count(*) AS n FROM things")[1].to_pylist() == [{"n": 4}]


def test_a_missing_file_is_an_error(contender: Ready) -> None:
    with pytest.raises(LifeEnded) as caught, contender.start({"t": ["/nowhere/at all.parquet"]}) as started:
        asked(started, "SELECT * FROM t")
    assert caught.value.outcome in (Outcome.ERROR, Outcome.UNSUPPORTED)


def test_a_life_leaves_nothing_behind(contender: Ready, tables: dict[str, list[str]]) -> None:
    with contender.start(tables) as started:
        path, _ = (asked(started, "SELECT 1 AS x"), started.answer(30))[1]
        folders, pid = (started.folder, path.parent), started.pid
        assert all(folder.is_dir() for folder in folders)
    assert not any(folder.exists() for folder in folders)
    assert not Path(f"/proc/{pid}").exists()


def test_it_does_not_see_what_is_installed_beside_weigh(contender: Ready) -> None:
    """Only the worker package and its own environment are importable."""
    environment = {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    os.environ.update(environment)
    try:
        with Life(contender.engine, contender.environment, contender.settings) as started:
            entries = Path(f"/proc/{started.pid}/environ").read_bytes().split(b"\0")
    finally:
        del os.environ["PYTHONPATH"]
    (path,) = [entry for entry in entries if entry.startswith(b"PYTHONPATH=")]
    assert path == f"PYTHONPATH={started.folder}/lib".encode()


def test_chdb_s_query_cache_is_off_and_read_back() -> None:
    described, findings = read_back(ready(parse_contender(CONTENDERS[2]), cache_folder()))
    assert described.in_force["use_query_cache"]["value"] == "0"
    assert not findings


def test_chdb_s_query_cache_is_found_when_it_is_on() -> None:
    _, findings = read_back(ready(parse_contender(f"{CONTENDERS[2]}?use_query_cache=1"), cache_folder()))
    assert [finding.code for finding in findings] == ["A9.enabled"], json.dumps([f.text for f in findings])
