"""The columns of an answer by which its query puts the rows in order: what can be compared, and nothing guessed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa

from weigh.workloads.long_lists import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

_NULLS = re.compile(r"\bnulls\s+(?:first|last)\b", re.IGNORECASE)

_BY_BYTES = {"c", "posix", "binary", "ucs_basic"}
"""Collations under which no two different texts tie."""


def of(query: exp.Query, answer: pa.Table) -> list[int]:
    """Positions of the ORDER BY columns that the answer has, up to the first that it does not have.

    A star stands for the answer's columns: one of them is found by its name if no other has that name. Where right
    answers may have values in different orders (nested and enumerated ones), the order is left unchecked. NULL and NaN
    are not among those: only their place is open (:func:`nulls_open`).

    Args:
        query: as it was parsed.
        answer: one answer to it.
    """
    found: list[int] = []
    for at in _positions(query, answer):
        if at is None or _left_open(answer.column(at)):
            break
        if at not in found:
            found.append(at)
    return found


def nulls_open(sql: str, ordered_by: Sequence[int], columns: Sequence[str]) -> tuple[int, ...]:
    """The columns of an order of which the query does not say where NULLs stand; engines differ there.

    Args:
        sql: the query.
        ordered_by: positions of the columns that it orders by.
        columns: names of all columns of its answer.
    """
    if not ordered_by or _NULLS.search(sql) is None:
        return tuple(ordered_by)
    placed = _placed(sql, pa.table({str(at): pa.nulls(0) for at in range(len(columns))}).rename_columns(list(columns)))
    return tuple(at for at in ordered_by if at not in placed)


def _placed(sql: str, answer: pa.Table) -> set[int]:
    """Positions of the columns whose order says NULLS FIRST or NULLS LAST.

    A parsed query has what its dialect takes for granted filled in, so what two dialects read alike is written.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.dialects import DuckDB

    read = []
    for granted in ("nulls_are_small", "nulls_are_large"):
        dialect = DuckDB()
        dialect.NULL_ORDERING = granted
        try:
            query = sqlglot.parse_one(shortened(sql), read=dialect)
        except (sqlglot.errors.SqlglotError, RecursionError):
            return set()
        if not isinstance(query, exp.Query):
            return set()
        read.append(query)
    first, second = ([one.args.get("nulls_first") for one in _wanted(query)] for query in read)
    written = [one == other for one, other in zip(first, second, strict=True)]
    places = _positions(read[0], answer)
    if len(written) == 1:
        written *= len(places)
    found: dict[int, bool] = {}
    for at, one in zip(places, written, strict=True):
        if at is not None:
            found.setdefault(at, one)
    return {at for at, one in found.items() if one}


def _wanted(query: exp.Query) -> list[exp.Expr]:
    order = query.args.get("order")
    return list(order.expressions) if order is not None else []


def _positions(query: exp.Query, answer: pa.Table) -> list[int | None]:
    """Where the answer has what the query orders by, None for what it does not have."""
    wanted = _wanted(query)
    if len(wanted) == 1 and _is_all(wanted[0].this):
        return [*range(answer.num_columns)]
    selects = _outputs(query, answer)
    return [_position(one.this, query, selects, answer) for one in wanted]


def listed(wanted: exp.Expr, selects: list[exp.Expr]) -> int | None:
    """Where a select list has an expression: by its number, its alias, or written out again."""
    from sqlglot import exp

    if isinstance(wanted, exp.Literal) and wanted.is_int:
        number = int(wanted.this) - 1
        return number if 0 <= number < len(selects) else None
    for position, select in enumerate(selects):
        plain = isinstance(wanted, exp.Column) and not wanted.table and wanted.name == select.alias_or_name
        if plain or select.unalias() == wanted:
            return position
    return None


