"""Engines that hang, crash, print, flood or fail: an outcome of theirs, and the others are unaffected."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from support.waiting import eventually

if TYPE_CHECKING:
    from support.command import Run, Weigh

pytestmark = pytest.mark.usefixtures("no_orphans")


def gate(weigh: Weigh, contender: str, *arguments: str, operations: str = "by_action") -> Run:
    return weigh(
        "gate", "--contender", "duckdb=fork", "--contender", contender, "--scale", "1K", "--operations", operations,
        "--quiet", "--json", *arguments,
    )  # fmt: skip


UNABLE = {
    "hang": "timeout: no whole reply to 'run' within 3 s",
    # A byte now and then is no reply.
    "trickles": "timeout: no whole reply to 'run' within 3 s",
    "crash": "crash: the process ended during 'run' with signal SIGSEGV",
    "garbage": "error: RuntimeError",
    "killed": "crash: the process ended during 'run' with signal SIGKILL",
    "exits": "crash: the process ended during 'run' with exit code 0",
    "exhausts": "out_of_memory: MemoryError",
}
"""Lies of engines that give no answer, and what is reported of each."""


def statuses(run: Run) -> dict[str, tuple[str, str]]:
    """Status and detail by contender, of a gate of one operation."""
    return {name: (row["status"], row["detail"]) for row in run.json["gate"] for name in row["contenders"]}


@pytest.mark.long
@pytest.mark.promise(
    "A contender that cannot return the table (a time-out, an error) is not disqualified: that is the"
    " warning `A4.unread`"
)
def test_who_cannot_answer_is_an_error_and_the_others_go_on(weigh: Weigh) -> None:
    others = [word for lie in list(UNABLE)[1:] for word in ("--contender", f"liar?lie={lie}")]
    run = gate(weigh, f"liar?lie={next(iter(UNABLE))}", *others, "--timeout", "3s")
    assert run.code == 2
    assert run.err == ""
    found = statuses(run)
    assert found["duckdb"][0] == "agreed"
    for lie, said in UNABLE.items():
        assert found[f"liar?lie={lie}"][0] == "error"
        assert f"liar?lie={lie}: {said}" in found[f"liar?lie={lie}"][1]
    of_answers = {(f["code"], f["contender"]) for f in run.json["findings"] if f["code"].startswith("A")}
    unable = {(code, f"liar?lie={lie}") for lie in UNABLE for code in ("A4.unread", "A13.none")}
    assert of_answers == unable, "nobody is accused of other rows"
    longer = {f["contender"] for f in run.json["findings"] if "--timeout" in (f["remedy"] or "")}
    assert longer == {f"liar?lie={lie}" for lie, said in UNABLE.items() if said.startswith("timeout")}
    assert weigh("verify", str(run.evidence)).code == 0
    # The document has the engine's words as they are; a terminal gets them without what it would obey.
    report = weigh("report", str(run.evidence)).out
    assert all(char.isprintable() or char == "\n" for char in report)


SOON = "import weigh.engines.process as one; one.BIND_TIMEOUT = 5.0; from weigh.cli.main import main; main()"
"""weigh that waits less long for tables."""


@pytest.mark.long
def test_one_that_hangs_before_its_first_query_costs_one_time_out(weigh: Weigh) -> None:
    """It is not begun again for each query, nor for each block; the others are measured."""
    hangs = f"liar?lie=hang-in-bind&diary={weigh.folder / 'diary'}"
    named = [word for name in ("duckdb=fork", "one=fork?threads=1", hangs) for word in ("--contender", name)]
    flags = ("--scale", "1K", "--operations", "by_action,eq_action", "--starts", "1", "--rounds", "1", "--runs", "1")
    done = subprocess.run(
        [sys.executable, "-c", SOON, "run", *named, *flags, "--quiet", "--json"],
        cwd=weigh.folder, env=weigh.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in RAN, done.stderr
    found = json.loads(done.stdout)
    assert len((weigh.folder / "diary").read_text().split()) == 1
    said = {(row["operation"], row["status"], row["detail"]) for row in found["gate"] if hangs in row["contenders"]}
    why = f"{hangs}: timeout: no whole reply to 'bind' within 5 s"
    assert said == {(name, "error", why) for name in ("by_action", "eq_action")}
    assert {row["contender"] for row in found["timings"]} == {"duckdb", "one"}
    (evidence,) = (weigh.folder / "runs").iterdir()
    assert weigh("verify", str(evidence)).code == 0


@pytest.mark.long
@pytest.mark.promise("Whatever an engine prints goes to a log and cannot disturb the measurement.")
def test_nothing_is_left_of_what_it_left_behind_and_what_it_prints_is_no_message(weigh: Weigh) -> None:
    """One that lives in a session of its own without weigh's mark, and one that has no parent any more."""
    leaves = f"liar?lie=leaves&diary={weigh.folder / 'diary'}"
    run = gate(weigh, leaves, "--contender", "liar?lie=chatty")
    assert run.code == 0, run.err
    assert {name: status for name, (status, _) in statuses(run).items()} == dict.fromkeys(
        ("duckdb", leaves, "liar?lie=chatty"), "agreed"
    )
    left = [int(word) for word in (weigh.folder / "diary").read_text().split()]
    assert left
    for pid in left:
        eventually(lambda pid=pid: not sleeping(pid))


def sleeping(pid: int) -> bool:
    """Whether a process is alive that was left behind; its number may be another one's by now."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"sleep\0")
    except OSError:
        return False


def test_ten_million_rows_too_many(weigh: Weigh) -> None:
    run = gate(weigh, "liar?lie=huge")
    assert run.code == 1
    assert {"A4.rows"} <= run.codes
    assert "10000000" in next(finding["text"] for finding in run.json["findings"] if finding["code"] == "A4.rows")


@pytest.mark.long
def test_an_sql_error_on_one_contender_concerns_that_operation(weigh: Weigh) -> None:
    """A limit on groups makes GROUP BY fail and leaves counts alone."""
    limited = "chdb?max_rows_to_group_by=1&group_by_overflow_mode=throw"
    run = gate(weigh, limited, operations="bytes_range,by_action")
    assert run.code == 0, run.err
    rows = {(row["operation"], name): row for row in run.json["gate"] for name in row["contenders"]}
    assert rows["bytes_range", limited]["status"] == "agreed"
    assert rows["by_action", "duckdb"]["status"] == "agreed"
    assert rows["by_action", limited]["status"] == "error"
    assert "Code: 158" in rows["by_action", limited]["detail"]
    assert weigh("verify", str(run.evidence)).code == 0


def test_more_files_than_one_are_read_by_everybody(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text("[layout]\nfiles = 3\n")
    run = gate(weigh, "chdb")
    assert run.code == 0, run.err
    assert {status for status, _ in statuses(run).values()} == {"agreed"}
    assert {finding["severity"] for finding in run.json["findings"]} <= {"note"}
