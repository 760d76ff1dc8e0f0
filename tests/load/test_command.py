"""weigh load as a user meets it: servers from a wheel, evidence that verifies, and errors with a remedy."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import RAN, Run, Weigh
from support.waiting import eventually, journalled
from weigh.engines.prepared import cache_folder
from weigh.load.target.valkey.target import EmbeddedValkey

if TYPE_CHECKING:
    import subprocess

SMALL = ("--records", "500", "--connections", "4", "--quiet")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A little of YCSB B, in bursts, for a page of twenty requests."""
    weigh = Weigh(tmp_path_factory.mktemp("load"))
    flags = ("--rate", "100", "--arrivals", "bursts:3:500ms", "--duration", "3s", "--fanout", "20", "--json")
    return weigh("load", "ycsb-b", "--target", "valkey:embedded", *flags, *SMALL)


def test_it_has_every_figure_and_is_sealed(loaded: Run) -> None:
    assert loaded.code in RAN, loaded.err
    made = loaded.json
    assert made["schema"] == "weigh/load/1"
    assert made["load"]["durable"] is True
    assert {one["name"] for one in made["operations"]} == {"all", "read", "update"}
    assert made["runs"][0]["requests"]["scheduled"] == made["runs"][0]["requests"]["answered"]
    assert made["groups"][0]["page"]["fanout"] == 20
    assert {path.name for path in loaded.evidence.iterdir()} == {
        "environment.json", "histograms.hlog", "journal.jsonl", "load.json", "report.html", "report.txt", "seal.json",
        "spec.json", "timeline.parquet",
    }  # fmt: skip
    assert made["machine"]["watched"]
    assert made["runs"][0]["machine"]["intervals"] > 10


def test_it_verifies_and_an_edit_is_found(loaded: Run, weigh: Weigh) -> None:
    assert weigh("verify", str(loaded.evidence)).code == 0
    path = loaded.evidence / "load.json"
    honest = path.read_bytes()
    path.write_bytes(honest.replace(b'"count": ', b'"count": 1'))
    try:
        run = weigh("verify", str(loaded.evidence), "--json")
    finally:
        path.write_bytes(honest)
    assert run.code == 1
    assert {one["code"] for one in run.json["verification"]["problems"]} == {"R4.hash", "R4.figures"}


def test_the_report_is_made_again_from_the_journal(loaded: Run, weigh: Weigh) -> None:
    assert weigh("report", str(loaded.evidence), "--json").json == loaded.json
    page = weigh("report", str(loaded.evidence), "--html", "-").out
    assert page.encode() == (loaded.evidence / "report.html").read_bytes()


@pytest.mark.long
def test_scripts_run_on_postgres_and_repeats_have_an_interval_between_them(weigh: Weigh) -> None:
    (weigh.folder / "one.sql").write_text("\\set n random(1, 10)\nSELECT :n + 1;\n")
    (weigh.folder / "two.sql").write_text("BEGIN;\nSELECT 1;\nEND;\n")
    flags = ("--rate", "50", "--duration", "1s", "--repeats", "2", "--connections", "2", "--quiet", "--json")
    run = weigh("load", "one.sql@3", "two.sql", "--target", "postgres:embedded", *flags)
    assert run.code in RAN, run.err
    assert {one["name"] for one in run.json["operations"]} == {"all", "one", "two"}
    (group,) = run.json["groups"]
    assert group["runs"] == [1, 2]
    assert {one["name"] for one in group["between"]} >= {"rate", "mean"}
    assert not run.json["operations"][0]["errors"]
    # Each in a life of its own: their interval is that of the next start.
    assert [one["life"] for one in run.json["runs"]] == [1, 2]
    assert {one["lives"] for one in group["between"]} == {2}
    assert all(one["server"]["cpu_s"] > 0 for one in run.json["runs"])
    # The sessions were looked at in each run, on a connection of its own.
    assert all(one["waits"]["looks"] for one in run.json["runs"])


@pytest.mark.long
@pytest.mark.promise("compared with those that were loaded, by their number and a digest")
@pytest.mark.parametrize("target", ["sqlite:embedded", "valkey:embedded"])
def test_every_repeat_begins_in_a_fresh_life_with_the_same_rows(weigh: Weigh, target: str) -> None:
    flags = ("--rate", "50", "--duration", "500ms", "--repeats", "2", "--records", "300", "--connections", "2")
    run = weigh("load", "ycsb-a", "--target", target, *flags, "--quiet", "--json")
    assert run.code in RAN, run.err
    assert run.json["load"]["lives"] == 2
    assert run.json["load"]["same_rows"] is True
    journal = [json.loads(line) for line in (run.evidence / "journal.jsonl").read_text().splitlines()]
    # Half of the requests are updates: the rows of the first run's end were others.
    assert [one["body"]["rows"] for one in journal if one["event"] == "loaded"] == [300]
    rows = [one["body"] for one in journal if one["event"] == "rows"]
    assert [(one["when"], one["life"]) for one in rows] == [("loaded", 0), ("before", 1), ("before", 2)]
    assert {one["tables"]["weigh_ycsb"]["rows"] for one in rows} == {300}
    assert weigh("verify", str(run.evidence)).code == 0


