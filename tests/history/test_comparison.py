"""Attempts of one comparison: what makes another one, and whose verdicts stand side by side."""

from __future__ import annotations

from typing import Any

import pytest

from support import experiment_records
from support.history_records import entry
from support.sessions import changed
from weigh.history.attempts import attempts, findings
from weigh.history.comparison import comparison, identities

RECORD = experiment_records.record(operations=("q1",), contenders=("main", "pr"), starts=5, runs=1)
SPEC = RECORD.spec


def asked(**fields: Any) -> str:
    return comparison(changed(RECORD, spec=changed(SPEC, **fields)))


@pytest.mark.parametrize(
    "fields", [{"seed": 7}, {"starts": 20}, {"budget": 60.0}, {"precision": 0.01}, {"contention": 1.0}, {"name": "x"}]
)
def test_how_often_and_how_long_makes_no_other_comparison(fields: dict[str, Any]) -> None:
    assert asked(**fields) == comparison(RECORD)


@pytest.mark.parametrize(
    "fields",
    [
        {"workload": "netflow"}, {"scale": 2.0}, {"temperature": "cold"}, {"memory_limit": 1 << 30},
        {"rules": changed(SPEC.rules, margin=0.1)}, {"layout": changed(SPEC.layout, files=20)},
        {"contenders": (SPEC.contenders[0], changed(SPEC.contenders[1], settings={"threads": 1}))},
        {"contenders": (SPEC.contenders[0], changed(SPEC.contenders[1], version="1.5.5"))},
    ],
)  # fmt: skip
def test_what_is_asked_of_whom_does(fields: dict[str, Any]) -> None:
    assert asked(**fields) != comparison(RECORD)


def test_the_other_way_round_is_another_question() -> None:
    newer = changed(SPEC.contenders[1], settings={"threads": 1})
    both = (SPEC.contenders[0], newer)
    assert asked(contenders=both) != asked(contenders=both, baseline="pr")


def test_twins_keep_their_names() -> None:
    """Each has verdicts of its own."""
    three = experiment_records.record(operations=("q1",), contenders=("main", "one", "two"), starts=5, runs=1)
    who = identities(three)
    assert (who["one"], who["two"]) == (f"{who['main']} one", f"{who['main']} two")


def test_hot_and_cold_do_not_contradict_each_other() -> None:
    """Nor do two percentiles: each is a question of its own, which every attempt answered alike."""

    def attempt(number: int) -> Any:
        made = changed(
            entry(number, 0.1), experiment="e", comparison="c", id=f"seal{number}", covers=(f"seal{number}",)
        )
        (point, *_) = made.points
        kinds = (
            {"temperature": "cold", "verdict": "slower"},
            {"verdict": "same"},
            {"metric": "p99", "verdict": "small"},
        )
        return changed(made, points=tuple(changed(point, ratio=1.0, **kind) for kind in kinds))

    (told,) = attempts([attempt(1), attempt(2)])
    assert told.disagree == {}
    assert len(told.verdicts) == 3
    assert [one.code for one in findings([attempt(1), attempt(2)], {"e"})] == ["T8.attempts"]
    third = changed(attempt(3), points=tuple(changed(one, verdict="refused") for one in attempt(3).points))
    assert [one.code for one in findings([attempt(1), third], {"e"})] == ["T8.disagree"]
