"""What resolves the 90th percentiles of TPC-C that a run left open: how much longer, or how many warehouses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.load.tpcc.terminals import MOST, NEW_ORDER
from weigh.model.units import count
from weigh.statistics.percentiles import LEAST_EXCEEDANCES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.units import Seconds

BEYOND = 0.1
"""Share of the answers beyond a 90th percentile."""
WIDE = 100
"""Warehouses that are proposed at most: a thousand connections, and about 10 GB."""
_DECK = {NEW_ORDER: 10, "payment": 10}
"""Cards of a deck, of 23; one of each other transaction."""
_SLACK = 1.5
"""Answers scatter by chance, and the first ones may not count."""


def warehouse_minutes(kind: str) -> float:
    """Minutes times warehouses in which users at terminals, never kept waiting, resolve a 90th percentile on average.

    Args:
        kind: a transaction of :data:`weigh.load.tpcc.terminals.KINDS`.
    """
    a_minute = MOST * _DECK.get(kind, 1) / _DECK[NEW_ORDER]
    return LEAST_EXCEEDANCES / BEYOND / a_minute


def what_resolves(found: Mapping[str, float], seconds: Seconds, warehouses: int, *, terminals: bool) -> str:
    """What resolves the percentiles that are not: what each has of what it needs, and the flags that add the rest.

    Args:
        found: effective answers beyond each 90th percentile that is not resolved, by transaction; at least one.
        seconds: the part that counted.
        warehouses: of the run.
        terminals: whether users at terminals asked, so that more warehouses make more transactions.
    """
    said = ", ".join(
        f"{name} {beyond:.3g}{' that came together' if beyond >= LEAST_EXCEEDANCES else ''}"
        for name, beyond in found.items()
    )
    times = max(_times(name, beyond, seconds, warehouses) for name, beyond in found.items())
    more = math.ceil((times - 1) * seconds / 60)
    remedy = f"about {count(more, 'minute')} more of --duration"
    if terminals:
        remedy += f", or {_wider(warehouses * times, seconds)}"
    return f"of the {LEAST_EXCEEDANCES} answers beyond it that a 90th percentile needs there are: {said}; {remedy}"


def _wider(warehouses: float, seconds: Seconds) -> str:
    """The flags of a run with so many warehouses that took as long, or of fewer and a longer one."""
    if warehouses <= WIDE:
        return f"--warehouses {math.ceil(warehouses)}"
    return f"--warehouses {WIDE} --duration {math.ceil(warehouses * seconds / WIDE / 60)}m"


def _times(name: str, beyond: float, seconds: Seconds, warehouses: int) -> float:
    """How many times as many transactions it takes."""
    if beyond >= LEAST_EXCEEDANCES:
        # They came in clusters as long as an eighth of the run.
        return 2.0
    if beyond > 0:
        return _SLACK * LEAST_EXCEEDANCES / beyond
    on_average = warehouses * seconds / 60 / warehouse_minutes(name)
    return max(_SLACK / on_average, _SLACK) if on_average else _SLACK
