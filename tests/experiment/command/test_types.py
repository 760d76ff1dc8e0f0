"""Types through the command line, as the table of types is made: nobody is accused, and each form is named."""

from __future__ import annotations

import pytest

from type_table import asked

ENGINES = ("pyarrow", "duckdb", "chdb", "polars", "datafusion")
FLAT = ["uuid", "int96_far", "time_us", "timetz", "duration", "binary", "fixed_3", "float16", "timestamptz_ns", "enum"]
NESTED = ["list", "list_of_uuids", "list_of_bytes", "struct", "map", "list_of_timestamps"]


@pytest.fixture(scope="module")
def cells() -> asked.Cells:
    """All of them, in two runs."""
    return asked.together(FLAT, ENGINES) | asked.together(NESTED, ENGINES)


def test_nobody_is_accused_and_everybody_agrees(cells: asked.Cells) -> None:
    said = {(name, engine): cell for name, of in cells.items() for engine, cell in of.items()}
    others = {key: cell for key, cell in said.items() if not cell.startswith(("agreed", "unchecked"))}
    # ClickHouse refuses what lies beyond its range, and does not wrap around.
    assert set(others) == {("int96_far", "chdb")}
    assert others["int96_far", "chdb"].startswith(
        "refused: error: ChdbError: Code: 321. DB::Exception: INT96 timestamp"
    )


def test_forms_are_named(cells: asked.Cells) -> None:
    assert cells["uuid"]["duckdb"] == "agreed (UUIDs as text and as bytes)"
    assert cells["time_us"]["chdb"] == "agreed (timestamps for the times)"
    assert cells["duration"]["duckdb"] == "agreed (integers for the durations)"
    assert "UUIDs as text and as bytes in lists" in cells["list_of_uuids"]["duckdb"]
    assert "NULL and an empty list, map or struct are one value to the engine" in cells["list"]["chdb"]
