"""What adding evidence to a history came to, as JSON (schema ``weigh/history-add/1``)."""

from __future__ import annotations

import msgspec

from weigh.model.finding import Finding


class AddedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One evidence.

    Attributes:
        id: BLAKE3 of its seal.
        evidence: name of its directory.
        kind: of evidence.
        points: that a history has of it.
        added: false where it was there already.
        left_out: what of it has no series, and why.
    """

    id: str
    evidence: str
    kind: str
    points: int
    added: bool
    left_out: tuple[str, ...]


class RefusedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was not added.

    Attributes:
        path: of it.
        what: why not.
        remedy: what to do.
    """

    path: str
    what: str
    remedy: str


class AddedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        folder: of the history.
        added: in the order in which they were named.
        refused: what was not added.
        findings: on attempts of the same comparisons.
    """

    folder: str
    added: tuple[AddedRow, ...]
    refused: tuple[RefusedRow, ...]
    findings: tuple[Finding, ...]
