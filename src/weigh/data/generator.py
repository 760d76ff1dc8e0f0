"""Generators: named sources of datasets, and the door through which strangers add theirs.

A generator is whatever has the shape of ``Generator``. Ours are in ``GENERATORS``; others are found by the
entry point ``weigh.generators``, whose value is an instance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from math import ceil
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, cast

from weigh.host import plug_ins
from weigh.model import units
from weigh.model.dataset import DatasetName
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Executor
    from pathlib import Path

    import pyarrow as pa

    from weigh.data.ground_truth import Truth
    from weigh.model.spec import LayoutSpec
    from weigh.model.units import Rows, Scale

GENERATORS = {
    "dbgen": "weigh.data.tpch:dbgen",
    "h2o-g1": "weigh.data.h2o:g1",
    "h2o-j1": "weigh.data.h2o.joined:j1",
    "netflow": "weigh.data.netflow:generator",
    "nothing": "weigh.data.nothing:generator",
    "ssb": "weigh.data.ssb:ssb",
    "tpcds-dsdgen": "weigh.data.tpcds:dsdgen",
    "tpchgen": "weigh.data.tpch:tpchgen",
}
"""Ours, as entry points: loaded when asked for."""

Progress = Callable[[int, int, str], None]
"""Called with the parts or rows made so far, how many there will be, and of what."""

_SMALL_PARTS = 64

Unit = Literal["rows", "scale factor"]
"""What a scale counts."""


class Workshop(NamedTuple):
    """Where a generator may run programs of its own.

    Attributes:
        folder: empty, on the disk that the dataset goes to; what is left in it is removed.
        python: interpreter of an environment with the generator's requirements; None where it has none.
        executor: where parts are made.
        threads: how many of them it has.
        layout: what the files will be.
        progress: receives messages now and then.
    """

    folder: Path
    python: Path | None
    executor: Executor
    threads: int
    layout: LayoutSpec
    progress: Progress


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


class Written(Table, Protocol):
    """A table whose files its generator has written itself, because it is the writer of the layout.

    Attributes:
        paths: the files, in order.
    """

    paths: list[Path]


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
        version: raised when any row changes; of a program that is not ours, the program's own.
        base: what ``scale`` counts, for people, e.g. ``rows of events``.
        unit: what it counts, and so how it is written.
        scale: the usual one.
        least: the smallest one.
        seeded: whether a seed changes the rows.
        requirements: exact requirements of the environment in which it makes data; empty where it needs none.
        unit_bytes: bytes on disk of one unit of ``scale``, roughly; a generator without it is never asked about space.
    """

    name: str
    version: int | str
    base: str
    unit: Unit
    scale: Scale
    least: Scale
    seeded: bool
    requirements: tuple[str, ...]
    unit_bytes: float

    def open(self, scale: Scale, seed: int | None, workshop: Workshop) -> Source:
        """A dataset of that scale. What its programs have to make before rows can be counted is made here.

        Raises:
            UsageError: it cannot make that scale.
            EnvironmentFault: no space.
            DataFault: a program failed.
        """


class RowGenerator:
    """What generators have in common that draw so many rows from a seed, without a program (:class:`Generator`)."""

    version = 1
    unit: Unit = "rows"
    seeded = True
    requirements: tuple[str, ...] = ()


class PartSource(Source, Protocol):
    """A part of a dataset about to be made."""

    def counted(self) -> bytes:
        """What is known of its rows, to be added to that of other parts; complete once every batch was drawn."""


class Parted(Generator, Protocol):
    """A generator whose datasets can be made by parts, each for itself and in any order."""

    def parts(self, scale: Scale) -> int:
        """Of how many parts a dataset is made where nobody says it."""

    def part(self, scale: Scale, seed: int | None, number: int, parts: int, workshop: Workshop) -> PartSource:
        """A part; those of all numbers have each row of the dataset once. Raises as ``open``.

        Args:
            scale: of the whole dataset.
            seed: of the dataset.
            number: of the part, from 0.
            parts: how many there are.
            workshop: as for ``open``.
        """

    def add(self, counted: Sequence[bytes]) -> bytes:
        """What is known of the rows of several parts together, whatever their order."""

    def known(self, counted: bytes) -> Truth:
        """What is known of the dataset, from that of all its parts together."""


def parted(made_by: Generator) -> Parted:
    """A generator that makes parts.

    Raises:
        UsageError: it does not.
    """
    if not hasattr(made_by, "part"):
        raise UsageError(
            f"{made_by.name} makes no parts: its datasets are made on one machine", remedy="leave out --on and --to"
        )
    return cast("Parted", made_by)


def usual_parts(scale: Scale, small: Scale, usual: Scale) -> int:
    """Of how many parts a dataset is made: 64 small ones at most, then as many as are as large as usual.

    A small dataset is worth spreading too; of a large one there are not more files than anybody needs.
    """
    return max(1, min(ceil(scale / small), max(_SMALL_PARTS, ceil(scale / usual))))


def generator(name: str) -> Generator:
    """The generator of that name.

    Raises:
        UsageError: there is none.
    """
    if name in GENERATORS:
        # Nobody else's has the name of one of ours; to read what is installed takes as long as to start a process.
        return cast("Generator", EntryPoint(name, GENERATORS[name], "weigh.generators").load())
    known = plug_ins.entries("weigh.generators")
    if name not in known:
        raise UsageError(f"there is no dataset '{name}'", remedy=nearest(name, known.keys() | GENERATORS.keys()))
    return cast("Generator", known[name].load())


def dataset_scale(name: str, wanted: str | float | None) -> Scale:
    """A scale as people write it, in the unit of the generator of that name; its usual one for None.

    Raises:
        UsageError: there is no such generator, or that is no scale of it.
    """
    made_by = generator(name)
    if wanted is None:
        return made_by.scale
    scale = units.parse_factor(str(wanted)) if made_by.unit == "scale factor" else units.parse_rows(str(wanted))
    if scale < made_by.least:
        raise UsageError(f"{name} at {wanted} is too small", remedy=f"at least {made_by.least:g} {made_by.base}")
    return scale


def dataset_name(name: str, scale: Scale, seed: int | None) -> DatasetName:
    """The full name of a dataset, with the version of its generator.

    Raises:
        UsageError: there is no such generator.
    """
    made_by = generator(name)
    return DatasetName(
        generator=f"{made_by.name}/{made_by.version}", scale=scale, seed=seed if made_by.seeded else None
    )
