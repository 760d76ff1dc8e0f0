"""Two answers whose columns come in different types, brought to one form where they have one in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.answers.align import align, differ_in_form
from weigh.answers.families import family
from weigh.model import codes

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.answer import ResultSchema

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
    )
