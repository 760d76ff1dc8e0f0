"""Two answers whose columns come in different types, or with NULLs in another place, brought to one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.answers.align import align, differ_in_form
from weigh.answers.families import family
from weigh.model import codes

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.answer import ResultSchema
    from weigh.statistics.arrays import Bools, Ints

_BY_KIND = {"text", "decimal", "float", "integer"}
"""Forms of decimals that the comparison by value reads itself: their scale counts in quotients."""


class OneForm(NamedTuple):
    """Two answers as they can be compared.

    Attributes:
        answer: the first.
        witness: the second.
        schema: of both, without what cannot be compared.
        columns: numbers of the columns that are left.
        notes: forms that were accepted.
        unchecked: columns that cannot be compared, and why each.
    """

    answer: pa.Table
    witness: pa.Table
    schema: ResultSchema
    columns: tuple[int, ...]
    notes: tuple[str, ...]
    unchecked: tuple[str, ...]


def in_one_form(answer: pa.Table, witness: pa.Table, schema: ResultSchema) -> OneForm:
    """Both answers with equal values in equal types; arguments are those of :func:`weigh.answers.compare.compare`."""
    forms: dict[str, list[str]] = {}
    unchecked: dict[int, str] = {}
    for at, column in enumerate(schema.columns) if witness.num_columns == answer.num_columns else ():
        mine, theirs = answer.column(at), witness.column(at)
        names = {family(mine.type).name, family(theirs.type).name}
        if (column.kind == "decimal" and names <= _BY_KIND) or not differ_in_form(mine, theirs):
            continue
        aligned = align(mine, theirs)
        if aligned.unchecked:
            unchecked[at] = f"column {column.name} is not compared: {aligned.unchecked}"
            continue
        answer, witness = (
            table.set_column(at, table.schema.field(at).name, one)
            for table, one in ((answer, aligned.one), (witness, aligned.other))
        )
        if aligned.form:
            forms.setdefault(aligned.form, []).append(column.name)
    notes = tuple(f"{codes.A7}: {form} of {', '.join(names)}: compared by value" for form, names in forms.items())
    left = tuple(at for at in range(len(schema.columns)) if at not in unchecked)
    if unchecked:
        schema = part_of(schema, left)
    return OneForm(answer, witness, schema, left, notes, tuple(unchecked.values()))


def part_of(schema: ResultSchema, columns: tuple[int, ...]) -> ResultSchema:
    """The schema of some of its columns; it is ordered by those before the first that is gone."""
    place = {at: number for number, at in enumerate(columns)}
    ordered = []
    for at in schema.ordered_by:
        if at not in place:
            break
        ordered.append(place[at])
    return msgspec.structs.replace(
        schema,
        columns=tuple(schema.columns[at] for at in columns),
        ordered_by=tuple(ordered),
        keys=tuple(place[at] for at in schema.keys) if set(schema.keys) <= set(place) else (),
        nulls_open=tuple(place[at] for at in schema.nulls_open if at in place)
        if schema.nulls_open
        else schema.nulls_open,
    )


def nulls_last(table: pa.Table, schema: ResultSchema) -> pa.Table:
    """The answer with NULLs behind NaNs behind all else, in each column that it is ordered by, where that is open.

    They are moved only where they lie together: between other values they stay, and the order is a wrong one. In later
    columns they lie among the rows that are equal in the earlier ones. An answer that its LIMIT cut stays as it is:
    which rows it has depends on where NULLs stand.
    """
    import numpy as np
    import pyarrow as pa

    cut = schema.limit is not None and table.num_rows >= schema.limit
    if schema.nulls_open is msgspec.UNSET or cut or table.num_rows < 2:
        return table
    columns = [_decoded(table.column(at)) for at in schema.ordered_by]
    sorts = [_sorts(column) for column in columns]
    if not any(one.any() for one in sorts):
        return table
    order = np.arange(table.num_rows)
    group = np.zeros(table.num_rows, dtype=np.int64)
    for at, column, sort in zip(schema.ordered_by, columns, sorts, strict=True):
        now = sort[order]
        if at not in schema.nulls_open:
            # These NULLs have their place: they part the rows before and behind them.
            group = _numbered(_changes(group) | _changes(now == _NULL))
        parts = _changes(group) | _changes(now)
        kinds = sum((np.bincount(group, now == one) > 0).astype(np.int64) for one in (_VALUE, _NAN, _NULL))
        together = np.bincount(group[np.concatenate([[True], parts])]) == kinds
        moved = np.lexsort((np.where(together[group], now, _VALUE), group))
        order, now, group = order[moved], now[moved], group[moved]
        try:
            values = column.take(pa.array(order))
            apart = _different(values) & ~((now[1:] == now[:-1]) & (now[1:] != _VALUE))
        except pa.ArrowNotImplementedError:
            break
        group = _numbered(_changes(group) | _changes(now) | apart)
    return _in_order(table, order)


def _in_order(table: pa.Table, order: Ints) -> pa.Table:
    """The rows of a table in an order; views of text and what holds some have no such function in PyArrow."""
    import pyarrow as pa

    places, columns = pa.array(order), []
    for column in table.columns:
        try:
            columns.append(column.take(places))
        except pa.ArrowNotImplementedError:
            values = column.to_pylist()
            columns.append(pa.chunked_array([pa.array([values[at] for at in order], column.type)]))
    return pa.table(columns, schema=table.schema)


def nulls_elsewhere(answer: pa.Table, witness: pa.Table, schema: ResultSchema) -> list[str]:
    """A note where two answers that agree have NULL or NaN in other places, which the query leaves open."""
    if schema.nulls_open is msgspec.UNSET or answer.num_rows != witness.num_rows:
        return []
    found = []
    for at in schema.ordered_by:
        mine, theirs = (_sorts(_decoded(table.column(at))) for table in (answer, witness))
        if (mine != theirs).any():
            found.append(schema.columns[at].name)
    return [f"{codes.A7}: NULL or NaN elsewhere in the order by {', '.join(found)}: its place is open"] if found else []


_VALUE, _NAN, _NULL = 0, 1, 2


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of a dictionary; of views of text or bytes those with offsets, for which PyArrow has functions."""
    import pyarrow as pa

    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    if pa.types.is_binary_view(column.type):
        return column.cast(pa.large_binary())
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _sorts(column: pa.ChunkedArray) -> Ints:
    """Which rows are NULL, or NaN."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    found = np.where(column.is_null().to_numpy(), _NULL, _VALUE)
    if pa.types.is_floating(column.type):
        found[pc.is_nan(column).fill_null(False).to_numpy()] = _NAN
    return found


def _changes(values: Ints | Bools) -> Bools:
    """Where a row is not as the one before; one fewer than there are rows."""
    found: Bools = values[1:] != values[:-1]
    return found


def _different(values: pa.ChunkedArray) -> Bools:
    import pyarrow.compute as pc

    found: Bools = pc.not_equal(values.slice(1), values.slice(0, len(values) - 1)).fill_null(False).to_numpy()
    return found


def _numbered(changes: Bools) -> Ints:
    """Numbers of runs, from where each begins."""
    import numpy as np

    return np.concatenate([[0], np.cumsum(changes)])
