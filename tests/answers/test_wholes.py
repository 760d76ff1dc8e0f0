"""Remainders, casts and roundings of whole numbers, which nobody is excused for: where a name is surely of such."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.answers.constructs import wholes
from weigh.answers.constructs.widths import Range, Width
from weigh.data.data_values import DataValues
from weigh.experiment.gate.dialects import probed

if TYPE_CHECKING:
    from pathlib import Path

I32, I64, U64 = Width(32, signed=True), Width(64, signed=True), Width(64, signed=False)
RANGES = {
    "u": Range(0, 99, (I32,), rows=9), "i": Range(-9, 99, (I32,), rows=9), "f": Range(0, 9, (), whole=False),
    "by": Range(1, 9, (I64,), rows=9), "large": Range(0, 2**60, (U64,), rows=9),
    "larger": Range(0, 2**64 - 1, (U64,), rows=9), "near": Range(0, 2**31 - 1, (I32,), rows=9),
}  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "(SELECT -u FROM t) AS s(u)",
        "(SELECT -u AS u FROM t) AS s",
        "(SELECT u - 50 AS u FROM (SELECT u - 50 AS u FROM t) AS r) AS s",
        "(SELECT sign(i) AS u FROM t) AS s",
        "(SELECT CASE WHEN i > 3 THEN sign(i) ELSE u END AS u FROM t) AS s",
        "(SELECT date_diff('day', d, DATE '2024-01-01') AS u FROM t) AS s",
        "(SELECT unnest([-1, 2]) AS u) AS s",
        "(VALUES (-8), (3)) AS s(u)",
        "(SELECT * FROM t) AS s(f, u)",
        "range(-5, 5) AS s(u)",
        "generate_series(-5, 5) AS u",
        "unnest([-1, 2]) AS s(u)",
        "(SELECT u FROM t UNION ALL SELECT i FROM t) AS s",
        "(SELECT 1 AS u UNION ALL (SELECT 2 UNION ALL SELECT sign(i) FROM t)) AS s",
        "(SELECT 1 UNION ALL SELECT sign(i) FROM t) AS s(u)",
        "(SELECT * FROM t UNION ALL SELECT i, u FROM t) AS s",
        "(UNPIVOT t ON i, f INTO NAME n VALUE u) AS s",
    ],
)
def test_a_name_that_stands_for_something_else_is_none_of_the_data(source: str) -> None:
    assert wholes.remainders(f"SELECT u % 7 AS v FROM {source}", RANGES) == set()
    columns = {name: one.whole for name, one in RANGES.items()}
    fractions = source.replace("-u", "-f").replace("sign(i)", "f").replace("SELECT i FROM", "SELECT f FROM")
    if fractions != source:
        assert wholes.texts(f"SELECT round(u) AS v FROM {fractions}", columns) == set()


@pytest.mark.parametrize(
    "sql",
    [
        "WITH c(u) AS (SELECT -u FROM t) SELECT u % 7 AS v FROM c",
        "WITH RECURSIVE c AS (SELECT 9 AS u UNION ALL SELECT u - 4 FROM c WHERE u > -9) SELECT u % 7 AS v FROM c",
        "SELECT lag(u, 1, -5) OVER (ORDER BY u) % 7 AS v FROM t",
        "SELECT CAST(f AS INTEGER) % 7 AS v FROM t",
        "SELECT CAST(f AS UINTEGER) % 7 AS v FROM t",
        "SELECT power(u, 2) % 7 AS v FROM t",
        "SELECT large % by AS v FROM t",
        "SELECT larger % 7 AS v FROM t",
        "SELECT (near + near) % 7 AS v FROM t",
    ],
)
def test_what_engines_count_in_other_types_is_none(sql: str) -> None:
    assert wholes.remainders(sql, RANGES) == set()


def test_names_of_whole_numbers_are_followed() -> None:
    ranges, columns = RANGES, {name: one.whole for name, one in RANGES.items()}
    for sql in (
        "WITH c(k) AS (SELECT u + 1 FROM t) SELECT k % 7 AS v FROM c",
        "SELECT k % 7 AS v FROM (SELECT u AS k FROM t UNION ALL SELECT by FROM t) AS s",
        "SELECT k % 7 AS v FROM (SELECT by FROM t UNION ALL SELECT u FROM t) AS s(k)",
        "SELECT k % 7 AS v FROM (SELECT u + 1 AS u, u AS k FROM t UNION SELECT u, u FROM t) AS s",
    ):
        assert wholes.remainders(sql, ranges) == {"k % 7"}, sql
        assert wholes.texts(sql.replace("k % 7", "round(k)"), columns) == {"ROUND(k)"}, sql
    assert wholes.remainders("SELECT large % 7, sum(by) % 7", ranges) == {"large % 7", "SUM(by) % 7"}


def test_a_column_that_is_of_decimals_in_another_table_is_no_whole_number(tmp_path: Path) -> None:
    kinds = {"one": pa.int64(), "other": pa.decimal128(9, 2)}
    for name, kind in kinds.items():
        pq.write_table(pa.table({"v": pa.array([1, 2], kind), "w": [3, 4]}), tmp_path / f"{name}.parquet")
    data = DataValues({name: [str(tmp_path / f"{name}.parquet")] for name in kinds})
    sql = "SELECT one.v % 7, other.w % 7 FROM one JOIN other ON one.w = other.w"
    assert probed.of_wholes([sql], data) == {"fraction modulo other.w % 7": "whole"}


def test_remainders_of_whole_numbers_above_zero_are_known() -> None:
    ranges = {"u": Range(0, 99, (), rows=9), "i": Range(-9, 99, (), rows=9), "f": Range(0, 9, (), whole=False)}
    alike = {"u % 7", "(u + 1) % 10", "ABS(i) % 3", "COUNT(*) % 2", "k % 5"}
    other = {"i % 7", "u % -7", "u % u", "f % 2", "u % 1.5", "x % 2"}
    sql = f"SELECT {', '.join(sorted(alike | other))} FROM (SELECT u + 1 AS k, u, i, f, x FROM t) AS s"
    assert wholes.remainders(sql, ranges) == alike
    assert wholes.divided("SELECT k % 5 FROM (SELECT u + 1 AS k FROM t) AS s") == {"k", "u"}
