"""Whether events of two kinds come together more often than chance brings them together.

**The question** is in how many events of one kind (checkpoints) one of the other kind (a spike) began. **Chance** is
what the same events would have met had they come at other moments: the gaps from one to the next are put into random
order, with the lengths of the events that begin them, and all are shifted together by a random time around the run. So
gaps and lengths stay what they were, and so does everything about the spikes: that they come in clusters, or regularly.
Events that come about regularly are only shifted: by chance two clocks of the same period keep step for the whole run,
and only where in the period each strikes is open. (Shuffling of intervals, as in the
analysis of spike trains: D. H. Perkel, G. L. Gerstein, G. P. Moore, Biophysical Journal 7(4), 1967; the shift alone is
the torus method of J. E. Lotwick, B. W. Silverman, Journal of the Royal Statistical Society B 44(3), 1982.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.units import Seconds
    from weigh.statistics.arrays import Floats

DRAWS = 1_999
"""Rearrangements; the smallest p is one over one more."""
_SEED = 20_261_123
_AT_ONCE = 1_000_000
_FEWEST = 499
"""Rearrangements of so many events that more would take seconds."""
_REGULAR = 0.3
"""Coefficient of variation of the gaps below which events come about regularly."""


class Coincidence(NamedTuple):
    """What was observed, and how likely chance gives as much.

    Attributes:
        hits: events in which something of the other kind began.
        p: probability of so many or more by chance.
    """

    hits: Sequence[bool]
    p: float


def coincidence(
    begins: Sequence[Seconds], lengths: Sequence[Seconds], marks: Sequence[Seconds], total: Seconds, slack: Seconds
) -> Coincidence:
    """Test it.

    Args:
        begins: when each event began, from 0 to ``total``, ascending.
        lengths: how long each lasted.
        marks: when each spike began, likewise.
        total: seconds of the run.
        slack: by how much the times of both may be wrong.

    Returns:
        Its ``hits`` are those of the events, in order. The same input always gives the same result.
    """
    begin, length = np.asarray(begins, dtype=np.float64), np.asarray(lengths, dtype=np.float64)
    places = np.sort(np.asarray(marks, dtype=np.float64))
    hits = _met(begin, length, places, slack)
    number = int(hits.sum())
    if not number:
        return Coincidence(hits=tuple(map(bool, hits)), p=1.0)
    # The run as a ring: what is shifted beyond its end comes again at its beginning.
    ring = np.concatenate([places + turn * total for turn in (-1, 0, 1, 2)])
    gaps = np.diff(begin, append=begin[0] + total)
    draws = max(min(DRAWS, 20 * _AT_ONCE // len(begin)), _FEWEST)
    regular = bool(gaps.std() < _REGULAR * gaps.mean())
    draw = np.random.default_rng(_SEED)
    as_good, done = 0, 0
    while done < draws:
        some = min(max(_AT_ONCE // len(begin), 1), draws - done)
        order = np.tile(np.arange(len(begin)), (some, 1))
        if not regular:
            order = draw.permuted(order, axis=1)
        shift = draw.random((some, 1)) * total
        moved = (shift + np.cumsum(gaps[order], axis=1) - gaps[order]) % total
        met = _met(moved, np.minimum(length[order], total), ring, slack)
        as_good += int((met.sum(axis=1) >= number).sum())
        done += some
    return Coincidence(hits=tuple(map(bool, hits)), p=(1 + as_good) / (1 + draws))


def _met(begin: Floats, length: Floats, marks: Floats, slack: Seconds) -> Floats:
    """In which of the events something began."""
    first = np.searchsorted(marks, begin - slack, side="left")
    last = np.searchsorted(marks, begin + length + slack, side="right")
    return np.asarray(last > first)


def holm(p: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p values: of all that are at most alpha, with probability 1 - alpha none is by chance.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6(2), 1979.
    """
    adjusted, least = [0.0] * len(p), 0.0
    for rank, at in enumerate(sorted(range(len(p)), key=lambda at: p[at])):
        least = max(least, min((len(p) - rank) * p[at], 1.0))
        adjusted[at] = least
    return tuple(adjusted)
