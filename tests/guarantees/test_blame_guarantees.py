"""What a server did is blamed for spikes as seldom by chance as is promised (docs/reference/guarantees.md)."""

from __future__ import annotations

import pytest

from . import blame
from .blame import LAWS


@pytest.mark.parametrize(
    ("activity", "spikes"),
    [
        ("at random", "at random"),
        ("evenly", "evenly"),
        pytest.param("unevenly", "evenly", marks=pytest.mark.long),
        pytest.param("in clusters", "in clusters", marks=pytest.mark.long),
        pytest.param("at random", "in clusters", marks=pytest.mark.long),
    ],
)
def test_what_has_nothing_to_do_with_the_spikes_is_seldom_blamed(activity: str, spikes: str) -> None:
    found = blame.wrongly(LAWS[activity], LAWS[spikes], 60, seed=91)
    assert found.within(0.0, 0.05), found


def test_checkpoints_that_stall_the_server_are_blamed() -> None:
    found = blame.rightly(LAWS["at random"], 30, seed=92)
    assert found.within(0.95, 1.0), found
