"""Rows of two answers paired: by their exact columns, and what is left by what it shares, to show what differs."""

from __future__ import annotations

import datetime
import decimal
import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING

from weigh.answers import texts
from weigh.answers.comparison import MAX_DIFFERENCES, Comparison
from weigh.answers.values import DIGITS, cell, near_parts, printed
from weigh.model import codes
from weigh.model.gate import Difference

if TYPE_CHECKING:
    from weigh.answers.by_columns import Paired
    from weigh.answers.values import Cell, Row
    from weigh.model.answer import Column, ResultSchema

_APART = {
    "approx": f"{codes.A2}: float columns differ by up to {{:.1e}} of their value: rounding",
    "quotient": f"{codes.A7}: quotients differ by up to {{:.1e}} of their value: within one unit of the coarser scale",
}
_SPAN = datetime.timedelta(microseconds=10)
"""Between two means of spans: some units of the coarsest that engines count in."""
_MOMENT = datetime.timedelta(microseconds=2)
"""Between two means of moments: each is rounded or cut off where its units end."""
_IN_DOUBLE = 2.0**-51
"""Of the time since 1970, what a mean that was counted in doubles of microseconds may be off by besides."""
_EPOCH = datetime.datetime(1970, 1, 1)
_LONELY = 200
"""Rows without a counterpart that are looked at, on each side; all are counted."""


def pair(
    got: list[Row],
    expected: list[Row],
    schema: ResultSchema,
    most: int = MAX_DIFFERENCES,
    *,
    paired: Paired | None = None,
) -> Comparison:
    """Compare two bags of rows: exact columns by value, the others within their tolerance.

    Args:
        got: rows of the answer.
        expected: rows of the witness.
        schema: of the operation.
        most: differences that are kept; all are counted.
        paired: rows that are not among these, because they have their counterparts.
    """
    ours, theirs = _by_exact(got, schema), _by_exact(expected, schema)
    differences: list[Difference] = []
    count = 0
    worst = {"approx": paired.apart if paired else 0.0, "quotient": 0.0}
    lonely: tuple[list[Row], list[Row]] = ([], [])
    loose = schema.loose
    for key in {**theirs, **ours}:
        pairs, *rest = _matched(ours.get(key, []), theirs.get(key, []), schema)
        for some, more in zip(lonely, rest, strict=True):
            some.extend(more)
        for a, b in pairs:
            for position in loose:
                column, x, y = schema.columns[position], a[position], b[position]
                apart = distance(x, y)
                if within(x, y, apart, column):
                    # Quotients that are both doubles have no scale: what is between them is rounding.
                    kind = column.match if _unit(x) or _unit(y) else "approx"
                    worst[kind] = max(worst[kind], apart)
                else:
                    count += 1
                    differences.append(Difference(row=printed(key), column=column.name, got=cell(x), expected=cell(y)))
    if not most and any(lonely):
        # Which row of the one side is which of the other one takes most of the time, and nobody reads it.
        return Comparison(agrees=False, count=count + sum(map(len, lonely)))
    unpaired, found = _unpaired(*lonely, schema, alone=paired is None and len(got) == len(expected) == 1)
    count += unpaired
    # They come as an engine happened to answer, and what is shown is to be the same each time.
    differences = [*sorted(found, key=_place), *sorted(differences, key=_place)]
    notes = tuple(_APART[match].format(apart) for match, apart in worst.items() if apart > 0) if not count else ()
    return Comparison(agrees=not count, differences=tuple(differences[:most]), count=count, notes=notes)


def distance(x: Cell, y: Cell) -> float:
    """Relative distance of two approximate values; infinite where they cannot be compared.

    An engine may have a span or a moment where another has a number: those are at least equal to themselves.
    """
    if x is None or y is None:
        return 0.0 if x is y else math.inf
    try:
        a, b = float(x), float(y)
    except (TypeError, ValueError):
        if (spans := _spans(x, y)) is None:
            return 0.0 if x == y else math.inf
        a, b = spans[0].total_seconds(), spans[1].total_seconds()
    if math.isnan(a) or math.isnan(b):
        return 0.0 if math.isnan(a) and math.isnan(b) else math.inf
    if a == b:
        return 0.0
    return abs(a - b) / max(abs(a), abs(b)) if math.isfinite(a) and math.isfinite(b) else math.inf


