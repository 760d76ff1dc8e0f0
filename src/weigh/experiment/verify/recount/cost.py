"""What answers cost, by SQL: what is printed, and the tables that ``cost.sql`` computes it from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.model.verdict import Verdict
from weigh.recount import student_t

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weigh.model.metrics.price import Price

ROWS, RATIOS = "FROM cost_row ORDER BY ALL;", "FROM cost_ratio ORDER BY ALL;"
"""The statements that read the views that the script makes."""
_PER = ("bytes", "seconds", "credits", "queries")


class PrintedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one execution costs, or one of every operation, as printed."""

    operation: str | None
    contender: str
    temperature: str
    mean: float
    low: float | None
    high: float | None
    starts: int


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the costs in verdicts.json that is computed again."""

    rows: tuple[PrintedRow, ...] = ()
    suites: tuple[Verdict, ...] = ()


def prices(declared: Mapping[str, Price], text: Callable[[str], str]) -> str:
    """The table of prices: money for one unit of each quantity, NULL where it is not charged for."""
    rows = []
    for name, price in declared.items():
        money = {one: sum(term.money for term in price.terms if term.quantity == one) for one in _PER}
        rows.append(f"({text(name)}, {', '.join(f'{money[one]!r}::DOUBLE' if money[one] else 'NULL' for one in _PER)})")
    none = "('', NULL::DOUBLE, NULL::DOUBLE, NULL::DOUBLE, NULL::DOUBLE)"
    return (
        f"CREATE TEMP TABLE price(contender, {', '.join(f'per_{one}' for one in _PER)}) AS VALUES "
        f"{', '.join(rows) or none};\n"
    )


def script(printed: Printed, level: float, text: Callable[[str], str]) -> str:
    """The SQL that makes the views.

    Args:
        printed: costs of the report.
        level: of the intervals.
        text: a text as SQL writes it.
    """
    most = max((one.starts for one in printed.rows), default=1)
    quantiles = ", ".join(f"({freedom}, {student_t.quantile(level, freedom)!r})" for freedom in range(1, most))
    members = ", ".join(f"({text(name)})" for name in {one.operation: 0 for one in printed.rows if one.operation})
    return "\n".join(
        (
            "-- The operations, and half-widths of intervals in standard errors.",
            f"CREATE TEMP TABLE cost_member(operation) AS VALUES {members or ('(' + text('') + ')')};",
            f"CREATE TEMP TABLE cost_student(freedom, quantile) AS VALUES {quantiles or '(1, NULL)'};",
            Path(__file__).with_name("cost.sql").read_text(),
        )
    )
