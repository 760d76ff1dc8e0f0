"""Metrics: what a value that is judged is, and which way is worse."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from weigh.model import units
from weigh.model.metrics.price import amount


class Unit(StrEnum):
    """What a value is counted in. More is worse, but of answers a second."""

    SECONDS = "seconds"
    BYTES = "bytes"
    SHARE = "share"
    PER_SECOND = "answers a second"
    MONEY = "money"

    @property
    def clock(self) -> bool:
        """Whether it is read from a clock, whose ticks may be coarse."""
        return self in (Unit.SECONDS, Unit.PER_SECOND)

    @property
    def more_is_better(self) -> bool:
        """Whether a ratio above 1 is a gain."""
        return self is Unit.PER_SECOND

    def text(self, value: float | None) -> str:
        """A value for people: ``1.25 ms``, ``3.00 MB``, ``0.12 %``, ``1,200/s``, ``0.0123``; ``-`` for none."""
        if value is None:
            return "-"
        match self:
            case Unit.SECONDS:
                return units.seconds(value)
            case Unit.BYTES:
                return units.size(value)
            case Unit.SHARE:
                return units.percent(value, 2)
            case Unit.PER_SECOND:
                return f"{units.quantity(value)}/s"
            case Unit.MONEY:
                return amount(value)


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A quantity that can be compared as a ratio.

    Attributes:
        name: in documents.
        unit: of its values.
        absent: that a value of it has no ratio, as a clause: ``no request was answered``.
        each: what gives one value, in the plural.
    """

    name: str
    unit: Unit
    absent: str
    each: str = "executions"
