"""A line of a table split into its cells, by the borders that stand between them."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


def width(text: str) -> int:
    """Places that a text takes on a terminal."""
    return sum(_places(one) for one in text)


def places(line: str, borders: Collection[str]) -> list[int]:
    """Where on a terminal the borders of a ruled line stand."""
    return [width(line[:at]) for at, one in enumerate(line) if one in borders]


def cells(line: str, border: str, at: list[int], number: int) -> list[str]:
    """The parts of a line between its borders, with their padding.

    Args:
        line: of the table.
        border: that stands between cells.
        at: where the borders stand on a terminal, in order.
        number: of parts, with what stands outside the outermost borders.

    Raises:
        ValueError: a text has a border in it, and where it stands does not tell which is one.
    """
    parts = line.split(border)
    if len(parts) == number:
        return parts
    if len(parts) > number == len(at) + 1:
        found = _by_place(line, border, at)
        if found is not None:
            return found
    raise ValueError(
        f"a row of {len(parts)} parts where the table has {number}: a text with {border} or a line break in it, which "
        "cannot be distinguished from the frame; have ./query print CSV (weigh.answer)"
    )


def _by_place(line: str, border: str, at: list[int]) -> list[str] | None:
    """The parts by where the borders must stand; None where something else stands there."""
    wanted = set(at)
    cuts = []
    place = 0
    for index, one in enumerate(line):
        if place in wanted and one == border:
            cuts.append(index)
        place += _places(one)
    if len(cuts) != len(at):
        return None
    begins, ends = [0, *(cut + 1 for cut in cuts)], [*cuts, len(line)]
    return [line[begin:end] for begin, end in zip(begins, ends, strict=True)]


def _places(one: str) -> int:
    if unicodedata.combining(one):
        return 0
    return 2 if unicodedata.east_asian_width(one) in "WF" else 1
