"""What is derived from the journal of an experiment: one document a part, and all samples as Parquet."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from weigh.evidence import files, timeline, whole
from weigh.evidence.seal import write_json
from weigh.experiment import record as records
from weigh.model.errors import EvidenceFault
from weigh.model.sample import OF_SOME, Outcome, Sample, Samples, Temperature

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa


SAMPLES = "samples.parquet"


def derive(folder: Path) -> None:
    """Write the documents that follow from the journal alone."""
    record = records.read(folder)
    for name, part in parts(record).items():
        write_json(folder, name, part)
    write_samples(folder, record.samples)
    timeline.write(folder, watched_turns(record))


def watched_turns(record: records.Record) -> timeline.Timeline:
    """What was observed, and when the executions of each turn began and had handed out their last answer."""
    columns = {"block": "int32", "turn": "int32", "arm": "string", "contender": "string", "operation": "string"}
    made = []
    for _, turn in groupby(record.samples, key=attrgetter("block", "turn")):
        those = tuple(turn)
        ends = [
            one.at + ((one.release_s or 0.0) + (one.round_trip_s or one.wall_s or 0.0) + (one.answer_s or 0.0))
            for one in those
        ]
        made.append((those[0].at, max(ends), {name: getattr(those[0], name) for name in columns}))
    spans = sorted(made, key=lambda one: one[0])
    return timeline.Timeline(attempt=record.attempt, watches=record.watches, columns=columns, spans=spans)


def parts(record: records.Record) -> dict[str, Any]:
    """The parts of a record that have a document of their own."""
    named = {
        "spec.json": record.spec,
        "environment.json": record.environment,
        "workload.json": record.workload,
        "manifest.json": record.manifest,
        "layouts.json": record.layouts or None,
        "catalogs.json": record.catalogs or None,
        "gate.json": record.gate,
    }
    return {name: part for name, part in named.items() if part is not None}


def write_samples(folder: Path, samples: Iterable[Sample]) -> None:
    """All samples in order as ``samples.parquet``: ``select * from 'runs/*/samples.parquet'`` works."""
    import pyarrow.parquet as pq

    with whole.aside(folder / SAMPLES) as place:
        pq.write_table(sample_table(samples), place, compression="zstd")


def sample_table(samples: Iterable[Sample]) -> pa.Table:
    """Samples as they are written: one row each, the fields of :class:`Sample` as columns."""
    import pyarrow as pa

    schema = sample_schema()
    every = Samples.of(samples)
    arrays = [
        pa.array(every.values(name), type=field.type)
        for name, field in zip(Sample.__struct_fields__, schema, strict=True)
    ]
    table = pa.Table.from_arrays(arrays, schema=schema)
    # Of most experiments these columns say nothing.
    return table.drop_columns([name for name in OF_SOME if table.column(name).null_count == table.num_rows])


def sample_schema() -> pa.Schema:
    """The columns of ``samples.parquet``: the fields of :class:`Sample` in order, in the type that each asks for."""
    import pyarrow as pa

    # A whole number that every sample has is a position; one that may be missing was measured, and may be large.
    columns = {
        int: pa.int32(), int | None: pa.int64(), float: pa.float64(), float | None: pa.float64(),
        bool: pa.bool_(), bool | None: pa.bool_(), str: pa.string(), Outcome: pa.string(), Temperature: pa.string(),
    }  # fmt: skip
    types = get_type_hints(Sample)
    return pa.schema([(field.encode_name, columns[types[field.name]]) for field in msgspec.structs.fields(Sample)])


def same_samples(folder: Path, samples: Iterable[Sample]) -> bool:
    """Whether ``samples.parquet`` holds these samples.

    Raises:
        EvidenceFault: the file is missing or damaged.
    """
    import pyarrow as pa

    try:
        return files.same_rows(folder / SAMPLES, sample_table(samples))
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(folder, error) from error


def _unreadable(folder: Path, error: Exception) -> EvidenceFault:
    return EvidenceFault(
        f"samples.parquet cannot be read: {error}",
        where=str(folder),
        remedy="the evidence was edited or the disk is failing",
    )
