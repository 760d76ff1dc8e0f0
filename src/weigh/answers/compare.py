"""Answers compared: by value where values are exact, within a stated tolerance where they cannot be.

Engines return the same thing in different types (1.10 and 1.1000, int32 and int64, a date and a timestamp at
midnight). An answer is therefore first brought to the kinds of the operation's result schema, and compared then.
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.answers import ties
from weigh.model import codes
from weigh.model.gate import Difference

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.answers.values import Cell, Row
    from weigh.model.answer import Column, ResultSchema


MAX_DIFFERENCES = 5
"""Differences kept for people; all are counted."""
_DIGITS = decimal.Context(prec=100)
"""More digits than any engine's decimals have; the default context would round to 28."""
DOUBLE_FOR_DECIMAL = 1e-9
"""Relative tolerance for an engine without decimals (SQLite), or one that answers in doubles where others are exact."""
_APART = {
    "approx": f"{codes.A2}: float columns differ by up to {{:.1e}} of their value: rounding",
    "quotient": f"{codes.A7}: quotients differ by up to {{:.1e}} of their value: within one unit of the coarser scale",
}
_ANY_ROWS = f"{codes.A7}: other rows, which LIMIT without ORDER BY leaves open: only their number was compared"
EXPORT_ROWS = 100_000
"""Above this number of rows an answer is compared by its digest alone, and the operation is an export."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What came of comparing an answer with a witness.

    Attributes:
        agrees: whether it is right by the witness.
        differences: the first differing cells.
        count: how many cells or rows differ.
        notes: tolerances that were needed, ties that were accepted.
        open: whether it agrees only because the query leaves open which rows belong to the answer: that confirms
            nothing.
    """

    agrees: bool
    open: bool = False
    differences: tuple[Difference, ...] = ()
    count: int = 0
    notes: tuple[str, ...] = ()


def mismatch(column: str, got: object, expected: object, row: str = "") -> Comparison:
    """A comparison that failed on one thing."""
    found = Difference(row=row, column=column, got=str(got), expected=str(expected))
    return Comparison(agrees=False, differences=(found,), count=1)


def digest(table: pa.Table, schema: ResultSchema) -> str:
    """The digest of an answer: its exact columns as a set of rows, and their sequence where it is ordered.

    Approximate columns are left out: they differ in the last bits between right answers. An answer of another
    width than its schema, or with a value of another kind, is digested as it is: it will not match a right one.
    """
    from weigh._native import digest_arrow

    if table.num_columns != len(schema.columns):
        return f"width:{table.num_columns}"
    typed = conform(table, schema)
    rows = str(digest_arrow(typed.select(list(schema.exact)))) if schema.exact else f"rows:{typed.num_rows}"
    keys = [position for position in schema.ordered_by if position in schema.exact]
    if not keys or (schema.limit is None and typed.num_rows > EXPORT_ROWS):
        return rows
    import pyarrow as pa

    ordered = typed.select(keys).add_column(0, "row", pa.array(range(typed.num_rows), pa.int64()))
    return f"{rows}+{str(digest_arrow(ordered)).rsplit(':', 1)[-1]}"


def conform(table: pa.Table, schema: ResultSchema) -> pa.Table:
    """The answer with its columns in the kinds of the schema, as far as no value changes by it."""
    import pyarrow as pa

    columns = []
    for column, wanted in zip(table.columns, schema.columns, strict=True):
        columns.append(_conform_column(column, wanted))
    return pa.table(columns, names=[column.name for column in schema.columns])


def _conform_column(column: pa.ChunkedArray, wanted: Column) -> pa.ChunkedArray:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    try:
        if wanted.kind == "integer" and pa.types.is_floating(kind):
            return column.cast(pa.int64(), safe=True)
        if wanted.kind == "double" and not pa.types.is_floating(kind):
            return column.cast(pa.float64())
        if wanted.kind == "boolean" and pa.types.is_integer(kind):
            return column.cast(pa.bool_())
    except pa.ArrowException:
        return column
    return column


