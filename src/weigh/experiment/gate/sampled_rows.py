"""Rows of a large table drawn by a secret: which of them a contender will be asked for, nobody can know beforehand."""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from weigh.data.layout import second_reader, views, vortex

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        column: by which they are drawn.
        modulus, remainder: what was drawn.
        rows: how many there are.
        digest: of them in the files.
    """

    column: str
    modulus: int
    remainder: int
    rows: Rows
    digest: str

    @property
    def predicate(self) -> str:
        """SQL that every engine reads alike."""
        return f"{self.column} >= 0 AND {self.column} % {self.modulus} = {self.remainder}"


@cache
def draw(paths: tuple[str, ...], rows: Rows, python: Path | None = None) -> Sample | None:
    """A sample of a table, the same for every contender of a process; None where no column serves.

    Args:
        paths: files of the table.
        rows: of all of them.
        python: interpreter of an environment that reads them, where they are Vortex.
    """
    from weigh._native import digest_arrow

    # Of a large table in a store some files are copies on this machine.
    here = rows <= MOST_ROWS and all(Path(path).is_file() for path in paths)
    column = _varied(paths, python) if here else None
    if column is None:
        return None
    modulus = secrets.choice(_primes(max(_LEAST, rows // SAMPLE)))
    drawn = Sample(column, modulus, secrets.randbelow(modulus), 0, "")
    table = of(paths, drawn, python)
    return drawn._replace(rows=table.num_rows, digest=str(digest_arrow(table)))


def of(paths: tuple[str, ...], sample: Sample, python: Path | None = None) -> pa.Table:
    """The rows of a sample, as the files have them; arguments are those of ``draw``."""
    if python is None:
        files = ds.dataset(list(paths), format=second_reader.FILES)
        return _chosen(files.to_batches(), files.schema, sample)
    with vortex.opened(paths, python) as streams:
        parts = [_chosen(rows, rows.schema, sample) for rows in streams]
    return pa.concat_tables(parts, promote_options="permissive")


def _chosen(batches: Iterable[pa.RecordBatch], given: pa.Schema, sample: Sample) -> pa.Table:
    # That of the first file, which may promise that there is no NULL.
    schema = pa.schema((field.name, field.type) for field in views.plain(given))
    parts = []
    for batch in batches:
        values = batch.column(sample.column).cast(pa.int64())
        # Remainders of negative numbers differ between engines, so they are left out.
        quotient = pc.divide(values, sample.modulus)
        left = pc.subtract(values, pc.multiply(quotient, sample.modulus))
        chosen = pc.and_(pc.greater_equal(values, 0), pc.equal(left, sample.remainder))
        parts.append(batch.cast(schema).filter(pc.fill_null(chosen, False)))
    return pa.Table.from_batches(parts, schema)


def _primes(least: int) -> list[int]:
    """The next few primes: rows that are wrong by a rule, such as every thousandth, must not all escape the sample."""
    found: list[int] = []
    number = least
    while len(found) < _DRAWN_FROM:
        if all(number % by for by in range(2, int(number**0.5) + 1)):
            found.append(number)
        number += 1
    return found


def _varied(paths: tuple[str, ...], python: Path | None) -> str | None:
    """The column of signed integers with the most different values among the first rows, if there are enough."""
    files = vortex.head(paths[0], _LOOKED, python) if python else ds.dataset(list(paths), format="parquet")
    names = [
        field.name for field in files.schema if pa.types.is_signed_integer(field.type) and field.name.isidentifier()
    ]
    first = None
    if names:
        first = files.select(names) if isinstance(files, pa.Table) else files.head(_LOOKED, columns=names)
    counts = {name: pc.count_distinct(first[name]).as_py() for name in names} if first is not None else {}
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] >= _VARIED else None
