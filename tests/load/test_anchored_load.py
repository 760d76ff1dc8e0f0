"""``weigh load --anchor``: the head of its journal is kept elsewhere, and a load that was made anew does not fit."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from lies.forging import rewrite
from support.command import Weigh

if TYPE_CHECKING:
    from pathlib import Path

    from lies.forging import Events

_LOAD = ("load", "ycsb-c", "--target", "sqlite:embedded", "--records", "100", "--closed", "--repeats", "2")
_SHORT = ("--duration", "1s", "--warmup", "0s", "--seed", "7")


def without_some(events: Events) -> Events:
    """Every second interval is left out."""
    intervals = [one for one in events if one.event == "interval"]
    assert len(intervals) > 1
    gone = {id(one) for one in intervals[1::2]}
    return [one for one in events if id(one) not in gone]


@pytest.mark.long
def test_a_load_that_was_made_anew_is_found_by_its_witness(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "there.git"], check=True)
    weigh, place = Weigh(tmp_path), f"git:{tmp_path / 'there.git'}"
    run = weigh(*_LOAD, *_SHORT, "--anchor", place)
    assert run.code in (0, 3), run.err
    honest = weigh("verify", "latest", "--witness", place, "--json")
    assert [line["text"].partition(" ")[0] for line in honest.json["anchors"]] == ["anchored"]

    (evidence,) = (one for one in (tmp_path / "runs").iterdir() if one.is_dir())
    copy = tmp_path / "again" / evidence.name
    shutil.copytree(evidence, copy)
    rewrite(copy, without_some)
    forged = weigh("verify", str(copy), "--witness", place, "--json")
    assert "R9.anchor" in {one.get("code") for one in forged.json["anchors"]}


@pytest.mark.parametrize("several", [("--contender", "a=sqlite:embedded", "--contender", "b=sqlite:embedded")])
def test_loads_with_several_journals_are_refused(tmp_path: Path, several: tuple[str, ...]) -> None:
    refused = Weigh(tmp_path)("load", "ycsb-c", *several, "--anchor", "git:there.git")
    assert refused.code == 2
    assert "a journal of its own" in " ".join(refused.err.split())


def test_what_is_no_witness_is_refused_before_anything_runs(tmp_path: Path) -> None:
    refused = Weigh(tmp_path)(*_LOAD, *_SHORT, "--anchor", "nowhere")
    assert refused.code == 2
    assert "'nowhere' is no witness" in refused.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.long
def test_each_rung_of_a_ladder_is_anchored_by_itself(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "there.git"], check=True)
    weigh, place = Weigh(tmp_path), f"git:{tmp_path / 'there.git'}"
    ladder = ("ladder", "ycsb-c", "--load", "--target", "postgres:embedded?shared_buffers=16MB", "--rungs", "0.7,0.8")
    run = weigh(*ladder, "--rate", "50", *_SHORT, "--anchor", place)
    assert run.code in (0, 3), run.err
    rungs = [one.parent for one in (tmp_path / "runs").glob("*/load.json")]
    assert len(rungs) == 2
    for rung in rungs:
        verified = weigh("verify", str(rung), "--witness", place, "--json")
        assert [line["text"].partition(" ")[0] for line in verified.json["anchors"]] == ["anchored"]