def compare(answer: pa.Table, witness: pa.Table, schema: ResultSchema, *, complete: bool = False) -> Comparison:
    """Whether an answer is right by a witness.

    Rows are paired by their exact columns; approximate columns are compared within the schema's tolerance. The
    sequence of rows counts for the columns the query orders by, and nowhere else. Rows that tie at a LIMIT: see
    ``ties``.

    Args:
        answer: what a contender returned.
        witness: the pinned answer, the ground truth or another contender's answer.
        schema: of the operation.
        complete: whether the witness holds every row that ties at the limit, as the ground truth does.
    """
    if answer.num_columns != len(schema.columns):
        return mismatch("(columns)", answer.num_columns, len(schema.columns))
    asked, schema = schema, _as_given(schema, answer, witness)
    result = _compare(answer, witness, schema, complete)
    if not result.agrees:
        any_rows = schema.limit is not None and not schema.ordered_by
        whole = answer.num_rows == schema.limit and witness.num_rows >= answer.num_rows
        return Comparison(agrees=True, open=True, notes=(_ANY_ROWS,)) if any_rows and whole else result
    notes = (*result.notes, *_in_other_types(answer, schema))
    if schema is not asked:
        names = ", ".join(b.name for a, b in zip(asked.columns, schema.columns, strict=True) if a != b)
        notes = (*notes, f"{codes.A7}: doubles for the decimals of {names}: compared to {DOUBLE_FOR_DECIMAL:g}")
    return msgspec.structs.replace(result, notes=notes)


def _in_other_types(answer: pa.Table, schema: ResultSchema) -> list[str]:
    """Notes on columns that were read before they could be compared: a date in text, a text in bytes."""
    import pyarrow as pa

    found: dict[str, list[str]] = defaultdict(list)
    for column, wanted in zip(answer.columns, schema.columns, strict=True):
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        textual = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
        if wanted.kind in ("date", "timestamp") and (textual or binary):
            found[f"text for the {wanted.kind}s"].append(wanted.name)
        elif wanted.kind == "string" and binary:
            found["bytes for the text"].append(wanted.name)
    return [f"{codes.A7}: {what} of {', '.join(names)}: compared by value" for what, names in found.items()]


def _as_given(schema: ResultSchema, *tables: pa.Table) -> ResultSchema:
    """The schema with decimals that somebody gave as doubles compared as such."""
    import pyarrow as pa

    columns = tuple(
        msgspec.structs.replace(column, match="approx", rel=DOUBLE_FOR_DECIMAL)
        if column.kind == "decimal"
        and column.match == "exact"
        and any(pa.types.is_floating(table.column(position).type) for table in tables)
        else column
        for position, column in enumerate(schema.columns)
    )
    return schema if columns == schema.columns else msgspec.structs.replace(schema, columns=columns)


def _compare(answer: pa.Table, witness: pa.Table, schema: ResultSchema, complete: bool) -> Comparison:
    wanted = witness.num_rows if schema.limit is None else min(witness.num_rows, schema.limit)
    if answer.num_rows != wanted:
        sample = _rows_differing(answer, witness, schema)
        found = Difference(row="", column="(rows)", got=f"{answer.num_rows:,} rows", expected=f"{wanted:,} rows")
        return Comparison(agrees=False, differences=(found, *sample)[:MAX_DIFFERENCES], count=1 + len(sample))
    if answer.num_rows > EXPORT_ROWS and not schema.loose and schema.limit is None:
        same = digest(answer, schema) == digest(witness, schema)
        return Comparison(agrees=same, count=int(not same), notes=("compared by digest (export)",))
    got, known = _rows(answer, schema), _rows(witness, schema)
    order = _order_difference(got, known[:wanted], schema)
    if order is not None:
        return order
    ours, theirs, note = ties.settle(got, known, schema, complete)
    result = _pair(ours, theirs, schema)
    return msgspec.structs.replace(result, notes=(*result.notes, note)) if note else result


