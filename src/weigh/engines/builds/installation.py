"""Installations: a folder of an installed server, used where it lies."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.engines.builds import folder
from weigh.model.build import Build, BuildRead
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAMS = "weigh.programs"
"""Setting by which an adapter is told in which folder its programs lie."""
CONTENTS = "weigh.contents"
"""Setting that is the hash of what is there: what was loaded with other programs is loaded again."""
_PARTS = ("bin", "lib", "lib64", "share")
"""Folders of an installation that its programs read: data directories alongside them may be anybody's."""
_VERSION = re.compile(r"\d+(?:\.\d+)*\S*")
_TIMEOUT = 30.0
_LONGEST_MESSAGE = 200


def is_one(path: Path, programs: Sequence[str]) -> bool:
    """Whether a folder has all the programs that an installation must have."""
    return bool(programs) and all((path / name).is_file() for name in programs)


def read(named: str, programs: Sequence[str], where: str) -> Build:
    """What is installed in a folder.

    Args:
        named: the folder.
        programs: that it must have, the server first, relative to it.
        where: who names it, for errors.

    Raises:
        UsageError: it lacks one, or it cannot be read.
        EnvironmentFault: the server does not say its version.
    """
    place = Path(named).expanduser().resolve()
    if not place.is_dir():
        raise UsageError(f"{named} is no folder", where=where, remedy="name the folder of an installation")
    if missing := [name for name in programs if not (place / name).is_file()]:
        raise UsageError(
            f"{named} has no {' and no '.join(missing)}",
            where=where,
            remedy=f"name the folder of an installation: one with {' and '.join(programs)}",
        )
    whole = hashlib.sha256()
    for name in programs:
        whole.update(program_hash(place / name, where).encode())
    for part in _PARTS:
        if (place / part).is_dir():
            whole.update(f"{part}\0{folder.content(place / part, where)}".encode())
    return Build(
        kind="installation",
        content=whole.hexdigest(),
        file=programs[0],
        version=_version(place / programs[0], where),
        place=str(place),
    )


def found(build: Build, programs: Sequence[str], where: str) -> BuildRead:
    """The same, as it is now.

    Raises:
        UsageError: it changed since it was named.
    """
    now = read(build.place, programs, where)
    if now.content != build.content:
        raise UsageError(
            f"{build.place} changed since it was read", where=where, remedy="leave it alone while weigh runs"
        )
    return BuildRead(
        kind="installation",
        content=now.content,
        file=now.file,
        version=now.version,
        place=now.place,
        sha256=program_hash(Path(now.place) / now.file, where),
    )


def program_hash(path: Path, where: str) -> str:
    """SHA-256 of a program.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", where=where, remedy="make it readable") from None


def _version(program: Path, where: str) -> str:
    try:
        done = subprocess.run(
            [str(program), "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
        )
        output = done.stdout if done.returncode == 0 else ""
        wrong = done.stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        output, wrong = "", str(error)
    match = _VERSION.search(output)
    if match is None:
        raise EnvironmentFault(
            f"{program} does not say its version: {one_line(wrong or output, _LONGEST_MESSAGE) or 'it says nothing'}",
            where=where,
            remedy="see whether it can be executed here: it may lack libraries, or be for another machine",
        )
    return match[0]
