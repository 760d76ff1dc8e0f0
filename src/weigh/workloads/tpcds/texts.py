"""Texts of TPC-DS as engines get them: small changes, all listed here.

What the specification leaves open is written out, and what a dialect takes otherwise is written otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = re.compile(
    r"'(?:[^']|'')*'|\"[^\"]*\"|\border\s+by\b|\b(?:limit|rows|range)\b|[(),;]|\bnulls\s+(?:first|last)\b", re.I
)


def nulls_first(text: str) -> str:
    """The text with NULLS FIRST wherever it puts rows in order and does not say where NULLs stand.

    The specification leaves it open, engines differ, and with a LIMIT, or a rank, other rows would be right.
    """
    places: list[int] = []
    open_: list[bool] = []  # for each bracket whether an ORDER BY is going on in it
    ordering, placed = False, False
    end = 0

    def close() -> None:
        if ordering and not placed:
            places.append(len(text[:end].rstrip()))

    for found in _WORDS.finditer(text):
        word, end = " ".join(found[0].lower().split()), found.start()
        if word == "order by":
            ordering, placed = True, False
        elif word == "(":
            open_.append(ordering)
            open_.append(placed)
            ordering = False
        elif word == ")":
            close()
            placed, ordering = open_.pop(), open_.pop()
        elif word == "," and ordering:
            close()
            placed = False
        elif word.startswith("nulls "):
            placed = True
        elif word in ("limit", "rows", "range", ";") and ordering:
            close()
            ordering = False
    end = len(text)
    close()
    for place in reversed(places):
        text = f"{text[:place]} NULLS FIRST{text[place:]}"
    return text


_CLICKHOUSE = (
    (re.compile(r"\bUNION\b(?!\s+ALL)", re.I), "UNION DISTINCT"),
    # NaN is the deviation of one value there, and NULL in the standard.
    (re.compile(r"\bstddev_samp\((\w+)\)", re.I), r"CASE WHEN count(\1) > 1 THEN stddev_samp(\1) END"),
    # A column of a table that is joined with itself keeps the table's name.
    (re.compile(r"\bv1\.(\w+),\n"), r"v1.\1 AS \1,\n"),
    (re.compile(r"\bCATALOG\b"), "catalog"),
    # 0.0 is a double, which has no type in common with a decimal.
    (re.compile(r",\s*0\.0\)"), ", CAST(0 AS DECIMAL(7, 2)))"),
    # Of a double the even one of two neighbours; of a decimal the larger one.
    (re.compile(r"\bround\((\(ss_qty.*),\s*2\) ratio"), r"round(CAST(\1 AS Nullable(DECIMAL(18, 6))), 2) ratio"),
)
_TRINO = (
    # It compares no date with a text, and adds no number to one.
    (re.compile(r"(?<!DATE )('\d{4}-\d\d-\d\d')", re.I), r"DATE \1"),
    (re.compile(r"\b(d1\.d_date \+) 5\b"), r"\1 INTERVAL '5' DAY"),
    # In an ORDER BY it takes what grouping() gave by its name alone.
    (re.compile(r"\bWHEN grouping\(\w+\)\+grouping\(\w+\) = 0 THEN"), "WHEN lochierarchy = 0 THEN"),
)
_DESCENDING = re.compile(r"([\w.]+(?:\([\w.]*\))?)\s+DESC\s+NULLS FIRST", re.I)
_MARIADB = (
    (re.compile(r"\s+NULLS FIRST", re.I), ""),
    # After a column all others are those of a table.
    (re.compile(r",(\s*)\*(\s*FROM\s+)(\w+)\)", re.I), r",\1\3.*\2\3)"),
    (re.compile(r"\bCATALOG\b"), "catalog"),
    # A date and a number are added as numbers.
    (re.compile(r"\b(d1\.d_date \+) 5\b"), r"\1 INTERVAL 5 DAY"),
)
_SQLITE = (
    # It has no dates: they are texts in the order of their days.
    (re.compile(r"\bcast\s*\(\s*('[^']*'|\w+)\s+AS\s+date\s*\)", re.I), r"\1"),
    (re.compile(r"\bd1\.d_date \+ 5\b"), "date(d1.d_date, '+5 days')"),
    # It has no decimals either: they are doubles.
    (re.compile(r"\bAS\s+decimal\s*\(\d+,\s*\d+\)", re.I), "AS REAL"),
)
_SETTINGS = {
    "group_by_use_nulls": re.compile(r"\brollup\b", re.I),
    "prefer_column_name_to_alias": re.compile(r"\bsum\((ss_net_profit|jan_sales)\) AS \1\b", re.I),
}
"""By name: what a text has that needs it."""


def dialects(text: str) -> dict[str, str]:
    """The same query for the dialects in which it is written otherwise."""
    found = {
        "clickhouse": _clickhouse(text),
        "mariadb": _mariadb(text),
        "sqlite": _changed(text, _SQLITE),
        "trino": _changed(text, _TRINO),
    }
    return {dialect: other for dialect, other in found.items() if other != text}


def _clickhouse(text: str) -> str:
    """With the standard's meaning of ROLLUP, and of a name of a column and an alias, as settings of the query."""
    wanted = [f"{name} = 1" for name, of in _SETTINGS.items() if of.search(text)]
    text = _changed(text, _CLICKHOUSE)
    return f"{text}\nSETTINGS {', '.join(wanted)}" if wanted else text


def _mariadb(text: str) -> str:
    """With NULLs first, which are its smallest values, in descending orders too."""

    def nulls_first_of(found: re.Match[str]) -> str:
        aggregate = rf"\b((?:sum|count)\((?:[^()]|\([^()]*\))*\))\s+(?:AS\s+)?{re.escape(found[1])}\b"
        # In an expression it knows no name that an aggregate was given.
        named = re.search(aggregate, text, re.I)
        return f"{named[1] if named else found[1]} IS NULL DESC, {found[1]} DESC"

    return _changed(_DESCENDING.sub(nulls_first_of, text), _MARIADB)


def _changed(text: str, changes: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for of, other in changes:
        text = of.sub(other, text)
    return text
