"""The rules of the verdicts: error rates, bounds, and how many starts they need."""

from __future__ import annotations

import enum

import msgspec

MIN_STARTS = 5
"""Below this number of fresh starts there is no verdict (statistics.md §2)."""
FULL_STARTS = 10
"""From this number of fresh starts on a claim can be conclusive."""


class Typical(enum.StrEnum):
    """How the typical effect is estimated (docs/concept/statistics.md).

    Attributes:
        PAIRS: the median of the pairs of a start, as before 0.1.0: off where noise is skewed, and where something is
            carried over from turn to turn.
        CONTRAST: a contrast of such medians that treats all arms alike, without turns to which something is carried
            over; refused where starts depend on the one before.
    """

    PAIRS = "pairs"
    CONTRAST = "contrast"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The error rates and bounds of the verdicts, in one place; every report prints them.

    Attributes:
        margin: the smallest change that matters, as a fraction, declared beforehand.
        confidence: level of the interval that answers "is there a difference?".
        fdr: false discovery rate over the session for "does it matter?" (Benjamini-Yekutieli); half of it for what is
            typical, half for the total.
        equivalence: error rate of SAME (two one-sided tests).
        unstable: smallest detectable effect above which an operation is refused as unstable.
        typical: how the typical effect is estimated. Where it is not named it is that of before 0.1.0.
        pooled: whether the operations of a template are also judged with each other's help
            (docs/concept/statistics.md#pooled). Where it is not named they are not, as before 0.1.0.
        skewed: whether SAME allows for any skewness of the starts' numbers, on the side to which they are skewed
            (docs/concept/statistics.md#a-contrast-that-treats-all-arms-alike). Where it is not named it allows, on
            both sides, for skewness beyond chance, as in 0.1.0.
        unspent: whether what looks would have cost that lie after the last start is left to the end
            (docs/concept/statistics.md#stopping). Where it is not named the end has as much as after all looks, as in
            0.1.0.
    """

    margin: float = 0.03
    confidence: float = 0.99
    fdr: float = 0.05
    equivalence: float = 0.05
    unstable: float = 0.10
    typical: Typical | msgspec.UnsetType = msgspec.UNSET
    pooled: bool | msgspec.UnsetType = msgspec.UNSET
    skewed: bool | msgspec.UnsetType = msgspec.UNSET
    unspent: bool | msgspec.UnsetType = msgspec.UNSET


RULES = Rules(typical=Typical.CONTRAST, skewed=True)
"""Those of what is measured today."""
