"""``weigh load replay`` on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.traces import Said, made

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

ROWS = 50
FLAGS = ("--warmup", "0s", "--contention", "100%", "--threads", "1")


def traffic(path: Path, seconds: float = 1.0) -> Path:
    """Six sessions that pay and look."""
    said = []
    for number in range(120):
        at, session, row = number * seconds / 120, f"s{number % 6}", str(number % ROWS)
        if number % 12 == 0:
            change = "UPDATE account SET balance = balance + {} WHERE id = {}"
            said += [Said(at, session, "BEGIN"), Said(at + 0.001, session, change, "1", row, rows=1)]
            said += [Said(at + 0.002, session, "COMMIT")]
        elif number % 2:
            said.append(Said(at, session, "SELECT balance FROM account WHERE id = {}", row, rows=1, bound=True))
        else:
            said.append(Said(at, session, "SELECT count(*) FROM account WHERE id < {}", row, rows=1))
    return made(path, said)


def data(path: Path) -> Path:
    """The data from before the recording, as pg_dump writes it."""
    rows = "".join(f"{number}\t0\n" for number in range(ROWS))
    path.write_text(
        "\\restrict x\nCREATE TABLE account (id int, balance int);\nCOPY account (id, balance) FROM stdin;\n"
        f"{rows}\\.\n\nALTER TABLE account ADD PRIMARY KEY (id);\n"
    )
    return path


@pytest.mark.promise("A replay sends the statements of a trace at the moments at which they were recorded")
def test_a_recording_is_replayed_and_verifies(weigh: Weigh, tmp_path: Path) -> None:
    folder = tmp_path / "traffic"
    folder.mkdir()
    traffic(folder / "trace.parquet")
    run = weigh(
        "load", "replay", str(folder), "--target", "postgres:embedded", "--prepare", str(data(tmp_path / "d.sql")),
        "--speed", "2x", *FLAGS, "--json",
    )  # fmt: skip
    assert run.code in (0, 3), run.err
    found = run.json["replay"]
    assert (found["speed"], found["planned"]["calls"], found["planned"]["transactions"]) == (2.0, 140, 10)
    [kept] = found["kept"]
    # Nothing is dropped: what was due was sent, or counted as not.
    assert kept["due"] == 140
    assert run.json["runs"][0]["requests"]["scheduled"] == 140
    names = {one["name"] for one in run.json["operations"]}
    assert {"all"} < names
    assert {"UPDATE account", "SELECT account"} <= {name.partition(" ")[2] for name in names}
    assert not any(one["errors"] for one in run.json["operations"])
    verified = weigh("verify", str(run.evidence))
    assert verified.code == 0, verified.out
    page = (run.evidence / "report.html").read_text()
    assert "<code>SELECT balance FROM account WHERE id = $1</code>" in page
    text = weigh("report", str(run.evidence), "--verbose").out
    assert "2x the recorded speed" in " ".join(text.split())


def test_writes_are_refused_on_a_server_that_may_be_somebodys(weigh: Weigh, tmp_path: Path) -> None:
    trace = traffic(tmp_path / "t.parquet")
    run = weigh("load", "replay", str(trace), "--target", "postgres://nobody@localhost:1/shop")
    assert run.code == 2
    assert "10 statements of the trace write" in run.err
    assert "--read-only" in run.err
    assert "--on-copy" in run.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("replay",), "nothing is named"),
        (("replay", "T", "--rate", "5"), "--speed 2x"),
        (("replay", "T", "--speed", "fast"), "--speed fast cannot be"),
        (("replay", "T", "--closed"), "recorded times"),
        (("replay", "nowhere.parquet"), "cannot be read"),
        (("replay", "T", "--answers", "x.json"), "--answers keep"),
        (("ycsb-b", "--rate", "10", "--speed", "2x"), "--speed is of a replay"),
    ],
)
def test_what_cannot_be_is_said(words: tuple[str, ...], said: str, weigh: Weigh, tmp_path: Path) -> None:
    trace = str(traffic(tmp_path / "t.parquet"))
    run = weigh("load", *(trace if word == "T" else word for word in words), "--target", "postgres:embedded")
    assert run.code == 2
    assert said in run.err


def test_a_capture_without_scripts_is_to_be_replayed(weigh: Weigh, tmp_path: Path) -> None:
    (tmp_path / "commands").write_text('1700000000.000001 [0 127.0.0.1:5] "GET" "k"\n')
    made = weigh("capture", str(tmp_path / "commands"), "--out", "of valkey")
    assert "next: weigh load replay 'of valkey' --target redis://HOST" in made.out
    run = weigh("load", "of valkey", "--target", "valkey:embedded")
    assert run.code == 2
    assert "replay it: weigh load replay 'of valkey'" in run.err


def test_a_trace_of_another_product_is_refused(weigh: Weigh, tmp_path: Path) -> None:
    trace = traffic(tmp_path / "t.parquet")
    run = weigh("load", "replay", str(trace), "--target", "valkey:embedded")
    assert run.code == 2
    assert "does not speak that" in run.err
