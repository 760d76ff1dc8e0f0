"""``--require`` is wrong no more often than its intervals say, on either side, and decides what is clear."""

import pytest

from .requirements import SETTINGS, answers

RUNS = [pytest.param(*one, marks=[pytest.mark.long] if one[2] > 5_000 else []) for one in SETTINGS]


@pytest.mark.parametrize(("name", "q", "length"), RUNS)
def test_at_the_limit_neither_answer_is_given_too_often(name: str, q: float, length: int) -> None:
    holds, broken = answers(name, q, length, 1.0, 400, seed=71)
    assert holds.within(0, 0.025), holds
    assert broken.within(0, 0.025), broken


@pytest.mark.parametrize(("name", "q", "length"), RUNS)
def test_what_is_clear_is_decided(name: str, q: float, length: int) -> None:
    assert answers(name, q, length, 0.4, 60, seed=72)[0].value > 0.9
    assert answers(name, q, length, 2.5, 60, seed=72)[1].value > 0.9
