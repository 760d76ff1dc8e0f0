"""Findings: what weigh has to say about an experiment, as data with a code of the registry."""

from __future__ import annotations

from typing import Literal, NewType

import msgspec

Severity = Literal["note", "warning", "error"]
Code = NewType("Code", str)
"""A code of :mod:`weigh.model.codes`, the only place where codes are made."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing said about an experiment. Made from an entry of the registry: ``codes.A9_ENABLED.finding(...)``.

    Attributes:
        code: of the registry.
        severity: ``note`` changes nothing, ``warning`` weakens the result, ``error`` forbids part of it.
        text: one or two sentences.
        remedy: what to do about it.
        contender: the contender concerned, if one is.
        operation: the operation concerned, if one is.
    """

    code: Code
    severity: Severity
    text: str
    remedy: str
    contender: str | None = None
    operation: str | None = None
