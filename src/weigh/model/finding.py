"""Findings: what weigh has to say about an experiment, as data with a code of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NewType

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity = Literal["note", "warning", "error"]
Code = NewType("Code", str)
"""A code of :mod:`weigh.model.codes`, the only place where codes are made."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing said about an experiment. Made from an entry of the registry: ``codes.A9_ENABLED.finding(...)``.

    Attributes:
        code: of the registry (docs/reference/findings.md): the id of a lie (docs/reference/lies.md), with a suffix
            for the kind, ``A9.enabled``; or ``X...`` for what only concerns the environment.
        severity: ``note`` changes nothing, ``warning`` weakens the result, ``error`` forbids part of it and exits 1.
        text: one or two sentences.
        remedy: what to do about it.
        contender: the contender concerned; None where it is not about one.
        operation: the operation concerned; None likewise.
    """

    code: Code
    severity: Severity
    text: str
    remedy: str
    contender: str | None = None
    operation: str | None = None


_ORDER = ("error", "warning", "note")


def gravest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors, then warnings, then notes, each in the order in which they came."""
    return tuple(sorted(findings, key=lambda one: _ORDER.index(one.severity)))
