"""Folders that are measured: what a contender is, where it is no package."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.contender import Setting

CONTENTS = "weigh.contents"
"""Setting by which an adapter is told the hash of the folder's files: with other files it is another contender."""
_LARGEST = 4 << 20
"""Bytes of a file that is hashed; of larger ones, which no script is, the size counts."""
_NOT_ITS = ("results", ".git")


def found(key: str, settings: Mapping[str, Setting], contender: str) -> dict[str, Setting]:
    """The folder as an absolute path, and the hash of what is in it.

    Args:
        key: the setting that names it.
        settings: of the contender.
        contender: its name, for errors.

    Raises:
        UsageError: it is not named, or is no folder.
    """
    named = str(settings.get(key, ""))
    folder = Path(named).expanduser().resolve()
    if not named or not folder.is_dir():
        raise UsageError(
            f"'{named}' is no folder" if named else f"it names no folder ({key})",
            where=f"contender {contender}",
            remedy="write ENGINE:FOLDER, e.g. clickbench:./sqlite",
        )
    hashed = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and inside.parts[0] not in _NOT_ITS:
            size = path.stat().st_size
            hashed.update(f"{inside}\0{size}\0".encode())
            hashed.update(path.read_bytes() if size <= _LARGEST else b"")
    return {key: str(folder), CONTENTS: hashed.hexdigest()}
