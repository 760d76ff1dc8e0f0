"""What ``weigh data`` prints as JSON, but for ``schema`` (docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.data.layout.difference import Written
from weigh.data.layout.page_checksums import PageChecks
from weigh.data.reproducible import Reproduction
from weigh.model.dataset import FileFacts, Manifest
from weigh.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.errors import WeighError


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A file that could not be read.

    Attributes:
        path: of it.
        what: why not.
        remedy: what to do.
    """

    path: str
    what: str
    remedy: str


class DigestDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``data digest``.

    Attributes:
        files: that were read.
        digest: of their rows, independent of order and layout.
    """

    files: tuple[str, ...]
    digest: str


class FilesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``data describe``.

    Attributes:
        files: what each of them is; its ``table`` is ``"table"``.
        unread: those that could not be read; absent where all could.
    """

    files: list[FileFacts]
    unread: list[Unread] | msgspec.UnsetType = msgspec.UNSET


class CheckDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``data check``.

    Attributes:
        passed: whether every file could be read, and nothing differs.
        files: pages of each of them.
        findings: what differs: ``D4.page``, ``D4.header``, ``D8.missing``, ``D8.size``, ``D8.damaged``, ``D8.rows``,
            ``D8.bytes``, ``D8.manifest``.
        unread: files that could not be read; absent where all could.
    """

    passed: bool
    files: tuple[PageChecks, ...]
    findings: tuple[Finding, ...]
    unread: list[Unread] | msgspec.UnsetType = msgspec.UNSET


class Matched(msgspec.Struct, frozen=True, kw_only=True):
    """How a dataset fits the file that it was made like.

    Attributes:
        lacks: what the file shows and the writer cannot set, as sentences.
        written: the file on the left, what was made on the right.
    """

    lacks: tuple[str, ...]
    written: Written | None


class MadeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``data make``.

    Attributes:
        folder: of the files.
        manifest: which lies there as ``manifest.json``.
        match: with ``--match``.
        reproduction: with ``--reproducible``.
    """

    folder: str
    manifest: Manifest
    match: Matched | msgspec.UnsetType = msgspec.UNSET
    reproduction: Reproduction | msgspec.UnsetType = msgspec.UNSET


def document(schema: str, made: msgspec.Struct) -> dict[str, Any]:
    """A document as it is printed."""
    return {"schema": schema, **msgspec.to_builtins(made)}


def unread(faults: Sequence[WeighError]) -> list[Unread] | msgspec.UnsetType:
    """What is reported of files that could not be read; absent where there are none."""
    return [Unread(path=one.where, what=one.what, remedy=one.remedy) for one in faults] or msgspec.UNSET
