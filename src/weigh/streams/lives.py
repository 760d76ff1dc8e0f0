"""Lives: a contender from an empty database to the end of both tests, with everything that it answered compared."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from weigh.answers import compare
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import read_answer
from weigh.host import scratch
from weigh.model.answer import Column, ResultSchema
from weigh.model.units import duration
from weigh.streams import sessions
from weigh.streams.record import Life, Step, StreamTest, TableRead, Watched
from weigh.streams.spec import WATCH, StreamsSpec, query_name
from weigh.streams.states import States, look
from weigh.workloads import infer_schema

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.host.sampling import Sampling
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds
    from weigh.streams.benchmark import Benchmark, PlannedTest
    from weigh.streams.truth import Truth

_POWER = "0"
_LOOKED = "look"
_LOAD_FACTOR = 30
"""Times the time-out of one query that a load, or a whole test, may take."""


class Lives:
    """Makes lives.

    Args:
        spec: what is done.
        tables: files of the dataset by table.
        benchmark: queries, refresh functions and tests.
        states: what the refresh functions lead to.
        truth: says which answers are right.
        place: where plans are written.
        watching: the sampler alongside the tests.
        progress: reports how far it is, between tests.
    """

    def __init__(
        self,
        spec: StreamsSpec,
        tables: Mapping[str, Sequence[str]],
        benchmark: Benchmark,
        states: States,
        truth: Truth,
        place: Path,
        watching: Sampling,
        progress: Progress,
    ) -> None:
        self._watching = watching
        self._spec, self._states, self._truth = spec, states, truth
        self._benchmark = benchmark
        self._changes = {one.name for one in benchmark.changes}
        self._tables = {name: list(paths) for name, paths in tables.items()}
        self._place = place
        self._progress = progress
        self._timeout = spec.experiment.timeout
        self._expected: dict[tuple[str, int], tuple[pa.Table, ResultSchema, str]] = {}

    def life(self, ready: PreparedContender, repetition: int) -> Life:
        """A life from its load on; whatever ends it is its failure."""
        tests: list[StreamTest] = []
        load_s: Seconds | None = None
        failure = ""
        place = scratch.folder("streams")
        try:
            with ready.open() as worker:
                if not ready.engine.writes:
                    worker.bind(self._tables)
                    tests.append(self._reads_only(worker, ready.engine.dialect))
                else:
                    indexes = self._benchmark.indexes.get(ready.engine.dialect, ())
                    self._progress.say(f"{ready.name} loads {len(self._tables)} tables")
                    staged = {name: list(paths) for name, paths in self._benchmark.staged.items()}
                    cost = sessions.write_to(
                        worker, {**self._tables, **staged}, place, indexes, self._timeout * _LOAD_FACTOR
                    )
                    load_s = cost.seconds
                    self._progress.say(f"{ready.name} loaded them in {duration(load_s)}")
                    for planned in self._benchmark.tests:
                        self._progress.say(f"{ready.name}: {planned.name} test")
                        tests.append(self._test(worker, planned, ready.engine.dialect, gate=repetition == 0))
                        if tests[-1].error:
                            break
        except WorkerEnded as ended:
            failure = f"{ended.outcome}: {ended.detail}"
        finally:
            with suppress(OSError):
                shutil.rmtree(place)
        return Life(repetition=repetition, contender=ready.name, load_s=load_s, tests=tuple(tests), failure=failure)

    def _reads_only(self, worker: WorkerProcess, dialect: str) -> StreamTest:
        """The queries of the power test in its order, over files that nobody changes."""
        steps, at, request_s = [], 0.0, 0.0
        self._watching.mark()
        begun = self._watching.now()
        for one in self._benchmark.alone:
            name = query_name(*one)
            worker.prepare(self._benchmark.text(name, dialect), self._timeout)
            cost = worker.run(self._timeout)
            answer = read_answer(worker.answer(self._timeout)[0])
            steps.append(self._judged(name, _POWER, at, at + cost.wall_s, answer, [0]))
            at += cost.wall_s
            request_s += cost.round_trip.seconds
        self._watching.mark()
        self._watching.keep(thorough=True)
        return StreamTest(name="queries", request_s=request_s, steps=tuple(steps), at=begun)

    def _test(self, worker: WorkerProcess, planned: PlannedTest, dialect: str, *, gate: bool) -> StreamTest:
        streams = self._streams(planned, dialect, gate=gate)
        changes = planned.last > planned.first
        if gate and changes:
            streams.append({"name": WATCH, "watches": True, "steps": [{"name": WATCH, "sql": look(self._states.keys)}]})
        plan = self._place / "plan.json"
        plan.write_text(json.dumps({"streams": streams}))
        # The server, or whoever else works for the engine, need not see it: the worker reads it and writes the answers.
        folder = scratch.folder("answers", in_memory=True)
        try:
            self._watching.mark()
            at = self._watching.now()
            found, cost = sessions.streams(worker, plan, folder, self._timeout * _LOAD_FACTOR)
            self._watching.mark()
            self._watching.keep(thorough=True)
            windows = _windows(found, planned.first, self._changes)
            steps, looks = [], []
            for one in found:
                if one["error"] or one["name"] in self._changes:
                    steps.append(_plain(one))
                    continue
                answer = read_answer(folder / one["answer"])
                if one["name"] in (WATCH, _LOOKED):
                    looks.append((answer, windows(one)))
                else:
                    steps.append(
                        self._judged(one["name"], one["stream"], one["began"], one["ended"], answer, windows(one))
                    )
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        # What changed is read back where nothing is timed any more, or nothing is at all.
        ends = planned is self._benchmark.tests[-1]
        reads = self._read_back(worker, planned.last) if changes and (gate or ends) else ()
        watched = self._watched(looks) if gate and changes else None
        return StreamTest(
            name=planned.name,
            request_s=cost.seconds,
            steps=tuple(steps),
            reads=reads,
            watched=watched,
            at=at,
        )

    def _streams(self, planned: PlannedTest, dialect: str, *, gate: bool) -> list[dict[str, Any]]:
        """A test as the worker executes it; in a gate, one session alone looks at the tables after each refresh."""
        looks = [{"name": _LOOKED, "sql": look(self._states.keys)}] if gate and len(planned.streams) == 1 else []
        streams = []
        for name, items in planned.streams.items():
            steps: list[dict[str, Any]] = []
            for one in items:
                if isinstance(one, int):
                    change = self._benchmark.changes[one]
                    steps += [{"name": change.name, "statements": change.statements}, *looks]
                else:
                    query = query_name(*one)
                    steps.append({"name": query, "sql": self._benchmark.text(query, dialect)})
            streams.append({"name": name, "steps": steps})
        return streams

    def _judged(
        self, name: str, stream: str, began: Seconds, ended: Seconds, answer: pa.Table, states: Sequence[int]
    ) -> Step:
        ruling = self._truth.judge(name, answer, states)
        return Step(
            stream=stream,
            name=name,
            began=began,
            ended=ended,
            rows=answer.num_rows,
            status=ruling.status,
            state=ruling.state,
            digest=compare.digest(answer, self._truth.schema(name)),
            detail=ruling.detail,
        )

    def _watched(self, looks: Sequence[tuple[pa.Table, Sequence[int]]]) -> Watched:
        """Looks at both tables in one statement: each must be of a state that was possible at that moment."""
        between, detail = 0, ""
        for answer, states in looks:
            (row,) = answer.to_pylist() or [{}]
            got = tuple(int(one or 0) for one in row.values())
            possible = [self._states.state(number).sums for number in states]
            if got not in possible:
                between += 1
                tables = list(self._states.keys)
                detail = (
                    detail
                    or f"{_sums(tables, got)}, where {' or '.join(_sums(tables, one) for one in possible)} must be"
                )
        return Watched(looks=len(looks), between=between, detail=detail)

    def _read_back(self, worker: WorkerProcess, state: int) -> tuple[TableRead, ...]:
        """Both tables, row by row."""
        folder = scratch.folder("answers", in_memory=True)
        plan = self._place / "plan.json"
        steps = [{"name": table, "sql": f"SELECT * FROM {table}"} for table in self._states.keys]
        plan.write_text(json.dumps({"streams": [{"name": "read", "steps": steps}]}))
        try:
            found, _ = sessions.streams(worker, plan, folder, self._timeout * _LOAD_FACTOR)
            return tuple(self._table_read(one, folder, state) for one in found)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _table_read(self, one: dict[str, Any], folder: Path, state: int) -> TableRead:
        table = one["name"]
        rows, schema, expected = self._rows(table, state)
        if one["error"]:
            return TableRead(table=table, state=state, digest="", expected=expected, detail=one["error"])
        answer = read_answer(folder / one["answer"])
        digest = compare.digest(answer, schema)
        detail = "" if digest == expected else _difference(answer, rows, self._states.keys[table])
        return TableRead(table=table, state=state, digest=digest, expected=expected, detail=detail)

    def _rows(self, table: str, state: int) -> tuple[pa.Table, ResultSchema, str]:
        """The predicted rows of a table, their schema, and their digest."""
        if (table, state) not in self._expected:
            paths = self._states.files(state)[table]
            rows = pa.concat_tables(pq.ParquetFile(path).read() for path in paths)
            kinds = (Column(name=field.name, kind=infer_schema.kind(field.type)) for field in rows.schema)
            schema = ResultSchema(columns=tuple(kinds))
            self._expected[table, state] = rows, schema, compare.digest(rows, schema)
        return self._expected[table, state]


def right(life: Life) -> bool:
    """Whether nothing is wrong with a life."""
    return not life.failure and not any(test.error or test.accuses for test in life.tests)


def _plain(one: Mapping[str, Any]) -> Step:
    """A refresh function, or what ended with an error."""
    return Step(
        stream=one["stream"],
        name=one["name"],
        began=one["began"],
        ended=one["ended"],
        rows=one["rows"],
        status="error" if one["error"] else "done",
        detail=one["error"],
    )


def _sums(tables: Sequence[str], sums: Sequence[int]) -> str:
    """Rows and sums of keys in words; of many tables only the rows."""
    some = list(zip(tables, sums[::2], sums[1::2], strict=True))
    return ", ".join(f"{table} {rows:,} rows (sum of keys {keys})" for table, rows, keys in some)


def _windows(steps: Sequence[Mapping[str, Any]], first: int, changes: Collection[str]) -> Any:
    """Which states of the tables a step may have seen: those that were there at some moment between its ends.

    Args:
        steps: of all streams of a test.
        first: number of the state in which the test begins.
        changes: names of refresh functions.
    """
    refreshes = sorted((one for one in steps if one["name"] in changes), key=lambda one: one["began"])

    def possible(one: Mapping[str, Any]) -> list[int]:
        # A refresh may be observed from its beginning on, and must be from its end on.
        least = sum(each["ended"] <= one["began"] and not each["error"] for each in refreshes)
        most = sum(each["began"] <= one["ended"] for each in refreshes)
        return list(range(first + least, first + most + 1))

    return possible


def _difference(answer: pa.Table, rows: pa.Table, key: str) -> str:
    """What is wrong with a table, in words: which keys are missing or too many, or how many rows are others."""
    at = rows.column_names.index(key)
    got, wanted = (set(one.column(at).to_pylist()) for one in (answer, rows))
    words = [f"{answer.num_rows:,} rows, {rows.num_rows:,} must be there"]
    for what, keys in (("missing", wanted - got), ("too many", got - wanted)):
        if keys:
            some = ", ".join(map(str, sorted(keys)[:5]))
            words.append(f"{len(keys):,} keys ({key}) {what}, e.g. {some}")
    return "; ".join(words)
