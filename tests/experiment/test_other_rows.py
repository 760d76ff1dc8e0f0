"""What is reported of rows that are not those of the files."""

from __future__ import annotations

import pyarrow as pa
import pytest

from weigh.experiment.gate.other_rows import described

RIGHT = pa.table({"id": [1, 2, 3], "user": ["a", "b", "b"], "bytes": [10, 20, 30]})
NULLS = pa.nulls(3, pa.int64())


@pytest.mark.promise("the columns that differ are named")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (RIGHT.take([2, 0, 1]).set_column(0, "id", NULLS), "id is NULL in every row; 2 of 3 columns right"),
        (
            pa.table({"id": NULLS, "user": pa.nulls(3, pa.string()), "bytes": NULLS}),
            "all 3 columns are NULL in every row",
        ),
        (
            RIGHT.set_column(0, "id", RIGHT["bytes"]).set_column(2, "bytes", RIGHT["id"]),
            "id has the values of bytes; bytes has the values of id; 1 of 3 columns right",
        ),
        (RIGHT.set_column(2, "bytes", [[10, 20, 31]]), "other values in bytes; 2 of 3 columns right"),
        (RIGHT.set_column(2, "bytes", [[30, 20, 10]]), "each column has the right values, and not in the right rows"),
        (RIGHT.slice(1), "2 rows instead of 3"),
        (RIGHT.select([0, 1]), "2 columns instead of 3"),
    ],
)
def test_the_columns_that_differ_are_named(given: pa.Table, said: str) -> None:
    assert said in described(given, RIGHT)


def test_a_cell_is_shown_where_there_is_one() -> None:
    assert "31" in described(RIGHT.set_column(2, "bytes", [[10, 20, 31]]), RIGHT)
