"""Rows that a contender hands out, compared with those of the files: by value, and only where two readers agree.

weigh's own reader is doubted like anybody. A column that PyArrow reads otherwise accuses nobody (A14), nor does one in
a type that has no form in common with that of the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from weigh.answers import printed
from weigh.answers.align import align
from weigh.model import codes
from weigh.model.answer import Column, ResultSchema
from weigh.workloads import infer_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.finding import Finding


class ReadBack(NamedTuple):
    """What came of comparing.

    Attributes:
        given, right: the columns that were compared, each in one form on both sides.
        same: whether they are the same rows.
        doubted: why a column was left out that the readers do not agree on, by its name.
        unchecked: why a column was left out that came in another type, by its name.
        forms: what was needed beyond equality, and the columns for which.
    """

    given: pa.Table
    right: pa.Table
    same: bool
    doubted: dict[str, str]
    unchecked: dict[str, str]
    forms: dict[str, list[str]]


def compare(given: pa.Table, right: pa.Table, unlike: Mapping[int, str]) -> ReadBack:
    """Compare column by column, and then the rows of all that can be compared.

    Args:
        given: what the contender handed out, with as many columns as the files.
        right: the same rows as PyArrow reads them in the files, in any order.
        unlike: why a column may accuse nobody, by its number.
    """
    names = right.column_names
    kinds = (Column(name=field.name, kind=infer_schema.kind(field.type)) for field in right.schema)
    given, right, lacking = printed.alike(given, right, ResultSchema(columns=tuple(kinds)))
    doubted = {names[at]: why for at, why in unlike.items()}
    unchecked: dict[str, str] = {}
    forms: dict[str, list[str]] = {note.partition(": ")[2]: [] for note in lacking}
    found: dict[str, tuple[pa.ChunkedArray, pa.ChunkedArray]] = {}
    for at, name in enumerate(names):
        if at in unlike:
            continue
        mine, theirs = given.column(at), right.column(at)
        if not _equal(mine, theirs) and not _other_kind(mine, theirs):
            aligned = align(mine, theirs)
            if aligned.unchecked:
                unchecked[name] = aligned.unchecked
                continue
            mine, theirs = aligned.one, aligned.other
            if aligned.form:
                forms.setdefault(aligned.form, []).append(name)
        found[name] = mine, theirs
    ours, known = (pa.table([pair[side] for pair in found.values()], names=list(found)) for side in (0, 1))
    same = given.num_rows == right.num_rows and (not found or _digest(ours) == _digest(known))
    return ReadBack(ours, known, same, doubted, unchecked, forms)


def nothing(given: pa.Table, why: str) -> ReadBack:
    """No column compared."""
    none = given.select([])
    return ReadBack(none, none, True, dict.fromkeys(given.column_names, why), {}, {})


def _digest(table: pa.Table) -> str:
    from weigh._native import DigestError, digest_arrow

    try:
        return str(digest_arrow(table))
    except DigestError:
        return ""


def _equal(mine: pa.ChunkedArray, theirs: pa.ChunkedArray) -> bool:
    ours, known = (_digest(pa.table([one], names=["v"])) for one in (mine, theirs))
    return bool(ours) and ours == known


def _other_kind(mine: pa.ChunkedArray, theirs: pa.ChunkedArray) -> bool:
    """A truth value for a number is another value."""
    return bool(pa.types.is_boolean(mine.type) and pa.types.is_integer(theirs.type))


def findings(contender: str, table: str, found: ReadBack) -> list[Finding]:
    """Notes on columns that were not compared, or in another form: one line each."""
    notes = [
        codes.A14_READERS.finding(
            text=f"column {name} of {table} accuses nobody: {why}",
            remedy="its values in answers are compared between the contenders",
        )
        for name, why in found.doubted.items()
    ]
    notes += [
        codes.A14_UNCHECKED.finding(
            contender=contender,
            text=f"column {name} of {table} is not compared with the files: {why}",
            remedy="nothing is wrong; the other columns were compared",
        )
        for name, why in found.unchecked.items()
    ]
    notes += [
        codes.A14_FORM.finding(
            contender=contender,
            text=f"{form}{' in ' if names else ''}{', '.join(names)} of {table}: the same values as in the files",
            remedy="nothing is wrong; what its clock covers does not include another form",
        )
        for form, names in found.forms.items()
    ]
    return notes
