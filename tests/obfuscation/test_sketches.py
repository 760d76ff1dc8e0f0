"""DuckDB's estimates of how many values differ: computed as it does, and near those of the original in a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.obfuscation.draws import drawn
from weigh.obfuscation.ids import Ids
from weigh.obfuscation.key import Key
from weigh.obfuscation.sketches import Sample, estimate, registers, sample

if TYPE_CHECKING:
    from pathlib import Path

RANDOM = np.random.default_rng(0)
COLUMNS = {
    "empty": pa.array([], pa.int64()),
    "nulls": pa.nulls(5_000, pa.int64()),
    "one": pa.array([7]),
    "counted": pa.array(range(1_500)),
    "full": pa.array(range(30_000), pa.int32()),
    "sorted": pa.array(np.repeat(np.arange(10_000), 4)),
    "drawn": pa.array(RANDOM.integers(0, 1_000, 20_001), pa.uint16()),
    "sparse": pa.array(RANDOM.integers(0, 10**12, 300_000)),
    "gaps": pa.array([None if one % 3 else one for one in range(20_000)], pa.int64()),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_an_estimate_is_what_duckdb_has_of_a_loaded_column(name: str, tmp_path: Path) -> None:
    file = tmp_path / "one.parquet"
    pq.write_table(pa.table({"k": COLUMNS[name]}), file, row_group_size=122_880)
    with duckdb.connect(config={"threads": 2}) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM '{file}'")
        said = connection.execute("SELECT (stats(k)).approx_unique::VARCHAR FROM t LIMIT 1").fetchone()
    read = pq.ParquetFile(file)
    found = sample(read.read_row_group(one).column(0).combine_chunks() for one in range(read.num_row_groups))
    assert found.rows == len(COLUMNS[name])
    assert estimate(registers(found.values), found.taken, found.rows) == int((said and said[0]) or 0)


def off(ids: Ids, samples: list[Sample]) -> float:
    """By what share the worst estimate is off."""
    pairs = [
        [estimate(registers(values), one.taken, one.rows) for values in (one.values, ids.images(one.values))]
        for one in samples
    ]
    return max(abs(after / before - 1) for before, after in pairs)


@pytest.mark.parametrize("secret", [0, *(pytest.param(one, marks=pytest.mark.long) for one in range(1, 6))])
def test_permutations_are_chosen_so_that_estimates_are_near(secret: int) -> None:
    samples = [
        sample([pa.array(range(101, 1_501))]),
        sample([pa.array(np.random.default_rng(1).integers(101, 1_501, 4_000))]),
        sample([pa.array(np.arange(1_501, 61_501, 4))]),
        sample([pa.array(np.repeat(np.arange(1_501, 61_501, 4), 4))]),
        sample([pa.nulls(9, pa.int64())]),
    ]
    first = Ids(Key(bytes([secret]) * 32), (), (101, 1_501, 61_501))
    chosen, said = drawn(first, samples)
    assert off(chosen, samples[:-1]) == pytest.approx(said)
    assert off(chosen, samples[:-1]) < 0.05 < off(first, samples[:-1])
    assert drawn(first, samples)[0].draws == chosen.draws
    assert any(chosen.draws)


def test_nothing_is_chosen_where_there_is_nothing() -> None:
    first = Ids(Key(bytes(32)), (), (0, 5))
    assert drawn(first, [])[1] is None
    assert drawn(first, [sample([pa.nulls(9, pa.int64())])])[1] is None
    # All of a range stay all of it.
    whole, said = drawn(first, [sample([pa.array(range(5))])])
    assert (whole.draws, said) == ((0, 0, 0), 0)