def within(x: Cell, y: Cell, apart: float, column: Column) -> bool:
    """Whether two values that are so far apart are the same by the tolerance of their column."""
    if apart == 0.0:
        return True
    if not math.isfinite(apart):
        return False
    if (spans := _spans(x, y)) is not None:
        off = abs(spans[0] - spans[1])
        if isinstance(x, datetime.datetime):
            # A moment has no size: what a relative distance from the year 1 would be says nothing.
            return off <= _MOMENT + _IN_DOUBLE * abs(x - _EPOCH)
        return off <= _SPAN or apart <= column.rel
    if column.absolute and abs(float(x) - float(y)) <= column.absolute:
        return True
    if column.match == "quotient":
        # Rounding and truncating differ by exactly one unit, which doubles would make a little more than one.
        difference = abs(DIGITS.subtract(_shortest(x), _shortest(y)))
        return difference <= max(_unit(x), _unit(y)) * (column.units or 1) or apart <= column.rel
    return apart <= column.rel


def _spans(x: Cell, y: Cell) -> tuple[datetime.timedelta, datetime.timedelta] | None:
    """Two spans, or two moments as what has passed since the first one; None of other values."""
    if isinstance(x, datetime.datetime) and isinstance(y, datetime.datetime):
        return x - datetime.datetime.min, y - datetime.datetime.min
    a, b = _span(x), _span(y)
    return None if a is None or b is None else (a, b)


def _span(value: Cell) -> datetime.timedelta | None:
    """A span, also one that is text because somebody's type has months; None of another value."""
    if isinstance(value, str) and ":" in value:
        with suppress(texts.NotThat, OverflowError):
            months, days, nanoseconds = texts.interval(value.removesuffix(" ns"))
            return None if months else datetime.timedelta(days=days, microseconds=nanoseconds / 1_000)
    return value if isinstance(value, datetime.timedelta) else None


def _shortest(value: Cell) -> decimal.Decimal:
    """A value as it is written: 1.79 as a double is a little more, which a unit of 0.01 would not bear."""
    return decimal.Decimal(repr(value) if isinstance(value, float) else value)


def _unit(value: Cell) -> decimal.Decimal:
    """One unit of a decimal's last place; a float has none, and an integer is no quotient's coarser scale."""
    exponent = value.as_tuple().exponent if isinstance(value, decimal.Decimal) else None
    return decimal.Decimal(1).scaleb(exponent) if isinstance(exponent, int) else decimal.Decimal(0)


def _by_exact(rows: list[Row], schema: ResultSchema) -> dict[Row, list[Row]]:
    groups: dict[Row, list[Row]] = defaultdict(list)
    exact = schema.exact
    for row in rows:
        groups[tuple(row[at] for at in exact)].append(row)
    return groups


def _matched(
    left: list[Row], right: list[Row], schema: ResultSchema
) -> tuple[list[tuple[Row, Row]], list[Row], list[Row]]:
    """Rows that share their exact columns, each with its counterpart; and those that have none, of either side.

    Sorting would pair wrongly where rounding changes the order, so each takes its equal, or else the first that is near
    enough; what is left over is paired as it stands, and differs.
    """
    if not schema.loose:
        some = min(len(left), len(right))
        return [], left[some:], right[some:]
    if len(left) == len(right) == 1:
        return [(left[0], right[0])], [], []
    pairs, left, right = _equal(left, right)
    alone: list[tuple[int, Row]] = []
    others: list[tuple[int, Row]] = []
    for ours, theirs in near_parts(left, right, schema):
        free = _Free([right[at] for at in theirs], schema)
        for at in ours:
            near = free.take(left[at])
            if near is None:
                alone.append((at, left[at]))
            else:
                pairs.append((left[at], near))
        others += [(theirs[at], right[theirs[at]]) for at in free.rest()]
    lonely, rest = ([row for _, row in sorted(some, key=lambda one: one[0])] for some in (alone, others))
    some = min(len(lonely), len(rest))
    return pairs + list(zip(lonely[:some], rest[:some], strict=True)), lonely[some:], rest[some:]


def _equal(left: list[Row], right: list[Row]) -> tuple[list[tuple[Row, Row]], list[Row], list[Row]]:
    """Rows with their equals, and the others of either side.

    Whoever took what is merely near would take it from its equal: of 1, 2 and 3 within one of each other none is left
    for the last.
    """
    equals = Counter(left) & Counter(right)

    def without(rows: list[Row]) -> list[Row]:
        taken, others = equals.copy(), []
        for row in rows:
            if taken[row] > 0:
                taken[row] -= 1
            else:
                others.append(row)
        return others

    return [(row, row) for row in equals.elements()], without(left), without(right)


