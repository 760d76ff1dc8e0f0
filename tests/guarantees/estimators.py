"""What one start could give: the number that is used, and what was tried in its place.

``PYTHONPATH=src:tests python -m guarantees.estimators`` prints type-I error and power of each under every law. The
number of a block enters Student's t over the blocks; only how it is made of the executions differs.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.effects import Effects, over_blocks

from . import noise, rates
from .noise import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.statistics.arrays import Floats

    from .rates import Rate

CHANGE = 0.03
"""True change at which power is compared."""


def hodges_lehmann(logs: Floats) -> Effects:
    """The median of all pairwise means of the differences of a start."""
    pairs = _pairs(logs)
    one, other = np.triu_indices(pairs.shape[-1])
    return over_blocks(np.median((pairs[..., one] + pairs[..., other]) / 2, axis=-1))


def trimmed(logs: Floats) -> Effects:
    """The mean of the middle half of the differences of a start."""
    pairs = np.sort(_pairs(logs), axis=-1)
    cut = pairs.shape[-1] // 4
    return over_blocks(pairs[..., cut : pairs.shape[-1] - cut].mean(axis=-1))


def _pairs(logs: Floats) -> Floats:
    middle, _ = rates.turns(logs)
    pairs = middle[..., :1] - middle[..., -2:]
    return pairs.reshape(*pairs.shape[:2], -1)


ESTIMATORS: dict[str, Callable[[Floats], Effects]] = {
    "contrast of medians": rates.estimated,
    "median of pairs": rates.by_pairs,
    "mean of logarithms": rates.by_means,
    "Hodges-Lehmann": hodges_lehmann,
    "trimmed by a quarter": trimmed,
    "median against the mean of both baseline arms": rates.by_mean_of_baselines,
}
"""The first is used."""


def compared(kind: str, size: Size) -> Iterator[tuple[str, Rate, Rate]]:
    """Each estimator with its type-I error at nominal 1 % and its power."""
    for name, estimate in ESTIMATORS.items():
        wrong, seen = (rates.found(noise.ALL[kind], size, change, 81, estimate) for change in (0.0, CHANGE))
        yield name, wrong, seen


def main() -> None:
    """Prints the comparison; the first argument multiplies the replicates."""
    count = int(20_000 * (float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))
    for kind in noise.ALL:
        print(f"{kind}, 10 starts of {noise.ROUNDS} rounds")
        for name, wrong, seen in compared(kind, Size(count)):
            kept = "" if wrong.within(0.0, 0.015) else "  NOT REACHED"
            print(f"    {name:46} type-I {wrong}  power at {CHANGE:.0%} {seen}{kept}", flush=True)


if __name__ == "__main__":
    main()
