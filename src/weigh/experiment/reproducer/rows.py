"""Rows reduced: a part of a sequence on which something still holds, found by delta debugging.

Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (IEEE TSE 28(2), 2002), with two bounds:
parts are never finer than asked for, and a part alone is tried only while parts are large. What depends on row groups,
dictionaries or filters of a file does not survive in a small part of it, but often does without a small part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Units = NDArray[np.integer]
    """Numbers of whatever is divided: rows, or values."""

FINEST = 16
"""Parts that a sequence is divided into at most; a shorter one into single units."""
_ALONE = 4
"""Up to this many parts each is tried alone; above, only what is left without it."""


def minimal(units: Units, holds: Callable[[Units], bool], finest: int = FINEST) -> tuple[Units, int]:
    """A part of ``units``, in their order, of which ``holds`` is still true.

    Args:
        units: what can be left out. ``holds`` is true of all of them together.
        holds: never asked about nothing at all, nor about all of ``units``. One that answers False to everything from
            some moment on (its time is over) ends the search soon.
        finest: see ``FINEST``.

    Returns:
        The part, and into how many pieces it was divided last: it holds without none of them, unless ``holds`` ran out
        of time.
    """
    parts = 2
    while len(units) > 1:
        parts = min(parts, len(units))
        pieces = np.array_split(units, parts)
        alone = next((piece for piece in pieces if holds(piece)), None) if parts <= _ALONE else None
        if alone is not None:
            units, parts = alone, 2
            continue
        # Of two pieces the rest of one is the other, which was tried alone.
        rests = (np.concatenate([*pieces[:i], *pieces[i + 1 :]]) for i in range(parts) if parts > 2)
        rest = next((rest for rest in rests if holds(rest)), None)
        if rest is not None:
            units, parts = rest, max(parts - 1, 2)
        elif parts < min(finest, len(units)):
            parts = min(2 * parts, finest)
        else:
            break
    return units, min(parts, len(units))
