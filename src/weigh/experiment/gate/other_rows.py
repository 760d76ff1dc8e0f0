"""Rows that a contender hands out and should not: in which columns they are not those of the files, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.answers import compare
from weigh.model.answer import Column, ResultSchema
from weigh.model.text import one_line
from weigh.model.units import count
from weigh.workloads import infer_schema

if TYPE_CHECKING:
    import pyarrow as pa

_LISTED_ROWS = 200_000
"""Rows of a table up to which the one that differs is looked for."""
_NAMED = 6
"""Columns that are named; the others are counted."""


def described(given: pa.Table, right: pa.Table) -> str:
    """What is wrong with rows, for people: ``(all 3 columns are NULL in every row)``; empty where nothing can be told.

    Args:
        given: what the contender handed out.
        right: the same rows as the files have them, in any order.
    """
    differences = []
    if given.num_columns != right.num_columns:
        return f" ({given.num_columns} columns instead of {right.num_columns})"
    if given.num_rows != right.num_rows:
        differences.append(f"{given.num_rows:,} rows instead of {right.num_rows:,}")
    else:
        differences += _columns(given, right)
    if not any("NULL" in one for one in differences):
        differences += _cell(given, right)
    return f" ({'; '.join(differences)})" if differences else ""


def _columns(given: pa.Table, right: pa.Table) -> list[str]:
    """Column by column, whatever the order of the rows: with as many rows a digest is that of its values."""
    from weigh._native import digest_arrow

    names, digests = right.column_names, [str(digest_arrow(right, [at])) for at in range(right.num_columns)]
    found = [str(digest_arrow(given, [at])) for at in range(given.num_columns)]
    wrong = [at for at, digest in enumerate(found) if digest != digests[at]]
    if not wrong:
        return ["each column has the right values, and not in the right rows"]
    empty = [at for at in wrong if given.num_rows and given.column(at).null_count == given.num_rows]
    # Equal columns of the files tell nothing.
    moved = {at: names[digests.index(found[at])] for at in wrong if digests.count(found[at]) == 1 and at not in empty}
    other = [at for at in wrong if at not in empty and at not in moved]
    differences = []
    if empty:
        which = f"all {count(len(names), 'column')}" if len(empty) == len(names) else _named(names, empty)
        differences.append(f"{which} {'is' if len(empty) == 1 else 'are'} NULL in every row")
    differences += [f"{names[at]} has the values of {other_name}" for at, other_name in moved.items()]
    if other:
        differences.append(f"other values in {_named(names, other)}")
    if len(wrong) < len(names):
        differences.append(f"{len(names) - len(wrong)} of {count(len(names), 'column')} right")
    return differences


def _named(names: list[str], places: list[int]) -> str:
    more = len(places) - _NAMED
    return ", ".join(names[at] for at in places[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _cell(given: pa.Table, right: pa.Table) -> list[str]:
    """The first cell or row that differs, where the table is not too large."""
    import pyarrow.compute as pc

    if max(given.num_rows, right.num_rows) > _LISTED_ROWS:
        return []
    columns = tuple(Column(name=field.name, kind=infer_schema.kind(field.type)) for field in right.schema)
    unique = (at for at, one in enumerate(right.columns) if pc.count_distinct(one).as_py() == right.num_rows)
    key = next(unique, None)
    schema = ResultSchema(columns=columns, keys=() if key is None else (key,))
    compared = compare.compare(given.rename_columns(right.column_names), right, schema)
    cells = [one for one in compared.differences if one.column != "(rows)"] or compared.differences
    return [one_line(str(cells[0]), 200)] if cells else []
