"""The job of a project for its system of CI, written down by ``weigh init --ci``."""

from __future__ import annotations

from itertools import chain
from os.path import normpath
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from weigh._version import __version__
from weigh.model.errors import UsageError
from weigh.model.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.config.file import File

_TEMPLATES = Path(__file__).parent / "templates"
_FILES = {
    "github": {
        "github.yml": ".github/workflows/weigh.yml",
        "github-comment.yml": ".github/workflows/weigh-comment.yml",
    },
    "gitlab": {"gitlab.yml": ".gitlab/weigh.yml"},
}
SYSTEMS = tuple(_FILES)
_AROUND_MIN = 30
"""Minutes for packages, builds, and answers, around what is measured."""
_USUAL_S = 300.0


class Written(NamedTuple):
    """What was written.

    Attributes:
        files: the jobs.
        notes: what the user should know of them, a sentence each.
    """

    files: list[Path]
    notes: list[str]


def write(system: str, place: Path, file: File, *, force: bool) -> Written:
    """Write the job of an experiment.

    Args:
        system: one of :data:`SYSTEMS`.
        place: the weigh.toml, from the top of the repository.
        file: what is in it.
        force: whether over files that exist.

    Raises:
        UsageError: the file names fewer than two contenders, or a job exists.
    """
    if len(file.contender) < 2:
        raise UsageError(
            f"a job compares contenders, and this names {len(file.contender)}",
            where=str(place),
            remedy='add [[contender]] tables: one of version = "git:origin/main", one of "git:HEAD"',
        )
    files = jobs(system, place, file)
    if not force and (there := [path for path in files if path.exists()]):
        raise UsageError("it exists", where=str(there[0]), remedy="take --force to write over it")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Written(list(files), _notes(system, place, file))


def jobs(system: str, place: Path, file: File) -> dict[Path, str]:
    """What is written, by its place in the repository; the arguments are those of :func:`write`."""
    return {Path(target): _filled(template, place, file) for template, target in _FILES[system].items()}


def _filled(template: str, place: Path, file: File) -> str:
    budget = file.experiment.budget
    seconds = parse_duration(budget) if budget and budget != "none" else _USUAL_S
    values = {
        "VERSION": __version__,
        "FILE": quote(str(place)),
        "MINUTES": str(round(seconds / 60) + _AROUND_MIN),
        # A shallow clone has no other revision to build.
        "DEPTH": "0" if _builds(file) else "1",
    }
    text = (_TEMPLATES / template).read_text()
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def _builds(file: File) -> bool:
    return any(one.version.startswith("git:") for one in file.contender)


def _notes(system: str, place: Path, file: File) -> list[str]:
    notes = []
    if not file.experiment.baseline:
        notes.append("no baseline is declared: SLOWER does not fail the job; set baseline in [experiment]")
    if not _builds(file):
        notes.append(
            "no contender is built from the pull request, so every job compares the same two: name what it changes by "
            'version = "git:HEAD" (docs/guide/builds.md)'
        )
    if outside := [*_outside(place, file)]:
        notes.append(
            f"{', '.join(outside)}: outside this repository, so the job does not find it: move it here, or make it "
            "in a step before"
        )
    if file.sql and file.sql.data:
        notes.append(
            f"{file.sql.data} is registered on this machine alone: add a step with weigh data register ... --name "
            f"{file.sql.data}"
        )
    if system == "gitlab":
        notes.append("include it in .gitlab-ci.yml: include: [{local: .gitlab/weigh.yml}]")
    return notes


def _outside(place: Path, file: File) -> Iterator[str]:
    """What the experiment reads that a clone of the repository, which is the working directory, does not have."""
    if file.sql is None:
        return
    tables = (paths if isinstance(paths, list) else [paths] for paths in file.sql.tables.values())
    top = Path.cwd()
    for one in (file.sql.folder, file.sql.frames or "", *chain.from_iterable(tables)):
        # Links are followed by nobody here: what they lead to may be made by a step of the job.
        if "://" not in one and not Path(normpath(top / place.parent / one)).is_relative_to(top):
            yield one
