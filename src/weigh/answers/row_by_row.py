"""Whether an answer is another one row by row: a quick yes for what is asked and answered thousands of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from weigh.model.answer import Column, ResultSchema


def same(answer: pa.Table, earlier: pa.Table, schema: ResultSchema, *, to_the_bit: bool = False) -> bool:
    """Whether an answer has the rows of one that is right, in its order, each value equal or within its tolerance.

    A yes is one of :func:`weigh.answers.compare.compare` too. A no says nothing: rows may come in another order, in
    other types, or tie.

    Args:
        answer: what was returned now, with as many columns as its schema.
        earlier: what is known to be right.
        schema: of both.
        to_the_bit: no tolerance.
    """
    if answer.num_rows != earlier.num_rows or not len(schema.columns) == answer.num_columns == earlier.num_columns:
        return False
    return all(
        one.type == other.type and (one.equals(other) or (not to_the_bit and _near(one, other, column)))
        for one, other, column in zip(answer.columns, earlier.columns, schema.columns, strict=True)
    )


def _near(one: pa.ChunkedArray, other: pa.ChunkedArray, column: Column) -> bool:
    import numpy as np
    import pyarrow as pa

    if column.match != "approx" or not pa.types.is_floating(one.type) or not one.is_null().equals(other.is_null()):
        return False
    ours, theirs = _numbers(one), _numbers(other)
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return False
    return bool((np.abs(ours - theirs) <= column.rel * np.maximum(np.abs(ours), np.abs(theirs))).all())


def _numbers(column: pa.ChunkedArray) -> np.ndarray:
    """Its values; nothing is 0, on both sides."""
    import pyarrow as pa

    values: np.ndarray = column.cast(pa.float64()).fill_null(0.0).to_numpy()
    return values
