"""What the command line and weigh.toml say of a search before anything is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

BUDGET = ("--find-rate", "p99<=20ms")


@pytest.mark.promise("A search against several servers at once is not made yet")
def test_several_servers_are_refused_with_what_to_do_instead(weigh: Weigh) -> None:
    servers = ("--contender", "a=valkey:embedded", "--contender", "b=valkey:embedded")
    run = weigh("load", "ycsb-b", *servers, *BUDGET)
    assert run.code == 2
    assert "--find-rate searches one server at a time" in run.err
    assert "search for each by itself with --target" in run.err


def test_what_is_no_budget_has_a_remedy(weigh: Weigh) -> None:
    run = weigh("load", "ycsb-b", "--target", "valkey:embedded", "--find-rate", "p98<=20ms")
    assert run.code == 2
    assert "there is no budget of p98" in run.err
    assert "p50, p90, p95, p99, p99.9, p99.99" in run.err


def test_budgets_stand_in_weigh_toml_and_a_flag_may_contradict_them(weigh: Weigh) -> None:
    toml = '[load]\nworkload = "ycsb-b"\ntarget = "valkey:embedded"\nfind_rate = ["p99<=20ms", "errors<=1%"]\n'
    (weigh.folder / "weigh.toml").write_text(toml)
    run = weigh("load", "--closed")
    assert run.code == 2
    assert "--find-rate and --closed: a closed loop has no rate to find" in run.err
    (weigh.folder / "weigh.toml").write_text(toml.replace('"errors<=1%"', '"p99<=30ms"'))
    run = weigh("load")
    assert run.code == 2
    assert "two budgets are about the same: p99<=20ms and p99<=30ms" in run.err
