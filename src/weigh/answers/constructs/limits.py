"""Dates that not every engine's type has, and lists without a member: what becomes of them is left open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.answers.constructs.construct import DAY, LISTED, anything

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from weigh.answers.constructs.construct import Explains
    from weigh.model.gate import Difference

FIRST_YEAR, LAST_YEAR = 1970, 2149
"""Of the narrowest type of dates, ClickHouse's Date of 16 bits."""
_DAY_WHY = f"a date before {FIRST_YEAR} or after {LAST_YEAR} is beyond the type of dates of some engines, as ClickHouse"
_LISTED_WHY = "a list without a member, or NULL, gives a row of NULL in some engines, as Polars, and none in others"
_YEAR = re.compile(r"\b(\d{4,})-\d\d-\d\d")


def of_limits(node: exp.Expr) -> Iterator[tuple[str, str, Explains]]:
    """What depends on days that a date may not have, and on lists that have no member."""
    from sqlglot import exp

    days = (isinstance(node, exp.Cast) and node.is_type("date")) or isinstance(
        node, (exp.Date, exp.TsOrDsToDate, exp.TimestampTrunc, exp.DateTrunc)
    )
    lists = isinstance(node, (exp.Explode, exp.Unnest))
    if days or lists:
        for column in dict.fromkeys(one.name.lower() for one in node.find_all(exp.Column)):
            yield (f"{DAY}{column}", _DAY_WHY, _beyond) if days else (f"{LISTED}{column}", _LISTED_WHY, _rows_of(node))


def _rows_of(node: exp.Expr) -> Explains:
    """What rows of lists explain: themselves where they are those of the answer, else what is computed of them."""
    from sqlglot import exp

    query = node.find_ancestor(exp.Select)
    return _without if query is node.root() and not query.find(exp.AggFunc, exp.Group, exp.Window) else anything


def changes_rows(node: exp.Expr) -> bool:
    """Whether the number of rows depends on it, wherever it stands."""
    from sqlglot import exp

    return isinstance(node, (exp.Explode, exp.Unnest))


def _beyond(cells: Sequence[Difference]) -> bool:
    """Whether each has a day that the narrowest type of dates lacks, on one side."""
    return all(
        any(not FIRST_YEAR <= int(year) <= LAST_YEAR for year in _YEAR.findall(f"{one.got} {one.expected}"))
        for one in cells
    )


def _without(cells: Sequence[Difference]) -> bool:
    """Whether each is the number of rows, a row with NULL, or NULL on one side."""
    return all(
        one.column == "(rows)"
        or "NULL" in (one.got, one.expected)
        or (one.column == "(row)" and "NULL" in one.row.split(", "))
        for one in cells
    )
