"""``weigh ladder`` as a user calls it: what it refuses, and a ladder that is interrupted and continued."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from support.waiting import eventually

if TYPE_CHECKING:
    from support.command import Weigh

DUCKDB = ("--contender", "a=fork@2.0.0")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scale", "1M"], "one scale is no ladder"),
        (["--scales", "1M"], "--scales 1M is no ladder"),
        (["--scales", "1M,1000K"], "the scale 1M rows is named twice"),
        (["--scales", "1K,2K", "--scale", "1K"], "--scale and --scales are both given"),
        (["--vary", "b:threads=1,2"], "'b' is not a contender"),
        (["--vary", "thraeds=1,2", "--scale", "1K", "--starts", "1"], "thraeds"),
    ],
)
def test_what_is_no_ladder_is_refused(weigh: Weigh, arguments: list[str], said: str) -> None:
    run = weigh("ladder", *DUCKDB, *arguments, "--quiet")
    assert run.code == 2, run.err
    assert run.out == ""
    assert said in run.err
    assert not list(weigh.folder.glob("runs/ladder-*"))


@pytest.mark.long
def test_an_interrupted_ladder_keeps_its_rungs_and_goes_on(weigh: Weigh) -> None:
    flags = (
        "ladder", *DUCKDB, "--vary", "threads=1,2", "--scales", "2K,1K", "--starts", "5",
        "--runs", "1", "--operations", "by_action", "--margin", "10%",
    )  # fmt: skip
    running = weigh.start(*flags, "--quiet")
    eventually(lambda: list(weigh.folder.glob("runs/ladder-*/ladder.html")) or running.poll() is not None)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "1 rung below it stayed; --resume goes on from there" in err
    (folder,) = weigh.folder.glob("runs/ladder-*")
    before = json.loads((folder / "ladder.json").read_text())
    assert [rung["scale"] for rung in before["rungs"]] == [1_000]
    assert "not reached: 2K rows" in " ".join(weigh("report", str(folder)).out.split())
    seal = (weigh.folder / "runs" / before["rungs"][0]["evidence"] / "seal.json").read_bytes()

    run = weigh(*flags, "--resume", "--json")
    # That a margin is exceeded is found only where a baseline was declared.
    assert run.code in (0, 3), run.err
    assert [rung["scale"] for rung in run.json["rungs"]] == [1_000, 2_000]
    assert run.json["rungs"][0]["evidence"] == before["rungs"][0]["evidence"]
    assert (weigh.folder / "runs" / before["rungs"][0]["evidence"] / "seal.json").read_bytes() == seal

    varied = {one["contender"]: one["members"] for one in run.json["plan"]["variations"]}
    assert varied == {"a": {"a?threads=1": 1, "a?threads=2": 2}}
    assert run.json["ladder"]["baseline"] == "a?threads=1"
    costs = [(cost["scale"], cost["contender"], cost["against"], cost["tried"]) for cost in run.json["costs"]]
    assert costs == [(scale, "a", "a?threads=1", [2]) for scale in (1_000, 2_000)]
    assert weigh("verify", str(folder)).code == 0
    shown = weigh("report", str(folder), "--json")
    assert shown.json == run.json
