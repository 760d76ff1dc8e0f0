"""What judges the response limits of TPC-C that a run left open: how much longer, or how many warehouses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.load.tpcc.terminals import BEYOND, LIMITS_S, MOST, NEW_ORDER
from weigh.model.units import count, percent
from weigh.statistics.share_beyond import PARTS, bounds, least_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.units import Seconds
    from weigh.statistics.share_beyond import ShareBeyond

LEAST = least_parts(BEYOND)
"""Independent answers that judge a limit where none is beyond it: 44."""
WIDE = 100
"""Warehouses that are proposed at most: a thousand connections, and about 10 GB."""
_DECK = {NEW_ORDER: 10, "payment": 10}
"""Cards of a deck, of 23; one of each other transaction."""
_SURE = LEAST + 5
"""Answers come by chance: so many parts are to hold one on average for 44 of them to do so."""
_SLACK = 1.5
_LONGEST_S = 100 * 3600.0


def a_second(kind: str) -> float:
    """Answers a second and warehouse to users at terminals who are never kept waiting.

    Args:
        kind: a transaction of :data:`weigh.load.tpcc.terminals.KINDS`.
    """
    return MOST / 60 * _DECK.get(kind, 1) / _DECK[NEW_ORDER]


def enough_s(kind: str, rate: float) -> Seconds:
    """How long a run must be to judge a limit that no answer exceeds, in whole minutes.

    Args:
        kind: a transaction.
        rate: its answers a second.
    """
    length = 60.0
    while length < _LONGEST_S:
        parts = min(length // LIMITS_S[kind], PARTS)
        if parts and parts * -math.expm1(-rate * length / parts) >= _SURE:
            break
        length += 60.0
    return length


def what_judges(found: Mapping[str, ShareBeyond], seconds: Seconds, warehouses: int) -> str:
    """What judges the limits that are open: what each has of what it needs, and the flags that add the rest.

    Args:
        found: how much of each transaction that is not judged was beyond its limit; at least one.
        seconds: the part that counted, more than none.
        warehouses: of the run.
    """
    close = [name for name, one in found.items() if one.beyond and _longer_s(one, seconds) is None]
    few = [f"{name} {math.floor(one.parts)}" for name, one in found.items() if not one.beyond]
    sentences = (
        [f"of {LEAST} independent answers that tell whether 90 % keep the limit: {', '.join(few)}"] if few else []
    )
    sentences += [
        f"{name}: {percent(one.share)} beyond the limit ({percent(one.low)} to {percent(one.high)}), "
        + ("too close to 10 % to tell" if name in close else "not clear of 10 %")
        for name, one in found.items()
        if one.beyond
    ]
    needed = {name: _needed_s(name, one, seconds, warehouses) for name, one in found.items() if name not in close}
    text = f"limits not judged ({'; '.join(sentences)})"
    if not needed:
        return f"{text}: fewer --warehouses, or a faster server"
    longest = max(needed.values())
    remedy = f"about {count(math.ceil((longest - seconds) / 60), 'minute')} more of --duration"
    wider = _wider([name for name in needed if not found[name].beyond], seconds)
    if wider and all(not found[name].beyond for name in needed):
        more, length = wider
        if warehouses < more and length < longest:
            remedy += f", or --warehouses {more}" + (f" and --duration {length / 60:.0f}m" if length > seconds else "")
    return f"{text}: {remedy}"


def _needed_s(name: str, one: ShareBeyond, seconds: Seconds, warehouses: int) -> Seconds:
    if one.beyond:
        return _longer_s(one, seconds) or seconds
    rate = one.count / seconds if one.count else a_second(name) * warehouses
    return max(enough_s(name, rate), seconds + 60)


def _longer_s(one: ShareBeyond, seconds: Seconds) -> Seconds | None:
    """How long a run of the same answers must be for a bound to be clear of the share; None where none is."""
    for times in range(2, 100):
        low, high = bounds(one.share or 0.0, one.parts * times / _SLACK)
        if high <= BEYOND or low > BEYOND:
            return times * seconds
    return None


def _wider(names: list[str], seconds: Seconds) -> tuple[int, Seconds] | None:
    """The fewest warehouses, and a time no shorter than the run's, that judge limits which no answer exceeds."""
    if not names:
        return None
    # Every part that a limit needs is as long as the limit, however many warehouses there are.
    least = max(seconds, *(60 * math.ceil((_SURE + 5) * LIMITS_S[name] / 60) for name in names))
    for warehouses in range(1, WIDE + 1):
        if all(enough_s(name, warehouses * a_second(name)) <= least for name in names):
            return warehouses, least
    return None
