"""What came of comparing an answer with a witness."""

from __future__ import annotations

import msgspec

from weigh.model.gate import Difference

MAX_DIFFERENCES = 5
"""Differences kept for people; all are counted."""
MOST_DIFFERENCES = 10_000
"""Differences looked at to tell whether what SQL leaves open explains them."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What came of comparing an answer with a witness.

    Attributes:
        agrees: whether it is right by the witness.
        open: whether it agrees only because the query leaves open which rows belong to the answer, or because a column
            cannot be compared: that confirms nothing.
        differences: the first differing cells.
        count: how many cells or rows differ.
        unchecked: columns that were left out, and why each: their types have no form in common.
        notes: tolerances that were needed, ties that were accepted; none where it does not agree.
    """

    agrees: bool
    open: bool = False
    differences: tuple[Difference, ...] = ()
    count: int = 0
    unchecked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def mismatch(column: str, got: object, expected: object, row: str = "") -> Comparison:
    """A comparison that failed on one thing."""
    found = Difference(row=row, column=column, got=str(got), expected=str(expected))
    return Comparison(agrees=False, differences=(found,), count=1)
