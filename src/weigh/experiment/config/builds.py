"""``[build.ENGINE]`` of weigh.toml: how the revisions of an engine are built."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from weigh.engines import engine as engines
from weigh.engines.builds.resolution import Recipe, is_build, resolved
from weigh.model.build import MIN_BUILDS, MOST_BUILDS, REVISION
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weigh.model.contender import Contender


class BuildTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[build.ENGINE]`` of weigh.toml: how contenders ``ENGINE@git:REVISION`` are built (docs/guide/builds.md).

    Attributes:
        command: for ``/bin/sh``, in a checkout of its own; ``$WEIGH_BUILD_OUT`` is a folder for the wheel,
            ``$WEIGH_PYTHON`` the Python that it is for.
        builds: how often each revision is built, 5 to 100 times, each time with another ``$WEIGH_BUILD_SEED``
            (docs/guide/builds.md#several-builds-of-each-side) [once, without a seed].
        repository: folder of a clone on this machine, relative to the file.
        wheel: pattern of the wheel, in the checkout [the only wheel in ``$WEIGH_BUILD_OUT``].
    """

    command: str
    repository: str = "."
    wheel: str = ""
    builds: int = 1


def with_builds(contenders: tuple[Contender, ...], tables: Mapping[str, BuildTable]) -> tuple[Contender, ...]:
    """The contenders with the builds that their versions mean.

    Raises:
        UsageError: there is none, or nothing says how it is built.
        EnvironmentFault: there is no git.
    """
    for name in tables:
        if name not in engines.installed():
            raise UsageError(
                f"there is no engine '{name}'", where=f"[build.{name}]", remedy=nearest(name, engines.installed())
            )
        _check(tables[name].builds, f"[build.{name}]")
    found = tuple(resolved(one, _recipe(one, tables)) for one in contenders)
    often = {one.build.times for one in found if one.build is not msgspec.UNSET} - {1}
    if len(often) > 1:
        raise UsageError(
            f"{' and '.join(map(str, sorted(often)))} builds of a revision",
            where="[build]",
            remedy="let all engines have the same number: each build of one side meets one of the other",
        )
    return found


def _check(builds: int, where: str) -> None:
    if builds != 1 and not MIN_BUILDS <= builds <= MOST_BUILDS:
        raise UsageError(
            f"builds = {builds}",
            where=where,
            remedy=f"{MIN_BUILDS} to {MOST_BUILDS}, best as many as there are starts (10): fewer than {MIN_BUILDS} "
            "builds of a side say nothing about the next one",
        )


def built_once(contenders: tuple[Contender, ...], what: str) -> None:
    """Refuse several builds where the figures are not over builds.

    Raises:
        UsageError: a contender is built several times.
    """
    if any(one.build is not msgspec.UNSET and one.build.times > 1 for one in contenders):
        raise UsageError(
            f"{what} has its intervals over starts, and builds = asks for several builds",
            where="[build]",
            remedy=f"leave out builds, or the {what.removeprefix('a ')}",
        )


def _recipe(contender: Contender, tables: Mapping[str, BuildTable]) -> Recipe | None:
    found = tables.get(contender.engine)
    return Recipe(found.repository, found.command, found.wheel, found.builds) if found else None


def placed_at(version: str, folder: Path) -> str:
    """A path that stands in a file in that folder, as it is from here."""
    if not is_build(version) or version.startswith((REVISION, "~")) or str(folder) == ".":
        return version
    return os.path.join(folder, version)  # noqa: PTH118 # a "./" must stay: it tells a path from a version
