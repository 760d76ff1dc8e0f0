"""What is reported of an operation with the help of its template (docs/concept/statistics.md)."""

from __future__ import annotations

import pytest

from . import noise, pooled
from .pooled import MACHINE, MARGIN
from .rates import Rate

FEW, MANY = pooled.DESIGNS


@pytest.mark.promise("of 300 equal operations 71 % are the same, 13 % alone")
def test_most_equal_operations_are_the_same_after_few_starts() -> None:
    alone, together = pooled.answered(MACHINE, pooled.equal(6), FEW, 61).shares
    assert together.within(0.7, 1.0), together
    assert together.value > 3 * alone.value


def test_of_those_that_are_the_same_fewer_are_wrong_than_alone() -> None:
    alone, together = pooled.answered(MACHINE, pooled.by_thirds(6), FEW, 62).wrong
    assert together.trials > 2 * alone.trials
    assert together.value <= alone.value


@pytest.mark.long
@pytest.mark.parametrize("law", [pooled.lone, pooled.scattered])
@pytest.mark.parametrize("design", pooled.DESIGNS)
def test_of_those_that_are_the_same_few_are_wrong(law: pooled.Law, design: tuple[int, int]) -> None:
    _, together = pooled.answered(MACHINE, law(40), design, 63).wrong
    assert together.value <= 0.05


@pytest.mark.long
@pytest.mark.parametrize("side", [MARGIN, -MARGIN])
@pytest.mark.parametrize("kind", [*noise.ALL, *noise.SKEWED])
def test_templates_at_the_margin_are_not_the_same(kind: str, side: float) -> None:
    for design in pooled.DESIGNS:
        _, together = pooled.answered(kind, pooled.equal(20, side), design, 64).shares
        # They are decided together: as many trials as there are templates.
        templates = 20 * pooled.TEMPLATES
        assert Rate(round(together.value * templates), templates).within(0.0, 0.055)


def test_one_that_is_far_off_its_template_is_not_called_the_same() -> None:
    _, together = pooled.answered(MACHINE, pooled.lone(6), MANY, 65).beyond
    assert together.value <= 0.02
