"""Rows that nobody has seen, made of files that are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.data import unseen, user_files

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 4_000


def no_environment(requirements: list[str]) -> Path:
    raise AssertionError(f"an environment with {requirements} was asked for")


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.large_string()])
def test_a_part_of_the_given_rows(tmp_path: Path, kind: pa.DataType) -> None:
    """Whatever form of texts their writer preferred: tpchgen's is views, which Arrow cannot filter."""
    given = tmp_path / "t.parquet"
    words = [f"a name of some length {n}" for n in range(ROWS)]
    pq.write_table(pa.table({"n": list(range(ROWS)), "name": pa.array(words, kind)}), given)
    data = user_files.open_files({"t": [given]}, tmp_path / "cache", 1)
    made = unseen.make(data, tmp_path / "unseen", no_environment)
    rows = pq.read_table([made.folder / path for path in made.manifest.paths("t")]).to_pylist()
    assert 0 < len(rows) < ROWS
    assert all(row["name"] == words[row["n"]] for row in rows)