def _is_all(one: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(one, exp.Var) and one.name.upper() == "ALL"


def _outputs(query: exp.Query, answer: pa.Table) -> list[exp.Expr | None] | None:
    """The expression of every column of the answer, None for those of a star; None where that is not known."""
    selects = list(query.selects)
    stars = [at for at, one in enumerate(selects) if one.is_star]
    if not stars:
        return [*selects] if len(selects) == answer.num_columns else None
    width = answer.num_columns - len(selects) + 1
    (first, *others) = stars
    star = selects[first]
    changed = any(one.args.get("replace") or one.args.get("rename") for one in star.walk())
    if others or width < 0 or changed:
        return None
    found = [*selects[:first], *[None] * width, *selects[first + 1 :]]
    # What has become more columns than one, as a struct that is unpacked, is not where it seems to be.
    for one, name in zip(found, answer.column_names, strict=True):
        if one is not None and one.alias_or_name and one.alias_or_name.casefold() != name.casefold():
            return None
    return found


def _position(
    wanted: exp.Expr, query: exp.Query, selects: list[exp.Expr | None] | None, answer: pa.Table
) -> int | None:
    from sqlglot import exp

    wanted = wanted.unnest()
    while isinstance(wanted, exp.Collate):
        if wanted.expression.name.casefold() not in _BY_BYTES:
            return None
        wanted = wanted.this.unnest()
    if isinstance(wanted, exp.Literal) and wanted.is_int:
        number = int(wanted.this) - 1
        return number if 0 <= number < answer.num_columns else None
    if selects is None:
        return None
    if not isinstance(wanted, exp.Column):
        return next((at for at, one in enumerate(selects) if one is not None and one.unalias() == wanted), None)
    return _of_table(wanted, query, selects, answer) if wanted.table else _plain(wanted, selects, answer)


def _plain(wanted: exp.Column, selects: list[exp.Expr | None], answer: pa.Table) -> int | None:
    """Where the answer has a name: as it is written, else in other case where that can mean nothing else."""
    names = [
        one.alias_or_name if one is not None else name for one, name in zip(selects, answer.column_names, strict=True)
    ]
    exact = [at for at, name in enumerate(names) if name == wanted.name]
    folded = [at for at, name in enumerate(names) if name.casefold() == wanted.name.casefold()]
    found = exact or folded
    if not found:
        return next((at for at, one in enumerate(selects) if one is not None and one.unalias() == wanted), None)
    if len(found) > 1 and (None in selects or len({selects[at].unalias() for at in found}) > 1):  # type: ignore[union-attr]
        return None
    one = selects[found[0]]
    if exact or one is None:
        return found[0]
    # Where case counts, the name may be one of the table and not this alias.
    own = _column(one)
    if own is not None:
        return found[0] if own.name.casefold() == wanted.name.casefold() else None
    from sqlglot import exp

    inner = {column.name.casefold() for column in one.find_all(exp.Column)}
    return None if wanted.name.casefold() in inner else found[0]


def _of_table(wanted: exp.Column, query: exp.Query, selects: list[exp.Expr | None], answer: pa.Table) -> int | None:
    """Where the answer has a column of a table, which no alias can be."""
    from sqlglot import exp

    found = [
        at
        for at, one in enumerate(selects)
        if one is not None
        and (column := _column(one)) is not None
        and column.name.casefold() == wanted.name.casefold()
        and column.table.casefold() == wanted.table.casefold()
    ]
    if found:
        return found[0]
    source = query.args.get("from_") or query.args.get("from")
    alone = not query.args.get("joins") and not query.args.get("laterals") and isinstance(query, exp.Select)
    if not alone or source is None or source.this.alias_or_name.casefold() != wanted.table.casefold():
        return None
    names = [name.casefold() for name in answer.column_names]
    at = next((at for at, one in enumerate(selects) if one is not None and _named(one) == wanted.name.casefold()), None)
    if at is not None:
        return at
    here = [at for at, one in enumerate(selects) if one is None and names[at] == wanted.name.casefold()]
    return here[0] if len(here) == 1 else None


def _column(one: exp.Expr) -> exp.Column | None:
    from sqlglot import exp

    plain = one.unalias()
    return plain if isinstance(plain, exp.Column) else None


def _named(one: exp.Expr) -> str | None:
    column = _column(one)
    return column.name.casefold() if column is not None and not column.table else None


def _left_open(column: pa.ChunkedArray) -> bool:
    """Whether right answers may have the values of a column in different orders."""
    return bool(pa.types.is_nested(column.type) or pa.types.is_dictionary(column.type))
