"""Questions that the statistics in Parquet files answer."""

from __future__ import annotations

import pytest

from weigh.workloads.from_statistics import suffices


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM t",
        "SELECT count(a), min(b) AS least, max(b) FROM t",
        "SELECT n + 1 FROM (SELECT count(*) AS n FROM t) AS s",
    ],
)
def test_counts_and_extremes_of_whole_tables(sql: str) -> None:
    assert suffices(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t LIMIT 3",
        "SELECT count(*) FROM t WHERE a = 3",
        "SELECT a, count(*) FROM t GROUP BY a",
        "SELECT count(DISTINCT a) FROM t",
        "SELECT count(*) FROM t JOIN u ON t.a = u.a",
        "SELECT sum(a), count(*) FROM t",
        "SELECT max(a) OVER () FROM t",
        "SELECT (((",
    ],
)
def test_what_needs_the_rows(sql: str) -> None:
    assert not suffices(sql)
