"""Numbers: a strictly rising map that the key decides.

The decimal digits of a number are gone through from the first one on. Each place has a stride: how far apart the images
of its ten digits are, in units of that place. The digits go in pairs, and of each pair the key moves the second by -1,
0 or 1, which makes the stride of what is below one of them wider and of the other narrower. So whole numbers become
whole numbers, hundredths become hundredths, 24 and 24.00 become the same, 0 stays 0, and the sign stays. An image is
between 2 and 6 times as large.

Whole numbers beyond 10^18 have no room for that in 64 bits. They are permuted by FF1, and lose their order.
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from weigh.obfuscation.key import Key

_PLACES = 6
"""Behind the point; what is smaller is in proportion."""
_LEAST, _MOST = 2, 6
LIMIT = 10**18
"""Up to here images fit 64 bits."""
_END = 1 << 63
_FLOATS = 1e9
"""From here on doubles are taken digit by digit."""
_MOVES = np.array([-1, 0, 0, 1], np.int64)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")


class Numbers:
    """The map.

    Args:
        key: decides.
    """

    def __init__(self, key: Key) -> None:
        from ffx import FF1

        self._key = key
        self._first = 3 + key.derived("first stride")[0] % 3
        self._ff1 = FF1(key.derived("large numbers"))
        self.one = lru_cache(maxsize=65_536)(self._one)

    def units(self, values: np.ndarray, scale: int) -> np.ndarray:
        """Images of whole multiples of 10^-scale, none above :data:`LIMIT`.

        Args:
            values: int64.
            scale: decimal places.

        Returns:
            int64: multiples of the same unit.
        """
        mapped, _, below = self._digits(np.abs(values), scale)
        images: np.ndarray = np.sign(values) * (mapped + below)
        return images

    def large(self, values: np.ndarray) -> np.ndarray:
        """Images of whole numbers beyond :data:`LIMIT`: such numbers again, or ones that are no smaller one's image.

        Args:
            values: int64, none of them the least one.
        """
        span = _END - LIMIT - 1
        sizes = np.abs(values).tolist()
        images = np.array([self._ff1.encrypt_int(one - LIMIT - 1, domain=span) + LIMIT + 1 for one in sizes], np.int64)
        taken = np.arange(len(images))
        while len(taken):
            # An image of a smaller number is taken: what that number is, is free, unless it is an image again.
            sources = self._sources(images[taken])
            taken, sources = taken[(found := sources >= 0)], sources[found]
            images[taken] = sources
        signed: np.ndarray = np.sign(values) * images
        return signed

    def _sources(self, images: np.ndarray) -> np.ndarray:
        """The whole numbers up to :data:`LIMIT` that images are of; -1 where there is none."""
        rest = images.copy()
        prefix = np.zeros(len(images), np.int64)
        stride = np.full(len(images), self._first, np.int64)
        digits = np.arange(10)
        rows = np.arange(len(images))
        for place in range(18, -1, -1):
            unit = 10**place
            made = self._key.blocks("numbers", prefix, place + _PLACES)
            moves = _MOVES[made[:, digits // 2] & 3]
            fixed = ((stride <= _LEAST) | (stride >= _MOST))[:, None] | ((prefix == 0)[:, None] & (digits < 2))
            moves = np.where(fixed, 0, moves)
            starts = stride[:, None] * digits + np.where(digits % 2 == 1, moves, 0)
            digit = (starts <= (rest // unit)[:, None]).sum(axis=1) - 1
            rest -= starts[rows, digit] * unit
            stride += np.where(digit % 2 == 1, -1, 1) * moves[rows, digit]
            prefix = prefix * 10 + digit
        return np.where((rest == 0) & (prefix <= LIMIT), prefix, -1)

    def floats(self, values: np.ndarray) -> np.ndarray:
        """Images of doubles; NaN and infinity stay."""
        found = values.astype(np.float64, copy=True)
        size = np.abs(found)
        plain = size < _FLOATS
        scaled = size[plain] * 10**_PLACES
        near = np.rint(scaled)
        # 0.29 * 1e6 is a little less than 290000, and a float32 is near its decimal number only.
        slack = 4e-7 if values.dtype == np.float32 else 1e-15
        whole = np.abs(scaled - near) <= slack * scaled
        snapped = np.where(whole, near, np.floor(scaled))
        rest = np.where(whole, 0.0, scaled - snapped)
        mapped, stride, _ = self._digits(snapped.astype(np.int64), _PLACES)
        found[plain] = np.copysign((mapped + rest * stride) / 10**_PLACES, found[plain])
        for place in np.flatnonzero(~plain & np.isfinite(size)):
            found[place] = float(self.one(repr(float(values[place]))))
        return found.astype(values.dtype)

    def _digits(self, size: np.ndarray, scale: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Images of the digits that have a place, the stride below them, and the images of the digits below."""
        least = max(0, scale - _PLACES)
        top = len(str(int(size.max()))) if len(size) else 0
        mapped = np.zeros(len(size), np.int64)
        prefix = np.zeros(len(size), np.int64)
        stride = np.full(len(size), self._first, np.int64)
        for place in range(max(top, least) - 1, least - 1, -1):
            unit = 10**place
            digit = size // unit % 10
            made = self._key.blocks("numbers", prefix, place + _PLACES - scale)
            move = _MOVES[made[np.arange(len(size)), digit // 2] & 3]
            # What is left of the first digit has the first stride: how many zeros are written there means nothing.
            fixed = (stride <= _LEAST) | (stride >= _MOST) | ((prefix == 0) & (digit < 2))
            move = np.where(fixed, 0, move)
            odd = digit % 2 == 1
            mapped += (stride * digit + np.where(odd, move, 0)) * unit
            stride += np.where(odd, -move, move)
            prefix = prefix * 10 + digit
        return mapped, stride, size % 10**least * stride

    def _one(self, text: str) -> str:
        """The image of one number of any size, as text of the same form.

        Raises:
            ValueError: it is no number.
        """
        if not _NUMBER.fullmatch(text):
            raise ValueError(text)
        with localcontext() as context:
            context.prec = 400
            value = Decimal(text)
            scale = max(0, -int(value.as_tuple().exponent))
            mapped = self._decimal(abs(value))
            signed = -mapped if text.startswith("-") else mapped
            if scale == 0 and LIMIT < abs(value) < _END:
                return str(self.large(np.array([int(Decimal(text))], np.int64))[0])
            if "e" in text.lower():
                return repr(float(signed))
            return f"{signed:.{scale}f}"

    def _decimal(self, value: Decimal) -> Decimal:
        units = int(value.scaleb(_PLACES))
        rest = value.scaleb(_PLACES) - units
        digits = str(units)
        mapped, prefix, stride = 0, 0, self._first
        for place, digit in zip(range(len(digits) - 1, -1, -1), map(int, digits), strict=True):
            moves = self._moves(prefix, place)
            free = _LEAST < stride < _MOST and not (prefix == 0 and digit < 2)
            move = moves[digit // 2] if free else 0
            mapped += (stride * digit + (move if digit % 2 else 0)) * 10**place
            stride += -move if digit % 2 else move
            prefix = prefix * 10 + digit
        return (Decimal(mapped) + rest * stride).scaleb(-_PLACES)

    def _moves(self, prefix: int, place: int) -> list[int]:
        # A prefix of more than 64 bits is folded: such numbers are in no array.
        folded = (
            prefix if prefix < 1 << 63 else int.from_bytes(self._key.derived(f"prefix {prefix}")[:8], "little") >> 1
        )
        made = self._key.blocks("numbers", np.array([folded], np.int64), place)
        return [int(_MOVES[one & 3]) for one in made[0, :5]]
