"""Types through the command line, as the table of types is made: nobody is accused, and each form is named."""

from __future__ import annotations

import pytest

from type_table import answers

QUICK = ["uuid", "int96_far", "time_us", "duration", "list_of_uuids", "list"]
FLAT = ["timetz", "binary", "fixed_3", "float16", "timestamptz_ns", "enum", "uint64", "decimal256"]
NESTED = ["list_of_bytes", "struct", "map", "list_of_timestamps", "interval_months", "binary_view"]


@pytest.fixture(scope="module")
def cells() -> answers.Cells:
    """Of those that come in another form, in one run."""
    return answers.cells_of_engines(QUICK, ("pyarrow", "duckdb", "chdb"))


def others(cells: answers.Cells) -> dict[tuple[str, str], str]:
    """Cells of whoever neither agrees nor was left unchecked."""
    every = {(name, engine): cell for name, of in cells.items() for engine, cell in of.items()}
    return {key: cell for key, cell in every.items() if not cell.startswith(("agreed", "unchecked"))}


def test_nobody_is_accused_and_everybody_agrees(cells: answers.Cells) -> None:
    # ClickHouse refuses what lies beyond its range, and does not wrap around.
    ((key, cell),) = others(cells).items()
    assert key == ("int96_far", "chdb")
    assert cell.startswith("refused: error: ChdbError: Code: 321. DB::Exception: INT96 timestamp")


def test_forms_are_named(cells: answers.Cells) -> None:
    assert cells["uuid"]["duckdb"] == "agreed (UUIDs as text and as bytes)"
    assert cells["time_us"]["chdb"] == "agreed (timestamps for the times)"
    assert cells["duration"]["duckdb"] == "agreed (integers for the durations)"
    assert "UUIDs as text and as bytes in lists" in cells["list_of_uuids"]["duckdb"]
    assert "NULL and an empty list, map or struct are one value to the engine" in cells["list"]["chdb"]


def test_a_type_that_one_engine_reads_otherwise_costs_it_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def cells_of_engines(types: list[str], engines: tuple[str, ...]) -> answers.Cells:
        asked.append(types)
        lost = {"datafusion"} if "interval_months" in types else set()
        cells = {one: {engine: "refused" if engine in lost else "agreed" for engine in engines} for one in types}
        if lost:
            cells["interval_months"]["datafusion"] = "ACCUSED: it answers"
        return cells

    monkeypatch.setattr(answers, "cells_of_engines", cells_of_engines)
    cells = answers.table(["uuid", "interval_months", "list"], ("pyarrow", "duckdb", "datafusion"))
    assert asked == [["uuid", "interval_months", "list"], ["uuid", "list"]]
    found = {(name, engine): cell for name, of in cells.items() for engine, cell in of.items() if cell != "agreed"}
    assert found == {("interval_months", "datafusion"): "ACCUSED: it answers"}


@pytest.mark.long
def test_a_refusal_is_the_reason_alone() -> None:
    (cells,) = answers.cells_of_engines(["uuid"], ("sqlite",)).values()
    assert cells["sqlite"] == "refused: unsupported: SQLite has no type for extension<arrow.uuid>"


@pytest.mark.long
@pytest.mark.parametrize("types", [FLAT, NESTED])
def test_further_types_and_engines_agree(types: list[str]) -> None:
    found = answers.table(types, ("pyarrow", "duckdb", "chdb", "polars", "datafusion"))
    accused = {key: cell for key, cell in others(found).items() if not cell.startswith("refused")}
    # DataFusion reads the days and the time of an interval, and leaves the months out.
    assert set(accused) <= {("interval_months", "datafusion")}