def _pair(got: list[Row], expected: list[Row], schema: ResultSchema) -> Comparison:
    ours, theirs = _by_exact(got, schema), _by_exact(expected, schema)
    differences: list[Difference] = []
    count = 0
    worst = {"approx": 0.0, "quotient": 0.0}
    for key in {**theirs, **ours}:
        left, right = ours.get(key, []), theirs.get(key, [])
        if len(left) != len(right):
            count += abs(len(left) - len(right))
            differences.append(_row_difference(key, len(left), len(right)))
            continue
        for a, b in _matched(left, right, schema):
            for position, x, y in zip(schema.loose, a, b, strict=True):
                column = schema.columns[position]
                apart = _distance(x, y, column)
                if math.isfinite(apart):
                    # Quotients that are both doubles have no scale: what is between them is rounding.
                    kind = column.match if _unit(x) or _unit(y) else "approx"
                    worst[kind] = max(worst[kind], apart)
                if not _within(x, y, apart, column):
                    count += 1
                    differences.append(Difference(row=_shown(key), column=column.name, got=_cell(x), expected=_cell(y)))
    notes = tuple(_APART[match].format(apart) for match, apart in worst.items() if apart > 0)
    by_key, wanted = ({_key(row, schema): row for row in rows} for rows in (got, expected))
    if count and not schema.loose and by_key.keys() == wanted.keys() and len(by_key) == len(got) == len(expected):
        # Each row has its counterpart: the cells that differ say more than "this row is missing, that one too many".
        differences = [cell for key in wanted for cell in _cells(by_key[key], wanted[key], _shown(key), schema)]
        count = len(differences)
    return Comparison(agrees=not count, differences=tuple(differences[:MAX_DIFFERENCES]), count=count, notes=notes)


def _distance(x: Cell, y: Cell, column: Column) -> float:
    """Relative distance of two approximate values; infinite where they cannot be compared."""
    if x is None or y is None:
        return 0.0 if x is y else math.inf
    try:
        a, b = float(x), float(y)
    except (TypeError, ValueError):
        return math.inf
    if math.isnan(a) or math.isnan(b):
        return 0.0 if math.isnan(a) and math.isnan(b) else math.inf
    if a == b:
        return 0.0
    return abs(a - b) / max(abs(a), abs(b)) if math.isfinite(a) and math.isfinite(b) else math.inf


def _within(x: Cell, y: Cell, apart: float, column: Column) -> bool:
    if apart == 0.0:
        return True
    if column.match == "quotient" and math.isfinite(apart):
        # Rounding and truncating differ by exactly one unit, which doubles would make a little more than one.
        difference = abs(_DIGITS.subtract(decimal.Decimal(x), decimal.Decimal(y)))
        return difference <= max(_unit(x), _unit(y)) or apart <= column.rel
    return apart <= column.rel


def _unit(value: Cell) -> decimal.Decimal:
    """One unit of a decimal's last place; a float has none, and an integer is no quotient's coarser scale."""
    exponent = value.as_tuple().exponent if isinstance(value, decimal.Decimal) else None
    return decimal.Decimal(1).scaleb(exponent) if isinstance(exponent, int) else decimal.Decimal(0)


def _order_difference(got: list[Row], expected: list[Row], schema: ResultSchema) -> Comparison | None:
    """The first row whose ordering columns are not those of the witness's row at that place."""
    for number, (a, b) in enumerate(zip(got, expected, strict=True), start=1):
        for position in schema.ordered_by:
            column = schema.columns[position]
            if column.match == "exact":
                same = a[position] == b[position]
            else:
                same = _within(a[position], b[position], _distance(a[position], b[position], column), column)
            if not same:
                paired = _pair(got, expected, schema)
                if not paired.agrees:
                    return paired
                return mismatch(column.name, _cell(a[position]), _cell(b[position]), f"{number} in order")
    return None


def _key(row: Row, schema: ResultSchema) -> Row:
    return tuple(row[position] for position in schema.ordered_by)


