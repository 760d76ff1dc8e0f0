"""A shift that any rebuild brings is not the commit's (docs/guide/builds.md)."""

from __future__ import annotations

import pytest

from . import builds


@pytest.mark.promise(
    "so an unchanged commit is called different in 1 of 100 cases, as with one build that never varies"
)
@pytest.mark.parametrize("spread", builds.SPREADS)
@pytest.mark.parametrize(("blocks", "times"), builds.DESIGNS)
def test_type_one_error_over_builds(blocks: int, times: int, spread: float) -> None:
    wrong = builds.type_one(20_000, blocks, times, spread, 1)
    assert wrong.within(0.007, 0.015), wrong


@pytest.mark.parametrize("spread", builds.SPREADS[1:])
def test_30_starts_of_one_build_of_each_side(spread: float) -> None:
    """What it was without: the more starts, the surer the wrong answer."""
    assert builds.one_build(20_000, 30, spread, 1).value > 0.7
