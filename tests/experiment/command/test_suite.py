"""Suites from the command line: from the files to the answers of two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

LOAD = "CREATE TABLE numbers AS SELECT i AS n, i % 7 AS k FROM range(1000) t(i)"
OTHER = "CREATE TABLE numbers AS SELECT i * 2 AS n, i % 3 AS k FROM range(500) t(i)"
VERSIONS = ("--contender", "old=fork@1.5.5", "--contender", "new=fork@2.0.0")


def make(folder: Path) -> None:
    (folder / "suite").mkdir()
    for name, load, sql in (
        ("first", LOAD, "SELECT k, sum(n) AS s FROM numbers GROUP BY k ORDER BY k"),
        ("other", OTHER, "SELECT numbers.k, sum(n) AS s FROM numbers GROUP BY numbers.k ORDER BY 1"),
        ("absent", LOAD, "SELECT nothing FROM numbers"),
        ("unmade", "CREATE TABLE t AS SELECT * FROM nowhere", "SELECT * FROM t"),
        ("wide", "CREATE TABLE t AS SELECT 1::HUGEINT AS h", "SELECT h FROM t"),
    ):
        (folder / "suite" / f"{name}.benchmark").write_text(f"load\n{load}\n\nstrange key\n\nrun\n{sql}\n")


def answers(run: Run) -> dict[str, str]:
    return {one["operation"]: one["status"] for one in run.json["gate"]}


def test_a_question_of_a_file_that_nobody_answers_is_on_the_first_screen(weigh: Weigh) -> None:
    (weigh.folder / "places.csv").write_text("city,note\nBern,a\nBasel,b\n")
    (weigh.folder / "q.sql").write_text(
        "-- name: cities\nSELECT count(*) AS n FROM places;\n-- name: notes\nSELECT sum(note) AS s FROM places;\n"
    )
    run = weigh("gate", "--data", "places.csv", "--sql", "q.sql", "--contender", "duckdb", "--json")
    assert run.code == 3, run.err
    (left,) = (one for one in run.json["findings"] if one["code"] == "R1.left_out")
    assert left["text"].startswith("1 of 2 questions is not asked: notes (duckdb does not answer it: ")
    assert "weigh workloads audit" not in left["remedy"]
    first_screen = " ".join(weigh("report", "latest").out.split())
    assert "1 of 2 questions is not asked: notes (duckdb does not answer it: " in first_screen
    assert "All answers agree" not in first_screen


def test_what_cannot_be_is_refused_before_data_is_converted(weigh: Weigh) -> None:
    (weigh.folder / "places.csv").write_text("city\nBern\n")
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n FROM places")
    question = ("--data", "places.csv", "--sql", "q.sql")
    misspelt = weigh("run", *question, "--contender", "duckdbb")
    assert (misspelt.code, "did you mean 'duckdb'?" in misspelt.err) == (2, True)
    assert "places:" not in misspelt.err


def test_the_remedies_of_own_data_are_those_that_help(weigh: Weigh) -> None:
    (weigh.folder / "places.csv").write_text("city\nBern\n")
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n FROM payments")
    run = weigh("gate", "--data", "places.csv", "--sql", "q.sql", "--contender", "duckdb")
    assert run.code == 2
    assert "pg_" not in run.err
    assert "the tables are places; name them with --data TABLE=FILES" in run.err
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n FROM places")
    ladder = weigh("ladder", "--data", "places.csv", "--sql", "q.sql", "--scales", "1,2", "--contender", "duckdb")
    assert (ladder.code, "a ladder of them is --vary KEY=A,B" in ladder.err) == (2, True)


UNREADABLE = {
    "t.parquet": (b"", "not a readable Parquet file", "undamaged"),
    "u.parquet": (b"hello", "not a readable Parquet file", "undamaged"),
    "v.parquet": (b"PAR1" + bytes(40) + b"\x10\0\0\0PAR1", "not a readable Parquet file", "undamaged"),
    "w.csv": ("a,b\n1,\u00e4\n".encode("latin-1"), "not utf-8", "iconv -f LATIN1"),
    "x.csv": ("a,b\n1,\u00e4\n".encode("utf-16"), "not utf-8", "iconv -f UTF-16"),
    "y.json": (b'{"a":1}\n{"a":\n', "Malformed JSON", "mend the file"),
    "z.arrow": (b"hello", "cannot be read as Arrow", "undamaged"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_cannot_be_read_is_a_mistake_of_the_file(weigh: Weigh, name: str) -> None:
    content, what, remedy = UNREADABLE[name]
    (weigh.folder / name).write_bytes(content)
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n FROM t")
    run = weigh("gate", "--data", name, "--sql", "q.sql", "--contender", "duckdb")
    assert run.code == 2
    assert f"{name}: " in run.err
    assert what in run.err
    assert remedy in run.err
    assert "internal error" not in run.err


def test_a_question_on_the_command_line_is_sent_into_a_file(weigh: Weigh) -> None:
    (weigh.folder / "places.csv").write_text("city\nBern\n")
    run = weigh("run", "--data", "places.csv", "--sql", "SELECT 1.5 FROM places", "--contender", "duckdb")
    assert (run.code, "write the question into a file: --sql q.sql" in run.err) == (2, True)


@pytest.mark.long
@pytest.mark.promise("Where two files make different tables of one name, each question asks its own")
def test_a_suite_is_asked_and_what_is_not_taken_is_listed(weigh: Weigh) -> None:
    make(weigh.folder)
    run = weigh("gate", "--workload", "./suite", *VERSIONS, "--json")
    assert run.code == 3, run.err
    assert answers(run) == {"first": "unverified", "other": "unverified"}
    left = [one["text"] for one in run.json["findings"] if one["code"] == "R1.left_out"]
    assert len(left) == 3
    assert all("3 of 5 questions are not asked; 1 of them, " in text for text in left)
    said = " ".join(left)
    assert "wide (its table t cannot be used: h is HUGEINT, which Parquet does not keep" in said
    assert "unmade (its tables cannot be made" in said
    assert "absent (old does not answer it" in said
    (unknown,) = (one["text"] for one in run.json["findings"] if one["code"] == "X.suite_unknown")
    assert "strange (" in unknown
    assert weigh("gate", "--workload", "./suite", *VERSIONS, "--operations", "first,other").code == 0
    again = weigh("report", "latest", "--json")
    assert {one["operation"] for one in again.json["gate"]} == {"first", "other"}
    untold = weigh("why", "latest")
    assert (untold.code, "--data FILES --sql PATH, or --workload FOLDER" in untold.err) == (2, True)
    both = weigh("why", "latest", "--sql", "./suite", "--workload", "./suite")
    assert (both.code, "--sql and --workload both name the questions" in both.err) == (2, True)
    (weigh.folder / "suite" / "absent.benchmark").write_text(f"load\n{LOAD}\n\nrun\nSELECT max(n) AS m FROM numbers\n")
    changed = weigh("why", "latest", "--workload", "./suite", "--operation", "first")
    assert (changed.code, "its data or queries are others than were measured" in changed.err) == (2, True)


@pytest.mark.parametrize("written", ["./suite/", "suite"])
def test_a_misspelt_question_names_the_folder_as_written(weigh: Weigh, written: str) -> None:
    make(weigh.folder)
    run = weigh("gate", "--workload", written, "--contender", "duckdb@2.0.0", "--operations", "frist", "--quiet")
    assert run.code == 2
    assert run.err == f"error: {written} has no operation 'frist'\n  did you mean 'first'?\n"
    left_out = weigh("gate", "--workload", written, "--contender", "duckdb@2.0.0", "--operations", "wide", "--quiet")
    assert left_out.code == 2
    assert "error: wide cannot be asked: its table t cannot be used" in left_out.err


@pytest.mark.long
@pytest.mark.promise("as the run's own command line names them (`--data`, `--sql`, `--workload`)")
@pytest.mark.parametrize("configured", [False, True], ids=["alone", "weigh.toml"])
@pytest.mark.parametrize("own", [("--workload", "./suite"), ("--data", "t.csv", "--sql", "first.sql")])
def test_an_operation_of_ones_own_is_profiled(weigh: Weigh, own: tuple[str, ...], configured: bool) -> None:
    make(weigh.folder)
    (weigh.folder / "t.csv").write_text("n\n1\n2\n")
    (weigh.folder / "first.sql").write_text("SELECT sum(n) AS s FROM t")
    (weigh.folder / "other.sql").write_text("SELECT max(n) AS m FROM t")
    if configured:
        # What a weigh.toml asks is not what was measured.
        assert weigh("init", "--data", "t.csv", "--sql", "other.sql", "--contender", "duckdb").code == 0
    weigh("run", *own, *VERSIONS, "--starts", "1", "--rounds", "1", "--runs", "1")
    why = weigh("why", "latest", "--operation", "first", "--sample", "200ms", "--json")
    assert why.code == 0, why.err
    (one,) = why.json["changes"]
    assert one["operation"] == "first"
    (weigh.folder / "t.csv").write_text("n\n1\n3\n")
    (weigh.folder / "suite" / "first.benchmark").write_text(f"load\n{LOAD}\n\nrun\nSELECT max(n) AS s FROM numbers\n")
    changed = weigh("why", "latest", "--operation", "first")
    assert (changed.code, "its data or queries are others than were measured" in changed.err) == (2, True)


def test_a_suite_without_tables_or_questions_is_a_usage_error(weigh: Weigh) -> None:
    (weigh.folder / "q").mkdir()
    (weigh.folder / "q" / "a.sql").write_text("SELECT a FROM t")
    run = weigh("gate", "--workload", "q/", *VERSIONS)
    assert (run.code, "it has no tables" in run.err, "load.sql" in run.err) == (2, True, True)
    (weigh.folder / "q" / "a.sql").write_text("SELECT random()")
    run = weigh("gate", "--workload", "q/", *VERSIONS)
    assert (run.code, "nothing of it can be asked: a: it is not deterministic" in run.err) == (2, True)
    run = weigh("gate", "--workload", "./nowhere", *VERSIONS)
    assert (run.code, "there is no such file or folder" in run.err) == (2, True)


@pytest.mark.promise(
    "asks each contender for the plan of every question, for its answer, and to execute it a few times"
)
def test_an_audit_names_what_measures_nothing_and_nothing_else(weigh: Weigh) -> None:
    suite = weigh.folder / "q"
    suite.mkdir()
    (suite / "load.sql").write_text("CREATE TABLE t AS SELECT i AS n, i % 7 AS k FROM range(20000) r(i)")
    (suite / "all.sql").write_text(
        "-- name: honest\nSELECT k, sum(n) AS s FROM t GROUP BY k ORDER BY k;\n"
        "-- name: folded\nSELECT count(*) AS c FROM t;\n"
        "-- name: nobody\nSELECT n FROM t WHERE k = 3 AND n % 7 = 4;\n"
        "-- name: twice\nselect k, sum(n) AS s from t group by k order by k;\n"
        "-- name: other\nSELECT k, max(n) AS s FROM t GROUP BY k ORDER BY k;\n"
        "-- name: zero\nSELECT count(*) AS c FROM t WHERE k = 3 AND n % 7 = 4;\n"
        "-- name: made\nSELECT sum(i) AS s FROM range(300000) r(i);\n"
    )
    run = weigh("workloads", "audit", "./q", "--contender", "duckdb", "--json")
    assert run.code == 1, run.err
    # What scatters, and what takes little longer than asking, depends on who else uses the machine.
    found = {
        (one["operation"], one["kind"]) for one in run.json["problems"] if one["kind"] not in ("noisy", "too_fast")
    }
    assert found == {
        ("folded", "constant"), ("nobody", "empty"), ("twice", "duplicate"), ("made", "generated"),
    }  # fmt: skip
    assert run.json["schema"] == "weigh/audit/1"
