"""Values of parameters where only totals are known: from one sample, or from what the server knows of its columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from weigh.capture.parameters import Distribution
from weigh.capture.templates import template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.capture.entry import Total
    from weigh.capture.templates.template import Template
    from weigh.capture.trace import Product


class Columns(Protocol):
    """What a server knows of the values of its columns."""

    def values(self, table: str, column: str) -> Distribution | None:
        """Of a column; None where it knows nothing of it."""


def known_values(
    total: Total, found: Template, places: Sequence[str | int], product: Product, columns: Columns | None
) -> list[Distribution | None]:
    """The distribution of each value of a statement; None where nothing is known of it.

    Args:
        total: the statement with its totals.
        found: its template.
        places: its literals, and numbers of its parameters.
        product: whose language it is in.
        columns: that can be asked about; None where nobody can.
    """
    given: list[Distribution | None] = [_one(one) if isinstance(one, str) else None for one in places]
    if total.sample:
        try:
            alike, values = template.of_sql(total.sample, product)
        except template.Unreadable:
            return given
        texts = [one for one in values if isinstance(one, str)]
        if len(texts) == len(values) == len(places) and alike.first == found.first:
            return [_one(_bare(one)) for one in texts]
    if columns is None:
        return given
    compared = _columns(total.text)
    rows = max(1, round(total.rows / total.calls)) if total.calls else 1
    for place, one in enumerate(places):
        if isinstance(one, int) and given[place] is None:
            before = found.before[place]
            if before == "limit":
                # As many rows as there were on average: what was asked for is not known.
                given[place] = _one(str(rows))
            elif before == "offset":
                given[place] = _one("0")
            elif (named := compared.get(one + 1)) is not None:
                given[place] = columns.values(*named)
    return given


def _one(value: str) -> Distribution:
    return Distribution(kind="constant", count=1, values=((value, 1.0),))


def _bare(value: str) -> str:
    return value[1:-1].replace("''", "'") if len(value) > 1 and value[0] == value[-1] == "'" else value


def _columns(text: str) -> dict[int, tuple[str, str]]:
    """Number of a parameter -> table and column that it is compared with, or written to."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(re.sub(r"/\*.*?\*/", " ", text), read="postgres")
    except (SqlglotError, RecursionError):
        return {}
    tables = {one.alias_or_name: _full(one) for one in tree.find_all(exp.Table)}
    only = next(iter(tables.values())) if len(tables) == 1 else ""
    found: dict[int, tuple[str, str]] = {}

    def note(column: Any, value: Any) -> None:
        value = value.this if isinstance(value, (exp.Cast, exp.Paren)) else value
        if isinstance(column, exp.Column) and isinstance(value, exp.Parameter) and str(value.this).isdigit():
            table = tables.get(column.table, only) if column.table else only
            if table:
                found.setdefault(int(str(value.this)), (table, column.name))

    for node in tree.walk():
        if isinstance(node, (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike)):
            note(node.this, node.expression)
            note(node.expression, node.this)
        elif isinstance(node, exp.Between):
            note(node.this, node.args["low"])
            note(node.this, node.args["high"])
        elif isinstance(node, exp.In):
            for value in node.expressions:
                note(node.this, value)
        elif (
            isinstance(node, exp.Insert)
            and isinstance(node.this, exp.Schema)
            and isinstance(node.expression, exp.Values)
        ):
            names = [one.name for one in node.this.expressions]
            for row in node.expression.expressions:
                for name, value in zip(names, row.expressions, strict=False):
                    note(exp.column(name, table=node.this.this.alias_or_name), value)
    # SET balance = balance + $1: as likely values of the column as any.
    for node in tree.find_all(exp.Add, exp.Sub):
        note(node.this, node.expression)
    return found


def _full(table: Any) -> str:
    return f"{table.db}.{table.name}" if table.db else str(table.name)
