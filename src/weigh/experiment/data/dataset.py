"""Data for an experiment: made or found, verified, with the environment of its writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.data import cache as store
from weigh.data import registered, user_files
from weigh.data.generator import dataset_name, dataset_scale
from weigh.data.layout import file_facts
from weigh.data.parts import placed
from weigh.data.rewritten import rewritten
from weigh.engines import environment as environments
from weigh.engines.prepared import cache_folder
from weigh.experiment import grid
from weigh.experiment.data.data_link import tables_of
from weigh.model import units
from weigh.model.contender import DEFAULT_LAYOUT
from weigh.model.dataset import USER_FILES
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weigh.data.cache import CachedData
    from weigh.data.user_files import Tables as UserTables
    from weigh.engines.loaded import Tables
    from weigh.model.finding import Finding
    from weigh.model.progress import Progress
    from weigh.model.spec import LayoutSpec, Spec
    from weigh.model.units import Scale

Data = store.CachedData
_USUAL_SEED = 42
SPLIT_FILES = 4
"""Files of the split layout of the metamorphic check."""


def obtain(dataset: str, spec: Spec, cache: Path, progress: Progress, place: str = "") -> dict[str, Data]:
    """The dataset of an experiment in every layout that a contender reads, from the cache after verification or made.

    Args:
        dataset: name of its generator.
        spec: of the experiment.
        cache: weigh's cache directory.
        progress: receives messages.
        place: where it lies in the default layout, made by parts; empty for the cache.

    Returns:
        By name of the layout, that of the baseline first.

    Raises:
        UsageError: no such dataset, or an impossible layout.
        DataFault: the cached data was changed since it was made (D8), or two layouts hold different rows.
        EnvironmentFault: no space, or no environment for the writer.
    """
    made = {
        name: placed.opened(place)
        if place and not name
        else make(dataset, spec.scale, spec.seed, layout, cache, progress, name)
        for name, layout in spec.layouts_read.items()
    }
    check_rows(made)
    return made


def obtain_user_data(given: Data, spec: Spec, cache: Path, progress: Progress) -> dict[str, Data]:
    """A user's own files as they are, and written anew for every layout that a contender names.

    Args:
        given: the files as they are.
        spec: of the experiment.
        cache: weigh's cache directory.
        progress: receives messages.

    Returns:
        By name of the layout, that of the baseline first; the files as they are have no name.

    Raises:
        UsageError: an impossible layout.
        DataFault: what was written was changed since (D8), or its writer cannot keep the rows as they are.
        EnvironmentFault: no space, or no environment for the writer.
    """
    made: dict[str, Data] = {}
    for name, layout in spec.layouts_read.items():
        if not name:
            made[name] = given
            continue
        progress.say(f"data: your own files, layout {name}: a copy in the cache")
        made[name] = rewritten(
            given, layout, cache, lambda needed: environments.ensure(needed, cache).python, progress.step
        )
    check_rows(made)
    return made


def check_rows(data: Mapping[str, Data]) -> None:
    """Layouts are forms of the same rows, whatever the bytes.

    Raises:
        DataFault: two of them hold different rows; said of which table.
    """
    (first, one), *others = data.items()
    for name, other in others:
        tables = sorted({*one.manifest.digests, *other.manifest.digests})
        wrong = [table for table in tables if one.manifest.digests.get(table) != other.manifest.digests.get(table)]
        if wrong:
            raise DataFault(
                f"the layouts {first or DEFAULT_LAYOUT} and {name or DEFAULT_LAYOUT} hold different rows of "
                f"{', '.join(wrong)}: one of them is stale, or its writer loses or changes rows",
                where=str(other.folder),
                remedy=f"remove {one.folder} and {other.folder}; weigh makes them again",
            )


def check_digests(data: Data, wanted: Mapping[str, str]) -> None:
    """A reproduction is of the same rows, or it is none.

    Raises:
        DataFault: these are others; said of which table.
    """
    have = data.manifest.digests
    if wrong := [table for table in sorted({*have, *wanted}) if have.get(table) != wanted.get(table)]:
        table = wrong[0]
        raise DataFault(
            f"the rows of {', '.join(wrong)} are not those that were measured: {table} has the row digest "
            f"{have.get(table, 'of no table')}, and should have {wanted.get(table, 'that of no table')}",
            where=str(data.folder),
            remedy="nothing was measured; name the data of the original, or ask whoever published it which it was",
        )


def check(dataset: str, spec: Spec, cache: Path, place: str = "") -> None:
    """Refuse a dataset that cannot be made, or for which there is no space, before anything is made.

    Args:
        dataset: name of its generator.
        spec: of the experiment.
        cache: weigh's cache directory.
        place: where it lies in the default layout; empty for the cache.

    Raises:
        UsageError: no such dataset, or an impossible layout.
        EnvironmentFault: no space for all layouts together.
    """
    scale = dataset_scale(dataset, None) if spec.scale is None else spec.scale
    grid.check(spec, dataset)
    needed = [layout for name, layout in spec.layouts_read.items() if name or not place]
    store.check(dataset_name(dataset, scale, spec.seed), needed, cache)


def check_user_data(tables: UserTables, spec: Spec, cache: Path) -> None:
    """Refuse layouts of a user's own files that cannot be made, or for which there is no space; raises as ``check``."""
    wanted = [layout for name, layout in spec.layouts_read.items() if name]
    if not wanted or not spec.user_data:
        return
    grid.check(spec, USER_FILES)
    size = sum(file.stat().st_size for files in tables.values() for file in files)
    store.check(user_files.dataset_name(spec.user_data.tables), wanted, cache, size)


