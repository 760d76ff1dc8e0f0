"""Whose turn it is: in every round each search that goes on makes one run, in random order."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from weigh.load.comparison.spec import LoadComparisonSpec


def turns(spec: LoadComparisonSpec, number: int, going: Collection[str]) -> tuple[str, ...]:
    """Who has a turn in a round, in order. It follows from the seed alone, whoever has ended before.

    Args:
        spec: of the comparison.
        number: of the round, from 1.
        going: names of those whose search goes on.
    """
    names = [one.name for one in spec.contenders]
    order = random.Random(f"{spec.load.seed}/{number}").sample(names, len(names))
    return tuple(name for name in order if name in going)
