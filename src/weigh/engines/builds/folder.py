"""Folders: the hash of what is in one."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

LEFT_OUT = frozenset({".git", ".hg", ".venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"})
"""What lies in a folder of sources and is no source."""


def content(folder: Path, where: str) -> str:
    """SHA-256 of the names, modes and contents of a folder's files, in the order of their names.

    Raises:
        UsageError: one of them cannot be read.
    """
    whole = hashlib.sha256()
    try:
        for path in _files(folder):
            name = os.fsencode(path.relative_to(folder))
            if path.is_symlink():
                whole.update(b"link\0" + name + b"\0" + os.fsencode(path.readlink()) + b"\0")
                continue
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            kind = b"program" if path.stat().st_mode & 0o100 else b"file"
            whole.update(kind + b"\0" + name + b"\0" + digest.encode() + b"\0")
    except OSError as error:
        raise UsageError(
            f"{error.filename or folder} cannot be read: {error.strerror}", where=where, remedy="make it readable"
        ) from None
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        raise error

    for place, folders, files in os.walk(folder, onerror=fail):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and name not in links)
        for name in sorted([*files, *links]):
            path = Path(place) / name
            # A socket or a pipe is no source, and reading one waits for ever.
            if path.is_symlink() or path.is_file():
                yield path
