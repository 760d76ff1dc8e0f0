"""weigh load on SQLite, which runs inside weigh: throw-away files, files of the user's, and what cannot be."""

from __future__ import annotations

import signal
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import RAN, Run, Weigh
from weigh.load.target import server_folder
from weigh.load.target.registry import target
from weigh.load.target.sqlite import Sqlite
from weigh.model.errors import EngineFault, UsageError

if TYPE_CHECKING:
    import subprocess

QUICK = ("--rate", "100", "--duration", "500ms", "--quiet")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A little of YCSB A in both loops."""
    weigh = Weigh(tmp_path_factory.mktemp("sqlite"))
    flags = ("--both", "--connections", "3", "--records", "300", "--json")
    return weigh("load", "ycsb-a", "--target", "sqlite:embedded?cache_size=-500", *flags, *QUICK)


def test_it_has_every_figure_of_a_server_and_every_answer_was_checked(loaded: Run) -> None:
    assert loaded.code in RAN, loaded.err
    made = loaded.json
    assert made["load"]["durable"] is True
    assert [run["loop"] for run in made["runs"]] == ["open", "closed"]
    for run in made["runs"]:
        requests = run["requests"]
        assert requests["scheduled"] == requests["answered"] + requests["in_flight_at_end"] + requests["unsent"]
        assert {one["name"] for one in run["operations"]} == {"all", "read", "update"}
        assert "E8.saturated" not in {reason["code"] for reason in run["reasons"]}
    assert made["runs"][0]["requests"]["scheduled"] == 50
    assert not loaded.codes & {"L6.wrong", "L6.missing", "L7.failed"}
    assert "L8.kind" in loaded.codes


def test_its_settings_are_those_that_the_library_reads_back(loaded: Run) -> None:
    report = (loaded.evidence / "report.txt").read_text()
    assert "SQLite 3." in report
    assert "cache_size=-500" in report
    assert "journal_mode=wal" in report
    assert "synchronous=FULL" in report
    page = (loaded.evidence / "report.html").read_text()
    assert "wal_autocheckpoint" in page


def test_it_verifies(loaded: Run, weigh: Weigh) -> None:
    run = weigh("verify", str(loaded.evidence))
    assert run.code in RAN, run.out + run.err


def test_scripts_run_on_a_file_of_the_users_and_touch_nothing_else(weigh: Weigh) -> None:
    with sqlite3.connect(weigh.folder / "shop.db") as shop:
        shop.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, amount REAL)")
    shop.close()
    (weigh.folder / "pay.sql").write_text(
        "\\set amount random(1, 10) * 0.5\nBEGIN;\nINSERT INTO orders (amount) VALUES (:amount);\nEND;\n"
    )
    run = weigh("load", "pay.sql", "--target", "sqlite:shop.db", "--connections", "2", "--json", *QUICK)
    assert run.code in RAN, run.err
    # SQLite's own default: the removal of the journal is not forced to the disk.
    assert "E7.not_durable" in run.codes
    with sqlite3.connect(weigh.folder / "shop.db") as shop:
        (orders,) = shop.execute("SELECT count(*) FROM orders WHERE typeof(amount) = 'real'").fetchone()
        (tables,) = shop.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        (mode,) = shop.execute("PRAGMA journal_mode").fetchone()
    shop.close()
    assert (orders, tables, mode) == (run.json["runs"][0]["requests"]["answered"], 1, "delete")


@pytest.mark.long
def test_an_interrupt_leaves_no_file_and_a_kill_leaves_one_until_the_next(weigh: Weigh) -> None:
    flags = ("load", "ycsb-b", "--target", "sqlite:embedded", "--rate", "50", "--duration", "60s", "--records", "200")
    process = weigh.start(*flags, "--quiet")
    _until(weigh, process, 1)
    (left,) = _files(process.pid)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert not left.parent.exists()
    process = weigh.start(*flags, "--quiet")
    _until(weigh, process, 2)
    (left,) = _files(process.pid)
    process.kill()
    process.communicate()
    with target("sqlite:embedded").reach(Path(), 1):
        assert not left.parent.exists()


def _until(weigh: Weigh, process: subprocess.Popen[str], attempts: int) -> None:
    """Wait until so many attempts have an interval in their journal."""
    for _ in range(600):
        found = [path for path in weigh.folder.glob("runs/*/journal.jsonl") if '"event":"interval"' in path.read_text()]
        if len(found) == attempts:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("it never began")


def _files(pid: int) -> list[Path]:
    """Databases in the throw-away folders of a process."""
    folder = server_folder.folder()
    try:
        return list(folder.parent.glob(f"weigh-load-{pid}-*/tables.sqlite"))
    finally:
        folder.rmdir()


@pytest.mark.promise("A pragma that does not read back as it was set is an error.")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no/such/folder.db", "unable to open database file"),
        ("notes.txt", "file is not a database"),
        (".", "unable to open database file"),
        ("new.db?journal_mode=WALL", "journal_mode=WALL does not hold: it reads delete"),
    ],
)
def test_what_cannot_be_opened_is_said_with_a_remedy_and_leaves_nothing(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "notes.txt").write_text("these are notes and no database " * 100)
    before = set(tmp_path.iterdir())
    with pytest.raises(EngineFault, match=said) as raised, target(f"sqlite:{tmp_path}/{name}").reach(Path(), 1):
        pass
    assert raised.value.remedy
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sqlite:", "names no file"),
        ("sqlite:///", "names no file"),
        ("sqlite://host/file.db", "names a host"),
        ("sqlite:embedde", "no 'sqlite:embedde', and no file"),
        ("sqlite:embedded?jornal_mode=WAL", "no 'jornal_mode'"),
        ("sqlite:embedded?synchronous=", "has no value"),
    ],
)
def test_a_target_that_cannot_be(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        target(text)


def test_one_connection_that_locks_all_others_out_is_no_target_for_two() -> None:
    alone = target("sqlite:embedded?locking_mode=EXCLUSIVE")
    with alone.reach(Path(), 1) as reached:
        assert reached.read.in_force["locking_mode"]["value"] == "exclusive"
    with pytest.raises(UsageError) as raised, alone.reach(Path(), 2):
        pass
    assert "--connections 1" in raised.value.remedy


@pytest.mark.promise("A new file in which no table was made is removed.")
def test_a_new_file_in_which_nothing_was_made_is_taken_away_and_no_other(tmp_path: Path) -> None:
    text = f"sqlite:{tmp_path}/shop.db?journal_mode=WAL"
    with target(text).reach(Path(), 1):
        assert (tmp_path / "shop.db").stat().st_size
    assert not list(tmp_path.iterdir())
    with target(text).reach(Path(), 1), sqlite3.connect(tmp_path / "shop.db") as shop:
        shop.execute("CREATE TABLE orders (id INTEGER)")
    shop.close()
    with target(text).reach(Path(), 1) as reached:
        assert not reached.fresh
    assert (tmp_path / "shop.db").exists()
    (tmp_path / "empty.db").touch()
    with target(f"sqlite:{tmp_path}/empty.db").reach(Path(), 1) as reached:
        assert reached.fresh
    assert (tmp_path / "empty.db").exists()


def test_a_script_that_cannot_run_is_refused_and_leaves_no_file(weigh: Weigh) -> None:
    (weigh.folder / "pay.sql").write_text("INSERT INTO orders (amount) VALUES (?);\n")
    run = weigh("load", "pay.sql", "--target", "sqlite:./shpo.db?journal_mode=WAL", "--connections", "3", *QUICK)
    assert run.code == 2
    assert "no such table: orders" in run.err
    assert not list(weigh.folder.glob("shpo.db*"))
    with sqlite3.connect(weigh.folder / "shop.db") as shop:
        shop.execute("CREATE TABLE orders (amount)")
    shop.close()
    run = weigh("load", "pay.sql", "--target", "sqlite:./shop.db", *QUICK)
    assert run.code == 2
    assert "CAST(:NAME AS TYPE)" in run.err


def test_threads_are_those_of_the_connections(weigh: Weigh) -> None:
    run = weigh("load", "ycsb-c", "--target", "sqlite:embedded", "--threads", "2", *QUICK)
    assert run.code == 2
    assert "one thread for each connection" in run.err


def test_names_of_files_are_told_from_names_of_hosts() -> None:
    assert Sqlite("sqlite:///var/a%20b.db").path == Path("/var/a b.db")
    assert Sqlite("sqlite:/var/x.db?mmap_size=0").path == Path("/var/x.db")
    assert Sqlite("sqlite:x.db").path == Path.cwd() / "x.db"
    assert Sqlite("sqlite:./embedded").path == Path.cwd() / "embedded"
    assert Sqlite("sqlite:embedded").path is None


@pytest.mark.promise(
    "`journal_mode=DELETE` with `synchronous=FULL`, which is SQLite's own default, is one of them",
    "With `locking_mode=EXCLUSIVE` the journal is not removed, and commits are durable.",
)
@pytest.mark.parametrize(
    ("settings", "durable"),
    [
        ("journal_mode=WAL&synchronous=FULL", True),
        ("journal_mode=WAL&synchronous=1", False),
        ("journal_mode=DELETE&synchronous=EXTRA", True),
        ("journal_mode=DELETE&synchronous=FULL", False),
        ("journal_mode=DELETE&synchronous=FULL&locking_mode=EXCLUSIVE", True),
        ("journal_mode=TRUNCATE&synchronous=FULL", True),
        ("journal_mode=TRUNCATE&synchronous=NORMAL", False),
        ("journal_mode=MEMORY&synchronous=EXTRA", False),
        ("journal_mode=OFF&synchronous=FULL", False),
        ("synchronous=off", False),
    ],
)
def test_what_may_be_lost_is_known_by_the_settings(settings: str, durable: bool) -> None:
    with target(f"sqlite:embedded?{settings}").reach(Path(), 1) as reached:
        assert reached.read.durable is durable
        assert bool(reached.read.undurable) is not durable
