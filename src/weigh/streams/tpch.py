"""TPC-H in streams: qgen's parameters and orders, RF1 and RF2, the power and the throughput test."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from weigh.data import generator as generators
from weigh.data.tpch import Tpch
from weigh.data.tpch import refresh as refreshes
from weigh.data.tpch.refresh import LINES, ORDERS, RefreshSet
from weigh.experiment.data.dataset import interpreter
from weigh.streams.benchmark import Ask, Benchmark, PlannedTest, indexes, number_of
from weigh.streams.record import StreamQuery
from weigh.streams.spec import REFRESH, RF1, RF2, StreamsSpec, query_name
from weigh.streams.states import Change
from weigh.workloads import tpch as workload
from weigh.workloads.tpch import SCHEMAS, qgen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from weigh.experiment.setup import Setup
    from weigh.model.progress import Progress

KEYS = {ORDERS: "o_orderkey", LINES: "l_orderkey"}
_ROWS_A_STATEMENT = 500


def benchmark(
    spec: StreamsSpec, setup: Setup, tables: Mapping[str, Sequence[str]], progress: Progress, place: Path
) -> Benchmark:
    """Make its refresh sets and draw its parameters.

    Args:
        spec: what is done.
        setup: the data and its generator.
        tables: files of the dataset by table.
        progress: reports how far it is.
        place: where refresh sets are made.
    """
    numbers = range(1, spec.streams + 1)
    changes = [
        change
        for number, one in enumerate(_sets(spec, setup, tables, progress, place), 1)
        for change in (_inserts(one, number), _deletes(one, number))
    ]
    alone = [Ask(0, number) for number in qgen.order(0)]
    streams: dict[str, Sequence[Ask | int]] = {
        str(stream): [Ask(stream, number) for number in qgen.order(stream)] for stream in numbers
    }
    queries = _queries(spec, setup)
    return Benchmark(
        queries=queries,
        schemas=SCHEMAS,
        dialects={
            (one.name, dialect): other
            for one in queries
            for dialect, other in workload.dialects(number_of(one.name), one.sql).items()
        },
        keys=KEYS,
        changes=changes,
        staged={},
        tests=(
            PlannedTest("power", {"0": [0, *alone, 1]}, 0),
            PlannedTest("throughput", {**streams, REFRESH: list(range(2, len(changes)))}, 2),
        ),
        indexes=indexes(workload.INDEXES),
        alone=alone,
    )


def _sets(
    spec: StreamsSpec, setup: Setup, tables: Mapping[str, Sequence[str]], progress: Progress, place: Path
) -> list[RefreshSet]:
    """A set for the power test, and one for each stream of the throughput test."""
    made_by = generators.generator(setup.source.dataset)
    assert isinstance(made_by, Tpch)
    schemas = {name: _plain(pq.read_schema(tables[name][0])) for name in (ORDERS, LINES)}
    python = interpreter(list(made_by.requirements))
    sets = []
    for number in range(1, spec.streams + 2):
        progress.say(f"refresh set {number} of {spec.streams + 1}")
        sets.append(refreshes.refresh_set(made_by, spec.experiment.scale or 1.0, number, schemas, python, place))
    return sets


def _plain(schema: pa.Schema) -> pa.Schema:
    return pa.schema([(field.name, field.type) for field in schema])


def _queries(spec: StreamsSpec, setup: Setup) -> tuple[StreamQuery, ...]:
    """All queries of all streams in the order in which each asks them, with its own parameters."""
    cube = setup.data.truth["queries"]
    validation = {int(number): str(text) for number, text in zip(cube["number"], cube["text"], strict=True)}
    scale = spec.experiment.scale or 1.0
    made = []
    for stream in range(spec.streams + 1):
        drawn = qgen.parameters(spec.experiment.seed + stream, stream, scale)
        for number in qgen.order(stream):
            text = qgen.with_fraction(validation[11], drawn[11][1]) if number == 11 else validation[number]
            made.append(
                StreamQuery(
                    name=query_name(stream, number),
                    parameters=drawn[number],
                    sql=qgen.text(number, text, drawn[number]),
                )
            )
    return tuple(made)


def _inserts(one: RefreshSet, number: int) -> Change:
    """RF1: rows as SQL."""
    rows = {ORDERS: one.orders, LINES: one.lines}
    statements = [
        f"INSERT INTO {table} VALUES {', '.join(_row(row) for row in batch.to_pylist())}"
        for table, new in rows.items()
        for batch in new.to_batches(_ROWS_A_STATEMENT)
    ]
    return Change(RF1, number, statements, rows, {})


def _deletes(one: RefreshSet, number: int) -> Change:
    """RF2: by key, children first, as a foreign key would have it."""
    keys = ", ".join(map(str, one.deleted))
    statements = [f"DELETE FROM {table} WHERE {KEYS[table]} IN ({keys})" for table in (LINES, ORDERS)]
    return Change(RF2, number, statements, {}, {table: (key, pa.array(one.deleted)) for table, key in KEYS.items()})


def _row(row: dict[str, object]) -> str:
    return f"({', '.join(map(_literal, row.values()))})"


def _literal(value: object) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"DATE '{value.isoformat()}'" if isinstance(value, date) else str(value)
