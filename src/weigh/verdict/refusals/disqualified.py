"""Contenders that are not compared at all, because their times would not be those of the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.codes.code import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.model.finding import Finding

DISQUALIFYING = frozenset(one.code for one in codes.REGISTRY.values() if isinstance(one, Fixed) and one.disqualifies)
WITHHOLDING = frozenset(one.code for one in codes.REGISTRY.values() if isinstance(one, Fixed) and one.withholds)


def disqualified(findings: Iterable[Finding]) -> dict[str, Finding]:
    """Contenders that are not compared, with the finding that forbids it."""
    found: dict[str, Finding] = {}
    for finding in findings:
        if finding.contender and finding.code in DISQUALIFYING and finding.severity == "error":
            found.setdefault(finding.contender, finding)
    return found


def withheld(findings: Iterable[Finding]) -> dict[tuple[str, str], Finding]:
    """(contender, operation) pairs that are not compared, with the finding that forbids it."""
    found: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        if finding.contender and finding.operation and finding.code in WITHHOLDING:
            found.setdefault((finding.contender, finding.operation), finding)
    return found
