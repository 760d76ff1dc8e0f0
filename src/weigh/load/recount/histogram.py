"""Histograms of the HdrHistogram format as text that SQL takes apart: which bucket, and how many values are in it.

Only what SQL cannot do is done here: the text is inflated and its numbers are read. What a bucket's number means in
nanoseconds is computed by ``figures.sql``.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import NamedTuple

from weigh.model.errors import EvidenceFault

_HEADER = struct.Struct(">iiiiqqd")
_MOST = 64 << 20
"""Bytes of one histogram at most."""


class Buckets(NamedTuple):
    """A histogram.

    Attributes:
        digits: significant ones of its values.
        lowest: the smallest value that it tells apart.
        counts: ``NUMBER:COUNT`` of every bucket that holds something, with blanks between them.
    """

    digits: int
    lowest: int
    counts: str


def buckets(packed: str) -> Buckets:
    """A histogram of the compressed wire format, version 2.

    Raises:
        EvidenceFault: it is none, or damaged.
    """
    try:
        plain = zlib.decompressobj().decompress(base64.b64decode(packed, validate=True)[8:], _MOST)
        _, length, _, digits, lowest, _, _ = _HEADER.unpack_from(plain)
        held, number = [], 0
        for count in _numbers(plain[_HEADER.size : _HEADER.size + length]):
            if count > 0:
                held.append(f"{number}:{count}")
            number += max(-count, 1)
    except (ValueError, zlib.error, struct.error) as error:
        raise EvidenceFault(
            f"a histogram is damaged: {error}", remedy="the evidence was edited or the disk is failing"
        ) from None
    if not 1 <= digits <= 5 or lowest < 1:
        raise EvidenceFault("a histogram is damaged: its header", remedy="the evidence was edited")
    return Buckets(digits, lowest, " ".join(held))


def _numbers(content: bytes) -> list[int]:
    """Integers of seven bits a byte, the lowest first; an odd one is negative. A negative count is empty buckets."""
    found, whole, place = [], 0, 0
    for byte in content:
        whole |= (byte & 127) << place
        place += 7
        if byte < 128:
            found.append(-(whole + 1) // 2 if whole & 1 else whole // 2)
            whole = place = 0
    return found
