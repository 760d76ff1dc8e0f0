"""A9: a result cache answers, not the engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ..reading import SHORT, SMALL, assert_silent, contenders, errors, verdicts

if TYPE_CHECKING:
    from support.command import Run, Weigh


def test_a_cache_that_nobody_disclosed_is_found(weigh: Weigh) -> None:
    flags = ("--scale", "100K", "--quiet", "--json", *SHORT, "--operations", "distinct,top_talkers,by_action")
    run = weigh("run", *contenders("duckdb", "liar?lie=cache"), *flags)
    assert errors(run) == {("A9.detected", "liar?lie=cache")}
    for operation in ("distinct", "top_talkers", "by_action"):
        assert verdicts(run, operation).get("liar?lie=cache", {"verdict": "refused"})["verdict"] == "refused"
    assert {timing["contender"] for timing in run.json["timings"]} == {"duckdb"}
    assert run.code == 1


def test_the_honest_twins_are_left_alone(twins: Run) -> None:
    assert_silent(twins)


def test_an_honest_engine_on_a_crowded_machine_is_left_alone(weigh: Weigh) -> None:
    """Its law has a seed by which the five repetitions of the probe happen to be much faster than unseen queries."""
    noisy = f"noisy=liar?lie=pace&ms=40&jitter=1.5&seed=41&diary={weigh.folder / 'lives'}"
    run = weigh("gate", *contenders("duckdb", noisy), "--workload", "two", "--scale", "20K", "--quiet", "--json")
    assert_silent(run)


@pytest.mark.parametrize("spec", ["chdb", "chdb@4.1.8+chdb-core==26.3.0"])
def test_a_real_cache_that_is_switched_on_is_read_back(weigh: Weigh, spec: str) -> None:
    contender = f"{spec}?use_query_cache=1"
    run = weigh("gate", *contenders("duckdb", contender), *SMALL, "--operations", "by_action")
    assert errors(run) == {("A9.enabled", contender)}
    assert "use_query_cache = 1, read back" in run.out
    assert run.code == 1


def test_left_alone_it_is_off_and_disclosed(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb", "chdb"), *SMALL, "--operations", "by_action,distinct,top_talkers")
    assert_silent(run)
    described = json.loads((run.evidence / "environment.json").read_text())["contenders"]
    (chdb,) = (one for one in described if one["name"] == "chdb")
    assert chdb["in_force"]["use_query_cache"]["value"] == "0"
