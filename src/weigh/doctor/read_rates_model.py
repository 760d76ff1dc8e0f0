"""How fast storage can be read."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.units import Bytes, Seconds

Pattern = Literal["sequential", "random"]


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement.

    Attributes:
        pattern: in which order the places are read.
        depth: reads under way at once.
        block: bytes of one read.
        bytes_s: bytes read in a second.
        reads_s: reads completed in a second.
    """

    pattern: Pattern
    depth: int
    block: Bytes
    bytes_s: float
    reads_s: float


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a file of weigh's own past the page cache came to.

    Attributes:
        how: what read it.
        file_bytes: size of the file.
        seconds: that each measurement took.
        rates: sequential and random, each at both depths; none where it cannot be read in this way.
        why_not: why there are none; empty where there are.
    """

    how: str
    file_bytes: Bytes = 0
    seconds: Seconds = 0.0
    rates: tuple[Rate, ...] = ()
    why_not: str = ""
