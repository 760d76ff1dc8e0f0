"""The record of a reproduction: which evidence it is of, and which was measured for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import files, verification
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "weigh/reproduction/1"
JSON = "reproduction.json"
BUNDLE = "original.weigh"
RUN, LOAD = "run", "load"
"""Kinds of evidence that are measured again."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """An evidence directory.

    Attributes:
        evidence: its name.
        seal: BLAKE3 of its seal.
    """

    evidence: str
    seal: str


class ReproductionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What cannot be computed from the two evidences.

    Attributes:
        schema: ``weigh/reproduction/1``.
        original: the evidence in the bundle that lies here.
        here: what was measured for it, in this directory.
        names: the name here of each contender of the original.
    """

    schema: str
    original: Place
    here: Place
    names: dict[str, str]


def is_reproduction(folder: Path) -> bool:
    """Whether a directory is that of a reproduction."""
    return files.is_regular(folder / JSON)


def read(folder: Path) -> ReproductionRecord:
    """The record.

    Raises:
        EvidenceFault: it cannot be read, or is something else.
    """
    path = folder / JSON
    try:
        written = files.decoded(files.content(path), ReproductionRecord)
    except (OSError, EvidenceFault) as error:
        raise EvidenceFault(
            f"the reproduction cannot be read: {error}", where=str(path), remedy="run weigh reproduce again"
        ) from error
    if written.schema != SCHEMA or not verification.is_name(written.here.evidence):
        raise EvidenceFault(f"not a {SCHEMA} document", where=str(path), remedy="run weigh reproduce again")
    return written


def measured(folder: Path) -> list[Path]:
    """The evidence that was measured for it; raises as :func:`read`."""
    return [folder / read(folder).here.evidence]