def test_repeats_against_a_url_are_of_one_life_and_say_so(weigh: Weigh) -> None:
    flags = ("--rate", "50", "--duration", "500ms", "--repeats", "2", "--records", "200", "--connections", "2")
    with EmbeddedValkey().reach(cache_folder(), 8) as reached:
        url = f"redis://localhost?host={reached.connect['socket']}"
        run = weigh("load", "ycsb-c", "--target", url, *flags, "--quiet", "--json")
    assert run.code in RAN, run.err
    assert run.json["load"]["lives"] == 1
    assert "T10.one_life" in run.codes
    assert "2 repeats against one life of the server" in run.out
    text = " ".join(weigh("report", str(run.evidence), "--verbose").out.split())
    assert "next run in this life" in text


def test_a_mistake_in_a_script_names_its_line(weigh: Weigh) -> None:
    (weigh.folder / "bad.sql").write_text("SELECT 1;\n\\set n random(1,\nSELECT :n;\n")
    run = weigh("load", "bad.sql", "--target", "postgres:embedded", "--rate", "5", "--duration", "1s", "--quiet")
    assert run.code == 2
    assert "2" in run.err.splitlines()[0]
    assert "bad" in run.err
    assert not (weigh.folder / "runs").exists()


@pytest.mark.long
def test_a_missing_table_is_exit_2_or_counted_and_never_a_figure(weigh: Weigh) -> None:
    (weigh.folder / "missing.sql").write_text("SELECT * FROM nowhere;\n")
    run = weigh("load", "missing.sql", "--target", "postgres:embedded", "--rate", "20", "--duration", "1s", "--quiet")
    assert run.code == 2
    assert "nowhere" in run.out + run.err


@pytest.mark.parametrize(
    ("workload", "target", "words"),
    [
        (["look.sql@abc"], "postgres:embedded", "look.sql: 'abc' is no weight of a script"),
        (["look.sql@-1"], "postgres:embedded", "write look.sql@9"),
        (["look.sql@0"], "postgres:embedded", "every script has the weight 0"),
        (["look.sql", "ycsb-b"], "postgres:embedded", "ycsb-b is a workload of its own"),
        (["ycsb-b"], "mongodb://host/db", "known: http, https, "),
    ],
)
def test_a_mistake_in_what_is_asked_of_whom_says_what_is_wrong(
    weigh: Weigh, workload: list[str], target: str, words: str
) -> None:
    (weigh.folder / "look.sql").write_text("SELECT 1;\n")
    run = weigh("load", *workload, "--target", target, "--rate", "5", "--quiet")
    assert run.code == 2
    assert words in run.err
    assert not (weigh.folder / "runs").exists()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "postgres://me:secret@127.0.0.1:1/db"])
def test_a_server_that_is_not_there(weigh: Weigh, url: str) -> None:
    run = weigh("load", "ycsb-b", "--target", url, "--rate", "5", "--quiet")
    assert run.code == 2
    assert "secret" not in run.err
    assert len(run.err.strip().splitlines()) >= 2


def _until(weigh: Weigh, process: subprocess.Popen[str]) -> Path:
    """The journal, as soon as an interval is in it."""
    begun = journalled(weigh.folder, "interval")
    eventually(lambda: begun() or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    (journal,) = weigh.folder.glob("runs/*/journal.jsonl")
    return journal


def test_an_interrupt_seals_what_there_is(weigh: Weigh) -> None:
    flags = ("--rate", "100", "--duration", "60s", *SMALL)
    process = weigh.start("load", "ycsb-b", "--target", "valkey:embedded", *flags)
    journal = _until(weigh, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted" in said
    made = json.loads((journal.parent / "load.json").read_text())
    assert made["operations"][0]["count"] > 0
    assert weigh("verify", str(journal.parent)).code == 0
    assert "broken off: interrupted" in " ".join(weigh("report", str(journal.parent), "--verbose").out.split())


@pytest.mark.long
@pytest.mark.promise("and end with weigh, even if weigh is killed.")
def test_a_server_of_ours_ends_with_a_weigh_that_was_killed(weigh: Weigh) -> None:
    process = weigh.start("load", "ycsb-c", "--target", "valkey:embedded", "--rate", "50", "--duration", "60s", *SMALL)
    journal = _until(weigh, process)
    mark = f"weigh-load-{process.pid}-"
    assert any(mark in words for words in _commands())
    process.kill()
    process.communicate()
    eventually(lambda: not any(mark in words for words in _commands()))
    assert "killed" in weigh("report", str(journal.parent)).out


def _commands() -> list[str]:
    """Command lines of all processes."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text())
        except OSError:
            continue
    return found
