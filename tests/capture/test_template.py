"""Templates: what is a value of a statement, and what is left around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.capture.templates.template import Unreadable, of_sql

if TYPE_CHECKING:
    from weigh.capture.trace import Product


@pytest.mark.parametrize(
    "number", ["4_111", "0o17", "0o7_77", "0x1F_FF", "0b10_01", "1_000.5_5", "1_0e1_0", "1.5e-3", "-4_111", "5."]
)
def test_a_number_of_postgres_is_one_value(number: str) -> None:
    template, values = of_sql(f"SELECT a FROM t WHERE b = {number} AND c = 2", "postgres")
    assert (template.pieces, values) == (("SELECT a FROM t WHERE b = ", " AND c = ", ""), (number, "2"))


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT d ? 'k' FROM t WHERE a = 5", ("'k'", "5")),
        ("SELECT '{}'::jsonb ? 'k', (d) ? b FROM t WHERE a = 5", ("'{}'", "'k'", "5")),
        ("SELECT d ?| array['k'], d @? '$.a' FROM t WHERE d ?& array['l']", ("'k'", "'$.a'", "'l'")),
        ("SELECT a FROM t WHERE b = ? AND c IN (?, 5) LIMIT ? OFFSET ?", (0, 1, "5", 2, 3)),
        ("SELECT d ? ? FROM t WHERE b = ?", (0, 1, 2)),
    ],
)
def test_a_question_mark_between_operands_is_an_operator(sql: str, values: tuple[object, ...]) -> None:
    assert of_sql(sql, "postgres")[1] == values


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t /*!50000 WHERE a = 5 */",
        "SELECT /*M!100100 1 + */ 2 FROM t",
        "SELECT a FROM t /* one */ /*!40101 LIMIT 5 */ WHERE b = 1",
    ],
)
def test_sql_that_mysql_reads_in_a_comment_is_not_dropped(sql: str) -> None:
    with pytest.raises(Unreadable):
        of_sql(sql, "mysql")
    of_sql(sql, "postgres")


@pytest.mark.parametrize(
    ("sql", "product"),
    [
        ("SELECT /*!40001 SQL_NO_CACHE */ a FROM t WHERE b = 1", "mysql"),
        ("SELECT a FROM t WHERE b = 1 -- end", "mysql"),
        ("SELECT a FROM t WHERE b = 1 /* end */ ; ", "mysql"),
        ("SELECT a FROM 2024_sales WHERE b = 1", "mysql"),
    ],
)
def test_what_is_no_value_stays(sql: str, product: Product) -> None:
    template, values = of_sql(sql, product)
    assert values == ("1",)
    assert sql.startswith(template.pieces[0].rstrip())
