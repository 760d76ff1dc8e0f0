"""Answers compared: by value where values are exact, within a stated tolerance where they cannot be.

Engines return the same thing in different types (1.10 and 1.1000, int32 and int64, a date and a timestamp at
midnight). An answer is therefore first brought to the kinds of the operation's result schema, and compared then.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.answers import by_columns, names, printed
from weigh.answers.comparison import MAX_DIFFERENCES, Comparison, mismatch
from weigh.answers.one_form import in_one_form, nulls_elsewhere, nulls_last
from weigh.answers.pairing import distance, pair, row_difference, within
from weigh.answers.values import cell, rows
from weigh.model import codes
from weigh.model.gate import Difference
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from weigh.answers.values import Cell, Row
    from weigh.model.answer import Column, ResultSchema


DOUBLE_FOR_DECIMAL = 1e-9
"""Relative tolerance for an engine without decimals (SQLite), or one that answers in doubles where others are exact."""
ROUNDED = {16: 2.0**-9, 32: 2.0**-20}
"""Relative tolerance where somebody answers in floats of so many bits: some roundings of that width."""
ANY_ROWS = f"{codes.A7}: other rows, which LIMIT leaves open where no order is known: only their number was compared"
"""The note on rows that differ where a LIMIT has no ORDER BY, or one that the answer cannot be compared by."""
EXPORT_ROWS = 100_000
"""Above this number of rows an answer is compared by its digest where it can be, and the operation is an export."""
_MOST_ROWS_LISTED = 2_000_000
"""Rows of an answer up to which those that differ are looked for."""


def digest(table: pa.Table, schema: ResultSchema) -> str:
    """The digest of an answer: its exact columns as a set of rows, and their sequence where it is ordered.

    Approximate columns are left out: they differ in the last bits between right answers. An answer of another
    width than its schema, or with a value of another kind, is digested as it is: it will not match a right one.
    """
    from weigh._native import DigestError, digest_arrow

    if table.num_columns != len(schema.columns):
        return f"width:{table.num_columns}"
    typed = nulls_last(conform(table, schema), schema)
    try:
        return _digest(typed, schema, digest_arrow)
    except DigestError as error:
        return f"undigested: {one_line(str(error), 160)}"


def _digest(typed: pa.Table, schema: ResultSchema, digest_arrow: Callable[[Any], str]) -> str:
    bag = str(digest_arrow(typed.select(list(schema.exact)))) if schema.exact else f"rows:{typed.num_rows}"
    keys = [position for position in schema.ordered_by if position in schema.exact]
    if not keys:
        return bag
    import numpy as np
    import pyarrow as pa

    ordered = typed.select(keys).add_column(0, "row", pa.array(np.arange(typed.num_rows)))
    return f"{bag}+{str(digest_arrow(ordered)).rsplit(':', 1)[-1]}"


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


def compare(
    answer: pa.Table,
    witness: pa.Table,
    schema: ResultSchema,
    *,
    complete: bool = False,
    most: int = MAX_DIFFERENCES,
) -> Comparison:
    """Whether an answer is right by a witness.

    Rows are paired by their exact columns; approximate columns are compared within the schema's tolerance. The
    sequence of rows counts for the columns the query orders by, and nowhere else. Rows that tie at a LIMIT: see
    ``ties``.

    Args:
        answer: what a contender returned.
        witness: the pinned answer, the ground truth or another contender's answer.
        schema: of the operation.
        complete: whether the witness holds every row that ties at the limit, as the ground truth does.
        most: differences that are kept; all are counted. 0 where nobody reads them: then answers of other lengths
            are not looked through for some.
    """
    if answer.num_columns != len(schema.columns):
        return mismatch("(columns)", answer.num_columns, len(schema.columns))
    if witness.num_columns != len(schema.columns):
        return mismatch("(columns)", answer.num_columns, witness.num_columns)
    swapped = names.swapped(answer.column_names, [column.name for column in schema.columns])
    if swapped is not None:
        return swapped
    answer, witness, left_open = printed.alike(answer, witness, schema)
    given, sent = answer, (answer, witness)
    answer, witness, schema, columns, forms, unchecked = in_one_form(answer, witness, schema)
    if unchecked:
        found = f"{codes.A14_UNCHECKED}: {'; '.join(unchecked)}"
        if not columns:
            same = answer.num_rows == witness.num_rows
            rest = Comparison(agrees=True) if same else mismatch("(rows)", answer.num_rows, witness.num_rows)
        else:
            rest = compare(answer.select(columns), witness.select(columns), schema, complete=complete, most=most)
        if not rest.agrees:
            return rest
        return msgspec.structs.replace(rest, open=True, unchecked=unchecked, notes=(found, *rest.notes))
    declared, schema = schema, _rounded(_as_given(schema, answer, witness), sent)
    # What is asked thousands of times is nearly always answered to the bit as before.
    equal = _to_the_bit(answer, witness, schema)
    result = Comparison(agrees=True) if equal else _compare(answer, witness, schema, complete, most)
    if not result.agrees:
        any_rows = schema.limit is not None and not schema.ordered_by
        whole = answer.num_rows == schema.limit and witness.num_rows >= answer.num_rows
        return Comparison(agrees=True, open=True, notes=(ANY_ROWS,)) if any_rows and whole else result
    liberties = [*_in_other_types(given, schema), *forms, *nulls_elsewhere(answer, witness, schema)]
    notes = (*result.notes, *dict.fromkeys(liberties), *left_open)
    if schema is not declared:
        changed = [(a.kind, b) for a, b in zip(declared.columns, schema.columns, strict=True) if a != b]
        for what, among in (("doubles for the decimals", True), ("floats of fewer than 64 bits", False)):
            if those := [b for kind, b in changed if (kind == "decimal") is among]:
                which, rel = ", ".join(one.name for one in those), max(one.rel for one in those)
                notes = (*notes, f"{codes.A7}: {what} of {which}: compared to {rel:.1g}")
    return msgspec.structs.replace(result, notes=notes)


def _to_the_bit(answer: pa.Table, witness: pa.Table, schema: ResultSchema) -> bool:
    """Whether an answer is its witness, and one that can be right."""
    import pyarrow as pa

    if schema.limit is not None and answer.num_rows > schema.limit:
        return False
    kinds = (answer.schema.field(at).type for at in schema.loose)
    # Text is no number within a tolerance, however equal it is.
    fit = all(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind) for kind in kinds)
    return fit and by_columns.same(answer, witness, schema, to_the_bit=True)


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
        elif wanted.kind == "decimal" and textual:
            found["text for the decimals"].append(wanted.name)
        elif wanted.kind == "boolean" and pa.types.is_integer(kind):
            found["integers for the booleans"].append(wanted.name)
        elif wanted.kind == "string" and binary:
            found["bytes for the text"].append(wanted.name)
    return [f"{codes.A7}: {what} of {', '.join(which)}: compared by value" for what, which in found.items()]


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


def _rounded(schema: ResultSchema, tables: tuple[pa.Table, pa.Table]) -> ResultSchema:
    """The schema with computed columns compared as far as the narrower float that somebody gave can tell."""
    import pyarrow as pa

    columns = []
    for position, column in enumerate(schema.columns):
        kinds = [table.column(position).type for table in tables] if column.match != "exact" else []
        rel = max((ROUNDED.get(kind.bit_width, 0.0) for kind in kinds if pa.types.is_floating(kind)), default=0.0)
        columns.append(msgspec.structs.replace(column, match="approx", rel=rel) if rel > column.rel else column)
    same = tuple(columns) == schema.columns
    return schema if same else msgspec.structs.replace(schema, columns=tuple(columns))


def _compare(answer: pa.Table, witness: pa.Table, schema: ResultSchema, complete: bool, most: int) -> Comparison:
    wanted = witness.num_rows if schema.limit is None else min(witness.num_rows, schema.limit)
    if answer.num_rows != wanted:
        sample = _rows_differing(answer, witness, schema) if most else []
        found = Difference(row="", column="(rows)", got=f"{answer.num_rows:,} rows", expected=f"{wanted:,} rows")
        return Comparison(agrees=False, differences=(found, *sample)[:MAX_DIFFERENCES], count=1 + len(sample))
    paired = None
    if answer.num_rows > EXPORT_ROWS and schema.limit is None:
        if not schema.loose and digest(answer, schema) == digest(witness, schema):
            return Comparison(agrees=True, notes=("compared by digest (export)",))
        if not schema.ordered_by:
            typed = conform(answer, schema), conform(witness, schema)
            paired = by_columns.without_counterparts(*typed, schema, _MOST_ROWS_LISTED)
        if paired:
            answer, witness = paired.answer, paired.witness
        if not schema.loose and max(answer.num_rows, witness.num_rows) > _MOST_ROWS_LISTED:
            return mismatch("(digest)", digest(answer, schema), digest(witness, schema))
    answer, witness = nulls_last(answer, schema), nulls_last(witness, schema)
    got, known = rows(answer, schema), rows(witness, schema)
    order = _order_difference(got, known[:wanted], schema, most)
    if order is not None:
        if schema.nulls_open is msgspec.UNSET or wanted != schema.limit:
            return order
        # The same rows may be before the cut wherever NULLs stand.
        uncut = msgspec.structs.replace(schema, limit=None)
        return _compare(answer, witness.slice(0, wanted), uncut, complete=False, most=most)
    ours, theirs, note = settle(got, known, schema, complete)
    result = pair(ours, theirs, schema, most, paired=paired)
    return msgspec.structs.replace(result, notes=(*result.notes, note)) if note else result


def _order_difference(got: list[Row], expected: list[Row], schema: ResultSchema, most: int) -> Comparison | None:
    """The first row whose ordering columns are not those of the witness's row at that place."""
    for number, (a, b) in enumerate(zip(got, expected, strict=True), start=1):
        for position in schema.ordered_by:
            column = schema.columns[position]
            if column.match == "exact":
                same = a[position] == b[position]
            else:
                same = within(a[position], b[position], distance(a[position], b[position]), column)
            if not same:
                paired = pair(got, expected, schema, most)
                if not paired.agrees:
                    return paired
                return mismatch(column.name, cell(a[position]), cell(b[position]), f"{number} in order")
    return None


