"""The kinds of evidence, in one table: how each is recognised, read, shown and verified.

The commands and :func:`weigh.open` ask this table. What a kind needs is imported when it is asked for, so that the
table itself costs nothing.
"""

from __future__ import annotations

import shlex
from itertools import islice
from typing import TYPE_CHECKING, Any

from weigh._kinds.kind import Found, Kind, Results
from weigh._kinds.ladders import LadderKind, LoadLadderKind
from weigh._kinds.loads import LoadComparisonKind, LoadKind
from weigh._kinds.run import RunKind

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.model.errors import EvidenceFault

__all__ = [
    "KINDS",
    "LADDER",
    "LOAD",
    "LOAD_COMPARISON",
    "LOAD_LADDER",
    "RUN",
    "Found",
    "Kind",
    "Results",
    "kind_of",
    "recognised",
]

RUN = RunKind()
LADDER, LOAD_LADDER = LadderKind(), LoadLadderKind()
LOAD, LOAD_COMPARISON = LoadKind(), LoadComparisonKind()

KINDS: tuple[Kind[Any, Any], ...] = (LADDER, LOAD_LADDER, LOAD_COMPARISON, LOAD, RUN)
"""In the order in which they are asked: a run is what has a journal and is no load's."""
_LOOKED_AT = 1000
"""Entries of a directory that is no evidence, to see whether it is a folder of evidence."""


def recognised(folder: Path) -> Kind[Any, Any] | None:
    """The kind of a directory; None where there is no evidence in it."""
    return next((kind for kind in KINDS if kind.recognises(folder)), None)


def kind_of(folder: Path) -> Kind[Any, Any]:
    """The kind of an evidence directory.

    Raises:
        EvidenceFault: there is no such directory, or no evidence in it.
    """
    from weigh.model.errors import EvidenceFault

    if folder.is_file():
        raise EvidenceFault("it is a file", where=str(folder), remedy="name the directory that weigh run printed")
    if not folder.is_dir():
        raise EvidenceFault("there is no such directory", where=str(folder), remedy="weigh run prints the path")
    if (kind := recognised(folder)) is None:
        raise _no_evidence(folder)
    return kind


def _no_evidence(folder: Path) -> EvidenceFault:
    """What a directory is instead."""
    from weigh._beside import beside
    from weigh.model.errors import EvidenceFault

    if found := beside(folder):
        return EvidenceFault(f"it is {found.what}, and no evidence", where=str(folder), remedy=found.shows)
    if _around(folder):
        inside = shlex.quote(str(folder / "latest"))
        return EvidenceFault(
            "it is a folder of evidence, and no evidence itself", where=str(folder), remedy=f"{inside} is the newest"
        )
    return EvidenceFault(
        f"there is no evidence in it: no journal and no {LADDER.file}",
        where=str(folder),
        remedy="weigh run prints the path",
    )


def _around(folder: Path) -> bool:
    """Whether directories of it are evidence."""
    try:
        return any(one.is_dir() and recognised(one) for one in islice(folder.iterdir(), _LOOKED_AT))
    except OSError:
        return False
