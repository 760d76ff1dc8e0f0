"""Answers: what a right result of an operation looks like."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Literal

import msgspec

Match = Literal["exact", "approx", "quotient"]
Kind = Literal["integer", "decimal", "double", "string", "date", "timestamp", "boolean"]


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """How one column of an answer is compared.

    Attributes:
        name: column name in the answer; columns are paired by position, names are compared without case.
        kind: what the values are, whatever type an engine returns them as.
        match: ``exact`` by value; ``approx`` within ``rel``; ``quotient`` within one unit of the coarser
            decimal scale (division and averages of decimals).
        rel: relative tolerance of ``approx``.
        units: of ``quotient``: within how many units, where a query computes on with what an engine cut off: 100 of a
            quotient in per cent, 2 of the sum of two. Left out where it is one.
        absolute: of ``approx``: a difference that is rounding whatever the value is, where numbers of equal size are
            subtracted: what is left of a correlation of 0 is 1e-33 or nothing. Left out where it is 0.
    """

    name: str
    kind: Kind
    match: Match = "exact"
    rel: float = 0.0
    units: int | msgspec.UnsetType = msgspec.UNSET
    absolute: float | msgspec.UnsetType = msgspec.UNSET


class ResultSchema(msgspec.Struct, frozen=True, kw_only=True):
    """The result schema of an operation.

    Attributes:
        columns: in order.
        ordered_by: positions of the columns that the query orders by, in order; empty when it does not.
        limit: the query's LIMIT; any row that ties at the limit is right.
        keys: positions of the columns whose values no two rows share, e.g. those of GROUP BY; empty if not known.
        nulls_open: those of ``ordered_by`` of which the query does not say whether NULLs come first or last: they may
            stand at either end, as NaN may in all of ``ordered_by``. Left out where the place of both counts.
    """

    columns: tuple[Column, ...]
    ordered_by: tuple[int, ...] = ()
    limit: int | None = None
    keys: tuple[int, ...] = ()
    nulls_open: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def exact(self) -> tuple[int, ...]:
        """Positions of the columns compared by value."""
        return tuple(i for i, column in enumerate(self.columns) if column.match == "exact")

    @property
    def loose(self) -> tuple[int, ...]:
        """Positions of the columns compared within a tolerance."""
        return tuple(i for i, column in enumerate(self.columns) if column.match != "exact")


_NOTHING = hashlib.sha256().hexdigest()[:32]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that several lineages gave.

    Attributes:
        rows: how many it has.
        digest: SHA-256 of its exact columns as a bag of rows, and of the sequence of those it is ordered by; of the
            rows that do not tie with the last one where the query's limit may have cut others off.
        whole: whether that is all of its rows.
        sums: sum and sum of magnitudes of every other column, over the same rows; NULLs count in the digest.
        lineages: who agreed.
    """

    rows: int
    digest: str
    whole: bool
    sums: tuple[tuple[float, float], ...] = ()
    lineages: tuple[str, ...] = ()

    @property
    def tells(self) -> bool:
        """Whether it tells a right answer from a wrong one: not where all rows tie at the limit, and none is left."""
        return not self.rows or self.whole or self.digest != _NOTHING


class GateStatus(StrEnum):
    """What the gate knows about the answers to one operation.

    ``agreed`` needs an independent witness: a pinned answer, the ground truth, or another lineage.
    """

    AGREED = "agreed"
    DIVERGED = "diverged"
    LEFT_OPEN = "left_open"
    UNVERIFIED = "unverified"
    UNSUPPORTED = "unsupported"
    ERROR = "error"
