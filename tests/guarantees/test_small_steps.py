"""Small steps of noisy histories, weekdays, and gross steps in few points (docs/guide/history.md)."""

from __future__ import annotations

import pytest

from . import small_steps
from .small_steps import HISTORIES

ENOUGH = 45
"""Of 60."""


@pytest.mark.promise("Of 60 such steps at least 45 are found, and in 60 flat histories none is invented.")
def test_steps_of_5_percent_among_points_of_3_percent_are_found_and_none_is_invented() -> None:
    assert small_steps.invented(HISTORIES, 41).count == 0
    assert small_steps.recalled(HISTORIES, 42).count >= ENOUGH


@pytest.mark.promise("Weekends that are 5 or 35 % slower are no step, and hide none.")
@pytest.mark.parametrize("weekend", small_steps.WEEKENDS[1:])
def test_weekends_are_no_step_and_hide_none(weekend: float) -> None:
    assert small_steps.invented(HISTORIES, 43, weekend).count == 0
    assert small_steps.recalled(HISTORIES, 44, weekend).count >= ENOUGH


@pytest.mark.promise("A step of 18 times in 13 points is told wherever it is")
def test_a_step_of_18_times_in_13_points_is_told() -> None:
    assert small_steps.early(HISTORIES, 45).count == HISTORIES


@pytest.mark.long
@pytest.mark.parametrize("weekend", small_steps.WEEKENDS)
def test_many_histories(weekend: float) -> None:
    assert small_steps.invented(1_000, 46, weekend).within(0.0, 0.01)
    assert small_steps.recalled(400, 47, weekend).within(0.75, 1.0)
