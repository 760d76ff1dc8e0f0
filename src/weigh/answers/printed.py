"""Answers that were read off what a client shows: where the print leaves something open, both sides are made alike.

psql prints NULL and an empty text as the same nothing; ClickHouse has no lists that are NULL. Such an answer neither
contradicts another one nor confirms what it leaves open, so it is compared as far as it is shown, and a note tells it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from weigh.model.answer import ResultSchema

KEY = b"weigh.shown"
"""Metadata of a column whose print leaves something open: words of ``_MEANS``."""
_DIGITS = 15
_MEANS = {
    "empty": "NULL and an empty text look alike",
    "null": "NULL and a text that says so look alike",
    "blanks": "blanks around a text are not shown",
    "breaks": "a line break and its escape look alike",
    "digits": f"doubles are shown with {_DIGITS} digits",
    "truth": "true is shown as t",
    "lines": "a line break in a text looks like the end of a row",
    "nested": "NULL and an empty list, map or struct are one value to the engine",
    "nan": "NULL and NaN are one value to the engine",
}
_BY_ENGINE = ("nested", "nan")
"""What an engine has no value for, however its answers are read."""
_BREAKS = (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))


class Alike(NamedTuple):
    """Two answers as far as they are shown.

    Attributes:
        answer: the first.
        witness: the second.
        notes: what was left open, where it counted.
    """

    answer: pa.Table
    witness: pa.Table
    notes: tuple[str, ...]


def alike(answer: pa.Table, witness: pa.Table, schema: ResultSchema) -> Alike:
    """Both answers, with what one of them leaves open made the same in both."""
    left = [_left_open(answer, at) | _left_open(witness, at) for at in range(len(schema.columns))]
    if not any(left):
        return Alike(answer, witness, ())
    notes: dict[str, list[str]] = {}
    for at, words in enumerate(left):
        for word in (one for one in _MEANS if one in words):
            change = _without_null if word == "nested" else _changes(word, schema.columns[at].kind)
            ours, answer = _changed(answer, at, change)
            theirs, witness = _changed(witness, at, change)
            if ours or theirs:
                notes.setdefault(word, []).append(schema.columns[at].name)
    compared = tuple(
        f"{codes.A7}: compared as shown: {_MEANS[word]} ({', '.join(named)})" for word, named in notes.items()
    )
    return Alike(answer, witness, compared)


def left_open(table: pa.Table) -> tuple[str, ...]:
    """What an answer leaves open, for people."""
    words = {word for at in range(table.num_columns) for word in _left_open(table, at)}
    return tuple(means for word, means in _MEANS.items() if word in words and word not in _BY_ENGINE)


def _left_open(table: pa.Table, at: int) -> set[str]:
    if at >= table.num_columns:
        return set()
    words = (table.schema.field(at).metadata or {}).get(KEY, b"")
    return set(words.decode("utf-8", "replace").split()) & set(_MEANS)


def _changes(word: str, kind: str) -> Callable[[Any], Any]:
    def changed(value: Any) -> Any:
        if word == "lines":
            # How many rows there are cannot be made alike: a note tells it.
            return value
        if word == "empty":
            return "" if value is None else value
        if word == "null":
            return "NULL" if value is None or (isinstance(value, str) and value.upper() == "NULL") else value
        if word == "nan":
            return None if isinstance(value, float) and math.isnan(value) else value
        if word == "digits":
            return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) and math.isfinite(value) else value
        if word == "truth":
            return {"t": True, "f": False}.get(value, value) if kind == "boolean" else value
        if not isinstance(value, str):
            return value
        if word == "blanks":
            return value.strip(" ")
        for real, escape in _BREAKS:
            value = value.replace(real, escape)
        return value

    return changed


def _listed(kind: pa.DataType) -> pa.DataType:
    """The type of :func:`_without_null`: no list has a fixed number of members."""
    import pyarrow as pa

    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.list_(_listed(kind.value_type))
    if types.is_map(kind):
        return pa.map_(kind.key_type, _listed(kind.item_type))
    if types.is_struct(kind):
        return pa.struct([pa.field(field.name, _listed(field.type)) for field in kind])
    return kind


def _without_null(array: pa.Array) -> pa.Array:
    """An array with an empty list or map, or a struct of NULLs, wherever there was none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, types = array.type, pa.types
    if types.is_struct(kind):
        members = [_without_null(one) for one in array.flatten()]
        return pa.StructArray.from_arrays(members, fields=list(_listed(kind)))
    if types.is_map(kind):
        entries = pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"])
        lists = pa.ListArray.from_arrays(array.offsets, entries, mask=array.is_null())
        made = _without_null(lists)
        keys, items = (made.values.field(at) for at in (0, 1))
        return pa.MapArray.from_arrays(made.offsets, keys, items, type=_listed(kind))
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return array
    lengths = pc.list_value_length(array).fill_null(0)
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths).cast(pa.int32())])
    return pa.ListArray.from_arrays(offsets, _without_null(array.flatten()), type=_listed(kind))


def _changed(table: pa.Table, at: int, change: Callable[[Any], Any]) -> tuple[bool, pa.Table]:
    """Whether a change made a difference to a column, and the table with it."""
    import pyarrow as pa

    if at >= table.num_columns:
        return False, table
    column = table.column(at)
    if change is _without_null:
        made = pa.chunked_array([_without_null(chunk) for chunk in column.chunks], _listed(column.type))
        return not made.equals(column), table.set_column(at, table.schema.field(at).with_type(made.type), made)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    textual = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if not (textual or pa.types.is_floating(kind) or pa.types.is_null(kind)):
        return False, table
    before = column.to_pylist()
    after = [change(value) for value in before]
    if all(one is other or one == other for one, other in zip(before, after, strict=True)):
        return False, table
    made = pa.chunked_array([pa.array(after)])
    return True, table.set_column(at, pa.field(table.schema.field(at).name, made.type), made)
