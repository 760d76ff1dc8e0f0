"""Generators: named sources of datasets, and the door through which strangers add theirs.

A generator is whatever has the shape of ``Generator``. Ours are in ``GENERATORS``; others are found by the
entry point ``weigh.generators``, whose value is an instance.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Protocol, cast

from weigh.model.errors import UsageError, nearest
from weigh.model.manifest import DatasetName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Executor

    import pyarrow as pa

    from weigh.data.truth import Truth
    from weigh.model.units import Rows

GENERATORS = {"netflow": "weigh.data.netflow:generator"}
"""Ours, as entry points: loaded when asked for."""


class Table(Protocol):
    """One table of a dataset, not made yet.

    Attributes:
        schema: plain types; strings may come dictionary-encoded in the batches, which changes no file's
            types.
        rows: how many rows there will be.
    """

    schema: pa.Schema
    rows: Rows

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row, in an order that depends on seed and scale alone; memory bounded whatever the scale."""


class Source(Protocol):
    """A dataset about to be made."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """By name, in the order in which they are made."""

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
    known = {entry.name: entry for entry in entry_points(group="weigh.generators")} | {
        ours: EntryPoint(ours, value, "weigh.generators") for ours, value in GENERATORS.items()
    }
    if name not in known:
        raise UsageError(f"there is no dataset '{name}'", remedy=nearest(name, known))
    return cast("Generator", known[name].load())


def dataset_name(name: str, scale: Rows, seed: int) -> DatasetName:
    """The full name of a dataset, with the version of its generator.

    Raises:
        UsageError: there is no such generator.
    """
    made_by = generator(name)
    return DatasetName(generator=f"{made_by.name}/{made_by.version}", scale=scale, seed=seed)
