"""The orders in which streams ask the 99 queries, by the rule of dsqgen.

One sequence of random numbers, that of the seed which dsqgen has without ``-rngseed``, exchanges places; every stream
begins it anew, from the order of the stream before. Stream 0 begins 96, 7, 75; stream 1 begins 83, 32, 30; stream 2
begins 56, 98, 59, as in the table of the specification.
"""

from __future__ import annotations

QUERIES = 99
_SEED = 19620718
_MULTIPLIER, _MODULUS = 16807, 2147483647


def order(stream: int) -> tuple[int, ...]:
    """The numbers of the queries in the order of a stream, 0 that of the power test."""
    numbers = list(range(1, QUERIES + 1))
    for _ in range(stream + 1):
        drawn = _SEED
        for at in range(QUERIES):
            drawn = drawn * _MULTIPLIER % _MODULUS
            other = drawn % QUERIES
            numbers[at], numbers[other] = numbers[other], numbers[at]
    return tuple(numbers)
