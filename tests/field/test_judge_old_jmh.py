"""Files of JMH from before it wrote its version, and which benchmark a reason speaks of."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.command import Weigh

FOLDER = Path(__file__).with_name("judge-old-jmh")


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    for path in FOLDER.iterdir():
        shutil.copy(path, tmp_path)
    return Weigh(tmp_path)


def test_they_are_told_by_their_content(weigh: Weigh) -> None:
    found, forced = (weigh("judge", "old.json", "new.json", "--json", *more) for more in ((), ("--format", "jmh")))
    assert found.code == 3, found.err
    assert (found.json["format"], found.json["timings"]) == ("jmh", forced.json["timings"])
    # A list of other objects is no file of JMH.
    (weigh.folder / "other.json").write_text(json.dumps([{"benchmark": "x", "time": 1.0}]))
    assert "its format is not known" in weigh("judge", "other.json").err


def test_the_reason_names_the_benchmark_that_it_is_of(weigh: Weigh) -> None:
    run = weigh("judge", "old.json", "new.json", "--json").json
    (reason,) = run["tier"]["reasons"]
    assert reason["text"].startswith("Lists.fill: old has 2 process starts, new has 2 process starts; ")
    assert reason["text"].endswith("(and 1 more row)")
    assert [one["reasons"][0]["text"][:22] for one in run["verdicts"]] == [
        "old has 2 process star",
        "old has 1 process star",
    ]


def test_turns_that_are_lost_are_not_to_be_taken_out_in_pairs(weigh: Weigh) -> None:
    rows = [f"{who},{start},{0.01 + start / 1e5}" for start in range(20) for who in ("old", "new")]
    lost = [row for row in rows if row not in rows[5:25:4]]
    (weigh.folder / "lost.csv").write_text("\n".join(["contender,start,value", *lost]))
    run = weigh("judge", "lost.csv", "--json").json
    (verdict,) = run["verdicts"]
    assert (verdict["verdict"], verdict["reasons"][0]["code"]) == ("refused", "T8.lost")
    assert "only rounds in which both" not in verdict["reasons"][0]["text"]
    assert "and so do rounds from which both are taken out. Give every turn" in verdict["reasons"][0]["text"]