def _rows(table: pa.Table, schema: ResultSchema) -> list[Row]:
    """Rows as canonical values: equal things are equal whatever type they came in."""
    columns = [
        [_canonical(value, wanted) for value in _plain(column)]
        for column, wanted in zip(table.columns, schema.columns, strict=True)
    ]
    return list(zip(*columns, strict=True)) if columns else []


def _plain(column: pa.ChunkedArray) -> list[Any]:
    import pyarrow as pa

    # Python's datetime has no nanoseconds; what does not fit in microseconds stays a whole number of them.
    if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        try:
            column = column.cast(pa.timestamp("us", column.type.tz))
        except pa.ArrowInvalid:
            column = column.cast(pa.int64())
    values: list[Any] = column.to_pylist()
    return values


def _canonical(value: Any, wanted: Column) -> Cell:
    if value is None:
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, decimal.Decimal):
        if wanted.match == "quotient":
            return value
        return int(value) if value == value.to_integral_value() else value.normalize(_DIGITS)
    if isinstance(value, int):
        return bool(value) if wanted.kind == "boolean" and value in (0, 1) else value
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN" if wanted.match == "exact" else value
        return int(value) if wanted.kind == "integer" and value.is_integer() else value + 0.0
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return _moment(value) if wanted.kind in ("date", "timestamp") else value
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day)
    # Lists and structs: rows are counted, so cells must be hashable.
    return repr(value) if isinstance(value, (list, dict)) else value


def _moment(text: str) -> Cell:
    """A date or timestamp that an engine without such types gave as ISO text."""
    try:
        value = datetime.datetime.fromisoformat(text)
    except ValueError:
        return text
    return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value


def _by_exact(rows: list[Row], schema: ResultSchema) -> dict[Row, list[Row]]:
    groups: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[i] for i in schema.exact)].append(tuple(row[i] for i in schema.loose))
    return groups


def _rows_differing(answer: pa.Table, witness: pa.Table, schema: ResultSchema) -> list[Difference]:
    if max(answer.num_rows, witness.num_rows) > EXPORT_ROWS or not schema.exact:
        return []
    exact = [
        Counter(tuple(row[i] for i in schema.exact) for row in _rows(table, schema)) for table in (answer, witness)
    ]
    keys = ((exact[0] - exact[1]) + (exact[1] - exact[0])).keys()
    return [_row_difference(key, exact[0][key], exact[1][key]) for key in list(keys)[: MAX_DIFFERENCES - 1]]


def _row_difference(key: Row, got: int, expected: int) -> Difference:
    return Difference(row=_shown(key), column="(row)", got=f"{got} times", expected=f"{expected} times")


def _cells(got: Row, expected: Row, shown: str, schema: ResultSchema) -> list[Difference]:
    return [
        Difference(row=shown, column=column.name, got=_cell(a), expected=_cell(b))
        for column, a, b in zip(schema.columns, got, expected, strict=True)
        if a != b
    ]


def _matched(left: list[Row], right: list[Row], schema: ResultSchema) -> list[tuple[Row, Row]]:
    """Approximate cells of rows that share their exact columns, each with its counterpart.

    Sorting would pair wrongly where rounding changes the order, so each takes the first that is near enough; what is
    left over is paired as it stands, and differs.
    """
    if len(left) == 1:
        return [(left[0], right[0])]
    free = list(right)
    pairs, lonely = [], []
    for row in left:
        near = next((other for other in free if _near(row, other, schema)), None)
        if near is None:
            lonely.append(row)
        else:
            free.remove(near)
            pairs.append((row, near))
    return pairs + list(zip(lonely, free, strict=True))


def _near(a: Row, b: Row, schema: ResultSchema) -> bool:
    columns = [schema.columns[position] for position in schema.loose]
    return all(_within(x, y, _distance(x, y, column), column) for x, y, column in zip(a, b, columns, strict=True))


def _shown(row: Row) -> str:
    return ", ".join(_cell(cell) for cell in row)


def _cell(value: Cell) -> str:
    return "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)
