"""States: the rows that two tables must hold after each refresh function, predicted without any engine.

Each base table is written once as what stays and what each refresh set deletes; with what each set inserts, a state is
a list of files. Their row digests add up to that of the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weigh._native import digest_arrow, merge_digests
from weigh.data.tpch.refresh import LINES, ORDERS, RefreshSet
from weigh.streams.record import State
from weigh.streams.spec import RF1, RF2

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

KEYS = {ORDERS: "o_orderkey", LINES: "l_orderkey"}
LOOK = (
    "SELECT o.n AS orders, o.k AS order_keys, l.n AS line_items, l.k AS line_keys "
    "FROM (SELECT count(*) AS n, sum(o_orderkey) AS k FROM orders) o, "
    "(SELECT count(*) AS n, sum(l_orderkey) AS k FROM lineitem) l"
)
"""Both tables in one statement, and so in one snapshot."""
_ROWS_A_STATEMENT = 500


class _Piece(NamedTuple):
    """Rows that come and go together."""

    path: str
    digest: str
    rows: int
    keys: int


class States:
    """The states of an experiment, in order: loaded, then after RF1 and RF2 of each set.

    Args:
        tables: files of the dataset by table.
        sets: the refresh sets in the order in which they are used.
        folder: where the pieces are written.
    """

    def __init__(self, tables: Mapping[str, Sequence[str]], sets: Sequence[RefreshSet], folder: Path) -> None:
        self._tables = {name: list(paths) for name, paths in tables.items()}
        self._sets = sets
        self._stays: dict[str, _Piece] = {}
        self._goes: dict[str, list[_Piece]] = {}
        self._comes: dict[str, list[_Piece]] = {}
        for table, key in KEYS.items():
            base = pa.concat_tables(pq.ParquetFile(path).read() for path in self._tables[table])
            self.schema = base.schema
            keys = base.column(key)
            deleted = [pc.is_in(keys, pa.array(one.deleted, keys.type)) for one in sets]
            anywhere = pc.is_in(keys, pa.array([each for one in sets for each in one.deleted], keys.type))
            self._stays[table] = _written(base.filter(pc.invert(anywhere)), key, folder / f"{table}-stays.parquet")
            self._goes[table] = [
                _written(base.filter(mask), key, folder / f"{table}-goes-{number}.parquet")
                for number, mask in enumerate(deleted, 1)
            ]
            new = [one.orders if table == ORDERS else one.lines for one in sets]
            self._comes[table] = [
                _written(rows, key, folder / f"{table}-comes-{number}.parquet") for number, rows in enumerate(new, 1)
            ]

    def __len__(self) -> int:
        return 1 + 2 * len(self._sets)

    def state(self, number: int) -> State:
        """What the tables hold after so many refresh functions."""
        pieces = {table: self._pieces(table, number) for table in KEYS}
        return State(
            after="" if not number else f"{RF1 if number % 2 else RF2} of set {(number + 1) // 2}",
            digests={table: merge_digests([one.digest for one in those]) for table, those in pieces.items()},
            sums=tuple(
                total for those in pieces.values() for total in (sum(p.rows for p in those), sum(p.keys for p in those))
            ),
        )

    def files(self, number: int) -> dict[str, list[str]]:
        """The files of all tables in a state."""
        return {**self._tables, **{table: [one.path for one in self._pieces(table, number)] for table in KEYS}}

    def _pieces(self, table: str, number: int) -> list[_Piece]:
        # Odd numbers are between the two functions of a set: its rows have come, and the old ones have not gone.
        comes, goes = (number + 1) // 2, number // 2
        found = [self._stays[table], *self._goes[table][goes:], *self._comes[table][:comes]]
        return [one for one in found if one.rows] or found[:1]


def _written(rows: pa.Table, key: str, path: Path) -> _Piece:
    pq.write_table(rows, path)
    total = pc.sum(rows.column(key)).as_py() or 0
    return _Piece(str(path), digest_arrow(rows), rows.num_rows, int(total))


def statements(one: RefreshSet, name: str) -> list[str]:
    """A refresh function as SQL that every contender gets: RF1 inserts rows, RF2 deletes by key."""
    if name == RF1:
        return [
            f"INSERT INTO {table} VALUES {', '.join(_row(row) for row in batch.to_pylist())}"
            for table, rows in ((ORDERS, one.orders), (LINES, one.lines))
            for batch in rows.to_batches(_ROWS_A_STATEMENT)
        ]
    keys = ", ".join(map(str, one.deleted))
    # Children first, as a foreign key would have it.
    return [f"DELETE FROM {table} WHERE {KEYS[table]} IN ({keys})" for table in (LINES, ORDERS)]


def _row(row: dict[str, object]) -> str:
    return f"({', '.join(map(_literal, row.values()))})"


def _literal(value: object) -> str:
    from datetime import date

    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"DATE '{value.isoformat()}'" if isinstance(value, date) else str(value)
