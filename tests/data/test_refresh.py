"""Refresh sets: the same bytes as of the TPC's own dbgen, compiled and asked with ``-s 1 -U 2``."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from weigh.data.tpch import refresh, tpchgen
from weigh.experiment.data.dataset import interpreter
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_MONEY = pa.decimal128(15, 2)
_TEXT, _WHOLE, _DAY = pa.string(), pa.int64(), pa.date32()
ORDERS = pa.schema([
    ("o_orderkey", _WHOLE), ("o_custkey", _WHOLE), ("o_orderstatus", _TEXT), ("o_totalprice", _MONEY),
    ("o_orderdate", _DAY), ("o_orderpriority", _TEXT), ("o_clerk", _TEXT), ("o_shippriority", pa.int32()),
    ("o_comment", _TEXT),
])  # fmt: skip
LINES = pa.schema([
    ("l_orderkey", _WHOLE), ("l_partkey", _WHOLE), ("l_suppkey", _WHOLE), ("l_linenumber", pa.int32()),
    ("l_quantity", _MONEY), ("l_extendedprice", _MONEY), ("l_discount", _MONEY), ("l_tax", _MONEY),
    ("l_returnflag", _TEXT), ("l_linestatus", _TEXT), ("l_shipdate", _DAY), ("l_commitdate", _DAY),
    ("l_receiptdate", _DAY), ("l_shipinstruct", _TEXT), ("l_shipmode", _TEXT), ("l_comment", _TEXT),
])  # fmt: skip
OF_DBGEN = {
    1: ("931905efa6cef6cf", "5572384f57432f77"),
    2: ("7d74d12f16718aa7", "3f14b47fe1600ed3"),
}
"""By set: the beginning of SHA-256 of orders.tbl.uN and of lineitem.tbl.uN, without the last end of a line."""


@pytest.mark.long
@pytest.mark.promise("The rows that RF1 inserts are those of dbgen, byte by byte.")
@pytest.mark.parametrize("number", OF_DBGEN)
def test_a_set_has_the_rows_of_dbgen(number: int, tmp_path: Path) -> None:
    python = interpreter(list(tpchgen.requirements))
    found = refresh.refresh_set(tpchgen, 1.0, number, {"orders": ORDERS, "lineitem": LINES}, python, tmp_path)
    digests = []
    for table in (found.orders, found.lines):
        # Quantities are whole numbers in a file of dbgen's.
        rows = (
            {**row, **({"l_quantity": int(row["l_quantity"])} if "l_quantity" in row else {})}
            for row in table.to_pylist()
        )
        text = "\n".join("|".join(map(str, row.values())) + "|" for row in rows)
        digests.append(hashlib.sha256(text.encode()).hexdigest()[:16])
    assert tuple(digests) == OF_DBGEN[number]
    assert len(found.deleted) == 1500
    assert found.deleted[:3] == {1: (1, 2, 3), 2: (5989, 5990, 5991)}[number]


def test_keys_of_new_orders_are_free() -> None:
    index = np.arange(1, 10_000)
    base, new = set(refresh.sparse(index, 0).tolist()), set(refresh.sparse(index, 1).tolist())
    assert not base & new
    # The first eight of 32 are used; the next eight are those of new orders.
    assert {one % 32 // 8 for one in base} == {0}
    assert {one % 32 // 8 for one in new} == {1}


def test_a_scale_without_whole_sets_is_refused() -> None:
    assert refresh.size(0.01) == 15
    with pytest.raises(UsageError, match="no whole number"):
        refresh.size(0.0015)
