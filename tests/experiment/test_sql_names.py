"""Names of tables are put in quotation marks where they must be, in what weigh itself asks."""

import pytest

from weigh.experiment.gate.frames import every_row, row_count


@pytest.mark.parametrize(
    ("table", "dialect", "named"),
    [
        ("orders", "duckdb", "orders"),
        ("order", "duckdb", '"order"'),
        ("Order", "mysql", "`Order`"),
        ("2024_sales", "polars", '"2024_sales"'),
    ],
)
def test_a_word_of_the_language_and_a_digit_in_front_are_quoted(table: str, dialect: str, named: str) -> None:
    assert every_row(table, dialect) == f"SELECT * FROM {named}"
    assert row_count(table, dialect) == f"SELECT count(*) AS n FROM {named}"
