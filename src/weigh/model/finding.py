"""Findings: what weigh has to say about an experiment, as data with a code of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity = Literal["note", "warning", "error"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing said about an experiment.

    Attributes:
        code: of the catalogue (docs/reference/findings.md): an id of a lie (docs/reference/lies.md) with a suffix for
            the kind, ``A9.enabled``, or ``X...`` for what only concerns the environment.
        severity: ``note`` changes nothing, ``warning`` weakens the result, ``error`` forbids part of it and exits 1.
        text: one or two sentences.
        remedy: what to do about it.
        contender: the contender concerned; None where it is not about one.
        operation: the operation concerned; None likewise.
    """

    code: str
    severity: Severity
    text: str
    remedy: str
    contender: str | None = None
    operation: str | None = None


DISQUALIFYING = ("A4.rows", "A5.lazy", "A6.prepare", "A9.enabled", "A9.detected")
"""Findings after which a contender is not compared at all: its times would not be those of the work."""


def disqualified(findings: Iterable[Finding]) -> dict[str, Finding]:
    """Contenders that are not compared, with the finding that forbids it."""
    found: dict[str, Finding] = {}
    for finding in findings:
        if finding.contender and finding.code in DISQUALIFYING and finding.severity == "error":
            found.setdefault(finding.contender, finding)
    return found
