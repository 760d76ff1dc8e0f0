"""A construct of SQL in which right engines differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.model.gate import Difference

    Explains = Callable[[Sequence[Difference]], bool]

SEQUENCE = "sequence"
"""Key of constructs whose value one engine gives differently from execution to execution."""
SAMPLE = "sample"
"""Key of what some engines compute of a random sample, so that they give it differently each time."""
ZONE = "zone "
"""Begin of keys of what reads a clock off a moment, by column; engines differ in it where that has a time zone."""

NAN = "NaN "
"""Begin of keys of comparisons, by column; engines differ in them where the column has NaN."""
ZERO = "-0 "
"""The same where the column has -0.0."""
SIGNED = "<0 "
"""The same of what is computed of a column that has numbers below zero: it may be -0.0."""
SINGLE = "32 "
"""Begin of keys of what is computed of a column, or of its comparisons with a fraction, where it has 32-bit floats."""
QUOTIENT = "/ "
"""Begin of keys of what a query compares with, or computes of, a quotient or a mean of a column of decimals."""
MOMENT = "at "
"""Begin of keys of what is computed of a column, or of its comparisons, where it has moments or dates: text to some."""
WIDTH = "width "
"""Begin of keys of integer arithmetic, by its SQL, that leaves the types of its columns over the data."""
FRACTION = "fraction "
"""Begin of keys of casts and roundings, by key of the probe and SQL: all take them alike where they are of integers."""
ORDERED = "ordered "
"""Begin of keys of queries, by their SQL, in which nothing that is put in order may be NULL."""
REACH = "reach "
"""Begin of keys of queries, by their SQL: how far the integers of their answers go."""
DAY = "day "
"""Begin of keys of dates made of a column, where that has moments before 1970 or after 2149."""
LISTED = "list "
"""Begin of keys of what makes rows of a column of lists, where one of them is NULL or has no member."""
SKIPPED = "skipped "
"""Begin of keys of the first and last value in a window, by column, where that has NULL."""
UUIDS = "uuid "
"""Begin of keys of what puts a column in order, where it has UUIDs."""
NAMED = "named "
"""Begin of keys of names that a query gives to something else than the column of that name, which it reads, too."""
OF_DATA = (NAN, ZERO, SIGNED, SINGLE, QUOTIENT, MOMENT, WIDTH, DAY, LISTED, ZONE, SKIPPED, UUIDS, NAMED)
"""Begins of the keys of columns that are a matter of the engine by what the data has in them."""
MERGED = "merged"
"""Key of columns (TABLE.COLUMN), each on a line, in which an engine has one value for two of the data's."""


def fraction_base(key: str) -> str:
    """The key of the probe of a cast or a rounding; empty of another construct."""
    return key.removeprefix(FRACTION).partition(" ")[0] if key.startswith(FRACTION) else ""


class Construct(NamedTuple):
    """A construct in a query.

    Attributes:
        key: of PROBES, ALIKE, OF_DATA or UNASKED, or SEQUENCE; one of no other kind would explain nothing.
        why: for people.
        column: position of the answer's column that it is all of; None where more or other than one depends on it.
        inside: position of the column of whose expression it is a part, and nothing but that column depends on it.
        explains: whether it explains how cells differ in that column.
        sequence: whether nothing but the sequence of rows depends on it.
        rows: whether it explains rows and their number, as far as it explains how they differ.
        mixed: whether it is of what engines give different types, so that no probe of one type tells.
    """

    key: str
    why: str
    column: int | None
    inside: int | None
    explains: Explains
    sequence: bool = False
    mixed: bool = False
    rows: bool = False


def anything(_cells: Sequence[Difference]) -> bool:
    """Any difference."""
    return True
