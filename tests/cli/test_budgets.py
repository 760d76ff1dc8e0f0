"""Inputs that have no end, or more than anybody means: refused in words, and not read into memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Run, Weigh

MANY = "".join(f'[[contender]]\nname = "c{number}"\nengine = "sqlite"\n' for number in range(300))


@pytest.mark.parametrize(
    ("content", "said"),
    [("x = " + "[" * 100_000, "nested too deep"), (MANY, "more than 256 contenders"), ("#" * (2 << 20), "larger than")],
    ids=["deep", "many", "large"],
)
def test_a_file_of_an_experiment(weigh: Weigh, content: str, said: str) -> None:
    (weigh.folder / "weigh.toml").write_text(content)
    run = weigh("gate")
    assert run.code == 2
    assert said in run.err
    assert "internal error" not in run.err


def test_a_file_without_an_end(weigh: Weigh) -> None:
    run = weigh("gate", "/dev/zero")
    assert run.code == 2
    assert run.err.startswith("error: /dev/zero: ")


def test_contenders_of_the_command_line_and_values_of_a_setting(weigh: Weigh) -> None:
    values = ",".join(map(str, range(300)))
    run = weigh("gate", "--contender", "sqlite", "--vary", f"cache_size={values}")
    assert run.code == 2
    assert "more than 256 contenders" in run.err


def test_a_journal_of_another_version_names_both(weigh: Weigh, small: Run) -> None:
    evidence = weigh.folder / "runs" / small.evidence.name
    evidence.mkdir(parents=True)
    lines = (small.evidence / "journal.jsonl").read_text().splitlines()
    for number, line in enumerate(lines):
        event = json.loads(line)
        if event["event"] == "environment":
            event["body"]["weigh"] = "99.1"
        elif event["event"] == "gate":
            event["body"] = {"form": 2}
        lines[number] = json.dumps(event)
    (evidence / "journal.jsonl").write_text("\n".join(lines) + "\n")
    run = weigh("report", str(evidence))
    assert run.code == 2
    assert "weigh 99.1 wrote it, this is " in run.err
    assert "read it with weigh 99.1" in run.err
