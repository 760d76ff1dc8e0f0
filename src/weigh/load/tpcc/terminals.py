"""Users at terminals (clauses 4.2 and 5.2 of TPC-C): how many, how fast they are, and what they must be answered in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.units import Seconds

NEW_ORDER, ROLLBACK = "new-order", "rollback"
KINDS = (NEW_ORDER, "payment", "order-status", "delivery", "stock-level")
"""The transactions, as the generator names and numbers its operations; the roll-backs come last."""
OPERATIONS = (*KINDS, ROLLBACK)
PER_WAREHOUSE = 10
"""Terminals."""
MOST, LEAST = 12.86, 9.0
"""Committed New-Orders a minute and warehouse: what the users' own times allow, and below which the clauses say that
there are more warehouses than the system serves."""
MINIMUMS = {"payment": 0.43, "order-status": 0.04, "delivery": 0.04, "stock-level": 0.04}
"""Shares of the mix (clause 5.2.3)."""
KEYING_S: dict[str, Seconds] = {
    NEW_ORDER: 18.0,
    "payment": 3.0,
    "order-status": 2.0,
    "delivery": 2.0,
    "stock-level": 2.0,
}
THINKING_S: dict[str, Seconds] = {
    NEW_ORDER: 12.0,
    "payment": 12.0,
    "order-status": 10.0,
    "delivery": 5.0,
    "stock-level": 5.0,
}
"""Means of a negative exponential distribution that ends at ten times its mean."""
LIMITS_S: dict[str, Seconds] = {
    NEW_ORDER: 5.0,
    "payment": 5.0,
    "order-status": 5.0,
    "delivery": 80.0,
    "stock-level": 20.0,
}
"""That at least 90 % of the response times keep (clause 5.2.5.3); of the Delivery that of its deferred work (2.7.2.3),
which is what is timed."""
LIMITED, BEYOND = 0.9, 0.1
"""The percentile that has a limit, and the share of the answers that may lie beyond it."""
_OTHERWISE = ("rate", "arrivals", "closed", "both", "find_rate")


def wanted(flags: Mapping[str, Any]) -> bool:
    """Whether users at terminals ask, as TPC-C has it: nobody offers a rate, or a closed loop without their times.

    Args:
        flags: of the command line, by name.
    """
    return not any(flags.get(name) for name in _OTHERWISE)


def flags_of(flags: dict[str, Any], warehouses: int) -> dict[str, Any]:
    """The flags of a load by terminals: as many connections as there are, each of which waits for its answer.

    Raises:
        UsageError: another number of connections, or of requests in flight, is asked for.
    """
    for name in ("connections", "max_in_flight", "expected_interval"):
        if flags.get(name) is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} is not for users at terminals: {PER_WAREHOUSE} a warehouse, each with a "
                "connection",
                remedy="leave it out, or offer a --rate",
            )
    return {**flags, "closed": True, "connections": str(PER_WAREHOUSE * warehouses)}
