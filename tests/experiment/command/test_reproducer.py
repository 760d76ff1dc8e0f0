"""Reproducers: what diverged is made small, shows itself without weigh, and is part of the sealed evidence."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from uv import find_uv_bin

from support.command import Run, Weigh
from support.waiting import eventually, workers

if TYPE_CHECKING:
    from typing import Any

WRONG = "chdb@4.1.8+chdb-core==26.3.0"
"""Loses rows in equality filters over Parquet files with bloom filters of a certain size."""
MENDED = "chdb-core==26.9.0"
ENOUGH = ("--scale", "20K")
"""Rows for that."""
FLAGS = ("--quiet", "--json", "--shrink")


def gate(weigh: Weigh, *contenders: str, operations: str, flags: tuple[str, ...] = ()) -> Run:
    """Of few rows, where the flags do not say otherwise: each halving of them is asked in processes of its own."""
    named = [word for name in contenders for word in ("--contender", name)]
    scale = () if "--scale" in flags else ("--scale", "1K")
    return weigh("gate", *named, "--operations", operations, *scale, *FLAGS, *flags, timeout=600)


def said(run: Run, code: str) -> list[dict[str, Any]]:
    """The findings of a code."""
    return [finding for finding in run.json["findings"] if finding["code"] == code]


def reproducers(run: Run) -> list[Path]:
    return sorted((run.evidence / "reproducers").iterdir())


def uv_run(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """The script as somebody who knows nothing of weigh runs it: in an environment that uv makes for it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    command = [find_uv_bin(), "run", *flags, str(folder / "reproduce.py")]
    return subprocess.run(command, cwd="/", env=kept, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def bug(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A release with a real bug alongside one that is right."""
    run = gate(Weigh(tmp_path_factory.mktemp("bug")), "duckdb@1.5.5", WRONG, operations="eq_user", flags=ENOUGH)
    assert run.code == 1, run.json["findings"]
    return run


def test_a_real_bug_becomes_a_small_file_and_a_query(bug: Run) -> None:
    (folder,) = reproducers(bug)
    assert sorted(path.name for path in folder.iterdir()) == ["events.parquet", "query.sql", "reproduce.py"]
    assert sum(path.stat().st_size for path in folder.iterdir()) < 50_000
    assert pq.read_schema(folder / "events.parquet").names == ["user_name"]
    assert pq.read_metadata(folder / "events.parquet").num_rows < 10_000
    sql = (folder / "query.sql").read_text()
    assert sql.startswith("SELECT count(*) AS events FROM events WHERE user_name = '")
    (finding,) = said(bug, "A1.reproducer")
    assert (finding["contender"], finding["operation"], finding["severity"]) == (WRONG, "eq_user", "note")
    assert finding["text"].startswith(sql.strip())
    assert "(by duckdb@1.5.5), over " in finding["text"]
    assert "KiB)" in finding["text"]
    assert finding["remedy"] == f"uv run {folder.relative_to(bug.folder)}/reproduce.py"
    assert "uv run " in (bug.evidence / "report.txt").read_text()


def test_it_runs_by_itself_and_shows_the_difference(bug: Run, tmp_path: Path) -> None:
    (folder,) = reproducers(bug)
    # Elsewhere: nothing outside of the folder is needed.
    elsewhere = Path(shutil.copytree(folder, tmp_path / "sent by mail"))
    done = uv_run(elsewhere)
    assert done.returncode == 1, done.stderr
    assert "chdb 4.1.8, chdb-core 26.3.0 on SELECT count(*)" in done.stdout
    assert "\nDIFFERS events: " in done.stdout


def test_with_the_mended_version_it_agrees(bug: Run) -> None:
    (folder,) = reproducers(bug)
    done = uv_run(folder, "--with", MENDED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "chdb-core 26.9.0 on SELECT" in done.stdout
    assert "\nAGREES" in done.stdout


def test_it_is_sealed_with_the_evidence(bug: Run, weigh: Weigh) -> None:
    assert weigh("verify", str(bug.evidence)).code == 0
    copy = Path(shutil.copytree(bug.evidence, weigh.folder / bug.evidence.name))
    (script,) = copy.glob("reproducers/*/reproduce.py")
    script.write_text(script.read_text().replace("DIFFERS", "AGREES"))
    edited = weigh("verify", str(copy))
    assert edited.code == 1
    assert "reproduce.py: it was changed after it was sealed" in " ".join(edited.out.split())


@pytest.mark.long
def test_alone_with_the_truth_it_differs_from_the_duckdb_that_weigh_brings(weigh: Weigh) -> None:
    run = gate(weigh, WRONG, operations="eq_user", flags=ENOUGH)
    (finding,) = said(run, "A1.reproducer")
    assert "(by weigh's own DuckDB 2.0.0)" in finding["text"]
    assert uv_run(*reproducers(run)).returncode == 1


@pytest.mark.long
@pytest.mark.usefixtures("no_orphans")
def test_alone_without_truth_it_differs_from_itself(weigh: Weigh) -> None:
    run = gate(weigh, WRONG, operations="in_users", flags=(*ENOUGH, "--no-truth"))
    (finding,) = said(run, "A1.reproducer")
    assert f"(by {WRONG} with bloom filter push-down off)" in finding["text"]
    assert uv_run(*reproducers(run)).returncode == 1


@pytest.mark.long
def test_an_engine_that_is_wrong_for_one_literal_needs_one_row(weigh: Weigh) -> None:
    """It brings no script; data and query are enough to see it."""
    run = gate(weigh, "duckdb", "liar?lie=absent", operations="eq_action")
    (folder,) = reproducers(run)
    assert sorted(path.name for path in folder.iterdir()) == ["events.parquet", "query.sql"]
    assert pq.read_metadata(folder / "events.parquet").num_rows == 1
    with duckdb.connect() as honest:
        honest.read_parquet(str(folder / "events.parquet")).create_view("events")
        assert honest.execute((folder / "query.sql").read_text()).fetchall() == [(0,)]
    (finding,) = said(run, "A1.reproducer")
    assert "events: 1, not 0 (by duckdb), over 1 row" in finding["text"]
    assert "data and query without a script: engine 'liar' brings no script" in finding["text"]
    assert finding["remedy"].endswith("query.sql on the data alongside it")


@pytest.mark.long
def test_a_wrong_group_is_left_with_its_group_and_a_late_answer_with_its_repetition(weigh: Weigh) -> None:
    run = gate(weigh, "duckdb", "liar?lie=group", "liar?lie=late", operations="by_action")
    texts = {finding["contender"]: finding["text"] for finding in said(run, "A1.reproducer")}
    assert "FROM events GROUP BY action" in texts["liar?lie=group"]
    assert "events: 2, not 1 (by duckdb)" in texts["liar?lie=group"]
    assert texts["liar?lie=late"].startswith(
        "SELECT count(*) AS events FROM events: events: 2, not 1, in one of 3 exec"
    )
    assert all("over 2 rows" in text or "over 1 row" in text for text in texts.values())


@pytest.mark.promise("Where contenders differ and nothing tells who is right, one reproducer is made, and says so.")
@pytest.mark.long
def test_of_two_that_differ_undecided_there_is_one(weigh: Weigh) -> None:
    run = gate(weigh, "duckdb", "liar?lie=group", operations="by_action", flags=("--no-truth",))
    assert len(reproducers(run)) == 1
    (finding,) = said(run, "A1.reproducer")
    assert finding["contender"] == "duckdb", "whose engine has a script"
    assert finding["text"].endswith("; nothing tells who is right")
    script = (reproducers(run)[0] / "reproduce.py").read_text()
    assert "They differ, and nothing tells who is right" in script


@pytest.mark.promise("At most 3 in a run")
@pytest.mark.long
def test_at_most_three_are_made_and_the_others_are_named(weigh: Weigh) -> None:
    operations = "eq_action,by_action,distinct,by_proto"
    run = gate(weigh, "duckdb", "liar?lie=forty-two", operations=operations)
    assert len(reproducers(run)) == 3
    (rest,) = said(run, "X.shrink")
    assert rest["text"].startswith("3 divergences of 4 were shrunk; not liar?lie=forty-two on ")


def test_not_asked_for_or_not_needed_there_is_none(weigh: Weigh) -> None:
    flags = ("--no-shrink", "--out", "no")
    asked = gate(weigh, "duckdb=fork", "liar?lie=group", operations="by_action", flags=flags)
    assert asked.code == 1
    agreed = gate(weigh, "duckdb=fork", "liar?lie=none", operations="by_action", flags=("--out", "yes"))
    assert agreed.code == 0
    for run in (asked, agreed):
        assert not said(run, "A1.reproducer")
        assert not said(run, "X.shrink")
    assert not list(weigh.folder.rglob("reproducers"))


@pytest.mark.promise("Where there is none, a note says why (`X.shrink`).")
@pytest.mark.long
def test_where_there_is_nobody_to_ask_or_nobody_who_differs_it_is_said(weigh: Weigh) -> None:
    """A pinned answer that is wrong contradicts whoever is right."""
    pins = weigh.folder / "pins.json"
    gate(weigh, "duckdb", operations="by_action", flags=("--pin", str(pins), "--out", "pinned"))
    kept = json.loads(pins.read_text())
    kept["answers"]["by_action"]["only"][0][1] += 1
    pins.write_text(json.dumps(kept))
    flags = ("--no-truth", "--answers", str(pins))
    alone = gate(weigh, "duckdb@1.5.5", operations="by_action", flags=(*flags, "--out", "alone"))
    (finding,) = said(alone, "X.shrink")
    assert finding["text"].startswith("no reproducer: no other lineage answered, and no relation of the engine with")
    other = gate(weigh, "chdb", operations="by_action", flags=(*flags, "--out", "other"))
    (finding,) = said(other, "X.shrink")
    assert finding["text"] == "no reproducer: on no excerpt did it differ from weigh's own DuckDB 2.0.0"
    assert not list(weigh.folder.rglob("reproducers"))


NAME = 'größe "in" cm'


@pytest.mark.long
def test_own_files_with_names_that_want_to_be_quoted(weigh: Weigh) -> None:
    """Polars 2.1.0 adds up 32-bit integers in 32 bits. Two rows are enough, of one of two tables."""
    data = weigh.folder / "my 'data'"
    data.mkdir()
    pq.write_table(pa.table({"id": [1, 2], "Stadt \\": ["Köln", "a'b"]}), data / "users.parquet")
    for part in range(2):
        columns = {"user": [1, 2] * 50, NAME: pa.array([2_000_000_000 - n for n in range(100)], pa.int32())}
        pq.write_table(pa.table({**columns, "unused": ["x"] * 100}), data / f"events-{part}.parquet")
    quoted = NAME.replace('"', '""')
    sql = (
        f'SELECT u."Stadt \\" AS stadt, sum(e."{quoted}") AS s, count(*) AS n FROM events AS e '
        'JOIN users AS u ON e."user" = u.id GROUP BY u."Stadt \\" ORDER BY stadt'
    )
    (weigh.folder / "q.sql").write_text(f"-- name: by_city\n{sql};\n")
    contenders = ("--contender", "duckdb", "--contender", "datafusion", "--contender", "polars@2.1.0")
    made = weigh("init", "--data", "my 'data'/*.parquet", "--sql", "q.sql", *contenders)
    assert made.code == 0, made.err
    run = weigh("gate", "--quiet", "--json", "--shrink", timeout=600)
    assert run.code == 1, run.err
    (finding,) = said(run, "A1.reproducer")
    assert finding["contender"] == "polars@2.1.0"
    assert finding["text"].startswith(f'SELECT sum(e."{quoted}") AS s FROM events AS e: s: ')
    assert "over 2 rows" in finding["text"]
    (folder,) = reproducers(run)
    assert pq.read_schema(folder / "events.parquet").names == [NAME]
    assert not (folder / "users.parquet").exists()
    done = uv_run(folder)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "\nDIFFERS s: -" in done.stdout


@pytest.mark.long
@pytest.mark.usefixtures("no_orphans")
def test_an_interrupt_while_shrinking_loses_nothing(weigh: Weigh) -> None:
    running = weigh.start(
        "gate", "--contender", "duckdb@1.5.5", "--contender", WRONG, "--operations", "eq_user", *ENOUGH, *FLAGS,
    )  # fmt: skip
    shrinking = f"weigh-shrink-{running.pid}-*/*.parquet"
    eventually(lambda: list(Path(tempfile.gettempdir()).glob(shrinking)) or running.poll() is not None)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert (running.returncode, out) == (130, ""), err
    assert "error: interrupted" in err
    (evidence,) = (weigh.folder / "runs").iterdir()
    assert weigh("verify", str(evidence)).code == 0
    assert "WRONG" in weigh("report", str(evidence)).out
    assert not (evidence / "reproducers").exists()
    assert not list(Path(tempfile.gettempdir()).glob(f"weigh-shrink-{running.pid}-*"))
    eventually(lambda: not workers(weigh.folder))
