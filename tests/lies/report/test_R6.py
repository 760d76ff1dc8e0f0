"""R6: a history whose machine changed under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import Weigh
from support.history_records import HOST, OTHER, beside, entry, values, written

if TYPE_CHECKING:
    from pathlib import Path

MOVED = 15
COUNT = 30
TIMES = values(COUNT, 5, {MOVED: 1.2})


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


@pytest.mark.promise("A series is split where the machine changed, and no change is told across a split.")
def test_another_machine_passes_for_a_regression_of_a_version(weigh: Weigh) -> None:
    """The machine of version 1.16 and of all later ones is slower by a fifth."""
    hosts = [HOST if at < MOVED else OTHER for at in range(COUNT)]
    entries = [entry(at + 1, one, host=host) for at, (one, host) in enumerate(zip(TIMES, hosts, strict=True))]
    written(weigh.folder / "history", entries)
    shown = weigh("history", "show", "--json")
    assert shown.json["candidates"] == []
    assert shown.codes == {"R6.split"}
    (split,) = shown.json["series"][0]["splits"]
    assert (split["at"], split["why"]) == (MOVED, ["processor: a processor, then another processor"])
    said = " ".join(weigh("history", "show").out.split())
    assert "is split before 1.16" in said
    assert "side by side, added" not in said


def test_the_same_times_on_one_machine_are_a_candidate_and_no_verdict(weigh: Weigh) -> None:
    written(weigh.folder / "history", [entry(at + 1, one) for at, one in enumerate(TIMES)])
    shown = weigh("history", "show", "--json")
    assert shown.code == 0
    (candidate,) = shown.json["candidates"]
    assert (candidate["before"], candidate["after"], candidate["state"]) == ("1.15", "1.16", "candidate")
    assert shown.json["findings"] == []
    assert shown.json["series"][0]["splits"] == []
    said = " ".join(weigh("history", "show").out.split())
    assert f"{candidate['id']} is decided by" in said
    assert "SLOWER" not in said
    written(weigh.folder / "history", [beside(16, 15, 1.2, "slower", confirms=candidate["id"])])
    (candidate,) = weigh("history", "show", "--json").json["candidates"]
    assert candidate["state"] == "confirmed"


def test_a_flat_history_says_nothing(weigh: Weigh) -> None:
    written(weigh.folder / "history", [entry(at + 1, one) for at, one in enumerate(values(COUNT, 6))])
    shown = weigh("history", "show", "--json").json
    assert (shown["candidates"], shown["findings"]) == ([], [])
