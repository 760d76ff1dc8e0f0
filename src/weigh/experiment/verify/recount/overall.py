"""Overall verdicts by SQL: what is printed, and the tables that ``overall.sql`` computes them from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.model.verdict import Verdict
from weigh.recount import student_t

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

QUERY = "FROM overall ORDER BY ALL;"
"""The statement that reads the view that the script makes."""


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an overall verdict in verdicts.json that is computed again."""

    operations: tuple[str, ...]
    verdict: Verdict


def script(printed: Sequence[Printed], baseline: str, level: float, text: Callable[[str], str]) -> str:
    """The SQL that makes the view.

    Args:
        printed: overall verdicts of the report; there is at least one.
        baseline: of the experiment.
        level: of the intervals.
        text: a text as SQL writes it.
    """
    members = {(row.verdict.temperature, operation) for row in printed for operation in row.operations}
    listed = ", ".join(f"({text(temperature)}, {text(operation)})" for temperature, operation in sorted(members))
    pairs = ", ".join(
        f"({text(one.contender)}, {text(one.baseline)}, {text(one.temperature)}, {one.starts - 1}, "
        f"{student_t.quantile(1 - (1 - level) * one.share, one.starts - 1)!r})"
        for one in (row.verdict for row in printed)
        if one.starts > 1 and one.rebuilt is msgspec.UNSET
    )
    return "\n".join(
        (
            "-- The operations that all contenders can do, and which two are compared.",
            f"CREATE TEMP TABLE common(temperature, operation) AS VALUES {listed or _NOTHING};",
            f"CREATE TEMP TABLE compared(contender, other, temperature, freedom, quantile) AS VALUES "
            f"{pairs or _NOBODY};\n",
            Path(__file__).with_name("overall.sql").read_text(),
        )
    )


_NOTHING = "('', '')"
_NOBODY = "('', '', '', 1, NULL)"
"""Where there is none at all."""
