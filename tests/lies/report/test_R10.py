"""R10: two names, one engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ..reading import ONCE, SMALL, contenders, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

ASKED = ("--operations", "by_action", *SMALL, *ONCE)
OLD, NEW = "old=wrapped@0.16.0", "new=wrapped@0.17.0"


def r10(run: Run) -> set[tuple[str, str, str]]:
    return {(f["code"], f["severity"], f["contender"]) for f in run.json["findings"] if f["code"].startswith("R10")}


@pytest.mark.promise("`weigh run` ends with exit code 2 and says which package holds the engine (`R10.same`).")
def test_two_versions_of_one_engine_are_not_measured(fresh: Callable[[], Weigh]) -> None:
    weigh = fresh()
    run = weigh("run", *contenders(OLD, NEW), *ASKED)
    assert run.code == 2
    assert "old and new are one and the same engine: both say that they are wrapped" in words(run.err)
    assert re.search(
        r"load the same \d+ files? \(the largest _duckdb\.\S+ of duckdb .*; sha256 of all \w+\)", words(run.err)
    )
    assert "--same-engine" in run.err


def test_with_leave_it_is_an_a_a(fresh: Callable[[], Weigh]) -> None:
    weigh = fresh()
    run = weigh("run", *contenders(OLD, NEW), *ASKED, "--same-engine")
    assert run.code in (0, 3), run.err
    assert r10(run) == {("R10.same", "note", "new")}
    text = words(weigh("report", "latest").out)
    assert "new and old are one and the same engine: an A/A" in text


def test_two_engines_and_one_in_two_settings_are_compared(fresh: Callable[[], Weigh]) -> None:
    """The honest twins: another DuckDB below the second name; one version with other settings, and the same twice."""
    pinned = "new=wrapped@0.17.0+duckdb==1.5.5"
    settings = ("again=wrapped@0.16.0", "one=wrapped@0.16.0?threads=1")
    run = fresh()("gate", *contenders(OLD, pinned, *settings), "--operations", "by_action", *SMALL)
    assert r10(run) == set()
    assert run.code == 0


def test_a_gate_warns(fresh: Callable[[], Weigh]) -> None:
    run = fresh()("gate", *contenders(OLD, NEW), "--operations", "by_action", *SMALL)
    assert r10(run) == {("R10.same", "warning", "new")}
    assert run.code == 0
