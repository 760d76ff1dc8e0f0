"""Which questions need a column that an engine was not given, and how far instants in INT96 are given to it."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh_worker.left_out import refusal
from weigh_worker.parquet_files import in_microseconds, opened

if TYPE_CHECKING:
    from pathlib import Path

MOST = datetime.datetime(9999, 12, 31, 3)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS tags FROM t",
        "SELECT name AS tags FROM t ORDER BY tags",
        "SELECT name AS tags FROM t ORDER BY id, tags DESC LIMIT 3",
        'SELECT name AS "tags" FROM t ORDER BY "tags"',
        "SELECT 'tags' AS a FROM t",
        "SELECT tags FROM u",
        "SELECT tags FROM (SELECT name AS tags FROM t) AS s",
        "SELECT * FROM (SELECT id, name AS tags FROM t) AS s",
        "SELECT tags, count(*) FROM (SELECT lower(name) AS tags FROM t) AS s GROUP BY tags ORDER BY count(*)",
        "WITH s AS (SELECT max(id) AS tags FROM t GROUP BY name) SELECT tags FROM s WHERE tags > 3",
        "SELECT name FROM t UNION ALL SELECT tags FROM u",
        "SELECT id FROM u WHERE tags IN (SELECT name FROM t)",
        "SELECT count(*) FROM (SELECT name AS tags, row_number() OVER (ORDER BY id) AS n FROM t) AS s WHERE tags = 'a'",
    ],
)
def test_an_alias_with_the_name_of_a_column_needs_no_column(sql: str) -> None:
    assert not refusal(sql, {"t": {"tags": "lists"}})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT tags FROM t",
        "SELECT * FROM t",
        "SELECT id FROM t ORDER BY tags",
        "SELECT name AS tags FROM t WHERE tags IS NULL",
        "SELECT name AS tags FROM t GROUP BY tags",
        "SELECT name AS tags FROM t ORDER BY lower(tags)",
        "SELECT name AS tags FROM t ORDER BY tags || 'x'",
        "SELECT name AS tags FROM t ORDER BY t.tags",
        "SELECT row_number() OVER (ORDER BY tags) AS tags FROM t",
        "SELECT n FROM (SELECT name AS n, tags FROM t) AS s",
        "SELECT n FROM (SELECT * FROM t) AS s",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = tags)",
        "SELECT id FROM u UNION SELECT tags FROM t",
        "WITH s AS (SELECT * FROM t) SELECT count(*) FROM s",
        "SELECT id FROM t WHERE id IN (SELECT id FROM u WHERE v = (SELECT max(w) FROM x WHERE x.k = tags))",
    ],
)
def test_what_may_be_the_column_is_refused(sql: str) -> None:
    assert refusal(sql, {"t": {"tags": "lists"}}) == "its table t is without tags (lists): ask for other columns"


def test_far_instants_in_int96_are_given_in_microseconds(tmp_path: Path) -> None:
    moments = [datetime.datetime(2024, 1, 1, 20, 34, 56, 1), None, MOST, datetime.datetime(1066, 10, 14)]
    rows = pa.table({"at": pa.array(moments, pa.timestamp("us"))})
    pq.write_table(rows, tmp_path / "far.parquet", use_deprecated_int96_timestamps=True)
    with opened(str(tmp_path / "far.parquet")) as file:
        assert file.read().column("at").to_pylist() == moments


def test_digits_below_the_microsecond_are_refused_by_name(tmp_path: Path) -> None:
    rows = pa.table({"at": pa.array([1, 1_000], pa.timestamp("ns"))})
    pq.write_table(rows, tmp_path / "fine.parquet", use_deprecated_int96_timestamps=True)
    with opened(str(tmp_path / "fine.parquet")) as file, pytest.raises(pa.ArrowInvalid, match="below the microsecond"):
        in_microseconds(file.read().column("at").chunk(0))
