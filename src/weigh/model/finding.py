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
        code: an id of the catalogue of lies with an optional suffix (``A9.enabled``), or ``X...``
            for what only concerns the environment.
        severity: ``note`` changes nothing, ``warning`` weakens the result, ``error`` forbids part of it.
        text: one or two sentences.
        remedy: what to do about it.
        contender: the contender concerned, if one is.
        operation: the operation concerned, if one is.
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
