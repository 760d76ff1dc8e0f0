"""An answer off a printed text: cells, the types that they can have, and what the print leaves open."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

PRINTED = b"weigh.shown"
"""Metadata of a column whose print leaves something open: words of ``weigh.answers.printed``."""
BLANKS, BREAKS, DIGITS, EMPTY, NULL, TRUTH = "blanks", "breaks", "digits", "empty", "null", "truth"
"""What may be open: blanks around a text, escapes, a double's digits, NULL or no text, NULL or that word, true as t."""
LINES = "lines"
"""And whether a line is a row: in the only column a text may be of several."""
_WHOLE = r"^-?(0|[1-9]\d{0,17})$"
"""As numbers are printed: 007 is text."""
_NUMBER = r"^-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)?$"
_TRUTH, _LETTER = r"^(true|false)$", r"^[tf]$"
_WHOLE_TYPES = ("int8", "int16", "int32", "int64", "int128", "uint8", "uint16", "uint32", "uint64", "uint128")
_AS_TEXT = ("varchar", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone", "uuid")


class Printed(NamedTuple):
    """An answer as its client shows it.

    Attributes:
        names: of the columns.
        rows: cells as they stand there, without the padding; None where there is NULL.
        types: of the columns, as DuckDB calls them; empty where the client does not say them.
        open: what a text of this form leaves open (``BLANKS`` ...).
        null: how NULL is shown.
    """

    names: list[str]
    rows: list[list[str | None]]
    types: tuple[str, ...] = ()
    open: frozenset[str] = frozenset()
    null: str = ""


def columns(answer: Printed, texts: frozenset[str]) -> Any:
    """The answer as a table.

    Args:
        answer: what was read.
        texts: names of columns that are text, whatever their cells look like.

    Raises:
        ValueError: a column is of a type whose print does not say its values.
    """
    arrays, fields = [], []
    for at, name in enumerate(answer.names):
        cells = pa.array([row[at] for row in answer.rows], pa.string())
        if answer.types:
            column = _of_type(cells, answer.types[at], name)
            text = answer.types[at] in _AS_TEXT
        else:
            column = cells if name in texts else typed(cells)
            text = column.type == pa.string()
        left = left_open(cells, answer.open, answer.null) if text else frozenset()
        arrays.append(column)
        fields.append(field(name, column.type, left))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def field(name: str, kind: Any, left: frozenset[str]) -> Any:
    """A column with what its print leaves open."""
    return pa.field(name, kind, metadata={PRINTED: " ".join(sorted(left)).encode()} if left else None)


def left_open(cells: Any, possible: frozenset[str], null: str) -> frozenset[str]:
    """What of the possible a column of text leaves open: NULL and a text that look alike, where one is there."""
    left = set(possible)
    if EMPTY in left and not cells.null_count:
        left.discard(EMPTY)
    if null and cells.null_count:
        left.add(NULL)
    if TRUTH in left and not (cells.null_count < len(cells) and _all(cells, _LETTER)):
        left.discard(TRUTH)
    return frozenset(left)


def typed(column: Any) -> Any:
    """A column of text in the one type that all its cells can have."""
    for pattern, kind in ((_WHOLE, pa.int64()), (_NUMBER, pa.float64()), (_TRUTH, pa.bool_())):
        if column.null_count < len(column) and _all(column, pattern):
            return column.cast(kind)
    return column


def stream(table: Any) -> memoryview:
    """An Arrow IPC stream of a table."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    return memoryview(sink.getvalue())


def _all(column: Any, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(column, pattern)).as_py())


def _of_type(cells: Any, kind: str, name: str) -> Any:
    """Cells in the type that the client says."""
    if kind in _AS_TEXT or kind.startswith("enum("):
        return cells
    if kind in _WHOLE_TYPES:
        values = [None if cell is None else int(cell) for cell in cells.to_pylist()]
        fits = all(value is None or -(1 << 63) <= value < 1 << 63 for value in values)
        return pa.array(values, pa.int64() if fits else pa.decimal256(39, 0))
    if kind in ("float", "double"):
        return cells.cast(pa.float64())
    if kind == "boolean":
        return cells.cast(pa.bool_())
    if kind == "date":
        return cells.cast(pa.date32())
    if kind.startswith("decimal("):
        digits, scale = (int(part) for part in kind[8:-1].split(","))
        return cells.cast(pa.decimal128(digits, scale))
    raise ValueError(f"the column {name} is of type {kind}, whose values a printed table does not tell")
