"""Answers that several lineages agreed on, as little as tells a right one from a wrong one.

Rows may be too many to keep, and may belong to somebody. Of them stays how many there were, a digest of their exact
columns, and of each other column the sum.
"""

from __future__ import annotations

import decimal
import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING

from weigh.answers.compare import settled_rows
from weigh.answers.one_form import nulls_last
from weigh.answers.values import rows
from weigh.model.answer import Agreement

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.answers.values import Cell, Row
    from weigh.model.answer import Column, ResultSchema

_PLACES = 4
"""Decimal places to which a sum of decimals that came as a double is what it was before."""
_REL = 1e-6
"""Relative to the sum of magnitudes: what rounding moves, and what an engine cuts off after six digits."""


def of(table: pa.Table, schema: ResultSchema) -> Agreement:
    """What is kept of an answer.

    Args:
        table: with the columns of the schema.
        schema: of the operation.
    """
    answer = [_plain(row, schema) for row in rows(nulls_last(table, schema), schema)]
    firm = settled_rows(answer, schema)
    text = hashlib.sha256()
    for line in sorted(repr(_exact(row, schema)) for row in firm):
        text.update(line.encode() + b"\n")
    for row in firm:
        text.update(repr(tuple(row[at] for at in _sequence(schema))).encode() + b"\n")
    sums = []
    for at in schema.loose:
        values = [float(row[at]) for row in firm if row[at] is not None]
        sums.append((sum(values), sum(map(abs, values))))
    return Agreement(rows=len(answer), digest=text.hexdigest()[:32], whole=len(firm) == len(answer), sums=tuple(sums))


def fits(table: pa.Table, pinned: Agreement, schema: ResultSchema) -> bool:
    """Whether an answer is the one that was agreed on, as far as that can be determined.

    Averages and ratios are compared by their sums alone, within a millionth and a unit of the engine's decimals a row.
    """
    if table.num_columns != len(schema.columns) or table.num_rows != pinned.rows:
        return False
    try:
        found = of(table, schema)
    except (TypeError, ValueError):
        # Text in the place of a number.
        return False
    if (found.digest, found.whole) != (pinned.digest, pinned.whole):
        return False
    units = [_unit(table.column(at), schema.columns[at]) for at in schema.loose]
    return all(
        abs(mine - theirs) <= _REL * max(size, other) + pinned.rows * unit
        for (mine, size), (theirs, other), unit in zip(found.sums, pinned.sums, units, strict=True)
    )


def _plain(row: Row, schema: ResultSchema) -> Row:
    exact = {at for at in schema.exact if schema.columns[at].kind == "decimal"}
    return tuple(_decimal(cell) if at in exact else cell for at, cell in enumerate(row))


def _decimal(cell: Cell) -> Cell:
    """A double that stands for a decimal, as the decimal."""
    if not isinstance(cell, float):
        return cell
    value = decimal.Decimal(repr(round(cell, _PLACES)))
    return int(value) if value == value.to_integral_value() else value.normalize()


def _exact(row: Row, schema: ResultSchema) -> Row:
    """Exact cells; of the others whether they are NULL."""
    return tuple(cell if at in schema.exact else cell is None for at, cell in enumerate(row))


def _sequence(schema: ResultSchema) -> list[int]:
    found = []
    for at in schema.ordered_by:
        if at not in schema.exact:
            break
        found.append(at)
    return found


def _unit(column: pa.ChunkedArray, wanted: Column) -> float:
    """One unit of a decimal's last place, as many times as the query may make of it; 0 for doubles."""
    with suppress(AttributeError):
        return float(10.0**-column.type.scale) * (wanted.units or 1)
    return 0.0
