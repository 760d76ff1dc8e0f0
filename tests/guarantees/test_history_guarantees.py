"""What a history keeps: next to no change that is none, and changes of 5 % found at their place."""

from __future__ import annotations

import numpy as np
import pytest

from . import histories

LONG = pytest.mark.long


@pytest.mark.promise(
    "At most 0.2 false changes in 200 commits: of independent noise, of noise that remembers, and of two speeds."
)
@pytest.mark.parametrize("law", histories.LAWS)
def test_histories_without_a_change_have_none(law: str) -> None:
    assert histories.false_changes(law, 25, 21) <= histories.FALSE


@pytest.mark.promise(
    "Nine in ten changes of 5 % are found within three commits, and nine in ten that are found are one."
)
@pytest.mark.parametrize("law", ["iid", "AR .5"])
def test_changes_of_five_percent_are_found_where_they_are(law: str) -> None:
    found = histories.steps(law, 25, 22)
    assert found.recall.within(histories.FOUND, 1.0), found
    assert found.precision.within(histories.FOUND, 1.0), found


@pytest.mark.long
@pytest.mark.promise("Of short histories without a change at most one in 200 is said to have such a step")
@pytest.mark.parametrize("law", histories.STEADY)
def test_steps_of_too_few_points_are_not_invented(law: str) -> None:
    told = histories.gross_steps(law, 200, 28)
    assert told.within(0.0, 0.005), told


def test_steps_of_too_few_points_are_told() -> None:
    for size in (1.3, 18.0):
        told = histories.gross_found(size, 100, 29)
        assert told.within(0.9, 1.0), told


@LONG
@pytest.mark.parametrize("law", histories.LAWS)
def test_many_histories_without_a_change_have_none(law: str) -> None:
    assert histories.false_changes(law, 300, 23) <= histories.FALSE


@LONG
@pytest.mark.parametrize("law", histories.STEPPED)
@pytest.mark.parametrize("seed", [24, 25])
def test_changes_are_found_under_other_laws(law: str, seed: int) -> None:
    found = histories.steps(law, 150, seed)
    assert found.recall.within(histories.FOUND, 1.0), found
    assert found.precision.within(histories.FOUND, 1.0), found


@LONG
@pytest.mark.promise("Known changes of 5-15 % in a hundred points of skewed noise are found, and none is invented.")
@pytest.mark.parametrize("seed", [26, 27])
def test_known_changes_of_a_hundred_points_are_found_and_none_is_invented(seed: int) -> None:
    found = histories.known(300, seed)
    assert found.invented.within(0.0, 0.01), found
    for one in (found.recall, found.precision, found.covered):
        assert one.within(0.95, 1.0), found


def test_the_laws_have_the_spread_that_they_say() -> None:
    draw = np.random.default_rng(1)
    for law in ("iid", "AR .5", "t(3)"):
        spread = np.mean([histories.LAWS[law](draw).std() for _ in range(50)])
        assert 0.7 * histories.SD < spread < 1.3 * histories.SD
