"""Random numbers that never change: integer arithmetic of our own, keyed by (seed, stream, row).

NumPy may change its distributions between versions, and a stateful generator ties a row's value to how rows
were divided among workers. Here word ``i`` of a stream is a pure function of the seed, the stream's name and
``i``: the SplitMix64 finaliser (Steele, Lea, Flood, OOPSLA 2014) over a Weyl sequence. It passes BigCrush, is
a bijection of 64-bit words (so it also makes unique identifiers), and is nine vectorised passes over memory.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

_WEYL = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)

SLOTS = 1 << 16
"""Resolution of a skewed choice: probabilities are multiples of 1/65536."""


def key(seed: int, stream: str) -> int:
    """Where a stream begins: 64 bits of SHA-256 of the seed and the stream's name."""
    return int.from_bytes(hashlib.sha256(f"{seed}\x1f{stream}".encode()).digest()[:8], "little")


def words(start: int, first: int, count: int) -> Words:
    """Words ``first`` to ``first + count`` of the stream that begins at ``start``, a bijection of place."""
    return words_at(start, np.arange(first, first + count, dtype=np.uint64))


def words_at(start: int, places: Words) -> Words:
    """Words of the stream that begins at ``start``, at any places; these are written over."""
    word = places
    word *= _WEYL
    word += np.uint64(start)
    shifted = word >> np.uint64(30)
    word ^= shifted
    word *= _FIRST
    np.right_shift(word, np.uint64(27), out=shifted)
    word ^= shifted
    word *= _SECOND
    np.right_shift(word, np.uint64(31), out=shifted)
    word ^= shifted
    return word


def lanes(word: Words) -> tuple[NDArray[np.uint16], ...]:
    """The four independent 16-bit parts of each word, lowest first, on any byte order."""
    parts = word.astype("<u8", copy=False).view("<u2").reshape(-1, 4)
    return tuple(parts[:, position] for position in range(4))


def skewed(weights: Sequence[int], dtype: type[np.integer] = np.int16) -> NDArray[np.integer]:
    """A table that turns 16 uniform bits into a choice with probability in proportion to its weight.

    Every choice gets at least one slot in 65,536: a value that exists is never impossible.

    Args:
        weights: non-negative integers, at most 65,536 of them. Integers, so that no libm decides a row.
        dtype: of the table's entries.
    """
    spare = SLOTS - len(weights)
    if spare < 0:
        raise ValueError(f"{len(weights)} choices do not fit into {SLOTS} slots")
    total = sum(weights)
    table = np.empty(SLOTS, dtype)
    begin = reached = 0
    for choice, weight in enumerate(weights):
        reached += weight
        end = choice + 1 + spare * reached // total
        table[begin:end] = choice
        begin = end
    return table


def zipf(count: int, offset: int = 1) -> list[int]:
    """Integer weights in proportion to ``1 / (rank + offset)``, rank from 0."""
    return [(1 << 40) // (rank + offset) for rank in range(count)]
