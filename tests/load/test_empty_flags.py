"""Flags of measuring commands without a value, given twice, or of which one is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Weigh
from weigh.cli.experiment.run import run
from weigh.cli.keys import each_once
from weigh.cli.load.load import load

if TYPE_CHECKING:
    from pathlib import Path

LOAD = ("load", "ycsb-a", "--target", "valkey:embedded", "--rate", "100")


@pytest.mark.parametrize(
    "words",
    [
        (*LOAD, "--nemesis", ""),
        (*LOAD, "--nemesis="),
        (*LOAD, "--during", " "),
        (*LOAD, "--with", ""),
        (*LOAD, "--answers", ""),
        (*LOAD, "--require", ""),
        ("run", "--baseline", ""),
        ("gate", "--operations", ""),
        ("ladder", "--data", ""),
        ("ladder", "--load", "ycsb-a", "--rungs", ""),
    ],
)
def test_an_empty_value_switches_nothing_off(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = Weigh(tmp_path)(*words)
    assert done.code == 2 and "has an empty value" in done.err and "or leave it out" in done.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (("--nemesis", "pause,pause"), "--nemesis names pause twice"),
        (("--during", "FLUSHALL; PING"), "takes one command"),
    ],
)
def test_what_would_not_be_done_is_refused(tmp_path: Path, flags: tuple[str, ...], word: str) -> None:
    done = Weigh(tmp_path)(*LOAD, "--duration", "30s", *flags)
    assert done.code == 2 and word in done.err
    assert not (tmp_path / "runs").exists()


def test_the_last_of_a_flag_is_the_one_that_is_meant() -> None:
    words = ["ycsb-a", "--rate", "5", "--require", "p99<=1s", "--json", "--rate=6", "--require", "p50<=1s", "--json"]
    assert each_once(load, words) == [
        *("ycsb-a", "--require", "p99<=1s", "--rate", "6", "--require", "p50<=1s", "--json")
    ]
    assert each_once(run, ["--contender", "a", "--contender", "b"]) == ["--contender", "a", "--contender", "b"]
    assert each_once(run, ["--", "--scale", "1", "--scale", "2"]) == ["--", "--scale", "1", "--scale", "2"]
    assert each_once(load, ["--no-twice", "--twice"]) == ["--twice"]
