"""How fast storage can be read."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.units import Bytes, Seconds

Pattern = Literal["sequential", "random"]


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement.

    Attributes:
        pattern: of the places that are read.
        depth: reads under way at once.
        block: bytes of one read.
        bytes_s: read in a second.
        reads_s: completed in a second.
    """

    pattern: Pattern
    depth: int
    block: Bytes
    bytes_s: float
    reads_s: float


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a file of weigh's own past the page cache came to.

    Attributes:
        how: by whom it was read.
        file_bytes: of the file.
        seconds: each measurement took.
        rates: sequential and random, each at both depths; none where it cannot be read in this way.
        why_not: then why.
    """

    how: str
    file_bytes: Bytes = 0
    seconds: Seconds = 0.0
    rates: tuple[Rate, ...] = ()
    why_not: str = ""
