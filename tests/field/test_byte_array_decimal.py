"""Decimals in BYTE_ARRAY, which the format allows: described and digested, and not called corrupt."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa

from golden.in_process import weigh
from weigh._native import digest_arrow

FILE = Path(__file__).parent / "byte-array-decimal" / "price.parquet"


def test_they_are_read(tmp_path: Path) -> None:
    wanted = digest_arrow(pa.table({"price": pa.array([Decimal(n) for n in range(1, 41)], pa.decimal128(4, 2))}))
    shown = weigh(["data", "describe", str(FILE)], tmp_path)
    assert shown.code == 0, shown.err
    assert "40 rows" in shown.out
    assert wanted in shown.out
    assert weigh(["data", "digest", str(FILE)], tmp_path).out.strip() == wanted
