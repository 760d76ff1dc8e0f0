"""Several builds of each side: what the interval is worth where another build of the same sources has another speed.

One number a block, as :func:`weigh.verdict.comparison.compare` has them: what the two builds of the block bring, and
what its two starts do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.model.build import Build
from weigh.model.contender import Contender
from weigh.model.schedule import build_of
from weigh.model.spec import Spec
from weigh.statistics.effects import over_blocks
from weigh.statistics.groups import joined, over_groups

from .rates import excludes, rate
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.statistics.arrays import Floats, Ints

    from .rates import Rate

START = 0.01
"""Standard deviation of what a start brings to the logarithm of a ratio."""
DESIGNS = ((10, 10), (10, 5), (12, 10), (30, 10), (30, 5), (7, 5))
"""Starts, and builds of each side."""
SPREADS = (0.0, 0.01, 0.03)
"""Standard deviations of the builds of one revision."""


def spec(builds: int) -> Spec:
    """An experiment over so many builds of two revisions."""
    sides = tuple(
        Contender(name=name, engine="any", build=Build(kind="revision", content=name, builds=builds))
        for name in ("main", "pr")
    )
    return Spec(workload="any", contenders=sides, baseline="main")


def numbers(blocks: int, builds: int) -> tuple[Ints, Ints]:
    """Which build of the candidate and of the baseline each block has, as the seed demands."""
    asked = spec(builds)
    own, other = (np.array([build_of(asked, name, block) for block in range(blocks)]) for name in ("pr", "main"))
    return own, other


def differences(experiments: int, blocks: int, builds: int, spread: float, seed: int) -> Floats:
    """Of two revisions that are equally fast."""
    draw = np.random.default_rng(seed)
    own, other = numbers(blocks, builds)
    of_builds = draw.normal(0, spread, (2, experiments, builds))
    return of_builds[0][:, own] - of_builds[1][:, other] + draw.normal(0, START, (experiments, blocks))


def type_one(experiments: int, blocks: int, builds: int, spread: float, seed: int) -> Rate:
    """How often a difference is found where there is none."""
    found = differences(experiments, blocks, builds, spread, seed)
    group = joined(*numbers(blocks, builds))
    assert group is not None
    return rate(excludes(over_groups(found, group).effects))


def one_build(experiments: int, blocks: int, spread: float, seed: int) -> Rate:
    """The same with one build of each side, and the starts as the unit."""
    return rate(excludes(over_blocks(differences(experiments, blocks, 1, spread, seed))))


def rows(experiments: int) -> Iterator[Row]:
    """Of all designs."""
    for spread in SPREADS:
        for blocks, builds in DESIGNS:
            found = type_one(experiments, blocks, builds, spread, 1)
            once = one_build(experiments, blocks, spread, 1)
            setting = f"builds {100 * spread:.0f} % apart, {blocks} starts of {builds} builds"
            kept = found.within(0.007, 0.015)
            yield Row("type-I at 1 %, builds", setting, "0.7-1.5 %", found.banded, kept, f"one build {once}")
