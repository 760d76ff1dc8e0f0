"""What the command line and weigh.toml say of a search before anything is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from weigh.load.comparison import record as records

if TYPE_CHECKING:
    from support.command import Weigh

BUDGET = ("--find-rate", "p99<=20ms")


@pytest.mark.promise("Every round asks each server for one probe, in random order that `--seed` decides")
@pytest.mark.long
def test_several_servers_are_searched_in_turn(weigh: Weigh) -> None:
    # The rate is so low that it is kept: the search ends at once.
    (weigh.folder / "weigh.toml").write_text(
        '[load]\nworkload = "ycsb-c"\nfind_rate = ["p50<=5s", "errors<=50%"]\nrate = "100"\nbudget = "10s"\n'
        'duration = "1s"\nrecords = "100"\nconnections = 4\n'
        '[[load.contender]]\nname = "a"\ntarget = "sqlite:embedded"\n'
        '[[load.contender]]\nname = "b"\ntarget = "sqlite:embedded"\n'
    )
    run = weigh("load", "--quiet", "--json")
    assert run.code in (*RAN, 1), run.err
    record = records.read(run.evidence)
    first, second, *_ = record.blocks
    assert set(first.arms) == set(second.arms) == {"a", "b"}
    for name, load in record.loads.items():
        assert [one.repeat for one in load.runs] == [one.block for one in record.blocks if name in one.arms]
        # A fresh life for each probe.
        assert [one.life for one in load.runs] == list(range(1, len(load.runs) + 1))
        assert [one.loop for one in load.runs[:2]] == ["closed", "open"]
    (one,) = run.json["verdicts"]
    assert (one["metric"], one["contender"]) == ("highest_rate", "b")
    assert [each["contender"] for each in run.json["rate_search"]["rates"]] == ["a", "b"]
    assert [each["text"] for each in run.json["rate_search"]["budgets"]] == ["p50<=5s", "errors<=50%"]
    checked = weigh("verify", str(run.evidence))
    assert checked.code == 0, checked.out
    assert weigh("report", str(run.evidence), "--json").json == run.json
    assert "load-comparison" in weigh("runs").out


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
