"""The surroundings for people and programs: on what the data lies, its size against memory, and parity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.report.costs import Costs
from weigh.experiment.results import resources
from weigh.experiment.results.data.storage import places, working_set
from weigh.machine.working_set import WorkingSet
from weigh.model import units
from weigh.model.data.storage import Place
from weigh.model.resources import cpus_text
from weigh.model.sample import Samples
from weigh.model.units import Bytes

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.resources import ResourcesRead


_HEADINGS = ("contender", "CPUs", "threads", "memory limit", "spills to", "CPU / wall", "written")
_NOTE = (
    "CPUs as the kernel allows; threads, limit and folder as the engine says. CPU / wall: CPU seconds a second of wall "
    "time, medians, least to most over operations. Written: most by one execution."
)


class BoundsRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for all contenders.

    Attributes:
        affinity: CPUs that every contender was kept on; None where nothing was asked.
        memory_bytes: memory that every contender was limited to; None likewise.
        expect_storage: kind of storage that the data had to lie on; None likewise.
    """

    affinity: tuple[int, ...] | None
    memory_bytes: Bytes | None
    expect_storage: str | None


class ParityRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a contender had in its last process.

    Attributes:
        contender: its name.
        cpus: that the kernel let it run on.
        threads: as the engine says; None where it says nothing.
        threads_counted: threads of all its processes, as the kernel counts; idle ones and the interpreter's too.
        priority: how the kernel schedules its thread of the highest priority, and how it was started, e.g.
            ``nice -5, started with nice 0``; empty where that is the same.
        memory: the engine's own limit in its own words; empty where it says nothing.
        spill: the folder that it spills to, in its own words.
        spill_on: on what that lies.
        group: memory that its control group allowed; None where weigh made none.
        declared: which of ``threads``, ``memory`` and ``spill`` are as the contender's settings asked.
        parallelism: CPU seconds a second by operation, of the medians.
        sizes: settings that say how large a system by URL is; left out of all others.
    """

    contender: str
    cpus: tuple[int, ...]
    threads: int | None
    threads_counted: int | None = msgspec.field(name="threads_seen")
    priority: str
    memory: str
    spill: str
    spill_on: str
    group: Bytes | None
    declared: tuple[str, ...]
    parallelism: dict[str, float]
    sizes: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


class ResourcesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Four parts of the JSON document of a run.

    Attributes:
        working_set: the data's size against memory; None where one is not known.
        storage: where everything lies.
        bounds: what was asked for all contenders.
        parity: what each contender had in its last process.
    """

    working_set: WorkingSet | None
    storage: tuple[Place, ...]
    bounds: BoundsRow
    parity: tuple[ParityRow, ...]


def lines(record: Record) -> list[str]:
    """Two lines for the head of a report; none where nothing was recorded."""
    clauses = []
    if found := working_set(record):
        clauses.append(f"{found}")
    lying = [f"{one.on} at {one.mount}" for one in places(record) if one.use == "data"]
    if lying:
        clauses.append(f"the data lies on {'; '.join(lying)}")
    return clauses


def facts(record: Record) -> tuple[tuple[str, str], ...]:
    """Rows for a table of the machine."""
    found = working_set(record)
    rows = [("size against memory", str(found))] if found else []
    names = {"data": "data on", "copy": "copies on", "temp": "temporary files on"}
    rows += [
        (names[one.use] + (f" ({one.contender})" if one.contender else ""), one.description) for one in places(record)
    ]
    return tuple(rows)


def parity(results: ExperimentResults) -> Costs:
    """What each contender had that said it, in the order of the spec."""
    record = results.record
    every = resources.resources_read(record)
    ratios = _parallelism(results)
    written: dict[str, int] = {}
    for contender, most in Samples.of(record.samples).coded("contender", "bytes_written").values:
        if most is not None:
            written[contender] = max(written.get(contender, 0), most)
    rows = [
        _row(one.name, every[one.name][-1], ratios.get(one.name, {}), written.get(one.name))
        for one in record.spec.contenders
        if one.name in every
    ]
    return Costs("Parity", _HEADINGS, rows, _NOTE, scoped=False)


def _row(name: str, read: ResourcesRead, ratios: dict[str, float], written: int | None) -> tuple[str, ...]:
    memory = read.memory and ("none" if resources.limit(read.memory) == resources.UNLIMITED else read.memory)
    group = [f"group {units.size(read.group)}"] if read.group is not None else []
    parallel = sorted({f"{ratio:.1f}" for ratio in ratios.values()}, key=float)
    return (
        name,
        cpus_text(read.cpus) or "not told",
        "not told" if read.threads is None else str(read.threads),
        ", ".join([memory or "not told", *group]),
        read.spill_on or "not told",
        "-".join(dict.fromkeys([*parallel[:1], *parallel[-1:]])),
        "not told" if written is None else units.size(written),
    )


def _parallelism(results: ExperimentResults) -> dict[str, dict[str, float]]:
    """By contender and operation, of the medians; only of what may be shown."""
    medians = {(one.metric, one.operation, one.contender): one.median for one in results.timings}
    found: dict[str, dict[str, float]] = {}
    for (metric, operation, contender), wall in medians.items():
        cpu = medians.get(("cpu_s", operation, contender))
        if metric == "wall_s" and cpu is not None and wall:
            found.setdefault(contender, {})[operation] = cpu / wall
    return found


def document(results: ExperimentResults) -> ResourcesDocument | None:
    """The same for the JSON of a run; None of evidence that did not record it."""
    record = results.record
    if record.environment is None or not record.environment.storage:
        return None
    ratios = _parallelism(results)
    spec = record.spec
    return ResourcesDocument(
        working_set=working_set(record),
        storage=places(record),
        bounds=BoundsRow(
            affinity=spec.affinity or None,
            memory_bytes=spec.memory_limit or None,
            expect_storage=spec.expect_storage or None,
        ),
        parity=tuple(
            ParityRow(contender=name, **msgspec.structs.asdict(reported[-1]), parallelism=ratios.get(name, {}))
            for name, reported in resources.resources_read(record).items()
        ),
    )
