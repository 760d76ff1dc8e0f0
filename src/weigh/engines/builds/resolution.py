"""What a version means that is no number: a wheel, a folder, a revision."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.engines import engine as engines
from weigh.engines.builds import folder, installation, revision, wheel
from weigh.model.build import REVISION, Build
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from weigh.engines.engine import Engine
    from weigh.model.contender import Contender

_PROJECT = ("pyproject.toml", "setup.py")


class Recipe(NamedTuple):
    """How the revisions of an engine are built: ``[build.ENGINE]`` of weigh.toml.

    Attributes:
        repository: folder of a clone.
        command: for a shell.
        wheel: pattern of what it makes.
        builds: how often each is built.
    """

    repository: str
    command: str
    wheel: str
    builds: int = 1


def is_build(version: str) -> bool:
    """Whether a version is no version of an index: ``git:REV``, a path with a ``/`` in it, or ``NAME.whl``."""
    return version.startswith(REVISION) or version.endswith(".whl") or "/" in version or version in (".", "..")


def resolved(contender: Contender, recipe: Recipe | None) -> Contender:
    """The contender with its build, where its version is none of the index.

    Args:
        contender: as it was named.
        recipe: of its engine.

    Raises:
        UsageError: there is no such file, folder or revision, or it is no build of that engine.
        EnvironmentFault: there is no git.
    """
    if not is_build(contender.version):
        return contender
    engine = engines.load(contender.engine)
    where = f"contender {contender.name}"
    if not engine.package:
        raise UsageError(f"engine '{engine.name}' is no package: it has no builds", where=where, remedy="see its page")
    if contender.version.startswith(REVISION):
        found = _revision(contender.version.removeprefix(REVISION), engine, recipe, where)
    else:
        found = _path(Path(contender.version).expanduser(), engine, where)
    return msgspec.structs.replace(contender, build=found)


def _revision(name: str, engine: Engine, recipe: Recipe | None, where: str) -> Build:
    if recipe is None:
        raise UsageError(
            f"weigh.toml does not say how {engine.name} is built",
            where=where,
            remedy=f'write a table [build.{engine.name}] with repository = "FOLDER" and command = "..."',
        )
    at = revision.found(Path(recipe.repository).expanduser(), name, where)
    return Build(
        kind="revision",
        content=at.tree,
        commit=at.commit,
        place=recipe.repository,
        command=recipe.command,
        product=recipe.wheel,
        builds=recipe.builds if recipe.builds > 1 else msgspec.UNSET,
    )


def _path(path: Path, engine: Engine, where: str) -> Build:
    if path.is_dir() and installation.is_one(path, engine.installation):
        return installation.read(str(path), engine.installation, where)
    if path.is_dir():
        return _folder(path, engine, where)
    if not path.exists():
        raise UsageError(
            f"there is no file or folder {path}",
            where=where,
            remedy="build it first; a path is relative to who names it",
        )
    return _wheel(path, engine, where)


def _wheel(path: Path, engine: Engine, where: str) -> Build:
    metadata = wheel.read(path, where)
    if wheel.normal(metadata.package) != wheel.normal(engine.package):
        raise UsageError(
            f"{path} is a wheel of {metadata.package}, and engine '{engine.name}' is the package {engine.package}",
            where=where,
            remedy=f"name a wheel of {engine.package}, or the engine that this one is of (weigh engines)",
        )
    return Build(kind="wheel", content=metadata.sha256, file=metadata.file, version=metadata.version, place=str(path))


def _folder(path: Path, engine: Engine, where: str) -> Build:
    wheels = wheels_of(path, "*.whl", engine.package)
    if len(wheels) > 1:
        raise UsageError(
            f"{path} holds {len(wheels)} wheels of {engine.package}: {', '.join(one.name for one in wheels)}",
            where=where,
            remedy="name one of them",
        )
    if wheels:
        return _wheel(wheels[0], engine, where)
    if any((path / name).is_file() for name in _PROJECT):
        return Build(kind="project", content=folder.content(path, where), place=str(path))
    raise UsageError(
        f"{path} holds neither a wheel of {engine.package} nor a project that one is built from "
        f"({' or '.join(_PROJECT)})" + (f", nor {' and '.join(engine.installation)}" if engine.installation else ""),
        where=where,
        remedy="name a wheel, or the folder of an installation" if engine.installation else "name a wheel",
    )


def wheels_of(place: Path, pattern: str, package: str) -> list[Path]:
    """The files of a pattern that are called as wheels of a package are."""
    if not pattern or Path(pattern).is_absolute():
        # pathlib takes neither: no file below the place is one of it.
        return []
    try:
        found = sorted(place.glob(pattern))
    except ValueError:
        return []
    return [one for one in found if one.is_file() and wheel.normal(one.name.split("-")[0]) == wheel.normal(package)]
