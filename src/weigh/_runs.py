"""A folder of evidence: what lies in it, and which is the newest."""

from __future__ import annotations

import datetime
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh import _kinds

if TYPE_CHECKING:
    from weigh._kinds import Kind

DEFAULT_OUT = Path("runs")
"""Where evidence goes and is looked for, unless the user says otherwise."""
LATEST = "latest"
"""Name of the newest evidence of a folder."""


_BESIDE = {
    "why.json": ("why something changed", "{}/why.html"),
    "capture.json": ("a capture", "weigh load {} --target TARGET"),
    "obfuscation.json": ("obfuscated data", "weigh data describe {}"),
    ".history.json": ("a history", "weigh history show --from {}"),
}
"""What weigh writes that is no evidence: by how a file in its directory ends, and what shows or uses it."""


class Beside(NamedTuple):
    """A directory of a folder that weigh wrote and that is no evidence.

    Attributes:
        path: as the user is to write it.
        what: it is, for people.
        shows: the file or the command that shows it.
    """

    path: Path
    what: str
    shows: str


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
            "there is no such directory", where=str(folder), remedy="name a folder that `weigh run` wrote evidence to"
        )
    found = [entry for path in folder.iterdir() if (entry := _entry(path))]
    # A ladder is written after its rungs, within one tick of the clock maybe; the name decides between equals.
    return sorted(found, key=lambda one: (one.written, one.path.name), reverse=True)


def beside(folder: Path) -> list[Beside]:
    """What else weigh wrote into a folder of evidence, by name."""
    return [found for path in sorted(folder.iterdir()) if (found := _beside(path))]


def resolve(evidence: Path) -> Path:
    """The directory that a user names: ``latest`` is the newest of ``runs``, and ``DIR/latest`` that of DIR.

    A directory that is called so is meant itself.

    Raises:
        EvidenceFault: there is no evidence to be the latest.
    """
    from weigh.model.errors import EvidenceFault

    if evidence.name != LATEST or evidence.exists():
        return evidence
    folder = DEFAULT_OUT if evidence == Path(LATEST) else evidence.parent
    found = entries(folder)
    if not found:
        raise EvidenceFault(
            "there is no evidence in it", where=str(folder), remedy="weigh run makes some; DIR/latest is that of DIR"
        )
    return found[0].path


def _entry(path: Path) -> Entry | None:
    """What recorded nothing, and what was removed meanwhile, is none."""
    try:
        if path.is_dir() and (kind := _kinds.recognised(path)) is not None and _recorded(path, kind):
            return Entry(path, kind, _written(path, kind))
    except (FileNotFoundError, NotADirectoryError):
        pass
    return None


def _beside(path: Path) -> Beside | None:
    try:
        # A link leads elsewhere.
        names = tuple(one.name for one in path.iterdir()) if path.is_dir() and not path.is_symlink() else ()
        for end, (what, shows) in _BESIDE.items():
            if any(name.endswith(end) for name in names) and _kinds.recognised(path) is None:
                return Beside(path, what, shows.format(shlex.quote(str(path))))
    except OSError:
        pass
    return None


def _recorded(path: Path, kind: Kind[Any, Any]) -> bool:
    """As attempts are counted: what was sealed did record something."""
    from weigh.evidence import journal
    from weigh.evidence.seal import SEAL

    return kind.file != journal.NAME or journal.begun(path) or (path / SEAL).exists()


def _written(path: Path, kind: Kind[Any, Any]) -> datetime.datetime:
    file = path / kind.file
    return datetime.datetime.fromtimestamp((file if file.exists() else path).stat().st_mtime, datetime.UTC)
