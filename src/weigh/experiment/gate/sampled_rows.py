"""Rows of a large table drawn by a secret: which of them a contender will be asked for, nobody can know beforehand."""

from __future__ import annotations

import secrets
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

if TYPE_CHECKING:
    from weigh.model.units import Rows

SAMPLE = 100_000
"""Rows of a sample, about: one wrong row in a thousand is in it a hundred times."""
MOST_ROWS = 100_000_000
"""Beyond, reading all files for the sample would take minutes."""
_LEAST = 7
_DRAWN_FROM = 8
_LOOKED = 1 << 17
_VARIED = 1_000
"""Distinct values among the first rows that a column needs: else a class may hold nearly all rows or none."""


class Sample(NamedTuple):
    """Rows whose number in one column leaves a drawn remainder.

    Attributes:
        predicate: SQL that every engine reads alike.
        rows: how many there are.
        digest: of them in the files.
    """

    predicate: str
    rows: Rows
    digest: str


@cache
def draw(paths: tuple[str, ...], rows: Rows) -> Sample | None:
    """A sample of a table, the same for every contender of a process; None where no column serves.

    Args:
        paths: files of the table.
        rows: of all of them.
    """
    from weigh._native import digest_arrow

    files = ds.dataset(list(paths), format="parquet")
    column = _varied(files) if rows <= MOST_ROWS else None
    if column is None:
        return None
    modulus = secrets.choice(_primes(max(_LEAST, rows // SAMPLE)))
    remainder = secrets.randbelow(modulus)
    parts = []
    for batch in files.to_batches():
        values = batch.column(column).cast(pa.int64())
        # Remainders of negative numbers differ between engines, so they are left out.
        quotient = pc.divide(values, modulus)
        left = pc.subtract(values, pc.multiply(quotient, modulus))
        chosen = pc.and_(pc.greater_equal(values, 0), pc.equal(left, remainder))
        parts.append(batch.filter(pc.fill_null(chosen, False)))
    table = pa.Table.from_batches(parts, files.schema)
    predicate = f"{column} >= 0 AND {column} % {modulus} = {remainder}"
    return Sample(predicate=predicate, rows=table.num_rows, digest=str(digest_arrow(table)))


def _primes(least: int) -> list[int]:
    """The next few primes: rows that are wrong by a rule, such as every thousandth, must not all escape the sample."""
    found: list[int] = []
    number = least
    while len(found) < _DRAWN_FROM:
        if all(number % by for by in range(2, int(number**0.5) + 1)):
            found.append(number)
        number += 1
    return found


def _varied(files: ds.Dataset) -> str | None:
    """The column of signed integers with the most different values among the first rows, if there are enough."""
    names = [
        field.name for field in files.schema if pa.types.is_signed_integer(field.type) and field.name.isidentifier()
    ]
    first = files.head(_LOOKED, columns=names) if names else None
    counts = {name: pc.count_distinct(first[name]).as_py() for name in names} if first is not None else {}
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] >= _VARIED else None
