"""Constructs of SQL in which right engines differ: how each is recognised, what it explains, how it is probed."""

from weigh.answers.constructs.construct import (
    DAY,
    FRACTION,
    LISTED,
    MERGED,
    MOMENT,
    NAMED,
    NAN,
    OF_DATA,
    ORDERED,
    QUOTIENT,
    REACH,
    SAMPLE,
    SEQUENCE,
    SIGNED,
    SINGLE,
    SKIPPED,
    UUIDS,
    WIDTH,
    ZERO,
    ZONE,
    Construct,
    fraction_base,
)
from weigh.answers.constructs.of_query import of
from weigh.answers.constructs.probes import ALIKE, PROBES, UNASKED
from weigh.answers.constructs.settled import settled

__all__ = [
    "ALIKE", "DAY", "FRACTION", "LISTED", "MERGED", "MOMENT", "NAMED", "NAN", "OF_DATA", "ORDERED", "PROBES",
    "QUOTIENT", "REACH", "SAMPLE", "SEQUENCE", "SIGNED", "SINGLE", "SKIPPED", "UNASKED", "UUIDS", "WIDTH", "ZERO",
    "ZONE", "Construct", "fraction_base", "of", "settled",
]  # fmt: skip
