"""States: the rows that tables must hold after each refresh function, predicted without any engine.

Each base table is written once as what stays and what each refresh function deletes; with what each inserts, a state
is a list of files. Their row digests add up to that of the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weigh._native import digest_arrow, merge_digests
from weigh.streams.record import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


class Change(NamedTuple):
    """A refresh function.

    Attributes:
        name: of the function.
        set: number of its refresh set, from 1.
        statements: SQL that every contender gets, in one transaction.
        comes: rows that it inserts, by table.
        goes: which rows of the loaded tables it deletes: a column and its values, by table.
    """

    name: str
    set: int
    statements: list[str]
    comes: Mapping[str, pa.Table]
    goes: Mapping[str, tuple[str, pa.Array]]


def look(keys: Mapping[str, str]) -> str:
    """Rows and sum of the keys of all tables in one statement, and so in one snapshot."""
    columns = (f"t{at}.n AS {table}_rows, t{at}.k AS {table}_keys" for at, table in enumerate(keys))
    tables = (
        f"(SELECT count(*) AS n, sum({key}) AS k FROM {table}) t{at}" for at, (table, key) in enumerate(keys.items())
    )
    return f"SELECT {', '.join(columns)} FROM {', '.join(tables)}"


class _Piece(NamedTuple):
    """Rows that come and go together."""

    path: str
    digest: str
    rows: int
    keys: int


class States:
    """The states of an experiment, in order: loaded, then after each refresh function.

    Args:
        tables: files of the dataset by table.
        keys: of each table that changes, a column of numbers.
        changes: the refresh functions in the order in which they are executed. What one has inserted none deletes.
        folder: where the pieces are written.
    """

    def __init__(
        self, tables: Mapping[str, Sequence[str]], keys: Mapping[str, str], changes: Sequence[Change], folder: Path
    ) -> None:
        self._tables = {name: list(paths) for name, paths in tables.items()}
        self.keys, self.changes = keys, changes
        self._pieces: dict[str, list[tuple[int, int, _Piece]]] = {}
        for table, key in keys.items():
            base = pa.concat_tables(pq.ParquetFile(path).read() for path in self._tables[table])
            self._pieces[table] = list(_pieces(table, key, base, changes, folder))

    def __len__(self) -> int:
        return 1 + len(self.changes)

    def state(self, number: int) -> State:
        """What the tables hold after so many refresh functions."""
        pieces = {table: self._there(table, number) for table in self.keys}
        change = self.changes[number - 1] if number else None
        return State(
            after=f"{change.name.upper()} of set {change.set}" if change else "",
            digests={table: merge_digests([one.digest for one in those]) for table, those in pieces.items()},
            sums=tuple(
                total for those in pieces.values() for total in (sum(p.rows for p in those), sum(p.keys for p in those))
            ),
        )

    def files(self, number: int) -> dict[str, list[str]]:
        """The files of all tables in a state."""
        return {**self._tables, **{table: [one.path for one in self._there(table, number)] for table in self.keys}}

    def _there(self, table: str, number: int) -> list[_Piece]:
        pieces = self._pieces[table]
        found = [piece for comes, goes, piece in pieces if comes <= number < goes and piece.rows]
        return found or [pieces[0][2]]


def _pieces(
    table: str, key: str, base: pa.Table, changes: Sequence[Change], folder: Path
) -> Iterator[tuple[int, int, _Piece]]:
    """The pieces of a table, each with the first state that has it and the first that has it no more."""
    never = len(changes) + 1
    gone = np.full(base.num_rows, never)
    for number, change in enumerate(changes, 1):
        if table in change.goes:
            column, values = change.goes[table]
            hit = pc.is_in(base.column(column), values.cast(base.schema.field(column).type)).to_numpy()
            gone = np.where(hit & (gone == never), number, gone)
    for number in (never, *sorted(set(gone.tolist()) - {never})):
        rows = base.filter(pa.array(gone == number))
        yield 0, number, _written(rows, key, folder / f"{table}-goes-{number}.parquet")
    for number, change in enumerate(changes, 1):
        if table in change.comes:
            yield number, never, _written(change.comes[table], key, folder / f"{table}-comes-{number}.parquet")


def _written(rows: pa.Table, key: str, path: Path) -> _Piece:
    pq.write_table(rows, path)
    total = pc.sum(rows.column(key)).as_py() or 0
    return _Piece(str(path), digest_arrow(rows), rows.num_rows, int(total))
