"""Sums of floating-point numbers: how far right engines may be apart, because each adds in a sequence of its own."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.model.gate import Difference

ROUNDING = "~ "
"""Begin of keys of columns that are summed, with what :func:`size_of` says of each."""
WHY = "large numbers cancel in a sum of floating-point numbers, and what is left depends on the sequence of rows"
NARROW = "sums of floats of fewer than 64 bits are as exact as an engine's intermediate results are wide"
DOUBLES = "decimals as doubles"
"""Key of that an engine has no decimals."""
_LONG = "numbers of more digits than a double has are doubles to some engines, as decimals to SQLite"
_IN_DOUBLE = Decimal("1e-9")
"""Relative: sums of doubles in any order stay far below."""
_UNIT = 2.0**-53
"""Of a double, half the distance of two next to each other."""
_NARROW_UNIT = 2.0**-24
"""The same of a float of 32 bits."""
NARROW_SUM = "narrow sum"
"""Key of the probe of how wide the intermediate results of a sum of 32-bit floats are."""
_IN_DOUBLES, _FAR = 0.30000000447034836, 2e-9
"""What it is where they are doubles (less where 0.1 is one, too), and less than it is above that in 32 bits."""
_SLACK = 4.0
_NARROW = {16: 2.0**-9, 32: 2.0**-20}
_MEANS = {"avg", "mean"}
_SUMS = {"sum", *_MEANS}
_OTHERS = {"stddev", "stddev_samp", "stddev_pop", "variance", "variance_pop", "var_samp", "var_pop", "corr",
           "covar_samp", "covar_pop", "median", "quantile", "quantile_cont", "percentile_cont"}  # fmt: skip


class _Summed(NamedTuple):
    """An aggregate: its name, the columns in it, and whether it is of one of them as it is."""

    name: str
    columns: tuple[str, ...]
    plain: bool


def size_of(rows: int, largest: float, bits: int) -> str:
    """What is known of a column's numbers: how many, the largest magnitude, and the bits of each."""
    return f"{rows} {largest!r} {bits}"


@cache
def summed(sql: str) -> tuple[_Summed, ...]:
    """Aggregates of a query that add; none where it cannot be parsed."""
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return ()
    found = []
    for node in query.find_all(exp.Func):
        name = node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_names()[0].lower()
        if name in _SUMS | _OTHERS:
            columns = tuple(dict.fromkeys(one.name.lower() for one in node.find_all(exp.Column)))
            plain = isinstance(node.this, exp.Expression) and isinstance(node.this.unnest(), exp.Column)
            found.append(_Summed(name, columns, plain))
    return tuple(found)


def columns(sql: str) -> set[str]:
    """Names of columns that a query sums, in small letters."""
    return {name for one in summed(sql) for name in one.columns}


def sums_narrowly(way: str) -> bool:
    """Whether an engine adds 32-bit floats in 32 bits, by what it gave for three times 0.1."""
    try:
        return float(way) - _IN_DOUBLES > _FAR
    except ValueError:
        return False


def reason(sql: str, cells: Sequence[Difference], camps: Iterable[Sequence[Mapping[str, str]]]) -> str:
    """Why numbers may differ as they do; empty where rounding does not explain it.

    A sum of n floats is off by up to n times the unit of what it is added in times the sum of their magnitudes (N. J.
    Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2). Where all of a camp add in 32 bits, that is
    the unit.

    Args:
        sql: the query.
        cells: where two answers differ.
        camps: ways of the contenders of each.
    """
    camps = [list(camp) for camp in camps]
    narrow = any(camp and all(sums_narrowly(way.get(NARROW_SUM, "")) for way in camp) for camp in camps)
    sizes = {
        key.removeprefix(ROUNDING): way
        for camp in camps
        for each in camp
        for key, way in each.items()
        if key.startswith(ROUNDING)
    }
    apart = [_numbers(one) for one in cells]
    pairs = [one for one in apart if one is not None]
    if not pairs or len(pairs) < len(apart):
        return ""
    doubles = any(camp and all(DOUBLES in way for way in camp) for camp in camps)
    if doubles and all(abs(a - b) <= _IN_DOUBLE * max(abs(a), abs(b)) for a, b in pairs):
        return _LONG
    if not sizes:
        return ""
    bound, added, rel = 0.0, 0.0, 0.0
    for one in summed(sql):
        for rows, largest, bits in (_read(sizes[name]) for name in one.columns if name in sizes):
            rel = max(rel, _NARROW.get(bits, 0.0))
            # Of an expression, or a sum of squares, nobody knows here how large its terms are.
            if one.plain and one.name in _SUMS and isfinite(largest):
                bound = max(bound, _SLACK * _UNIT * largest * (1 if one.name in _MEANS else rows))
                if narrow and bits in _NARROW and one.name not in _MEANS:
                    added = max(added, _NARROW_UNIT * largest * rows**2)
    # Exactly: as doubles, two decimals of many digits are one number.
    if all(abs(a - b) <= bound for a, b in pairs):
        return WHY
    if all(a == b or Decimal(float(a)) == b or a == Decimal(float(b)) for a, b in pairs):
        return _LONG
    near = all(float(abs(a - b)) <= max(added, rel * float(max(abs(a), abs(b)))) for a, b in pairs)
    return NARROW if rel and near else ""


def _read(size: str) -> tuple[int, float, int]:
    rows, largest, bits = size.split()
    return int(rows), float(largest), int(bits)


def _numbers(cell: Difference) -> tuple[Decimal, Decimal] | None:
    try:
        pair = Decimal(cell.got), Decimal(cell.expected)
    except InvalidOperation:
        return None
    return pair if all(one.is_finite() for one in pair) else None
