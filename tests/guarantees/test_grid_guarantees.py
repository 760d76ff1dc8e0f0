"""What the intervals of a grid's effects cover, and how often nothing is called an interaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from weigh.statistics import factorial
from weigh.statistics.effects import over_blocks, typical

from . import noise, rates
from .noise import Size
from .test_guarantees import HARDEST, LAWS, least

if TYPE_CHECKING:
    from weigh.statistics.arrays import Floats

ARMS = [[0, 1], [2], [3], [4]]
"""Of the cells: the baseline has two."""
CELLS = np.array([0.0, 0.05, -0.6, -0.3])
"""True logarithms of the cells of two keys: the effects are -0.475 and 0.175, and the interaction 0.25."""
TRUE = {(0,): -0.475, (1,): 0.175, (0, 1): 0.25}


def blocks(logs: Floats, contrast: factorial.Contrast) -> Floats:
    middle, _ = rates.turns(logs)
    return factorial.of_blocks(contrast, lambda high, low: typical(middle[..., ARMS[high]], middle[..., ARMS[low]]))


@pytest.mark.parametrize("kind", LAWS)
def test_the_99_percent_interval_of_every_effect_covers_as_often(kind: str) -> None:
    size = Size(6_000 if kind == HARDEST else 20_000, 10, 5)
    shift = np.repeat(CELLS, [len(arms) for arms in ARMS])[:, None]
    made = list(rates.batches(noise.ALL[kind], size, 91))
    for contrast in factorial.contrasts((2, 2)):
        found = over_blocks(np.concatenate([blocks(logs + shift, contrast) for logs in made]))
        missed = rates.rate(rates.excludes(found, TRUE[contrast.factors]))
        assert missed.within(least(kind), 0.015), (contrast.factors, missed)
