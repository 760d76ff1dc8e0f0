"""Attempts of an experiment side by side in one folder, each a directory of plain files."""

from __future__ import annotations

import datetime
import re
from contextlib import suppress
from itertools import islice
from pathlib import Path

from weigh.evidence import journal
from weigh.evidence.seal import SEAL, read_seal
from weigh.model.errors import EnvironmentFault, EvidenceFault

_MOST = 100
"""Missing attempts that are named one by one."""


def begin(root: Path, experiment: str) -> tuple[Path, int]:
    """A new directory for the next attempt of an experiment, and the attempt's number.

    Args:
        root: the folder of all attempts.
        experiment: the experiment's id.

    Raises:
        EnvironmentFault: the folder cannot be written.
    """
    today = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d")
    try:
        root.mkdir(parents=True, exist_ok=True)
        # Those that recorded nothing keep their number: two attempts of one number could not be told apart.
        number = max((number_of(path) for path in _directories(root, experiment)), default=0) + 1
        while True:
            folder = root / f"{today}-{experiment}-{number}"
            try:
                folder.mkdir()
                return folder, number
            except FileExistsError:
                number += 1
    except OSError as error:
        raise EnvironmentFault(
            f"the evidence cannot be written: {error.strerror}",
            where=str(root),
            remedy="choose another place with --out",
        ) from error


def attempts(root: Path, experiment: str) -> list[Path]:
    """Directories of the attempts of one experiment that recorded something, oldest first."""
    # What was sealed did record something: emptying its journal does not hide it.
    return [path for path in _directories(root, experiment) if journal.begun(path) or (path / SEAL).exists()]


def history_folders(folder: Path) -> list[Path]:
    """The directories of an attempt and of the earlier ones of its experiment beside it, oldest first."""
    try:
        _, experiment, number = folder.resolve().name.rsplit("-", 2)
        last = int(number)
    except ValueError:
        return [folder]
    found = [path for path in attempts(folder.resolve().parent, experiment) if number_of(path) <= last]
    return found if folder.resolve() in found else [folder]


def earlier_folders(folder: Path) -> list[Path]:
    """The directories of the earlier attempts of the same experiment beside an attempt, oldest first."""
    folder = folder.resolve()
    try:
        _, experiment, number = folder.name.rsplit("-", 2)
        mine = int(number)
    except ValueError:
        return []
    return [path for path in attempts(folder.parent, experiment) if number_of(path) < mine]


def missing(folder: Path) -> list[str]:
    """Earlier attempts of the same experiment that are not beside an attempt any more (T8).

    Numbers are given out without gaps and kept by attempts that recorded nothing, and each seal names those before it:
    so one that was removed is missed, unless it was the newest.

    Returns:
        Names of directories; ``attempt N`` where no seal names it.
    """
    folder = folder.resolve()
    named = _named(folder)
    try:
        _, experiment, number = folder.name.rsplit("-", 2)
        last = int(number)
    except ValueError:
        return sorted(name for name in named if not _is_beside(folder, name))[: _MOST + 1]
    beside = [path for path in _directories(folder.parent, experiment) if number_of(path) <= last]
    names = {}
    for name in sorted(named.union(*map(_named, beside))):
        with suppress(ValueError):
            names[number_of(Path(name))] = name
    there = {number_of(path) for path in beside}
    # One by one, and not all at once: somebody may call a folder the thousand-millionth attempt.
    gone = islice((one for one in range(1, last) if one not in there), _MOST + 1)
    found = [names.get(one, f"attempt {one}") for one in gone]
    return found if len(found) <= _MOST else [*found[:_MOST], f"attempt {_MOST + 1} and later ones"]


def _is_beside(folder: Path, name: str) -> bool:
    with suppress(OSError, ValueError):
        return (folder.parent / name).is_dir()
    return False


def _named(folder: Path) -> frozenset[str]:
    """The earlier attempts that a seal names; none where there is no seal, or a damaged one."""
    try:
        return frozenset(read_seal(folder).earlier)
    except EvidenceFault:
        return frozenset()


def _directories(root: Path, experiment: str) -> list[Path]:
    """Directories of the attempts of one experiment, oldest first, whatever is in them."""
    # Whole names only: a copy beside the original is not an attempt.
    name = re.compile(rf"\d{{8}}-{re.escape(experiment)}-\d+")
    return sorted((path for path in root.glob(f"*-{experiment}-*") if name.fullmatch(path.name)), key=number_of)


def number_of(path: Path) -> int:
    """The number of an attempt, from the name of its directory."""
    return int(path.name.rsplit("-", 1)[1])
