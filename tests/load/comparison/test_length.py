"""How long a comparison goes on, said before its first request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from support import load_comparison_records as made
from weigh.load.comparison.config import quick
from weigh.load.comparison.run import length

if TYPE_CHECKING:
    from support.command import Weigh
    from weigh.load.comparison.spec import LoadComparisonSpec


def _spec(blocks: int, seconds: float) -> LoadComparisonSpec:
    asked = made.spec(blocks)
    return msgspec.structs.replace(asked, load=msgspec.structs.replace(asked.load, duration_s=seconds))


def test_a_long_one_names_what_takes_less() -> None:
    assert length(_spec(10, 60.0)) == (
        "10 blocks of 3 runs of 1 min 0 s: at least 30 min 0 s; with --quick it would take at least 3 min 0 s, "
        "and decide less"
    )
    assert length(_spec(5, 15.0)) == "5 blocks of 3 runs of 15 s: at least 3 min 45 s"


def test_a_first_look_is_few_blocks_and_what_is_named_is_meant() -> None:
    left_out = {"quick": True, "find_rate": (), "blocks": None, "duration": None, "twice": None}
    assert quick(left_out) == {**left_out, "blocks": 6, "duration": "15s", "twice": False}
    named = {**left_out, "blocks": 7, "duration": "25s", "twice": True}
    assert quick(named) == named
    assert quick({**left_out, "quick": False}) == {**left_out, "quick": False}


def test_a_first_look_is_of_several_and_no_search(weigh: Weigh) -> None:
    load = ("load", "ycsb-b", "--rate", "100", "--quick")
    alone = weigh(*load, "--target", "valkey:embedded")
    assert (alone.code, alone.out) == (2, "")
    assert "--quick is of several contenders" in alone.err
    both = ("--contender", "a=valkey:embedded", "--contender", "b=valkey:embedded")
    search = weigh(*load, *both, "--find-rate", "p99<=20ms")
    assert (search.code, search.out) == (2, "")
    assert "leave --quick out; --budget says how long it may take" in search.err
