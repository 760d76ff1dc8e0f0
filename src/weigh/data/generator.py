"""Generators: named sources of datasets, and the door through which strangers add theirs.

A generator is whatever has the shape of ``Generator``. Ours are in ``GENERATORS``; others are found by the entry
point ``weigh.generators``, whose value is an instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from importlib.metadata import entry_points
from typing import Protocol, cast

import pyarrow as pa

from weigh.data.truth import Truth
from weigh.model.errors import UsageError, nearest
from weigh.model.manifest import DatasetName
from weigh.model.units import Rows


class Table(Protocol):
    """One table of a dataset, not made yet.

    Attributes:
        schema: plain types; strings may come dictionary-encoded in the batches, which changes no file's types.
        rows: how many rows there will be.
    """

    schema: pa.Schema
    rows: Rows

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row, in an order that depends on seed and scale alone; memory bounded whatever the scale."""


class Source(Protocol):
    """A dataset about to be made.

    Attributes:
        tables: by name, in the order in which they are made.
    """

    tables: Mapping[str, Table]

    def truth(self) -> Truth:
        """What is known about the data; complete once every batch of every table was drawn. May be empty."""


class Generator(Protocol):
    """Makes datasets: the same version, scale and seed mean the same rows, forever and everywhere.

    Attributes:
        name: as a workload asks for it.
        version: raised when any row changes.
        base: what ``scale`` counts, e.g. ``rows of events``.
    """

    name: str
    version: int
    base: str

    def open(self, scale: Rows, seed: int) -> Source:
        """A dataset of that scale; nothing is computed yet."""


def generator(name: str) -> Generator:
    """The generator of that name.

    Raises:
        UsageError: there is none.
    """
    if name == "netflow":
        from weigh.data.netflow import Netflow

        return Netflow()
    found = {entry.name: entry for entry in entry_points(group="weigh.generators")}
    if name not in found:
        raise UsageError(f"there is no dataset '{name}'", remedy=nearest(name, ["netflow", *found]))
    return cast("Generator", found[name].load())


def dataset_name(name: str, scale: Rows, seed: int) -> DatasetName:
    """The full name of a dataset, with the version of its generator.

    Raises:
        UsageError: there is no such generator.
    """
    made_by = generator(name)
    return DatasetName(generator=f"{made_by.name}/{made_by.version}", scale=scale, seed=seed)
