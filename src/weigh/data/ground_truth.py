"""Ground truth: what is known about a dataset because of how it was made, as small named tables (cubes).

A cube holds sufficient statistics, such as the number of events of every user and action, from which the
answers to a workload's operations follow by addition. Its size is bounded by cardinalities, never by rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from pathlib import Path

Column = NDArray[np.int64] | NDArray[np.float64] | list[str | None]
Cube = dict[str, Column]

INDEX = "index.json"
"""The hash of every cube, by name."""


class Truth(Mapping[str, Cube]):
    """Cubes by name; each maps column names to columns of equal length.

    Example:
        >>> Truth({"totals": {"events": np.array([3])}})["totals"]["events"][0]
        np.int64(3)
    """

    def __init__(self, cubes: Mapping[str, Cube]) -> None:
        self._cubes = dict(cubes)

    def __getitem__(self, name: str) -> Cube:
        return self._cubes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cubes)

    def __len__(self) -> int:
        return len(self._cubes)

    def save(self, folder: Path) -> None:
        """Write every cube as ``<name>.parquet``, with their hashes in ``index.json``."""
        folder.mkdir(parents=True, exist_ok=True)
        hashes = {}
        for name, cube in self._cubes.items():
            path = folder / f"{name}.parquet"
            pq.write_table(pa.table({column: pa.array(values) for column, values in cube.items()}), path)
            hashes[name] = hashed(path)
        (folder / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(hashes)))

    @classmethod
    def load(cls, folder: Path, index: str = "") -> Truth:
        """Read what ``save`` wrote.

        Args:
            folder: with the cubes.
            index: SHA-256 that the list of their hashes must have; empty where nobody says.

        Raises:
            DataFault: a cube is missing, or is not what was saved: a damaged truth would accuse everybody.
        """
        remedy = f"remove {folder.parent} and make the dataset again"
        cubes: dict[str, Cube] = {}
        try:
            if index and hashed(folder / INDEX) != index:
                raise DataFault("the ground truth is that of other rows", where=str(folder), remedy=remedy)
            hashes = msgspec.json.decode((folder / INDEX).read_bytes(), type=dict[str, str])
            for name, expected in hashes.items():
                path = folder / f"{name}.parquet"
                if hashed(path) != expected:
                    raise DataFault("the ground truth was changed since it was made", where=str(path), remedy=remedy)
                table = pq.read_table(path)
                cubes[name] = {column: _column(table[column]) for column in table.column_names}
        except (OSError, msgspec.DecodeError) as error:
            raise DataFault(f"the ground truth cannot be read ({error})", where=str(folder), remedy=remedy) from error
        return cls(cubes)


def _column(values: pa.ChunkedArray) -> Column:
    plain: Column = values.to_pylist() if pa.types.is_string(values.type) else values.to_numpy()
    return plain


def hashed(path: Path) -> str:
    """SHA-256 of a cube's file, as the index has it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
