"""Who answers from the footers of columns of one value keeps nothing of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.experiment.gate import constant_columns

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT same, count(*) AS n FROM t GROUP BY same", True),
        ("SELECT none FROM t", True),
        ("SELECT sum(none) AS other, count(same) AS some FROM t", True),
        ("SELECT sum(other) AS s FROM t", False),
        ("SELECT same, none, some FROM t", False),
        ("SELECT * FROM t", False),
        ("SELECT sum(v) AS s FROM empty", True),
        ("SELECT * FROM empty", True),
        ("SELECT 1 AS one", False),
    ],
)
def test_footers_tell_what_has_one_value(tmp_path: Path, sql: str, *, told: bool) -> None:
    rows = pa.table({"same": ["a"] * 3, "none": pa.nulls(3, pa.int32()), "other": [1, 2, 3], "some": [1, None, 1]})
    pq.write_table(rows, tmp_path / "t.parquet")
    pq.write_table(pa.table({"v": pa.array([], pa.int64())}), tmp_path / "empty.parquet")
    tables = {name: [str(tmp_path / f"{name}.parquet")] for name in ("t", "empty")}
    assert constant_columns.suffice(sql, tables) is told
