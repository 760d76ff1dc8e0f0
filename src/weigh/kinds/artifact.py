"""What weigh writes that is no evidence, and what shows or uses it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_ARTIFACTS = {
    "why.json": ("why something changed", "{}/why.html"),
    "capture.json": ("a capture", "weigh load {} --target TARGET"),
    "obfuscation.json": ("obfuscated data", "weigh data describe {}"),
    ".history.json": ("a history", "weigh history show --from {}"),
}
"""By how a file in its directory ends."""


class Artifact(NamedTuple):
    """A directory that weigh wrote and that is no evidence.

    Attributes:
        path: as the user is to write it.
        what: it is, for people.
        shows: the file or the command that shows it.
    """

    path: Path
    what: str
    shows: str


def artifact(path: Path) -> Artifact | None:
    """What a directory is; None where weigh wrote nothing of these into it."""
    try:
        names = tuple(one.name for one in path.iterdir()) if path.is_dir() else ()
    except OSError:
        return None
    for end, (what, shows) in _ARTIFACTS.items():
        if any(name.endswith(end) for name in names):
            return Artifact(path, what, shows.format(shlex.quote(str(path))))
    return None
