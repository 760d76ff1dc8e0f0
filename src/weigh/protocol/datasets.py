"""Data for an experiment: made or found, verified, with the environment of its writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.data import facts, layout, store
from weigh.data.generator import dataset_name
from weigh.engines import environment as environments
from weigh.model import units
from weigh.model.errors import DataFault
from weigh.protocol.stage import tables_of

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.data.store import Stored
    from weigh.engines.stores import Tables
    from weigh.model.finding import Finding
    from weigh.model.spec import LayoutSpec, Spec
    from weigh.protocol.progress import Progress

Data = store.Stored
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


def make(dataset: str, scale: int, seed: int, layout_spec: LayoutSpec, cache: Path, progress: Progress) -> Stored:
    """The dataset in a layout; raises as ``obtain``."""
    name = dataset_name(dataset, scale, seed)
    progress.say(f"data: {name.generator}, {units.rows(scale)} rows, seed {seed}")
    return store.ensure(
        name,
        layout_spec,
        cache,
        python=lambda: environments.ensure([layout.DUCKDB], cache).python,
        progress=lambda made, total: progress.step(made, total, "data"),
    )


def split(data: Data, cache: Path, progress: Progress) -> Tables:
    """The same rows in more files, for the check of one file against its split."""
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
    return facts.verify(data.folder, data.manifest)
