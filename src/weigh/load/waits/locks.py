"""Locks as a resource: when sessions of the load waited for one. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.machine.readings import WAITING, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.waits.model import RunWaits, WaitSample
    from weigh.model.units import Seconds
    from weigh.statistics.arrays import Floats

_LOCK = "Lock:"
"""How wait events begin that are for a lock which a user's statement takes, or a row."""


def reading(
    sampled: Sequence[RunWaits], begin: Floats, length: Floats, deadlocks: Sequence[Seconds] | None = None
) -> Reading | None:
    """Locks in every stretch of time: saturated where a session waited for one in more than a tenth of the looks.

    How busy a lock is nobody counts, so there is no utilisation.

    Args:
        sampled: of one run.
        begin: of each stretch, seconds since the attempt began.
        length: of each, seconds.
        deadlocks: when each was found; None where they cannot be observed.

    Returns:
        None where nobody looked, or it is not known when.
    """
    waiting = [(one.at + look.at, _waited(look)) for one in sampled if one.at is not None for look in one.waits.looks]
    if not waiting:
        return None
    at, waited = np.array(sorted(waiting), dtype=np.float64).T
    sums = np.concatenate([[0.0], np.cumsum(waited)])
    first, last = np.searchsorted(at, begin), np.searchsorted(at, begin + length)
    looks = last - first
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(looks > 0, (sums[last] - sums[first]) / looks, np.nan)
        saturated = np.where(looks > 0, (share > WAITING) * 1.0, np.nan)
    errors = np.full(len(begin), np.nan)
    if deadlocks is not None:
        # Each once, however the ends of stretches are rounded.
        place = np.searchsorted(begin, np.asarray(deadlocks, dtype=np.float64), side="right") - 1
        inside = [at for at, when in zip(place, deadlocks, strict=True) if at >= 0 and when <= begin[at] + length[at]]
        errors = np.bincount(np.array(inside, dtype=np.int64), minlength=len(begin)).astype(np.float64)
    return Reading(utilisation=np.full(len(begin), np.nan), saturated=saturated, errors=errors)


def _waited(look: WaitSample) -> bool:
    return any(event.startswith(_LOCK) and times for event, times in look.active.items())
