"""A folder of evidence: what lies in it, and which is the newest."""

from __future__ import annotations

from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.kinds.artifact import artifact
from weigh.kinds.table import recognised

if TYPE_CHECKING:
    import datetime

    from weigh.kinds.artifact import Artifact
    from weigh.kinds.kind import Kind

DEFAULT_OUT = Path("runs")
"""Where evidence goes and is looked for, unless the user says otherwise."""
LATEST = "latest"
"""Name of the newest evidence of a folder."""


_SHORTEST_ID = 4
"""Characters of an id that stand for it."""
_NESTED = 4
"""Directories around evidence, at most: archives are unpacked into folders of their own."""


class Entry(NamedTuple):
    """An evidence directory of a folder.

    Attributes:
        path: as the user is to write it.
        kind: what it is.
        written: when something was recorded in it last, in UTC.
    """

    path: Path
    kind: Kind[Any, Any]
    written: datetime.datetime


def entries(folder: Path) -> list[Entry]:
    """The evidence of a folder, the newest first. What recorded nothing is left out.

    Raises:
        EvidenceFault: there is no such folder.
    """
    from weigh.model.errors import EvidenceFault

    if not folder.is_dir():
        raise EvidenceFault(
            "there is no such directory",
            where=str(folder),
            remedy="weigh run, weigh load and weigh demo write evidence to runs; or name a folder that has some",
        )
    found = [entry for path in folder.iterdir() if (entry := _entry(path))]
    # A ladder is written after its rungs, within one tick of the clock maybe; the name decides between equals.
    return sorted(found, key=lambda one: (one.written, one.path.name), reverse=True)


def artifacts(folder: Path) -> list[Artifact]:
    """What else weigh wrote into a folder of evidence, by name."""
    return [found for path in sorted(folder.iterdir()) if _is_none(path) and (found := artifact(path))]


def resolve(evidence: Path) -> Path:
    """The directory that a user names.

    ``latest`` is the newest of ``runs`` in which anything was answered or measured, and ``DIR/latest`` that of DIR.

    What is no path from here is looked for in ``runs``: a directory of that name, or the newest attempt whose id begins
    so. A directory that is called so is meant itself. One that holds a single directory and nothing else, as archives
    are unpacked, stands for that one, and a bundle for the evidence in it.

    Raises:
        EvidenceFault: there is no evidence to be the latest, the ids of several experiments begin so, or a bundle
            cannot be unpacked.
    """
    from weigh.model.errors import EvidenceFault

    if evidence.is_file():
        from weigh.evidence import bundle

        return bundle.opened(evidence) if bundle.is_bundle(evidence) else evidence
    if evidence.exists() or evidence.name != LATEST:
        return _unpacked(evidence if evidence.exists() else _in_runs(evidence))
    folder = DEFAULT_OUT if evidence == Path(LATEST) else evidence.parent
    found = entries(folder)
    if not found:
        raise EvidenceFault(
            "there is no evidence in it", where=str(folder), remedy="weigh run makes some; DIR/latest is that of DIR"
        )
    return next((one.path for one in found if not _came_to_nothing(one)), found[0].path)


def passed_over(latest: Path) -> list[Path]:
    """Attempts that are newer than what ``latest`` stands for: each ended before anything was answered or measured."""
    newer = takewhile(lambda one: one.path != latest, entries(latest.parent))
    return [one.path for one in newer if _came_to_nothing(one)]


def _came_to_nothing(entry: Entry) -> bool:
    from weigh.evidence import journal

    return entry.kind.file == journal.NAME and journal.came_to_nothing(entry.path)


def _in_runs(name: Path) -> Path:
    """The evidence of ``runs`` of that name or id; the path itself where there is none.

    Raises:
        EvidenceFault: the ids of several experiments begin so.
    """
    from weigh.evidence import naming
    from weigh.model.errors import EvidenceFault

    text = str(name)
    if len(name.parts) != 1 or not DEFAULT_OUT.is_dir():
        return name
    if (DEFAULT_OUT / name).is_dir():
        return DEFAULT_OUT / name
    if len(text) < _SHORTEST_ID:
        return name
    named = [(one.path, naming.parsed(one.path.name)) for one in entries(DEFAULT_OUT)]
    begun = [(path, found.experiment) for path, found in named if found and found.experiment.startswith(text)]
    if len({experiment for _, experiment in begun}) > 1:
        ids = ", ".join(sorted({experiment for _, experiment in begun}))
        raise EvidenceFault(
            f"several ids begin so: {ids}", where=text, remedy="write one of them; weigh runs lists all"
        )
    return begun[0][0] if begun else name


def _unpacked(folder: Path) -> Path:
    """The evidence inside of directories that hold nothing else; the folder itself where there is none."""
    inner = folder
    for _ in range(_NESTED):
        if not inner.is_dir() or recognised(inner) is not None:
            break
        inside = list(islice(inner.iterdir(), 2))
        if len(inside) != 1 or inside[0].is_symlink():
            return folder
        inner = inside[0]
    return inner if inner.is_dir() and recognised(inner) is not None else folder


def _entry(path: Path) -> Entry | None:
    """What recorded nothing, and what was removed meanwhile, is none."""
    try:
        if path.is_dir() and (kind := recognised(path)) is not None and _recorded(path, kind):
            return Entry(path, kind, _written(path, kind))
    except (FileNotFoundError, NotADirectoryError):
        pass
    return None


def _is_none(path: Path) -> bool:
    # A link leads elsewhere.
    try:
        return not path.is_symlink() and recognised(path) is None
    except OSError:
        return False


def _recorded(path: Path, kind: Kind[Any, Any]) -> bool:
    """As attempts are counted: what was sealed did record something."""
    from weigh.evidence import journal
    from weigh.evidence.seal import SEAL

    return kind.file != journal.NAME or journal.begun(path) or (path / SEAL).exists()


def _written(path: Path, kind: Kind[Any, Any]) -> datetime.datetime:
    from weigh.evidence import naming

    return naming.written(path, kind.file if (path / kind.file).exists() else ".")
