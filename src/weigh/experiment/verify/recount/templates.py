"""Templates of a suite by SQL: what is printed, and the tables that ``templates.sql`` computes them from."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

import msgspec

from weigh.model.verdict import Verdict
from weigh.recount import student_t

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

QUERY = "FROM template ORDER BY ALL;"
"""What is asked of the view that the script makes."""
POOLED = "FROM pooled ORDER BY ALL;"
"""The same of operations with the help of their template's."""
_PART = 0.8
"""Part of the equivalence error that they have."""


class Pooled(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a pooled verdict in verdicts.json that is computed again."""

    operation: str
    ratio: float
    low: float
    high: float


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a template in verdicts.json."""

    operations: tuple[str, ...]
    verdict: Verdict
    pooled: tuple[Pooled, ...] | msgspec.UnsetType = msgspec.UNSET


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


def script_of_pooled(printed: Sequence[Printed], equivalence: float, text: Callable[[str], str]) -> str:
    """The SQL of operations with the help of their template's, after :func:`script`; empty where there are none.

    Args:
        printed: templates of the report.
        equivalence: error rate of SAME.
        text: a text as SQL writes it.
    """
    quantiles = []
    for one in (row.verdict for row in printed if row.pooled):
        error = _PART * equivalence * one.share
        student = student_t.quantile(1 - 2 * error, one.starts - 1)
        of = ", ".join(map(text, (one.operation, one.temperature, one.contender)))
        quantiles.append(f"({of}, {one.starts - 1}, {student!r}, {NormalDist().inv_cdf(1 - error)!r})")
    if not quantiles:
        return ""
    table = "CREATE TEMP TABLE pool_quantile(template, temperature, contender, freedom, student, normal)"
    return f"\n{table} AS VALUES {', '.join(quantiles)};\n" + Path(__file__).with_name("pooled.sql").read_text()


_NOBODY = "('', '', 1)"
_NO_INTERVAL = "('', '', '', 1, NULL)"
"""Where there is none at all."""
