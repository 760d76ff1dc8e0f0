"""Attempts of an experiment side by side in one folder, each a directory of plain files."""

from __future__ import annotations

import datetime
import re
from itertools import islice
from typing import TYPE_CHECKING

from weigh.evidence import journal, naming
from weigh.evidence.seal import SEAL, read_seal
from weigh.model import codes
from weigh.model.errors import EnvironmentFault, EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.model.finding import Finding

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
        # Those that recorded nothing keep their number: two attempts of one number could not be distinguished.
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
    return [path for path in _directories(root, experiment) if _recorded(path)]


def history_folders(folder: Path) -> list[Path]:
    """The directories of an attempt and of the earlier ones of its experiment alongside it, oldest first."""
    place = folder.resolve()
    name = naming.parsed(naming.given(place))
    if name is None or not _recorded(place):
        return [folder]
    return [path for _, path in sorted(_family(place, name).items()) if _recorded(path)]


def earlier_folders(folder: Path) -> list[Path]:
    """The directories of the earlier attempts of the same experiment alongside an attempt, oldest first."""
    place = folder.resolve()
    name = naming.parsed(naming.given(place))
    if name is None:
        return []
    return [path for _, path in sorted(_family(place, name).items()) if path != place and _recorded(path)]


def missing(folder: Path) -> list[str]:
    """Earlier attempts of the same experiment that are not alongside an attempt any more (T8).

    Numbers are given out without gaps and kept by attempts that recorded nothing, and each seal names those before it:
    so one that was removed is missed, unless it was the newest.

    Returns:
        Names of directories; ``attempt N`` where no seal names it.
    """
    place = folder.resolve()
    named = _named(place)
    name = naming.parsed(naming.given(place))
    if name is None:
        return sorted(one for one in named if not naming.sibling(place.parent, one).is_dir())[: _MOST + 1]
    there = _family(place, name)
    names = {}
    for one in sorted({*named}.union(*map(_named, there.values()))):
        if (parsed := naming.parsed(one)) is not None:
            names[parsed.number] = one
    # One by one, and not all at once: somebody may call a folder the thousand-millionth attempt.
    gone = islice((one for one in range(1, name.number) if one not in there), _MOST + 1)
    found = [names.get(one, f"attempt {one}") for one in gone]
    # A seal knows better than a directory's name which attempts came before.
    found += [
        one for one in sorted(named) if one not in found and not naming.sibling(place.parent, one, named[one]).is_dir()
    ]
    return found if len(found) <= _MOST else [*found[:_MOST], f"attempt {_MOST + 1} and later ones"]


def removed(name: str) -> Finding:
    """The finding on one that is :func:`missing`."""
    return codes.T8_MISSING.finding(
        text=f"{name} of this experiment was removed: what it measured is not in the verdicts",
        remedy="put it back, or begin in another folder with --out: every attempt counts",
    )


def _family(place: Path, name: naming.Name) -> dict[int, Path]:
    """By number an attempt and the earlier ones of its experiment, whatever their directories are called now."""
    found = {
        number: path
        for path in _directories(place.parent, name.experiment)
        if (number := number_of(path)) < name.number and path != place
    }
    for one, seal in _named(place).items():
        parsed = naming.parsed(one)
        if parsed is not None and parsed.experiment == name.experiment and parsed.number < name.number:
            other = naming.sibling(place.parent, one, seal)
            if other.is_dir() and other.resolve() != place:
                found[parsed.number] = other
    return {**found, name.number: place}


def _recorded(path: Path) -> bool:
    # What was sealed did record something: emptying its journal does not hide it.
    return journal.begun(path) or (path / SEAL).exists()


def _named(folder: Path) -> dict[str, str]:
    """The earlier attempts that a seal names, with their seals; none where there is no seal, or a damaged one."""
    try:
        return read_seal(folder).earlier
    except EvidenceFault:
        return {}


def _directories(root: Path, experiment: str) -> list[Path]:
    """Directories of the attempts of one experiment, oldest first, whatever is in them."""
    # Whole names only: a copy alongside the original is not an attempt.
    name = re.compile(rf"\d{{8}}-{re.escape(experiment)}-\d+")
    return sorted((path for path in root.glob(f"*-{experiment}-*") if name.fullmatch(path.name)), key=number_of)


def number_of(path: Path) -> int:
    """The number of an attempt, from the name of its directory."""
    return int(path.name.rsplit("-", 1)[1])
