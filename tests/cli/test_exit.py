"""How a command ends where nothing is wrong with the answers: signals, readers that are gone, nothing to conclude."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.waiting import eventually, journalled, workers
from weigh.evidence.sealing import End
from weigh.experiment import record
from weigh.experiment.verify import verify

if TYPE_CHECKING:
    from support.command import Run, Weigh

DUCKDB = ("--contender", "duckdb=fork@2.0.0")
TWO = (*DUCKDB, "--contender", "again=fork@2.0.0")
SMALL = ("--scale", "1K", "--operations", "by_action")


def test_a_gate_that_is_cut_off_while_it_asks_about_other_rows_keeps_all_answers(weigh: Weigh) -> None:
    going = weigh.start("gate", *TWO, *SMALL)
    assert going.stderr is not None
    while "data that nobody has seen" not in going.stderr.readline():
        assert going.poll() is None
    going.send_signal(signal.SIGINT)
    _, said = going.communicate(timeout=60)
    assert (going.returncode, "is kept in runs/" in said) == (130, True), said
    shown = " ".join(weigh("report", "latest").out.split())
    assert "The gate was cut off: 2 answers until then (duckdb 1, again 1), 2 of them confirmed" in shown
    assert weigh("verify", "latest").code == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "code", "moment"),
    [(signal.SIGINT, 130, "plan"), (signal.SIGTERM, 143, "manifest"), (signal.SIGHUP, 129, "manifest")],
)
def test_a_signal_is_told_by_the_code(weigh: Weigh, number: signal.Signals, code: int, moment: str) -> None:
    """In the blocks, and in the gate."""
    going = weigh.start("run", *DUCKDB, "--scale", "1K", "--operations", "by_action", "--starts", "500")
    eventually(journalled(weigh.folder, moment))
    going.send_signal(number)
    _, said = going.communicate(timeout=60)
    assert going.returncode == code, said
    assert "error: interrupted" in said
    assert weigh("verify", "latest").code == 0, "what was measured is sealed"


def test_a_gate_that_is_cut_off_keeps_the_answers_until_then(weigh: Weigh) -> None:
    going = weigh.start("gate", "--command", "a=echo 1", "--command", "b=sleep 600")
    assert going.stderr is not None
    while "asking b" not in going.stderr.readline():
        assert going.poll() is None
    eventually(lambda: workers(weigh.folder))
    going.send_signal(signal.SIGTERM)
    _, said = going.communicate(timeout=60)
    assert (going.returncode, "is kept in runs/" in said) == (143, True), said
    assert not workers(weigh.folder)
    [evidence] = (weigh.folder / "runs").iterdir()
    gate = json.loads((evidence / "gate.json").read_text())
    assert [(one["contender"], one["status"]) for one in gate["checks"]] == [("a", "unverified")]
    shown = " ".join(weigh("report", str(evidence)).out.split())
    assert "The gate was cut off: 1 answer until then (a 1, b 0), none of them judged." in shown
    assert weigh("verify", str(evidence)).code == 0
    # What says that it is whole may leave nothing out by that word.
    cut = record.read(evidence)
    assert cut.workload is not None
    asked = cut.workload.operations
    more = msgspec.structs.replace(cut.workload, operations=(*asked, msgspec.structs.replace(asked[0], name="another")))
    cut = msgspec.structs.replace(cut, workload=more)
    assert not verify._gate(cut)
    [problem] = verify._gate(msgspec.structs.replace(cut, end=End(how="complete")))
    assert problem.text == "another: the gate has no word on it"


@pytest.mark.parametrize("words", [("--help",), ("demo",), ("run",)])
def test_an_interrupt_while_modules_are_imported_says_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    weigh = Path(sys.executable).with_name("weigh")
    done = subprocess.run(
        [weigh, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("words", [("lies", "--json"), ("lies",), ("run", "--help"), ("--help",)])
def test_a_reader_that_ends_early_found_nothing(weigh: Weigh, words: tuple[str, ...]) -> None:
    listing = weigh.start(*words)
    assert listing.stdout is not None
    assert listing.stderr is not None
    listing.stdout.close()
    assert listing.stderr.read() == ""
    assert listing.wait() in (0, 141), "1 would say that something diverged"


@pytest.mark.parametrize(
    "form", ["--verbose", "--json", *(pytest.param(form, marks=pytest.mark.long) for form in ("--markdown", "--notes"))]
)
def test_a_report_whose_reader_ends_early_has_not_diverged(weigh: Weigh, small: Run, form: str) -> None:
    report = weigh.start("report", str(small.evidence), form)
    assert report.stdout is not None
    assert report.stderr is not None
    report.stdout.close()
    assert report.stderr.read() == ""
    assert report.wait() == 141


@pytest.mark.long
def test_a_run_goes_on_without_anybody_who_reads_its_progress(weigh: Weigh) -> None:
    gone, theirs = os.pipe()
    os.close(gone)
    command = [str(Path(sys.executable).with_name("weigh")), "gate", *DUCKDB, *SMALL]
    with os.fdopen(theirs, "w") as broken:
        done = subprocess.run(
            command,
            cwd=weigh.folder,
            env=weigh.environment,
            stdout=subprocess.PIPE,
            stderr=broken,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 0
    assert "Nothing was timed" in " ".join(done.stdout.split())
    assert weigh("verify", "latest").code == 0


@pytest.mark.long
@pytest.mark.promise("3 (nobody may conclude from it)")
def test_where_all_is_refused_the_code_is_not_0(weigh: Weigh) -> None:
    run = weigh("run", *TWO, *SMALL, "--starts", "2", "--rounds", "1", "--runs", "1", "--quiet")
    assert run.code == 3, run.out
    assert {one["verdict"] for one in weigh("report", "latest", "--json").json["verdicts"]} == {"refused"}


@pytest.mark.parametrize(
    "words",
    [
        ("judge", "a=https://me:S3CRET@host/x.json"),
        ("run", "--contender", "duckdb@https://me:S3CRET@host/x.whl"),
        ("run", "--contender", "duckdb+https://me:S3CRET@host/x"),
        ("report", "https://me:S3CRET@host/runs"),
        ("run", "--workload", "https://me:S3CRET@host/queries/", *DUCKDB),
        ("history", "show", "--from", "s3://me:S3CRET@bucket/x"),
    ],
)
def test_no_error_repeats_the_password_of_a_url(weigh: Weigh, words: tuple[str, ...]) -> None:
    said = weigh(*words)
    assert said.code == 2
    assert said.err.startswith("error: ")
    assert "S3CRET" not in said.out + said.err


def test_a_password_in_a_setting_of_a_file_is_in_no_evidence(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text(
        '[[contender]]\nengine = "duckdb"\nversion = "2.0.0"\nsettings = { http_proxy = "http://me:S3CRET@host:1" }\n'
    )
    said = weigh("run", *SMALL)
    assert (said.code, "S3CRET" in said.err) == (2, False)
    assert "http_proxy holds a URL with a password" in said.err
    assert not (weigh.folder / "runs").exists()
