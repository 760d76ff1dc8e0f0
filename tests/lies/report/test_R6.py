"""R6: a history whose machine changed under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from guarantees.histories import skewed
from support.command import Weigh
from support.history_records import HOST, OTHER, beside, entry, measured, point, values, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOVED = 15
COUNT = 30
TIMES = values(COUNT, 5, {MOVED: 1.2})
PACE = "liar?lie=pace&ms=60"
SLOWER = "liar?lie=pace&ms=90"


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
    assert "history confirm" not in said


def test_the_same_times_on_one_machine_are_a_candidate_and_no_verdict(weigh: Weigh) -> None:
    written(weigh.folder / "history", [entry(at + 1, one) for at, one in enumerate(TIMES)])
    shown = weigh("history", "show", "--json")
    assert shown.code == 0
    (candidate,) = shown.json["candidates"]
    assert (candidate["before"], candidate["after"], candidate["state"]) == ("1.15", "1.16", "candidate")
    assert shown.json["findings"] == []
    assert shown.json["series"][0]["splits"] == []
    said = " ".join(weigh("history", "show").out.split())
    assert f"weigh history confirm {candidate['id']}" in said
    assert "SLOWER" not in said
    written(weigh.folder / "history", [beside(16, 15, 1.2, "slower", confirms=candidate["id"])])
    (candidate,) = weigh("history", "show", "--json").json["candidates"]
    assert candidate["state"] == "confirmed"


def test_a_hundred_points_keep_their_changes_apart_from_a_change_of_machine(weigh: Weigh) -> None:
    """Known changes on either side of a slower machine, by a law that nothing here was made with."""
    known, machine = {20: 1.06, 45: 0.9, 84: 1.12}, 62
    logs = skewed(np.random.default_rng(28))
    for at, ratio in {**known, machine: 1.3}.items():
        logs[at:] += np.log(ratio)
    made = [
        entry(at + 1, float(one), host=HOST if at < machine else OTHER) for at, one in enumerate(0.1 * np.exp(logs))
    ]
    written(weigh.folder / "history", made)
    shown = weigh("history", "show", "--json").json
    assert [one["at"] for one in shown["candidates"]] == pytest.approx(list(known), abs=2)
    assert [one["ratio"] for one in shown["candidates"]] == pytest.approx(list(known.values()), rel=0.02)
    (one,) = shown["series"]
    assert [split["at"] for split in one["splits"]] == [machine]
    # ClickHouse's rule stands alongside, within the same parts.
    assert [one["clickhouse"] for one in shown["candidates"]] == ["step"] * 3
    assert one["clickhouse_steps"] == pytest.approx(list(known), abs=2)


def test_a_flat_history_says_nothing(weigh: Weigh) -> None:
    written(weigh.folder / "history", [entry(at + 1, one) for at, one in enumerate(values(COUNT, 6))])
    shown = weigh("history", "show", "--json").json
    assert (shown["candidates"], shown["findings"]) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize(
    ("later", "said"),
    [(PACE, {("not confirmed", 0), ("open", 3)}), (SLOWER, {("confirmed", 1)})],
    ids=["machine", "version"],
)
def test_a_side_by_side_tells_the_machine_from_the_version(
    fresh: Callable[[], Weigh], later: str, said: set[tuple[str, int]]
) -> None:
    """A fact that nobody records slowed the machine from version 1.16 on; the honest twin is slower by itself.

    A busy machine may leave the first one open.
    """
    weigh = fresh()
    points = [
        point(
            at + 1,
            one,
            operation="unordered",
            question="",
            who=msgspec.structs.replace(measured(at + 1, "liar"), spec=spec),
        )
        for at, (one, spec) in enumerate(zip(TIMES, [PACE] * MOVED + [later] * (COUNT - MOVED), strict=True))
    ]
    asked = {"workload": "two", "scale": "1000", "margin": "0.1"}
    history = [
        entry(at, one.value, points=(one,), flags=asked, workload="two", data={}) for at, one in enumerate(points, 1)
    ]
    written(weigh.folder / "history", history)
    (candidate,) = weigh("history", "show", "--json").json["candidates"]
    ran = weigh("history", "confirm", candidate["id"], "--starts", "5", "--quiet", "--json")
    assert (ran.json["state"], ran.code) in said, ran.err
    assert (ran.json["before"], ran.json["after"], ran.json["left"]) == ("1.15", "1.16", [])
    (told,) = weigh("history", "show", "--json").json["candidates"]
    assert (told["id"], told["state"] == "confirmed") == (candidate["id"], later == SLOWER)