def _rows_differing(answer: pa.Table, witness: pa.Table, schema: ResultSchema) -> list[Difference]:
    if max(answer.num_rows, witness.num_rows) > _MOST_ROWS_LISTED or not schema.exact:
        return []
    counts = [
        Counter(tuple(row[i] for i in schema.exact) for row in rows(table, schema)) for table in (answer, witness)
    ]
    keys = ((counts[0] - counts[1]) + (counts[1] - counts[0])).keys()
    return [row_difference(key, counts[0][key], counts[1][key]) for key in list(keys)[: MAX_DIFFERENCES - 1]]


_NEAR = 1e-9
"""Sums of doubles that differ by less are taken to tie: which of them is larger is a matter of rounding."""


def settle(got: list[Row], known: list[Row], schema: ResultSchema, complete: bool) -> tuple[list[Row], list[Row], str]:
    """The rows of an answer and of its witness that must be equal, and a note where ties were accepted.

    A witness that is complete knows every row that ties with the last one: the answer's must be among them. One that
    is not stopped at the limit too: a row of the answer that it does not have may be one of those left out, but only
    where rows can tie at all, and never one with another value for the same key.

    Args:
        got: rows of the answer, in order.
        known: rows of the witness, in order; more than the limit if it is complete and rows tie.
        schema: of the operation.
        complete: whether the witness knows every row that ties.
    """
    expected = known if schema.limit is None else known[: schema.limit]
    if schema.limit is None or len(got) < schema.limit or not got or not schema.ordered_by:
        return got, expected, ""
    last = expected[-1]
    ours, theirs, pool = ([row for row in rows if _tie(row, last, schema)] for rows in (got, expected, known))
    if len(ours) != len(theirs):
        return got, expected, ""
    identity = schema.keys or schema.exact
    left: dict[Row, list[Row]] = defaultdict(list)
    for row in pool:
        left[_at(row, identity)].append(row)
    chosen, counterparts, strangers = [], [], []
    for row in ours:
        twins = left[_at(row, identity)]
        if twins:
            chosen.append(row)
            counterparts.append(twins.pop(0))
        else:
            strangers.append(row)
    unique = bool(schema.keys) and set(schema.keys) <= set(schema.ordered_by)
    if complete or unique:
        missing = [row for row in theirs if row not in counterparts]
        chosen += strangers
        counterparts += missing[: len(strangers)]
        strangers = []
    clear_got = [row for row in got if not _tie(row, last, schema)]
    clear_expected = [row for row in expected if not _tie(row, last, schema)]
    exchanged = bool(strangers) or sorted(map(repr, counterparts)) != sorted(map(repr, theirs))
    rows = "1 row ties" if len(ours) == 1 else f"{len(ours)} rows tie"
    note = f"{codes.A7}: {rows} at the limit; any that tie are right" if exchanged else ""
    return clear_got + chosen, clear_expected + counterparts, note


def settled_rows(answer: list[Row], schema: ResultSchema) -> list[Row]:
    """The rows of an answer that every right one has: without those that tie with the last one at the limit.

    Where the order is not known, a limit may have left out any of them.
    """
    if schema.limit is None or len(answer) < schema.limit:
        return answer
    if not schema.ordered_by:
        return []
    return [row for row in answer if not _tie(row, answer[-1], schema)]


def _tie(row: Row, other: Row, schema: ResultSchema) -> bool:
    """Whether the query's ORDER BY cannot tell two rows apart."""
    return all(_same(row[at], other[at], exact=at in schema.exact) for at in schema.ordered_by)


def _same(a: Cell, b: Cell, *, exact: bool) -> bool:
    if a == b or exact or a is None or b is None:
        return bool(a == b)
    try:
        return math.isclose(a, b, rel_tol=_NEAR)
    except TypeError:
        return False


def _at(row: Row, positions: list[int] | tuple[int, ...]) -> Row:
    return tuple(row[position] for position in positions)
