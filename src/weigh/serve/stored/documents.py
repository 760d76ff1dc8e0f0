"""Which document each kind of evidence keeps, and reading it as anybody may have made it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from weigh._native import hash_bytes
from weigh.evidence import files, seal
from weigh.experiment.report.files import VERDICTS
from weigh.kinds.table import LADDER, LOAD, LOAD_COMPARISON, LOAD_LADDER, REPRODUCTION, RUN, STREAMS
from weigh.load.comparison.report.files import JSON as COMPARISON
from weigh.load.report.files import JSON as LOADED
from weigh.model.errors import EvidenceFault
from weigh.model.verdict import TierName
from weigh.serve.stored.ladder import StoredLadder, StoredLoadLadder
from weigh.serve.stored.load import StoredLoad, StoredLoadComparison
from weigh.serve.stored.reproduction import StoredReproduction
from weigh.serve.stored.run import StoredRun
from weigh.serve.stored.streams import StoredStreams

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.kinds.kind import Kind
    from weigh.serve.stored.summary import Evidence, Figure, Summary


class Sealed(StrEnum):
    """What is known of the seal without reading the evidence.

    Attributes:
        SEALED: there is a seal, and the document is the one that it names.
        ALTERED: there is a seal, and the document is another one, or is missing.
        OPEN: there is none: it was killed, or is going on.
        NONE: such evidence has no seal of its own; its rungs have.
    """

    SEALED = "sealed"
    ALTERED = "altered"
    OPEN = "not sealed"
    NONE = "by its rungs"


class _Document(NamedTuple):
    file: str
    read_as: type[Any]
    sealed: bool = True


_DOCUMENTS = {
    RUN.name: _Document(VERDICTS, StoredRun),
    LOAD.name: _Document(LOADED, StoredLoad),
    LOAD_COMPARISON.name: _Document(COMPARISON, StoredLoadComparison),
    STREAMS.name: _Document(VERDICTS, StoredStreams),
    REPRODUCTION.name: _Document(REPRODUCTION.file, StoredReproduction),
    LADDER.name: _Document(LADDER.file, StoredLadder, sealed=False),
    LOAD_LADDER.name: _Document(LOAD_LADDER.file, StoredLoadLadder, sealed=False),
}


def file_of(kind: Kind[Any, Any]) -> str:
    """The name of the kept document."""
    return _DOCUMENTS[kind.name].file


def summary(folder: Path, kind: Kind[Any, Any]) -> tuple[Summary | None, Sealed]:
    """What the kept document says, and whether it is the one that was sealed.

    Returns:
        None where there is none yet, or it is not what was sealed.

    Raises:
        EvidenceFault: it is no such document.
    """
    document, sealed = _read(folder, kind)
    if document is None or sealed is Sealed.ALTERED:
        return None, sealed
    found = document.summary()
    # It is a class of the page, and a choice of the list.
    known = found.tier if found.tier in set(map(str, TierName)) else None
    return msgspec.structs.replace(found, tier=known), sealed


def figures(folder: Path, kind: Kind[Any, Any]) -> list[Figure]:
    """What an evidence has to show alongside another; empty where nothing is kept, or not what was sealed.

    Raises:
        EvidenceFault: it is no such document.
    """
    document, sealed = _read(folder, kind)
    return document.figures() if document and sealed is not Sealed.ALTERED else []


def _read(folder: Path, kind: Kind[Any, Any]) -> tuple[Evidence | None, Sealed]:
    document = _DOCUMENTS[kind.name]
    named = seal.read_seal(folder).files if document.sealed and (folder / seal.SEAL).exists() else None
    absent = Sealed.NONE if not document.sealed else Sealed.OPEN if named is None else Sealed.ALTERED
    try:
        content = files.content(folder / document.file)
    except FileNotFoundError:
        return None, absent
    except OSError as error:
        raise EvidenceFault(f"{document.file} cannot be read: {error.strerror}", where=str(folder)) from error
    if named is not None:
        absent = Sealed.SEALED if named.get(document.file) == hash_bytes(content) else Sealed.ALTERED
    return cast("Evidence", files.decoded(content, document.read_as)), absent
