"""A folder of Parquet that a server reads: the files of a table under second names, in a place that both know."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def linked(table: str, paths: Sequence[str], place: str, what: str) -> Path:
    """A new folder below the place with the table's files, or copies where it is on another device.

    Raises:
        ValueError: no place is named.
    """
    if not place:
        raise ValueError(f"weigh.place names no folder: one {what}")
    folder = Path(place) / f"weigh_{secrets.token_hex(6)}" / table
    folder.mkdir(parents=True)
    for number, path in enumerate(paths):
        target = folder / f"{number:04}.parquet"
        try:
            os.link(path, target)
        except OSError:
            shutil.copyfile(path, target)
    return folder
