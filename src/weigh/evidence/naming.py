"""The name that evidence was given, whatever its directory is called now.

CI systems unpack artifacts under names of their own, without times and execute bits. The name stands in the sealed
report of the evidence; it tells the experiment and the number of the attempt.
"""

from __future__ import annotations

import datetime
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.evidence import files, journal
from weigh.evidence.seal import SEAL

if TYPE_CHECKING:
    from pathlib import Path

_GIVEN = re.compile(r"([0-9]{8})-([0-9a-z]+)-([0-9]{1,9})")
_ID = re.compile(r"[0-9a-f]{12}")
"""Of an experiment: a name with another one may be of an archive that was unpacked."""
_REPORTS = ("verdicts.json", "load.json", "load-comparison.json")
"""Documents that say the name; evidence has one of them."""
_FEW_DAYS = datetime.timedelta(days=3)


class Name(NamedTuple):
    """What a name says.

    Attributes:
        day: on which it began, as ``YYYYMMDD``.
        experiment: its id.
        number: of the attempt, from 1.
    """

    day: str
    experiment: str
    number: int


class _Report(msgspec.Struct):
    evidence: str = ""


def parsed(name: str) -> Name | None:
    """What a name says; None where it is none that weigh gives to an attempt."""
    found = _GIVEN.fullmatch(name)
    return Name(found[1], found[2], int(found[3])) if found else None


def given(folder: Path) -> str:
    """The name that an evidence directory was given: that which it has, unless it is none that weigh gives.

    One that looks like that of another attempt is taken at its word, and does not follow from the report then.
    """
    folder_name = folder.resolve().name
    if _is_given(folder_name):
        return folder_name
    name = parsed(folder_name)
    for file in _REPORTS:
        with suppress(OSError, msgspec.MsgspecError, ValueError, RecursionError):
            report = msgspec.json.decode(files.content(folder / file), type=_Report).evidence
            reported = parsed(report)
            return folder_name if reported is None or (name and name.experiment == reported.experiment) else report
    return folder_name


def sibling(folder: Path, name: str, seal: str = "") -> Path:
    """Where an evidence of that name lies in a folder: under its name, or renamed.

    Args:
        folder: that holds it.
        name: that it was given; one that is no name of a directory is not looked for.
        seal: BLAKE3 of its seal, where that is known: what is renamed is known by it, and not by what its report says.

    Returns:
        The place that its name says, where there is no such evidence.
    """
    place = folder / name
    if parsed(name) is None or (place.is_dir() and (not seal or _sealed(place) == seal)):
        return place
    found = (one for one in _renamed(folder) if (_sealed(one) == seal if seal else given(one) == name))
    return next(found, place)


def written(folder: Path, file: str) -> datetime.datetime:
    """When something was recorded last, in UTC: when its journal says that it ended.

    Where it does not, as of what was killed, when its journal says that it began; where it does not say that either, by
    the time of a file, unless a copy of another day has it.

    Raises:
        OSError: there is no such file.
    """
    if known := ended(folder) or _at(journal.first(folder), "opened"):
        return known
    changed = datetime.datetime.fromtimestamp((folder / file).stat().st_mtime, datetime.UTC)
    name = parsed(given(folder))
    if name is not None:
        with suppress(ValueError):
            begun = datetime.datetime.strptime(name.day, "%Y%m%d").replace(tzinfo=datetime.UTC)
            if abs(changed - begun) > _FEW_DAYS:
                return begun
    return changed


def ended(folder: Path) -> datetime.datetime | None:
    """When a journal says that it ended; None where it says nothing of it."""
    return _at(journal.last(folder), "end")


def _at(event: journal.Event | None, name: str) -> datetime.datetime | None:
    """The moment of an event of that name; None where it is another one, or says nothing of it."""
    if event is None or event.event != name or not isinstance(event.body, dict):
        return None
    with suppress(ValueError, TypeError, KeyError):
        moment = datetime.datetime.fromisoformat(event.body["at"])
        return moment.astimezone(datetime.UTC) if moment.tzinfo else None
    return None


def _renamed(folder: Path) -> list[Path]:
    """Directories of a folder that may be called otherwise than weigh called them."""
    with suppress(OSError):
        return sorted(one for one in folder.iterdir() if one.is_dir() and not _is_given(one.name))
    return []


def _is_given(name: str) -> bool:
    found = parsed(name)
    return found is not None and _ID.fullmatch(found.experiment) is not None


def _sealed(folder: Path) -> str:
    """BLAKE3 of a seal; empty where there is none."""
    with suppress(OSError):
        if files.is_regular(folder / SEAL):
            return files.hashed(folder / SEAL)
    return ""
