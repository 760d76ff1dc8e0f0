"""Templates of a suite by SQL: what is printed, and the tables that ``templates.sql`` computes them from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.model.verdict import Verdict
from weigh.recount import student_t

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

QUERY = "FROM template ORDER BY ALL;"
"""What is asked of the view that the script makes."""


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a template in verdicts.json."""

    operations: tuple[str, ...]
    verdict: Verdict


def units(one: Verdict) -> int:
    """What an interval is over: starts, or groups of them that share a build."""
    return one.starts if one.rebuilt is msgspec.UNSET else one.rebuilt.builds


def script(
    printed: Sequence[Printed], templates: Mapping[str, Sequence[str]], level: float, text: Callable[[str], str]
) -> str:
    """The SQL that makes the view.

    Args:
        printed: templates of the report; there is at least one.
        templates: the operations of each, as the workload has them.
        level: of the intervals.
        text: a text as SQL writes it.
    """
    members = ", ".join(
        f"({text(name)}, {text(operation)}, {len(operations)})"
        for name, operations in templates.items()
        for operation in operations
    )
    quantiles = ", ".join(
        f"({text(one.operation)}, {text(one.temperature)}, {text(one.contender)}, {units(one) - 1}, "
        f"{student_t.quantile(1 - (1 - level) * one.share, units(one) - 1)!r})"
        for one in (row.verdict for row in printed)
        if units(one) > 1
    )
    return "\n".join(
        (
            "-- Which operations are one statement with other values.",
            f"CREATE TEMP TABLE member(template, operation, members) AS VALUES {members or _NOBODY};\n",
            f"CREATE TEMP TABLE template_student(template, temperature, contender, freedom, quantile) AS VALUES "
            f"{quantiles or _NO_INTERVAL};",
            Path(__file__).with_name("templates.sql").read_text(),
        )
    )


_NOBODY = "('', '', 1)"
_NO_INTERVAL = "('', '', '', 1, NULL)"
"""Where there is none at all."""
