"""Figures of a load: times and rates with their intervals."""

from __future__ import annotations

import msgspec

from weigh.model import units
from weigh.serve.stored.summary import interval


class Figured(msgspec.Struct, frozen=True):
    """A figure with its interval; None where it is not resolved."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


def time(one: Figured | None) -> str:
    """A time without its interval."""
    return units.seconds(one.value) if one and one.value is not None else "not resolved"


def seconds(one: Figured | None) -> str:
    """A time with its interval."""
    if one is None or one.value is None:
        return "not resolved"
    between = f" ({units.seconds(one.low)} to {units.seconds(one.high)})" if None not in (one.low, one.high) else ""
    return units.seconds(one.value) + between


def rate(one: Figured | None) -> str:
    """A rate with its interval."""
    return (
        f"{units.quantity(one.value, 5)}{interval(one.low, one.high, ',.5g')}"
        if one and one.value is not None
        else "none"
    )
