"""What a right answer to a user's query looks like, read off the query and one answer to it; to be edited."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa

from weigh.model.errors import UsageError
from weigh.workloads import order_columns
from weigh.workloads.long_lists import shortened
from weigh.workloads.user_sql import ColumnTable, QueryFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from weigh.model.answer import Kind, Match

DIALECT = "duckdb"
"""In which users' queries are parsed: the widest of the standard-like ones. The text itself is never changed."""

_ORDER = re.compile(r"\border\s+by\b", re.IGNORECASE)
UNCHECKED_ORDER = (
    "ORDER BY by no column of the answer that can be compared (an expression, a collation, another table's column, or "
    "nested or enumerated values)"
)
"""What :func:`unchecked_order` finds, for people."""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """One query of a file of them.

    Attributes:
        name: from the comment ``-- name: NAME`` before it; else of the file, numbered if it has several.
        sql: its text as it was written.
    """

    name: str
    sql: str


def split(text: str, stem: str) -> list[Statement]:
    """The statements of a file; semicolons in strings and comments do not end one.

    Raises:
        UsageError: the text cannot be read as SQL at all.
    """
    from sqlglot import TokenType
    from sqlglot.errors import TokenError
    from sqlglot.tokens import Tokenizer

    try:
        tokens = Tokenizer().tokenize(shortened(text))
    except TokenError as error:
        raise UsageError(f"this is not SQL: {error}", remedy="give files of SELECT statements") from None
    parts: list[tuple[str, str]] = []
    begin = 0
    first = None
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            first = first or token
            continue
        if first is not None:
            parts.append((_named(first.comments), text[begin : token.start].strip()))
        begin, first = token.end + 1, None
    if first is not None:
        parts.append((_named(first.comments), text[begin:].strip()))
    numbered = (stem if len(parts) == 1 else f"{stem}_{number}" for number in range(1, len(parts) + 1))
    return [Statement(name=name or other, sql=sql) for (name, sql), other in zip(parts, numbered, strict=True)]


def _named(comments: Sequence[str]) -> str:
    for comment in comments:
        key, colon, name = comment.partition(":")
        if colon and key.strip().lower() == "name":
            return name.strip().replace(" ", "_")
    return ""


def describe(sql: str, answer: pa.Table) -> QueryFile:
    """The result schema of a query: kinds from the answer's types, order and limit from the text.

    Averages, medians and divisions differ in scale between engines (``quotient``), sums of doubles in their last digits
    (``approx``); the rest is compared by value.
    """
    query = _parsed(sql)
    selects = list(query.selects) if query is not None else []
    names = _distinct(answer.column_names)
    known = len(selects) == answer.num_columns and not any(one.is_star for one in selects)
    columns = []
    for position, (name, field) in enumerate(zip(names, answer.schema, strict=True)):
        found = kind(field.type)
        match = _match(field.type, selects[position] if known else None)
        columns.append(ColumnTable(name=name, kind=found, match=match))
    return QueryFile(
        ordered_by=[names[at] for at in order_columns.of(query, answer)] if query is not None else [],
        limit=_limit(query),
        keys=_keys(query, selects, names) if query is not None and known else [],
        column=columns,
    )


def any_rows(sql: str, described: QueryFile) -> bool:
    """Whether a query takes some rows of many, and nothing in its answer says which: other rows may be right too."""
    return limited(sql) and not described.ordered_by


def unchecked_order(sql: str, described: QueryFile) -> bool:
    """Whether a query has an ORDER BY, and no column of its answer by which the order can be compared."""
    query = _parsed(sql)
    ordered = query.args.get("order") is not None if query is not None else bool(_ORDER.search(sql))
    return ordered and not described.ordered_by


def limited(sql: str) -> bool:
    """Whether a query has a LIMIT, be it a number or a parameter."""
    query = _parsed(sql)
    return query is not None and query.args.get("limit") is not None


def _parsed(sql: str) -> exp.Query | None:
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(shortened(sql), read=DIALECT)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None
    return query if isinstance(query, exp.Query) else None


def _distinct(names: Sequence[str]) -> list[str]:
    """Columns are compared by position: a name that occurs twice, or none, needs only to be distinguished."""
    found: list[str] = []
    for position, name in enumerate(names, start=1):
        found.append(name if name and name not in found else f"column_{position}")
    return found


def kind(of: pa.DataType) -> Kind:
    """What values of an Arrow type are."""
    types = pa.types
    if types.is_dictionary(of):
        of = of.value_type
    if types.is_boolean(of):
        return "boolean"
    if types.is_integer(of):
        return "integer"
    if types.is_decimal(of):
        # A scale of 0 is how some engines give sums of integers.
        return "decimal" if of.scale else "integer"
    if types.is_floating(of):
        return "double"
    if types.is_date(of):
        return "date"
    return "timestamp" if types.is_timestamp(of) else "string"


def _match(of: pa.DataType, select: exp.Expr | None) -> Match:
    from sqlglot import exp

    between = (exp.Avg, exp.Div, exp.Median, exp.PercentileCont, exp.Quantile)
    means = select is not None and select.find(*between) is not None
    if means and (pa.types.is_timestamp(of) or pa.types.is_duration(of) or pa.types.is_interval(of)):
        # The mean of moments is rounded or cut off where an engine's units end.
        return "approx"
    if means and kind(of) in ("double", "decimal"):
        return "quotient"
    return "approx" if kind(of) == "double" else "exact"


def _limit(query: exp.Query | None) -> int | None:
    limit = query.args.get("limit") if query is not None else None
    value = limit.args.get("expression") if limit is not None else None
    return int(value.this) if value is not None and value.is_int else None


def _keys(query: exp.Query, selects: list[exp.Expr], names: list[str]) -> list[str]:
    """The columns of GROUP BY, if the answer has them all."""
    group = query.args.get("group")
    if group is None or any(group.args.get(kind) for kind in ("rollup", "cube", "grouping_sets")):
        return []
    positions = [order_columns.listed(one, selects) for one in group.expressions]
    if None in positions:
        return []
    return [names[position] for position in dict.fromkeys(positions) if position is not None]
