"""The seal of a manifest of many parts: SHA-256 of its text, at its end.

Of data that one machine made every byte is hashed at each use. Of more the manifest is believed, so it must be what was
written. Who changes it on purpose can make another seal: this finds what was edited, cut or mixed up.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from pathlib import Path

FIRST_LINE = b'{"files":[\n'
"""What a manifest of parts begins with, and no other one."""
_KEY = b',"seal":"'
_LENGTH = len(_KEY) + 64 + len(b'"}')
_PIECE = 1 << 20
_OF_PARTS = re.compile(rb'"(seal|truth)"\s*:')


def write(path: Path) -> None:
    """Add the seal to a manifest that is whole but for its last brace."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with path.open("ab") as file:
        file.write(_KEY + digest.encode() + b'"}')


def check(path: Path) -> None:
    """Compare a manifest of parts with its seal; any other one has none.

    Raises:
        DataFault: it has none, or another one (D8).
        OSError: it cannot be read.
    """
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        if file.read(len(FIRST_LINE)) != FIRST_LINE:
            if not _OF_PARTS.search(path.read_bytes()):
                return
            raise _edited(path)
        hashed.update(FIRST_LINE)
        left = path.stat().st_size - len(FIRST_LINE) - _LENGTH
        while left > 0 and (piece := file.read(min(left, _PIECE))):
            hashed.update(piece)
            left -= len(piece)
        if file.read() != _KEY + hashed.hexdigest().encode() + b'"}':
            raise _edited(path)


def _edited(path: Path) -> DataFault:
    return DataFault(
        "D8.manifest the manifest is not what was written: its seal does not fit",
        where=str(path),
        remedy="somebody edited it, or it was cut: make the data again",
    )
