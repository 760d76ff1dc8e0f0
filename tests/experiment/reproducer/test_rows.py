"""Rows reduced: what is left still fails, and fails without none of its last pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.experiment.reproducer.rows import FINEST, minimal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Rows = NDArray[np.integer]
    Fails = Callable[[Rows], bool]


def all_of(needed: set[int]) -> Fails:
    """A failure that needs some rows: the two that overflow a sum."""
    return lambda rows: bool(np.isin(sorted(needed), rows).all())


def many(least: int) -> Fails:
    """A failure that needs a number of rows: a filter that is written from some size on."""
    return lambda rows: len(rows) >= least


class Watched:
    """A predicate that must not be asked what it need not be."""

    def __init__(self, fails: Fails, whole: int, patience: int = 1 << 30) -> None:
        self.fails = fails
        self.whole = whole
        self.patience = patience
        self.asked = 0

    def __call__(self, rows: Rows) -> bool:
        assert 0 < len(rows) < self.whole
        assert (np.diff(rows) > 0).all(), "in their order, none twice"
        self.asked += 1
        return self.asked <= self.patience and self.fails(rows)


@settings(deadline=None)
@given(st.data())
def test_what_is_left_fails_and_fails_without_none_of_its_pieces(data: st.DataObject) -> None:
    number = data.draw(st.integers(1, 3000))
    if data.draw(st.booleans()):
        fails = all_of(data.draw(st.sets(st.integers(0, number - 1), min_size=1, max_size=6)))
    else:
        fails = many(data.draw(st.integers(1, number)))
    finest = data.draw(st.sampled_from((4, 8, FINEST)))
    left, parts = minimal(np.arange(number), Watched(fails, number), finest)
    assert fails(left)
    pieces = np.array_split(left, parts)
    for without in range(parts):
        rest = np.concatenate([np.array([], int), *pieces[:without], *pieces[without + 1 :]])
        assert not len(rest) or not fails(rest)


@pytest.mark.long
@settings(deadline=None)
@given(st.integers(1, 20_000), st.data())
def test_rows_far_apart_are_all_that_is_left(number: int, data: st.DataObject) -> None:
    """Three rows are never a piece each of four: the search ends at them alone, at the coarsest grain too."""
    needed = data.draw(st.sets(st.integers(0, number - 1), min_size=1, max_size=3))
    left, _ = minimal(np.arange(number), all_of(needed), 4)
    assert set(left.tolist()) == needed


@pytest.mark.parametrize("patience", [0, 1, 8, 30])
def test_when_the_time_is_over_what_was_reached_is_kept(patience: int) -> None:
    watched = Watched(all_of({3, 900}), 1000, patience)
    left, _ = minimal(np.arange(1000), watched)
    assert {3, 900} <= set(left.tolist())
    assert watched.asked <= patience + 2 * (4 + FINEST) + 2 * FINEST, "it ends soon"
    assert len(left) < 1000 or patience < 8
