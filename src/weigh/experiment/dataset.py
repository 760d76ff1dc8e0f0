"""Data for an experiment: made or found, verified, with the environment of its writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.data import cache as store
from weigh.data.generator import dataset_name, dataset_scale
from weigh.data.layout import file_facts
from weigh.engines import environment as environments
from weigh.experiment.data_link import tables_of
from weigh.model import units
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.data.cache import CachedData
    from weigh.engines.loaded import Tables
    from weigh.model.finding import Finding
    from weigh.model.progress import Progress
    from weigh.model.spec import LayoutSpec, Spec
    from weigh.model.units import Scale

Data = store.CachedData
SPLIT_FILES = 4
"""Files of the split layout of the metamorphic check."""


def obtain(dataset: str, spec: Spec, cache: Path, progress: Progress) -> Data:
    """The dataset of an experiment in its layout, from the cache after verification or made now.

    Raises:
        UsageError: no such dataset, or an impossible layout.
        DataFault: the cached data was changed since it was made (D8).
        EnvironmentFault: no space, or no environment for the writer.
    """
    return make(dataset, spec.scale, spec.seed, spec.layout, cache, progress)


def check(dataset: str, spec: Spec, cache: Path) -> None:
    """Refuse a dataset that cannot be made, or for which there is no space, before anything is made.

    Raises:
        UsageError: no such dataset, or an impossible layout.
        EnvironmentFault: no space.
    """
    scale = dataset_scale(dataset, None) if spec.scale is None else spec.scale
    store.check(dataset_name(dataset, scale, spec.seed), spec.layout, cache)


def make(
    dataset: str, scale: Scale | None, seed: int | None, layout: LayoutSpec, cache: Path, progress: Progress
) -> CachedData:
    """The dataset in a layout, at its generator's usual scale for None; raises as ``obtain``."""
    name = dataset_name(dataset, dataset_scale(dataset, None) if scale is None else scale, seed)
    store.check(name, layout, cache)
    seeded = "" if name.seed is None else f", seed {name.seed}"
    progress.say(f"data: {name.generator}, {units.scale(name.scale)}{seeded}")
    return store.ensure(
        name,
        layout,
        cache,
        environment=lambda requirements: environments.ensure(requirements, cache).python,
        progress=progress.step,
    )


def split(data: Data, cache: Path, progress: Progress) -> Tables | None:
    """The same rows in more files, for the check of one file against its split; None for a user's own files."""
    if data.manifest.layout is None:
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


def unchanged(data: Data) -> list[Finding]:
    """What is no longer as it was when the measurement began (D8)."""
    return file_facts.verify(data.folder, data.manifest)
