"""Rows drawn by a secret: an engine that reads the files has them, one that reads nearly the same rows has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh._native import digest_arrow
from weigh.experiment.gate import sampled_rows

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 300_000


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "t.parquet"
    numbers = [None if n % 50 == 0 else (n * 7919) % ROWS - 1000 for n in range(ROWS)]
    # Views: a form of texts that Arrow cannot filter, and that some writers prefer.
    name = pa.array([f"the name of {n}" for n in range(ROWS)], pa.string_view())
    few, x = [n % 3 for n in range(ROWS)], [n / 8 for n in range(ROWS)]
    pq.write_table(pa.table({"few": few, "n": numbers, "x": x, "name": name}), file)
    return str(file)


def test_what_reads_the_files_has_the_rows_and_what_changed_one_in_a_thousand_has_not(path: str) -> None:
    sample = sampled_rows.draw((path,), ROWS)
    assert sample is not None
    assert sample.predicate.startswith("n >= 0 AND n % ")
    assert ROWS / 50 < sample.rows < ROWS / 5
    honest = duckdb.sql(f"SELECT * FROM '{path}' WHERE {sample.predicate}").to_arrow_table()
    assert str(digest_arrow(honest)) == sample.digest
    stale = f"SELECT * REPLACE (CASE WHEN n % 1000 = 7 THEN x + 1 ELSE x END AS x) FROM '{path}'"
    changed = duckdb.sql(f"SELECT * FROM ({stale}) WHERE {sample.predicate}").to_arrow_table()
    assert str(digest_arrow(changed)) != sample.digest


@pytest.mark.promise(
    "Above that, the row count and some 100,000 rows are: those whose value in one column leaves a "
    "remainder that is drawn for this run, so that nobody can know which (`A4.sampled`)"
)
def test_another_process_draws_others(path: str) -> None:
    drawn = set()
    for _ in range(12):
        sampled_rows.draw.cache_clear()
        sample = sampled_rows.draw((path,), ROWS)
        assert sample is not None
        drawn.add(sample.predicate)
    assert len(drawn) > 1


def test_a_table_without_a_varied_number_has_no_sample(tmp_path: Path) -> None:
    file = tmp_path / "u.parquet"
    pq.write_table(pa.table({"few": [1, 2], "name": ["a", "b"]}), file)
    assert sampled_rows.draw((str(file),), 3_000_000) is None
