"""What a user gets wrong alongside what tests/golden keeps: exit 2, one clear sentence, a remedy, nothing on stdout."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Run, Weigh

DUCKDB = ("--contender", "duckdb@2.0.0")


def assert_refused(run: Run, *said: str) -> None:
    assert run.code == 2, run.err
    assert run.out == ""
    lines = run.err.splitlines()
    assert [line for line in lines if line.startswith("error: ")] == lines[:1], run.err
    assert len(lines) >= 2, "no remedy"
    assert all(words in run.err for words in said), run.err


def test_an_operation_that_there_is_not(weigh: Weigh) -> None:
    run = weigh("gate", *DUCKDB, "--scale", "1K", "--operations", "eq_usr", "--quiet")
    assert_refused(run, "did you mean 'eq_user'?")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--contender", "duckbd"), "did you mean 'duckdb'?"),
        ((*DUCKDB, "--contender", "pg=postgres?weigh.ulr=postgres://db"), "did you mean 'weigh.url'?"),
        ((*DUCKDB, "--workload", "netflwo"), "did you mean 'netflow'?"),
        ((*DUCKDB, "--operations", "eq_usr"), "did you mean 'eq_user'?"),
        ((*DUCKDB, "--workload", "tpch", "--operations", "q23"), "workload tpch has no operation 'q23'"),
        ((*DUCKDB, "--tempreature", "hot"), "--temperature"),
        ((*DUCKDB, "--scale", "500G"), "500G rows of netflow/1 need about 15832 GiB"),
        ((*DUCKDB, "--margin", "3"), "did you mean 3%?"),
        ((), "a measurement is already going on this machine"),
    ],
)
def test_a_mistake_is_found_although_another_measurement_goes_on(
    weigh: Weigh, words: tuple[str, ...], said: str
) -> None:
    with (weigh.folder / "weigh.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run = weigh("run", *(words or DUCKDB), "--quiet")
    assert_refused(run, said)
    assert not (weigh.folder / "runs").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("load", "ycsb-a", "--target", "postgres:embedded", "--rate", "100", "--records", "0"),
            "--records 0 cannot be",
        ),
        (
            ("load", "tpcc", "--target", "postgres:embedded", "--warehouses", "1000000"),
            "1,000,000 warehouses of TPC-C need about 93132 GiB",
        ),
        (
            ("load", "tpcc", "--target", "postgres:embedded", "--warehouses", "1000001"),
            "--warehouses 1000001 cannot be",
        ),
        (("ladder", *DUCKDB, "--scales", "1K,0"), "a rung of 0 rows measures nothing"),
    ],
)
def test_a_size_that_cannot_be_is_refused_although_another_measurement_goes_on(
    weigh: Weigh, words: tuple[str, ...], said: str
) -> None:
    with (weigh.folder / "weigh.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run = weigh(*words, "--quiet")
    assert_refused(run, said)
    assert not (weigh.folder / "runs").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*DUCKDB, "--budget", "30"), "'30' is not a duration"),
        ((*DUCKDB, "--margin", "5"), "did you mean 5%?"),
        ((*DUCKDB, "--csv", "sep"), "--csv sep has no value"),
        ((), "no contender is named"),
    ],
)
def test_a_mistake_is_found_before_data_is_read_and_converted(weigh: Weigh, words: tuple[str, ...], said: str) -> None:
    (weigh.folder / "orders.csv").write_text("n\n1\n")
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n FROM orders;\n")
    assert_refused(weigh("run", "--data", "orders.csv", "--sql", "q.sql", *words), said)


def test_a_time_to_wait_without_a_unit_names_the_variable(weigh: Weigh) -> None:
    assert_refused(weigh("run", *DUCKDB, "--quiet", WEIGH_SETTLE="0"), "WEIGH_SETTLE: '0' is not a duration", "0s, 30s")


@pytest.mark.parametrize("line", ["margin = 3", 'margin = "3"', "precision = 2", "contention = 1", "confidence = 99"])
def test_a_fraction_of_weigh_toml_that_could_be_per_cent(weigh: Weigh, line: str) -> None:
    contenders = '[[contender]]\nengine = "duckdb"\n[[contender]]\nname = "again"\nengine = "duckdb"\n'
    (weigh.folder / "weigh.toml").write_text(f"[experiment]\n{line}\n{contenders}")
    name, _, number = line.replace('"', "").partition(" = ")
    assert_refused(
        weigh("run", WEIGH_CONTENTION=""), f"{name} = {number} would be {number}00 %", f"did you mean {number}%?"
    )


def test_a_mistake_in_weigh_toml_names_place_and_nearest_key(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text('[experiment]\nscael = "1K"\n')
    assert_refused(weigh("run"), "weigh.toml, [experiment]: unknown key 'scael'", "did you mean 'scale'?")


def test_an_unknown_setting_leaves_sealed_evidence(weigh: Weigh) -> None:
    run = weigh("gate", "--contender", "duckdb@2.0.0?thraeds=2", "--scale", "1K", "--quiet")
    assert_refused(run, "contender duckdb@2.0.0?thraeds=2: it cannot be started", "thraeds", "is kept in runs/")
    assert weigh("verify", str(run.evidence)).code == 0
    report = " ".join(weigh("report", str(run.evidence)).out.split())
    assert "Not complete: contender duckdb@2.0.0?thraeds=2: it cannot be started" in report


@pytest.mark.promise("If even that does not fit, nothing is measured:")
def test_a_budget_that_is_too_small_names_the_one_needed(weigh: Weigh) -> None:
    run = weigh("run", *DUCKDB, "--scale", "1K", "--operations", "by_action", "--budget", "10ms", "--quiet")
    assert_refused(
        run, "a budget of 10.0 ms is too small", "5 starts of one run of 1 operation need at least", "--budget"
    )


@pytest.mark.promise("Where the number of operations alone is too large for the budget, no contender is started.")
def test_a_budget_that_is_too_small_for_so_many_operations_is_refused_before_anybody_is_asked(weigh: Weigh) -> None:
    (weigh.folder / "suite").mkdir()
    questions = "".join(f"-- name: q{number}\nSELECT {number} + max(n) AS m FROM t;\n" for number in range(40))
    (weigh.folder / "suite" / "all.sql").write_text(questions)
    (weigh.folder / "suite" / "load.sql").write_text("CREATE TABLE t AS SELECT i AS n FROM range(10) t(i);\n")
    run = weigh("run", *DUCKDB, "--workload", "./suite/", "--budget", "1s", "--quiet")
    assert_refused(run, "5 starts of one run of 40 operations need at least", "is enough where an execution takes")
    assert not (weigh.folder / "runs").exists()


def test_a_ladder_names_the_flag_that_it_has(weigh: Weigh) -> None:
    run = weigh("ladder", *DUCKDB, "--scales", "1K,2K", "--budget", "1s", "--quiet")
    assert_refused(run, "is too small", "or lower --scales, or name fewer --operations")


@pytest.mark.parametrize(
    ("word", "said"),
    [("suites", "'weigh run --workload FOLDER'"), ("rnu", "'run'")],
)
def test_a_word_that_is_no_command(weigh: Weigh, word: str, said: str) -> None:
    assert_refused(weigh(word), f"there is no command '{word}'; did you mean {said}?")


def test_output_that_cannot_be_written_is_said(weigh: Weigh) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    command = [str(Path(sys.executable).with_name("weigh")), "lies"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: standard output: No space left on device")


@pytest.mark.long
def test_what_is_asked_is_said_where_nobody_says_it(weigh: Weigh) -> None:
    named = ("gate", "--contender", "duckdb", "--out")
    (weigh.folder / "file").touch()
    # There is no place for evidence: it ends before anything is made.
    assert "netflow, 1M rows that it makes" in weigh(*named, "file/runs").err
    assert "1M rows that it makes" not in weigh(*named, "file/runs", "--scale", "1K").err


def test_a_place_for_pinned_answers_is_looked_at_before_anybody_is_asked(weigh: Weigh) -> None:
    few = ("gate", "--contender", "duckdb", "--scale", "10", "--operations", "by_action", "--quiet")
    run = weigh(*few, "--pin", "nowhere/pins")
    assert run.code == 2
    assert "the answers cannot be pinned" in run.err
    assert sorted(weigh.folder.iterdir()) == []