def make(
    dataset: str,
    scale: Scale | None,
    seed: int | None,
    layout: LayoutSpec,
    cache: Path,
    progress: Progress,
    called: str = "",
) -> CachedData:
    """The dataset in a layout, at its generator's usual scale for None; raises as ``obtain``.

    Args:
        dataset: name of its generator.
        scale: of the dataset.
        seed: of the dataset.
        layout: its physical form.
        cache: weigh's cache directory.
        progress: receives messages.
        called: name of the layout, for people.
    """
    name = dataset_name(dataset, dataset_scale(dataset, None) if scale is None else scale, seed)
    store.check(name, [layout], cache)
    # Who names a seed is told what it is of; the usual one nobody has named.
    unseeded = ", which has no seed: --seed orders the turns alone" if seed not in (None, _USUAL_SEED) else ""
    seeded = unseeded if name.seed is None else f", seed {name.seed}"
    form = f", layout {called}" if called else ""
    progress.say(f"data: {name.generator}, {units.scale(name.scale)}{seeded}{form}")
    return store.ensure(
        name,
        layout,
        cache,
        environment=lambda requirements: environments.ensure(requirements, cache).python,
        progress=progress.step,
    )


def interpreter(requirements: list[str]) -> Path:
    """Of an environment with these requirements, in the cache of whatever machine this runs on."""
    return environments.ensure(requirements, cache_folder()).python


def split(data: Data, cache: Path, progress: Progress) -> Tables | None:
    """The same rows in more files, for the check of one file against its split; None for a user's own, or for none."""
    # What was made by parts has many files, and as many rows as one machine need not hold twice.
    if data.placed or data.manifest.layout is None or data.manifest.dataset.from_user or not data.manifest.digests:
        return None
    wanted = msgspec.structs.replace(data.manifest.layout, files=data.manifest.layout.files * SPLIT_FILES)
    dataset = data.manifest.dataset
    family = dataset.generator.partition("/")[0]
    other = make(family, dataset.scale, dataset.seed, wanted, cache, progress)
    if other.manifest.digests != data.manifest.digests:
        raise DataFault(
            "the same dataset in more files holds other rows: one of them is stale or its writer loses rows",
            where=str(other.folder),
            remedy=f"remove {other.folder} and {data.folder}; weigh makes them again",
        )
    return tables_of(other.folder, other.manifest)


def unchanged(data: Mapping[str, Data]) -> list[Finding]:
    """What is no longer as it was when the measurement began (D8)."""
    # Two names of one form are one folder.
    folders = {one.folder: one for one in data.values()}
    return [finding for one in folders.values() for finding in _changed(one)]


def _changed(data: Data) -> list[Finding]:
    """Of registered files only those are read again about which the file system says something else than before."""
    if data.registered:
        return registered.changed(data.registered, cache_folder())
    if data.placed:
        return placed.proof(data)
    return file_facts.verify(data.folder, data.manifest)
