"""Queries of a workload of ``weigh run`` for a server under load: its data in the server, and the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh import workloads
from weigh.data import cache as stored
from weigh.data.generator import dataset_name, dataset_scale
from weigh.engines import environment as environments
from weigh.engines.prepared import cache_folder
from weigh.model.errors import UsageError
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.model.progress import Progress

SCHEMA = "weigh_queries"
"""Where the tables are: those of the load may have the same names."""
_DIALECT = "postgres"


def loaded(
    workload: str,
    scale: float | None,
    seed: int,
    bind: Callable[[str, dict[str, list[str]]], None] | None,
    progress: Progress,
) -> dict[str, str]:
    """Load the tables; the text of each query, by name.

    Args:
        workload: its name.
        scale: of its data, in the unit of their generator; its usual one for None.
        seed: of data and literals.
        bind: makes tables of Parquet files in a schema of the server.
        progress: is told what is made.

    Raises:
        UsageError: there is no such workload, or the server takes no tables.
        WeighError: the data cannot be made or loaded.
    """
    if bind is None:
        raise UsageError("--with takes a server of PostgreSQL", remedy="take --target postgres:embedded")
    source, cache = workloads.load(workload), cache_folder()
    name = dataset_name(source.dataset, dataset_scale(source.dataset, scale), seed)
    progress.say(f"data of {workload}")
    data = stored.ensure(
        name,
        LayoutSpec(),
        cache,
        environment=lambda needed: environments.ensure(needed, cache).python,
        progress=progress.step,
    )
    progress.say(f"loading the tables of {workload}")
    tables: dict[str, list[str]] = {}
    for file in data.manifest.files:
        tables.setdefault(file.table, []).append(str(data.folder / file.path))
    bind(SCHEMA, tables)
    built = workloads.build(source, data.truth, seed, ())
    place = f"SET search_path = {SCHEMA}; "
    return {one.name: place + one.text(one.timed()[0], _DIALECT) for one in built.operations if one.timed()}