class _Free:
    """Rows without a counterpart yet, in the order of the approximate column that tells most of them apart.

    Of many rows that share their exact columns those near a row are found without a look at all of them.
    """

    def __init__(self, rows: list[Row], schema: ResultSchema) -> None:
        self._schema = schema
        approximate = [at for at in schema.loose if schema.columns[at].match == "approx"]
        self._by = max(approximate, key=lambda at: len({row[at] for row in rows}), default=None)
        # What is no number stands behind all numbers, and is near nothing but its like.
        self._order = sorted(range(len(rows)), key=lambda at: self._place(rows[at]))
        self._rows = [rows[at] for at in self._order]
        self._places = [self._place(row) for row in self._rows]
        self._next = list(range(len(rows) + 1))

    def take(self, row: Row) -> Row | None:
        """The first row that is near one, which is free no more; None where there is none."""
        first, last = 0, len(self._rows)
        if self._by is not None:
            place, column = self._place(row), self._schema.columns[self._by]
            # A little more than the tolerance, so that rounding here loses none.
            reach = 1.001 * max(column.rel * abs(place) / max(1 - column.rel, 0.001), column.absolute or 0.0)
            if math.isfinite(place):
                first, last = bisect_left(self._places, place - reach), bisect_right(self._places, place + reach)
            else:
                first, last = bisect_left(self._places, place), bisect_right(self._places, place)
        at = self._free(first)
        while at < last:
            if _near(row, self._rows[at], self._schema):
                self._next[at] = at + 1
                return self._rows[at]
            at = self._free(at + 1)
        return None

    def rest(self) -> list[int]:
        """Numbers of those that nobody took, as they were given."""
        return sorted(self._order[at] for at in range(len(self._rows)) if self._is_free(at))

    def _is_free(self, at: int) -> bool:
        return self._next[at] == at

    def _free(self, at: int) -> int:
        """The first free place from one on; the number of rows where there is none."""
        end = at
        while self._next[end] != end:
            end = self._next[end]
        while self._next[at] != end:
            self._next[at], at = end, self._next[at]
        return end

    def _place(self, row: Row) -> float:
        value = row[self._by] if self._by is not None else None
        try:
            number = float(value) if value is not None else math.inf
        except (TypeError, ValueError, OverflowError):
            return math.inf
        return math.inf if math.isnan(number) else number


def _exact(row: Row, schema: ResultSchema) -> Row:
    return tuple(row[at] for at in schema.exact)


def _near(a: Row, b: Row, schema: ResultSchema) -> bool:
    return all(_same(a, b, position, schema) for position in schema.loose)


def _same(a: Row, b: Row, position: int, schema: ResultSchema) -> bool:
    column, x, y = schema.columns[position], a[position], b[position]
    if column.match == "exact":
        return bool(x == y)
    return within(x, y, distance(x, y), column)


def _unpaired(ours: list[Row], theirs: list[Row], schema: ResultSchema, *, alone: bool) -> tuple[int, list[Difference]]:
    """Rows that only one side has: how many cells or rows differ, and the first of them.

    Two that have the same key, or most of their cells in common, are one row with wrong cells: that says more than
    "this row is missing, that one too many". The only row of two answers is one.
    """
    count = len(ours[_LONELY:]) + len(theirs[_LONELY:])
    ours, theirs = ours[:_LONELY], theirs[:_LONELY]
    found: list[tuple[Row, Row | None]] = []
    for row in ours:
        alike = [(_alike(row, other, schema), at) for at, other in enumerate(theirs)]
        most, at = max(alike, key=lambda one: (one[0], -one[1]), default=(0.0, -1))
        if not alone and most <= 0:
            found.append((row, None))
        else:
            found.append((row, theirs.pop(at)))
    differences = []
    for row, other in found:
        if other is None:
            differences.append(row_difference(_exact(row, schema), 1, 0))
            continue
        for position, column in enumerate(schema.columns):
            if not _same(row, other, position, schema):
                differences.append(
                    Difference(
                        row="" if alone else _named(other, position, schema),
                        column=column.name,
                        got=cell(row[position]),
                        expected=cell(other[position]),
                    )
                )
    differences += [row_difference(_exact(row, schema), 0, 1) for row in theirs]
    return count + len(differences), differences


def _alike(row: Row, other: Row, schema: ResultSchema) -> float:
    """How much speaks for two rows being one: the same key, or at least half of the cells."""
    same = sum(_same(row, other, position, schema) for position in range(len(schema.columns)))
    keys = schema.keys or schema.ordered_by
    if keys and all(_same(row, other, at, schema) for at in keys):
        return 2.0 + same
    share = same / len(schema.columns)
    return share if share >= 0.5 else 0.0


def _place(difference: Difference) -> tuple[bool, str]:
    """Wrong cells before whole rows, and both by what the row is called."""
    return difference.column == "(row)", difference.row


def row_difference(key: Row, got: int, expected: int) -> Difference:
    """A whole row, named by its exact columns, that is missing or too many."""
    return Difference(row=printed(key), column="(row)", got=f"{got} times", expected=f"{expected} times")


def _named(row: Row, without: int, schema: ResultSchema) -> str:
    """What a row is known by, but for the column that differs: its key, what it is ordered by, or its exact columns."""
    known = [position for position in schema.keys or schema.ordered_by or schema.exact if position != without]
    return printed(tuple(row[at] for at in known or schema.exact if at != without))
