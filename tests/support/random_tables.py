"""Tables and files that the tests of the digest share."""

from __future__ import annotations

import decimal
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from weigh._native import digest_arrow

if TYPE_CHECKING:
    from pathlib import Path


def write(table: pa.Table, path: Path, **options: Any) -> str:
    pq.write_table(table, path, **options)
    return str(path)


def one(array: pa.Array) -> str:
    """The digest of a table of one column."""
    return digest_arrow(pa.table({"x": array}))


def realistic(rows: int = 6000) -> pa.Table:
    """A table of several pages and row groups with long and short strings, and NULLs."""
    rng = random.Random(1)
    return pa.table(
        {
            "key": pa.array(range(rows), pa.int64()),
            "price": pa.array([decimal.Decimal(rng.randrange(10**6)).scaleb(-2) for _ in range(rows)]),
            "flag": pa.array([rng.choice(["A", "N", None]) for _ in range(rows)]),
            "comment": pa.array(["".join(rng.choices("abc xyz", k=rng.randrange(60))) for _ in range(rows)]),
            "time": pa.array([rng.randrange(10**15) for _ in range(rows)], pa.timestamp("us")),
            "score": pa.array([rng.random() for _ in range(rows)]),
        }
    )
