"""Audit files and folders of published results."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.audit import claim
from weigh.audit.formats import registry
from weigh.audit.formats.others import other
from weigh.audit.rows import audited
from weigh.audit.text import Text
from weigh.evidence import bundle
from weigh.evidence.files import is_regular
from weigh.model.errors import DataFault, EvidenceFault, ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.audit.published import Published
    from weigh.audit.rows import Audited

MOST = 2000
"""Files of a folder that are looked at."""


class AuditResults(NamedTuple):
    """What came of it.

    Attributes:
        results: every result that was read.
        unread: files of a folder that have none of the forms, or cannot be read.
        beyond: whether a folder has more files than are looked at.
    """

    results: tuple[Audited, ...]
    unread: tuple[str, ...]
    beyond: bool

    def exit_code(self) -> ExitCode:
        """1 where a result contradicts itself."""
        return ExitCode.FOUND if any(one.contradicted for one in self.results) else ExitCode.OK


def audit(places: Sequence[Path], claims: Sequence[Path] = ()) -> AuditResults:
    """Read what is published, and say of each what it shows.

    Args:
        places: files, and folders of them.
        claims: questionnaires that were filled in.

    Raises:
        DataFault: a file that was named cannot be read or has no known form, or nothing of a folder has one.
        UsageError: a questionnaire is none.
    """
    results, unread, beyond = [audited(claim.read(path)) for path in claims], [], False
    for place in places:
        found, fault = 0, None
        files = list(islice(_files(place), MOST + 1))
        beyond = beyond or len(files) > MOST
        for path, name in files[:MOST]:
            try:
                read = _read(path, name, alone=not place.is_dir())
            except (DataFault, EvidenceFault) as error:
                if not place.is_dir():
                    raise
                # The other files of a folder are read all the same.
                read, fault = [], fault or error
            found += len(read)
            results += map(audited, read)
            if not read:
                unread.append(name)
        if not found:
            if fault:
                raise fault
            raise DataFault(
                "no form of a published result is recognised in it",
                where=str(place),
                remedy=f"known forms: {', '.join(one.name for one in registry.FORMS)}; "
                "raw numbers are for weigh judge, a PDF for weigh audit --claim",
            )
    return AuditResults(tuple(results), tuple(unread), beyond)


def _read(path: Path, name: str, *, alone: bool) -> list[Published]:
    """What a file shows; what it is, where that is nothing and it is the one that was named."""
    if bundle.is_bundle(path):
        return [one for inner, called in _files(bundle.opened(path)) for one in registry.read(Text(inner, called))]
    text = Text(path, name)
    read = registry.read(text)
    if not read and alone and (known := other(text)):
        raise DataFault(known.what, where=str(path), remedy=known.remedy)
    return read


def _files(place: Path) -> Iterator[tuple[Path, str]]:
    if not place.is_dir():
        yield place, place.name
        return
    for folder, folders, names in os.walk(place):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if is_regular(path) and not name.startswith("."):
                yield path, str(path.relative_to(place))
