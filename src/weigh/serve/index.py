"""The evidence of a folder as rows: read when the list is asked for, and what has not changed only once."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import files, naming, seal
from weigh.evidence.attempts import history_folders
from weigh.evidence.seal import SEAL
from weigh.evidence.verification import uncomputable
from weigh.kinds.folder import artifacts, entries
from weigh.kinds.table import kind_of
from weigh.model.errors import EvidenceFault
from weigh.model.text import one_line
from weigh.serve.stored import documents, wrong_answers
from weigh.serve.stored.documents import Sealed
from weigh.serve.stored.summary import UNFINISHED, Judged

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weigh.kinds.artifact import Artifact
    from weigh.kinds.folder import Entry
    from weigh.kinds.kind import Kind

_Stamp = tuple[tuple[int, int, int], ...]
"""Of every file that a row is made from: when it was written, its size, and which it is."""
_ALTERED = "its kept report is not what was sealed: see weigh verify"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One evidence in the list.

    Attributes:
        name: of its directory.
        kind: in one word.
        written: when something was recorded last, ISO 8601 in UTC.
        workload: its name; empty where that cannot be read.
        about: whose evidence it is; empty likewise.
        end: how it ended; None where it was killed, or goes on.
        says: the question answered in one line.
        error: why it cannot be read; empty where it can.
        sealed: what is known of its seal.
        tier: what it is good for; None where nothing was timed, or that is not known.
        contenders, operations, verdicts: as of :class:`weigh.serve.stored.summary.Summary`.
    """

    name: str
    kind: str
    written: str
    workload: str = ""
    about: str = ""
    end: str | None = None
    says: str = ""
    error: str = ""
    sealed: Sealed = Sealed.OPEN
    tier: str | None = None
    contenders: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    verdicts: tuple[Judged, ...] = ()
    wrong: str = ""


class _Rung(msgspec.Struct):
    evidence: str


class _Ladder(msgspec.Struct):
    rungs: list[_Rung]


class Index:
    """The evidence of a folder. Several threads may ask at once.

    Args:
        folder: whose evidence it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows: dict[str, tuple[_Stamp, Row]] = {}
        self._shared: dict[Any, Any] = {}
        self._lock = threading.Lock()

    def entries(self) -> list[Entry]:
        """What there is now, the newest first.

        Raises:
            EvidenceFault: the folder is gone.
        """
        return [one for one in entries(self.folder) if not one.path.is_symlink()]

    def rows(self, entries: Iterable[Entry]) -> list[Row]:
        """Their rows. Each is read when it is asked for first, and again once it has changed."""
        with self._lock:
            return [self._row(entry) for entry in entries]

    def artifacts(self) -> list[Artifact]:
        """What else weigh wrote into the folder."""
        return artifacts(self.folder)

    def find(self, name: str) -> tuple[Path, Kind[Any, Any]]:
        """An evidence by its name.

        Raises:
            EvidenceFault: there is none of that name in the folder.
        """
        # What the folder itself lists: no name leads out of it.
        found = next((one for one in self.folder.iterdir() if one.name == name), None)
        if found is None or found.is_symlink():
            raise EvidenceFault(
                "there is no such evidence", where=one_line(name, 200), remedy="the list shows what there is now"
            )
        return found, kind_of(found)

    def _row(self, entry: Entry) -> Row:
        key = entry.path.name
        stamp = tuple(_stamped(entry.path / file) for file in (entry.kind.file, documents.file_of(entry.kind), SEAL))
        known = self._rows.get(key)
        if known is None or known[0] != stamp:
            known = self._rows[key] = stamp, self._read(entry)
        return known[1]

    def _read(self, entry: Entry) -> Row:
        row = Row(
            name=entry.path.name,
            kind=entry.kind.name,
            written=entry.written.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        try:
            about = entry.kind.about(entry.path)
            row = msgspec.structs.replace(
                row, workload=one_line(about.workload, 200), about=one_line(about.about, 300), end=about.end
            )
            found, sealed = documents.summary(entry.path, entry.kind)
        except Exception as error:
            # One that somebody damaged must not hide the others.
            return msgspec.structs.replace(row, error=one_line(getattr(error, "what", None) or uncomputable(error)))
        if found is None:
            wrong = _ALTERED if sealed is Sealed.ALTERED else ""
            answers = wrong_answers.so_far(entry.path) if row.end is None and not wrong else ""
            return msgspec.structs.replace(row, sealed=sealed, error=wrong, says=_unfinished(row), wrong=answers)
        return msgspec.structs.replace(
            row,
            sealed=sealed,
            says=one_line(found.says, 400),
            wrong=found.wrong,
            tier=found.tier,
            contenders=self._once(found.contenders),
            operations=self._once(found.operations),
            verdicts=self._once(found.verdicts),
        )

    def _once(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The same values, each in memory once: thousands of evidences have the same operations."""
        return tuple(self._shared.setdefault(one, one) for one in values)


def check_inside(folder: Path) -> None:
    """That nothing that a page is made from is a link, which leads anywhere: of the evidence, its attempts and rungs.

    Raises:
        EvidenceFault: something is.
    """
    read = [folder, *history_folders(folder)]
    read += [naming.sibling(folder.parent, name) for name in _rungs(folder)]
    for one in read:
        if one.is_symlink() or any((one / name).is_symlink() for name in seal.foreign(one)):
            raise EvidenceFault(
                "it holds a link, and links are not followed here",
                where=one_line(one.name, 200),
                remedy="weigh report EVIDENCE reads it, where you trust whoever made it",
            )


def _rungs(folder: Path) -> list[str]:
    """Names of the evidence that a ladder is made from; none of anything else."""
    for name in ("ladder.json", "load-ladder.json"):
        with suppress(OSError, EvidenceFault):
            return [one.evidence for one in files.decoded(files.content(folder / name), _Ladder).rungs]
    return []


def _unfinished(row: Row) -> str:
    return UNFINISHED if row.end is None else "It has no report."


def _stamped(path: Path) -> tuple[int, int, int]:
    try:
        found = path.lstat()
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino
