"""The folder of criterion: a benchmark's name and its samples lie in two files, here brought together in one document.

``$CRITERION_HOME`` (``target/criterion``) holds a folder for each benchmark, at most three deep, and in it one for each
measurement: ``new`` is the latest, ``base`` and the names of ``--save-baseline`` are earlier ones.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from weigh.judge.formats.source import MAX_JSON, Source
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_ABOUT, _SAMPLE = "benchmark.json", "sample.json"
_FILES = (_SAMPLE, "estimates.json", _ABOUT)
_PATTERNS = ("new", "*/new", "*/*/new", "*/*/*/new")
_MANY = 10_000


def holds(path: Path) -> bool:
    """Whether a path is a folder, or a file that criterion wrote next to others."""
    return path.is_dir() or (path.name in _FILES and path.with_name(_ABOUT).is_file())


def labelled(path: Path) -> Path:
    """The path whose name tells a file's contender: of a file of criterion its folder."""
    return path.parent if path.with_name(_ABOUT).is_file() else path


def document(path: Path) -> bytes:
    """The results of a folder, or those that one file belongs to, as one JSON document.

    Raises:
        DataFault: there is none, or a file of it is not JSON.
    """
    folders = _measurements(path) if path.is_dir() else [path.parent]
    if not folders:
        raise DataFault(
            "it is not a file, and holds no result of criterion",
            where=str(path),
            remedy="name files that a benchmark tool wrote, or criterion's folder (target/criterion)",
        )
    if len(folders) > _MANY:
        raise DataFault(f"it holds {len(folders):,} benchmarks", where=str(path), remedy=f"at most {_MANY:,} are read")
    found = [
        {
            "benchmark": _object(folder / _ABOUT),
            "sample": _object(folder / _SAMPLE) if (folder / _SAMPLE).is_file() else None,
        }
        for folder in folders
    ]
    return json.dumps({"criterion": found}).encode()


def _measurements(folder: Path) -> Sequence[Path]:
    if (folder / _ABOUT).is_file():
        return [folder]
    return sorted(file.parent for pattern in _PATTERNS for file in folder.glob(f"{pattern}/{_ABOUT}"))


def _object(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_JSON + 1)
    except OSError as error:
        raise DataFault(
            f"it cannot be read ({error.strerror})", where=str(path), remedy="look at its permissions"
        ) from None
    return Source(str(path), data).document
