"""The exact distribution of NURand (clause 2.1.6 of TPC-C), and whether counts follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.statistics.special import special

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.statistics.arrays import Floats

_LEAST = 5.0
"""Expected counts of a bin, below which bins are joined."""


def probabilities(a: int, least: int, most: int, constant: int) -> Floats:
    """How likely each number from ``least`` to ``most`` is.

    Args:
        a: one less than a power of two.
        least: the lowest number.
        most: the highest.
        constant: C, by which the distribution is moved.
    """
    width = most - least + 1
    # x | y keeps the bits of y, and has each other bit of a with probability 1/2, independently.
    bits = a.bit_length()
    both = np.zeros((most // (a + 1) + 1) * (a + 1))
    both[least : most + 1] = 1 / width
    blocks = both.reshape(-1, a + 1)
    for bit in range(bits):
        halves = blocks.reshape(blocks.shape[0], -1, 2, 1 << bit)
        moved = halves[:, :, 0, :] / 2
        blocks = np.stack([moved, halves[:, :, 1, :] + moved], axis=2).reshape(blocks.shape)
    found = np.zeros(width)
    values = np.arange(both.size)
    # What is or-ed may be larger than the range: it comes round, as the sum with the constant does.
    np.add.at(found, (values + constant) % width, blocks.reshape(-1))
    return found


def binned(shares: Floats, width: int) -> Floats:
    """Shares of so many numbers together, the last of what is left."""
    return np.add.reduceat(shares, np.arange(0, shares.size, width))


def unlikely(counts: Sequence[int], shares: Floats) -> float | None:
    """How likely counts at least as far from these shares are: Pearson's chi-square; None of too few counts."""
    counts_read, expected = np.asarray(counts, dtype=float), shares * sum(counts)
    if counts_read.size != expected.size:
        return 0.0
    joined: list[tuple[float, float]] = []
    at = wanted = 0.0
    for one, other in zip(counts_read, expected, strict=True):
        at, wanted = at + one, wanted + other
        if wanted >= _LEAST:
            joined.append((at, wanted))
            at = wanted = 0.0
    if len(joined) < 2:
        return None
    joined[-1] = (joined[-1][0] + at, joined[-1][1] + wanted)
    square = sum((one - other) ** 2 / other for one, other in joined)
    return float(special.chdtrc(len(joined) - 1, square))
