"""Distributions of parameters, from the values that were observed."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from weigh.statistics import goodness_of_fit

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = Literal["constant", "uniform", "frequent", "sequence", "histogram", "sampled"]

_RESERVOIR = 1_000
"""Values of a parameter that are kept, drawn at random."""
_DISTINCT = 256
"""Distinct values that are counted exactly."""
_ARMS = 50
"""Values, or ranges, that a distribution has at most."""
_ARMS_OF_IMAGES = 200
"""The same, where no range can be drawn from."""
_COMMON = 0.02
"""Share from which on a value among many is one of its own."""
_LONG, _LONG_PREFIX = 512, 8
"""Characters from which on a value is long, and how many of those are kept."""
_OVERHEAD = 100
"""Bytes that a value takes alongside its characters."""
_SIGNIFICANT = 0.01
_MOST = 128 << 20
"""Bytes of the values that are kept of all parameters together; of those that come later few are."""
_PARAMETERS = 50_000
"""Whose values are looked at, of all units together."""
_EVEN = 50
"""Numbers of an even range, whose images stand for it."""
_NUMBERED = re.compile(r"([^0-9]*?)(-?(?:0|[1-9][0-9]{0,17}))([^0-9]*)$")
_RISING = 0.95


class Distribution(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the values of a parameter are distributed.

    Attributes:
        kind: ``constant``; ``uniform``, whole numbers from ``low`` to ``high``; ``frequent``, values with their shares,
            and what is left as in ``low``, ``high`` and ``bounds``; ``sequence``, rising whole numbers behind ``high``;
            ``histogram``, whole numbers between ``bounds``, as many in each range; ``sampled``, of the values seen.
        count: values that it is made of.
        values: with their shares of all.
        low, high: of whole numbers, both included.
        bounds: of ranges that are equally frequent.
        prefix, suffix: text around each whole number.
        nulls: share of NULL.
        p_value: of the test of the uniform distribution (chi-square, or Kolmogorov-Smirnov), where it was made.
    """

    kind: Kind
    count: int = msgspec.field(name="seen")
    values: tuple[tuple[str, float], ...] = ()
    low: int | None = None
    high: int | None = None
    bounds: tuple[int, ...] = ()
    prefix: str = ""
    suffix: str = ""
    nulls: float = 0.0
    p_value: float | None = None

    def images(self, image: Callable[[str], str]) -> Distribution:
        """Of the images of its values: what lies between two images is the image of nothing.

        Args:
            image: of a value.
        """
        values = list(self.values)
        left = max(0.0, 1.0 - self.nulls - sum(share for _, share in values))
        numbers: list[int] = []
        if len(self.bounds) > 1:
            numbers = sorted(set(self.bounds))
        elif self.kind in ("uniform", "sequence") and self.low is not None and self.high is not None:
            steps = min(_EVEN, self.high - self.low + 1)
            numbers = sorted({self.low + (self.high - self.low) * step // max(1, steps - 1) for step in range(steps)})
        values += [(f"{self.prefix}{number}{self.suffix}", left / len(numbers)) for number in numbers]
        made = tuple((image(text), share) for text, share in values)
        kind = self.kind if self.kind in ("constant", "frequent", "sampled") and not numbers else "sampled"
        return msgspec.structs.replace(
            self, kind=kind, values=made, low=None, high=None, bounds=(), prefix="", suffix="", p_value=None
        )


class Room:
    """How many values may still be kept, and what they are drawn with.

    Attributes:
        left: bytes for values.
        parameters: for whose values there is a place.
        fixed: parameters for whose values there was none.
        random: the draw of all of them.
    """

    def __init__(self) -> None:
        self.left = _MOST
        self.parameters = _PARAMETERS
        self.fixed = 0
        self.random = random.Random(1)

    def takes(self, size: int) -> bool:
        """Whether a value of so many characters still has a place, which it has then."""
        if size + _OVERHEAD > self.left:
            return False
        self.left -= size + _OVERHEAD
        return True


class Values:
    """Values of one parameter, as they come.

    Args:
        room: shared with the other parameters.
        images: whether they were replaced, so that a number between two of them is none of them.
    """

    def __init__(self, room: Room, *, images: bool = False) -> None:
        self._images = images
        self._arms = _ARMS_OF_IMAGES if images else _ARMS
        self._room = room
        self._reservoir: list[str] = []
        self._most = _RESERVOIR
        self._counts: Counter[str] | None = Counter()
        self._long = 0
        self._last: int | None = None
        self._rising = 0
        self._affixes: tuple[str, str] | None = None
        self._numbered = True
        self._low = self._high = 0
        self.total = self.nulls = 0

    def add(self, value: str | None) -> None:
        """One more."""
        self.total += 1
        if value is None:
            self.nulls += 1
            return
        if len(value) > _LONG:
            self._numbered = False
            self._counts = None
            self._long += 1
            if self._long > _LONG_PREFIX or (self._reservoir and len(value) > self._room.left):
                return
        if self._counts is not None:
            if value in self._counts or self._counts_more(value):
                self._counts[value] += 1
            else:
                self._room.left += sum(len(one) + _OVERHEAD for one in self._counts)
                self._counts = None
        if self._numbered:
            self._number(value)
        present = self.total - self.nulls
        if len(self._reservoir) < self._most:
            if not self._room.takes(len(value)):
                self._most = max(len(self._reservoir), 32)
            self._reservoir.append(value)
        elif (place := self._room.random.randrange(present)) < len(self._reservoir):
            self._reservoir[place] = value

    def _counts_more(self, value: str) -> bool:
        """Whether one more distinct value is counted; the first one always is."""
        counts: dict[str, int] = self._counts or {}
        return len(counts) < _DISTINCT and (self._room.takes(len(value)) or not counts)

    def _number(self, value: str) -> None:
        found = _NUMBERED.match(value)
        if found is None or self._affixes not in (None, (found[1], found[3])):
            self._numbered = False
            return
        number = int(found[2])
        if self._affixes is None:
            self._affixes, self._low, self._high = (found[1], found[3]), number, number
        self._low, self._high = min(self._low, number), max(self._high, number)
        self._rising += self._last is not None and number > self._last
        self._last = number

    def distribution(self, *, written: bool = False) -> Distribution:
        """What fits them.

        Args:
            written: whether the statement inserts: only there rising numbers are new keys, that must not come twice.
        """
        present = self.total - self.nulls
        nulls = self.nulls / self.total if self.total else 0.0
        if not present or not self._reservoir:
            return Distribution(kind="constant", count=self.total, nulls=1.0)
        if self._counts is not None and len(self._counts) == 1:
            return Distribution(
                kind="constant", count=self.total, values=((self._reservoir[0], 1.0 - nulls),), nulls=nulls
            )
        if self._numbered:
            return self._of_numbers(present, nulls, written=written)
        return self._of_texts(present, nulls)

    def _of_numbers(self, present: int, nulls: float, *, written: bool) -> Distribution:
        prefix, suffix = self._affixes or ("", "")
        whole = {"count": self.total, "prefix": prefix, "suffix": suffix, "nulls": nulls}
        rising = present > 10 and self._rising >= _RISING * (present - 1)
        if rising and written and self._counts_distinct() == present:
            return Distribution(kind="sequence", low=self._low, high=self._high, **whole)  # type: ignore[arg-type]
        if self._images:
            return self._of_texts(present, nulls)
        numbers = np.array([int(one[len(prefix) : len(one) - len(suffix)]) for one in self._reservoir])
        p_value = self._uniformity(numbers, prefix, suffix)
        if p_value >= _SIGNIFICANT:
            kind: Kind = "uniform"
            return Distribution(kind=kind, low=self._low, high=self._high, p_value=p_value, **whole)  # type: ignore[arg-type]
        common = self._common(present)
        if sum(share for _, share in common) > 0.999:
            return Distribution(kind="frequent", values=_scaled(common, 1 - nulls), p_value=p_value, **whole)  # type: ignore[arg-type]
        known = {text for text, _ in common}
        rest = np.array([one for one, text in zip(numbers, self._reservoir, strict=True) if text not in known])
        if not len(rest):
            rest = numbers
        ranges = min(20, max(1, len(rest) // 10))
        bounds = tuple(int(one) for one in np.quantile(rest, np.linspace(0, 1, ranges + 1), method="nearest"))
        return Distribution(
            kind="frequent" if common else "histogram",
            values=_scaled(common, 1 - nulls),
            low=self._low,
            high=self._high,
            bounds=bounds,
            p_value=p_value,
            **whole,  # type: ignore[arg-type]
        )

    def _of_texts(self, present: int, nulls: float) -> Distribution:
        common = self._common(present)
        if sum(share for _, share in common) > 0.999:
            return Distribution(kind="frequent", count=self.total, values=_scaled(common, 1 - nulls), nulls=nulls)
        known = {text for text, _ in common}
        others = list(dict.fromkeys(text for text in self._reservoir if text not in known))[: self._arms - len(common)]
        left = max(0.0, 1.0 - sum(share for _, share in common))
        rest = [(text, left / len(others)) for text in others]
        return Distribution(kind="sampled", count=self.total, values=_scaled([*common, *rest], 1 - nulls), nulls=nulls)

    def _counts_distinct(self) -> int:
        """Distinct values, where all that are kept differ: as many as there are."""
        if self._counts is not None:
            return len(self._counts)
        return self.total - self.nulls if len(set(self._reservoir)) == len(self._reservoir) else 0

    def _common(self, present: int) -> list[tuple[str, float]]:
        """Frequent values with their shares, the most frequent first."""
        if self._counts is not None and len(self._counts) <= self._arms:
            return [(text, number / present) for text, number in self._counts.most_common()]
        counts, total = Counter(self._reservoir), len(self._reservoir)
        found = [(text, number / total) for text, number in counts.most_common(_ARMS // 2) if number >= 5]
        return [(text, share) for text, share in found if share >= _COMMON]

    def _uniformity(self, numbers: np.ndarray, prefix: str, suffix: str) -> float:
        """P value of the uniform distribution over whole numbers from the smallest to the largest."""
        span = self._high - self._low + 1
        present = self.total - self.nulls
        if self._counts is not None and span <= _DISTINCT and present >= 5 * span:
            counted = [self._counts.get(f"{prefix}{one}{suffix}", 0) for one in range(self._low, self._high + 1)]
            return goodness_of_fit.equal_counts_p(counted)
        if present < 20:
            # Too few to tell from anything else; a few values that repeat are values.
            return 0.0 if self._counts is not None and len(self._counts) < present / 2 else 1.0
        if self._counts is not None and len(self._counts) < span / 2 and len(self._counts) <= _ARMS:
            return 0.0
        spread = np.random.default_rng(0).random(len(numbers))
        return goodness_of_fit.uniform_p((numbers - self._low + spread) / span)


def _scaled(values: list[tuple[str, float]], factor: float) -> tuple[tuple[str, float], ...]:
    return tuple((text, share * factor) for text, share in values)
