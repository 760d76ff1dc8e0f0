"""Which differences a construct explains: each takes the cells of one column that differ."""

from __future__ import annotations

from ast import literal_eval
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.answers.constructs.construct import Explains
    from weigh.model.gate import Difference

_BYTES = 4
"""Of a character in UTF-8, at most."""
_OPPOSITE = {("Infinity", "-Infinity"), ("-Infinity", "Infinity")}
_SINGLE = Decimal(2) ** -20
"""Of a number: what is lost where it is counted in floats of 32 bits, with room."""

_NINE = Decimal("1e-8")
"""Of a number of nine digits, one in its last."""


def number(text: str) -> Decimal | None:
    """A finite number in a cell, None for another value."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def numbers(cells: Sequence[Difference]) -> list[tuple[Decimal, Decimal]] | None:
    """Both sides of each cell; None where one is no number."""
    pairs = [(number(one.got), number(one.expected)) for one in cells]
    found = [(a, b) for a, b in pairs if a is not None and b is not None]
    return found if len(found) == len(pairs) else None


def whole(cells: Sequence[Difference]) -> bool:
    """Whether one side has nothing but integers, none of them greater than the other side's number."""
    pairs = numbers(cells)
    return pairs is not None and any(
        all(pair[side] == int(pair[side]) and abs(pair[side]) <= abs(pair[1 - side]) for pair in pairs)
        for side in (0, 1)
    )


def longer(cells: Sequence[Difference]) -> bool:
    """Whether one side has the greater numbers, as bytes are more than characters."""
    pairs = numbers(cells)
    return pairs is not None and any(
        all(0 <= pair[1 - side] < pair[side] <= _BYTES * pair[1 - side] for pair in pairs) for side in (0, 1)
    )


def near(unit: Decimal) -> Explains:
    """Whether numbers are apart by no more than a unit."""
    most = unit * (1 + Decimal("1e-9"))

    def explains(cells: Sequence[Difference]) -> bool:
        pairs = numbers(cells)
        return pairs is not None and all(abs(a - b) <= most for a, b in pairs)

    return explains


def remaining(divisor: Decimal) -> Explains:
    """Whether remainders are apart by no more than the divisor, or one side has none.

    That of an infinity is NaN to who counts in doubles, and what is cut to 0 divides nothing.
    """
    explains = near(abs(divisor))
    none = {"NaN"} if abs(divisor) >= 1 else {"NaN", "NULL"}

    def either(cells: Sequence[Difference]) -> bool:
        return all(explains([one]) or none & {_unbounded(one.got), _unbounded(one.expected)} for one in cells)

    return either


def folded(cells: Sequence[Difference]) -> bool:
    """Whether texts are the same but for letters, some of which are not ASCII: one may become two, or none change."""

    def rest(text: str) -> str:
        return "".join(one for one in text if one.isascii() and not one.isalpha())

    return all(
        rest(one.got) == rest(one.expected) and not (one.got + one.expected).isascii() and texts([one]) for one in cells
    )


def single(cells: Sequence[Difference]) -> bool:
    """Whether numbers are apart by no more than what is lost in floats of 32 bits."""
    pairs = numbers(cells)
    return pairs is not None and all(abs(a - b) <= _SINGLE * max(abs(a), abs(b)) for a, b in pairs)


def nearly(cells: Sequence[Difference]) -> bool:
    """Whether numbers are apart by no more than what is lost in nine digits, the last of them rounded."""
    pairs = numbers(cells)
    return pairs is not None and all(abs(a - b) <= _NINE * max(abs(a), abs(b)) for a, b in pairs)


def texts(cells: Sequence[Difference]) -> bool:
    """Whether both sides have texts, or NULL."""
    return all(one.got[:1] in "'\"N" and one.expected[:1] in "'\"N" for one in cells)


def wide(cells: Sequence[Difference]) -> bool:
    """Whether texts differ where letters are not ASCII, some of which may be cut within."""
    return all(
        not both.isascii() or "\\x" in both or "\\udc" in both for both in (one.got + one.expected for one in cells)
    )


def stripped(cells: Sequence[Difference]) -> bool:
    """Whether texts are the same but for white space at their ends."""
    pairs = [(_text(one.got), _text(one.expected)) for one in cells]
    return all(a is not None and b is not None and a.strip() == b.strip() for a, b in pairs)


def cased(cells: Sequence[Difference]) -> bool:
    """Whether texts are the same but for the case of letters."""
    pairs = [(_text(one.got), _text(one.expected)) for one in cells]
    return all(a is not None and b is not None and a.casefold() == b.casefold() for a, b in pairs)


def turned(cells: Sequence[Difference]) -> bool:
    """Whether texts have the same letters in another sequence, and some are not ASCII or end a line in two."""
    pairs = [(_text(one.got), _text(one.expected)) for one in cells]
    return all(
        a is not None and b is not None and sorted(a) == sorted(b) and (not a.isascii() or {"\r", "\n"} <= {*a})
        for a, b in pairs
    )


def _text(cell: str) -> str | None:
    """The text in a cell; None of another value."""
    return str(literal_eval(cell)) if cell[:1] in "'\"" else None


def infinite(cells: Sequence[Difference]) -> bool:
    """Whether one side has NULL, NaN or an infinity for another of these, but for infinities of two signs."""
    pairs = [(_unbounded(one.got), _unbounded(one.expected)) for one in cells]
    return all(pair not in _OPPOSITE and "" not in pair for pair in pairs)


def unbounded(cells: Sequence[Difference]) -> bool:
    """The same, for the infinity of the other sign too."""
    return all(_unbounded(one.got) and _unbounded(one.expected) for one in cells)


def opposite(cells: Sequence[Difference]) -> bool:
    """Whether both sides have an infinity, of one sign and of the other."""
    return all((_unbounded(one.got), _unbounded(one.expected)) in _OPPOSITE for one in cells)


def _unbounded(text: str) -> str:
    """NULL, NaN or an infinity in a cell; empty of another value."""
    if text == "NULL":
        return text
    try:
        # NaN stands in quotation marks, so that it is equal to itself.
        value = Decimal(text.strip("'"))
    except InvalidOperation:
        return ""
    return "" if value.is_finite() else str(value)


def nulls(cells: Sequence[Difference]) -> bool:
    """Whether one side has NULL."""
    return all("NULL" in (one.got, one.expected) for one in cells)


def empties(cells: Sequence[Difference]) -> bool:
    """Whether both sides have what engines say of an empty text."""
    return all({one.got, one.expected} <= {"NULL", "0", "-1"} for one in cells)
