"""Texts: word by word, each by another of the same form.

A word is a run of letters or of digits; what is between words stays. A word of a large enough domain is permuted by FF1
(NIST SP 800-38G), a shorter one by a permutation without fixed points drawn from the key. So equal words stay equal
wherever they stand, texts keep their lengths, and LIKE finds whole words as before.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.obfuscation.key import Key

_TABLE = 1_000_000
"""Domains below are too small for FF1."""
_LONGEST = 48
"""Characters that are permuted at once; a longer word is several."""
_WORD = re.compile(
    r"(?<![^\W_])(?:(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{4,}|(?=[0-9]*[A-F])(?=[A-F]*[0-9])[0-9A-F]{4,})(?![^\W_])"
    r"|[0-9]+|[^\W0-9_]+"
)
_RETAINED = frozenset(("true", "false", "null"))
"""In JSON they are no words."""


class Words:
    """The map.

    Args:
        key: decides.
    """

    def __init__(self, key: Key) -> None:
        from ffx import FF1

        self._key = key
        self._ff1 = FF1(key.derived("words"))
        self._word = lru_cache(maxsize=262_144)(self._uncached)
        self._table = lru_cache(maxsize=64)(self._shuffled)

    def text(self, text: str) -> str:
        """The image of a text, of the same length in characters."""
        return _WORD.sub(lambda found: self._word(found[0]), text)

    def data(self, value: bytes) -> bytes:
        """The image of bytes, as many."""
        return b"".join(self._bytes(value[at : at + _LONGEST]) for at in range(0, len(value), _LONGEST))

    def _bytes(self, part: bytes) -> bytes:
        number = self._permuted(int.from_bytes(part, "big"), 256 ** len(part), f"bytes {len(part)}")
        return number.to_bytes(len(part), "big")

    def _uncached(self, word: str) -> str:
        if word in _RETAINED:
            return word
        if len(word) > _LONGEST:
            return "".join(self._uncached(word[at : at + _LONGEST]) for at in range(0, len(word), _LONGEST))
        if word.isascii() and word.isdigit():
            return self._digits(word)
        if word.isascii() and not word.isalpha():
            return self._hexadecimal(word)
        lowered = [one.lower() if one.isascii() else one for one in word]
        alphabets = [_alphabet(one) for one in lowered]
        made = self._mixed([a.index(one) for a, one in zip(alphabets, lowered, strict=True)], alphabets)
        # In the case of the original: lower(...) = '...' finds it as before.
        return "".join(
            new.upper() if old.isascii() and old.isupper() else new for old, new in zip(word, made, strict=True)
        )

    def _digits(self, word: str) -> str:
        """Leading zeros stay; three digits up to 255 stay so: addresses stay addresses."""
        bare = word.lstrip("0")
        if not bare:
            return word
        low, high = 10 ** (len(bare) - 1), 10 ** len(bare)
        number = int(bare)
        if len(bare) == 3:
            low, high = (100, 256) if number < 256 else (256, 1000)
        made = low + self._permuted(number - low, high - low, f"digits {low}")
        return "0" * (len(word) - len(bare)) + str(made)

    def _hexadecimal(self, word: str) -> str:
        upper = word.isupper()
        number, size = int(word, 16), 16 ** len(word)
        while True:
            number = self._permuted(number, size, f"hexadecimal {len(word)}")
            made = f"{number:0{len(word)}x}"
            # On until it has digits and letters again: all digits is what another word may become.
            if not made.isdigit() and not made.isalpha():
                return made.upper() if upper else made

    def _mixed(self, digits: Sequence[int], alphabets: Sequence[str]) -> str:
        number, size = 0, 1
        for digit, alphabet in zip(digits, alphabets, strict=True):
            number, size = number * len(alphabet) + digit, size * len(alphabet)
        number = self._permuted(number, size, "letters " + ",".join(str(ord(one[0])) for one in alphabets))
        made = []
        for alphabet in reversed(alphabets):
            number, digit = divmod(number, len(alphabet))
            made.append(alphabet[digit])
        return "".join(reversed(made))

    def _permuted(self, number: int, size: int, domain: str) -> int:
        if size < _TABLE:
            return int(self._table(size, domain)[number])
        return int(self._ff1.encrypt_int(number, domain=size, tweak=domain.encode()))

    def _shuffled(self, size: int, domain: str) -> np.ndarray:
        """A permutation of one cycle, which leaves nothing where it is."""
        made = self._key.blocks(f"table {domain}", np.arange(size), 0)
        order = np.argsort(made[:, :8].copy().view("<u8").ravel(), kind="stable").astype(np.int32)
        table = np.empty(size, np.int32)
        table[order] = np.roll(order, -1)
        return table


@lru_cache(maxsize=4096)
def _alphabet(letter: str) -> str:
    """What a letter may become: of a language beyond ASCII, the letters near it, which take as many bytes."""
    if letter.isascii():
        return "abcdefghijklmnopqrstuvwxyz"
    first = ord(letter) & ~63
    return "".join(one for one in map(chr, range(first, first + 64)) if one.isalnum() and not one.isascii())
