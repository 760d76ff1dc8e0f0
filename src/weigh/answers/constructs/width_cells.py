"""Which cells integer arithmetic explains that leaves the width of its columns, by how two camps take it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from weigh.answers.constructs.explaining import number
from weigh.answers.constructs.widths import Width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.answers.constructs.construct import Explains
    from weigh.answers.constructs.widths import Overflow
    from weigh.model.gate import Difference

_EXACT = 2**53
"""Beyond it an engine that goes on in doubles, as SQLite, has not every digit."""
_TAKEN = re.compile(r"(\S+) ([iu])(\d+)=([^;]*)")
_LOWER = {"-", "-1"}
"""Kinds that are probed at the smallest number of a type."""


class _Taken(NamedTuple):
    """How an engine takes an overflow.

    Attributes:
        width: the type that is left.
        null: whether it may give NULL.
        ends: whether it may give the end of the type.
        inexact: whether it goes on in doubles, as SQLite.
    """

    width: Width
    null: bool
    ends: bool
    inexact: bool = False


def described(found: Mapping[Overflow, str | None], contender: str) -> str:
    """How an engine takes some overflows, in one text: who could not be asked may take each in a way of its own."""
    return "; ".join(
        f"{one.kind} {'i' if one.width.signed else 'u'}{one.width.bits}={contender if answer is None else answer}"
        for one, answer in sorted(found.items())
    )


def explains(ways: Iterable[str], *, summed: bool = False) -> Explains:
    """Which cells of a column differ by nothing but the width: multiples of it, and NULL or an end where one gives it.

    Args:
        ways: of both camps, as :func:`described` has them.
        summed: whether the cells are sums of what is taken so: without a term, or with an end for it, a sum is any.
    """
    taken = [_taken(*found) for way in ways for found in _TAKEN.findall(way)]
    free = summed and any(one.null or one.ends or one.inexact for one in taken)

    def explained(cells: Sequence[Difference]) -> bool:
        return free or all(_differs_by_width(one.got, one.expected, taken) for one in cells)

    return explained


def _taken(kind: str, sign: str, bits: str, answer: str) -> _Taken:
    width = Width(int(bits), sign == "i")
    alone, _, of_sum = answer.partition(",")
    first = (of_sum if kind == "sum" and of_sum else alone).strip()
    value = number(first)
    if value is None:
        # A refusal is of one engine, and no value; what could not be asked may be anything.
        unknown = first not in ("None", "refused")
        return _Taken(width, unknown or first == "None", unknown)
    lower = kind in _LOWER or (kind == "neg" and not width.signed)
    return _Taken(width, False, value == (width.least if lower else width.most), "." in first or "e" in first.lower())


def _differs_by_width(got: str, expected: str, taken: Sequence[_Taken]) -> bool:
    if "NULL" in (got, expected):
        return any(one.null for one in taken)
    pair = number(got), number(expected)
    if pair[0] is None or pair[1] is None or any(one != int(one) for one in pair if one is not None):
        return False
    a, b = int(pair[0]), int(pair[1])
    # Doubles of this size are so far apart.
    inexact = max(abs(a), abs(b)) // _EXACT
    for one in taken:
        rest = (a - b) % 2**one.width.bits
        if min(rest, 2**one.width.bits - rest) <= inexact:
            return True
        if one.ends and {a, b} & set(one.width.ends):
            return True
    return False
