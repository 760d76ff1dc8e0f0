"""Queries of a workload of ``weigh run`` in a server under load: its tables there, and who asks and checks them.

They are asked as ``weigh run`` asks a system by URL: in a process with the system's own client, under a clock that ends
when every row has arrived.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh import workloads
from weigh.answers import arrow_stream
from weigh.answers.arrow_messages import BadStream
from weigh.answers.compare import compare
from weigh.data import cache as stored
from weigh.data.generator import dataset_name, dataset_scale
from weigh.engines import environment as environments
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import PreparedContender, cache_folder, ready
from weigh.host import scratch
from weigh.load.disturbances.record import QueryAnswer
from weigh.load.generator_errors import call
from weigh.load.session.client import client
from weigh.model.contender import Contender
from weigh.model.errors import EngineFault
from weigh.model.sample import Outcome
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from weigh.engines.process import WorkerProcess
    from weigh.load.disturbances.record import QueryStatus
    from weigh.load.spec import Disturbances
    from weigh.model.operation import Operation
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

WITNESSES = ("duckdb", "datafusion")
"""Who says what is right where nothing is known of the data: of two lineages, and of none of the servers'."""
_LIMIT = 30.0
"""Seconds for a query that is asked alone. One that takes longer is left out: it is asked twenty times."""
_LOADED = 4 * 3600.0
_LATER = 20
"""Times as long a query may take under load, and ``_LIMIT`` seconds."""


class Execution(NamedTuple):
    """A query that was executed in a window.

    Attributes:
        seconds: until every row had arrived.
        difference: how its answer differs from that before any window; empty where it does not.
    """

    seconds: Seconds
    difference: str


class Queries:
    """The queries of a workload in a server.

    Args:
        wanted: which.
        seed: of data and literals.
        connect: how the server is reached, as the generator takes it.
        run: number of the run.
        progress: reports how far it is.

    Raises:
        WeighError: the data cannot be made or loaded.
    """

    def __init__(self, wanted: Disturbances, seed: int, connect: dict[str, Any], run: int, progress: Progress) -> None:
        self._connect, self._run, self._progress = connect, run, progress
        self._source, self._cache = workloads.load(wanted.queries), cache_folder()
        name = dataset_name(self._source.dataset, dataset_scale(self._source.dataset, wanted.scale), seed)
        progress.say(f"data of {wanted.queries}")
        data = stored.ensure(
            name,
            LayoutSpec(),
            self._cache,
            environment=lambda needed: environments.ensure(needed, self._cache).python,
            progress=progress.step,
        )
        self._truth = data.truth
        self._tables: dict[str, list[str]] = {}
        for file in data.manifest.files:
            self._tables.setdefault(file.table, []).append(str(data.folder / file.path))
        built = workloads.build(self._source, data.truth, seed, wanted.operations)
        self._known = built.witness
        chosen = wanted.operations or [one.name for one in built.operations]
        self._operations = {one.name: one for one in built.operations if one.name in chosen and one.timed()}
        self._place = scratch.folder("queries")
        self._copy = self._place / "copy"
        self._worker: WorkerProcess | None = None
        self._right: dict[str, tuple[bytes, pa.Table]] = {}
        self._limits: dict[str, Seconds] = {}
        self._ready = ready(client(connect, self._place), self._cache)
        try:
            self._load(wanted.queries)
        except BaseException:
            self.close()
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """Those that can be asked, in order."""
        return tuple(self._limits)

    def close(self) -> None:
        """End the session, and remove the tables."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
        with suppress(Exception):
            # The server may have ended, or be somebody's who has already removed it.
            self._execute(f"DROP {self._kind} {self._schema}{self._cascade}")
        shutil.rmtree(self._place, ignore_errors=True)

    def _load(self, workload: str) -> None:
        self._progress.say(f"loading the tables of {workload}")
        self._copy.mkdir()
        try:
            self._worker = self._ready.open()
            self._worker.load(self._tables, self._copy, _LOADED)
            for table, columns in getattr(self._source, "indexes", ()):
                name = f"weigh_{table}_{columns.replace(', ', '_')}"
                self._execute(f"CREATE INDEX {name} ON {self._schema}.{table} ({columns})")
            self._worker.attach(self._copy, list(self._tables))
        except WorkerEnded as ended:
            raise EngineFault(
                f"the tables of {workload} cannot be loaded: {ended.detail}",
                where=self._ready.engine.name,
                remedy="see whether the user may make a schema or a database there",
            ) from None

    @property
    def _schema(self) -> str:
        """Where the tables are, as the adapter noted it."""
        if self._connect["kind"] == "postgres":
            return (self._copy / "schema").read_text()
        return str(json.loads((self._copy / "tables.json").read_text())["schema"])

    @property
    def _kind(self) -> str:
        return "SCHEMA" if self._connect["kind"] == "postgres" else "DATABASE"

    @property
    def _cascade(self) -> str:
        return " CASCADE" if self._connect["kind"] == "postgres" else ""

    def _execute(self, statement: str) -> None:
        from weigh._native import execute

        call(execute, msgspec.json.encode(self._connect).decode(), statement)

    def checked(self) -> list[QueryAnswer]:
        """Ask each once while nothing else goes on, and compare its answer. What cannot be asked is left out."""
        others = [ready(Contender(name=name, engine=name), self._cache) for name in WITNESSES]
        right = self._witnessed(others, [one for one in self._operations.values() if self._expected(one) is None])
        return [self._checked(one, right.get(one.name, {})) for one in self._operations.values()]

    def _witnessed(
        self, others: Sequence[PreparedContender], wanted: Sequence[Operation]
    ) -> dict[str, dict[str, pa.Table]]:
        """What the witnesses answer over the same files."""
        found: dict[str, dict[str, pa.Table]] = {}
        for other in others if wanted else ():
            self._progress.say(f"{other.name}, a witness, answers {len(wanted)} queries")
            worker: WorkerProcess | None = None
            for one in wanted:
                try:
                    if worker is None:
                        worker = other.open()
                        worker.bind(self._tables)
                    worker.prepare(one.text(one.timed()[0], other.engine.dialect), _LIMIT)
                    worker.run(_LIMIT)
                    found.setdefault(one.name, {})[other.name] = _table(_fetched(worker))
                except WorkerEnded as ended:
                    if not ended.alive:
                        worker = None
            if worker is not None:
                worker.close()
        return found

    def _expected(self, one: Operation) -> pa.Table | None:
        return self._source.expected(one.name, one.timed()[0], self._truth)

    def _checked(self, one: Operation, witnessed: dict[str, pa.Table]) -> QueryAnswer:
        self._progress.say(f"{one.name}, alone")
        try:
            seconds, content = self._ask(one, _LIMIT)
            answer = _table(content)
        except WorkerEnded as ended:
            status: QueryStatus = "unsupported" if ended.outcome is Outcome.UNSUPPORTED else "error"
            slow = ended.outcome is Outcome.TIMEOUT
            detail = f"alone it takes longer than {_LIMIT:g} s" if slow else ended.detail
            return QueryAnswer(run=self._run, name=one.name, status="slow" if slow else status, detail=detail)
        self._right[one.name] = content, answer
        self._limits[one.name] = _LATER * seconds + _LIMIT
        verdict, detail, whose = self._judged(one, answer, witnessed)
        return QueryAnswer(
            run=self._run,
            name=one.name,
            status=verdict,
            rows=answer.num_rows,
            seconds=seconds,
            witnesses=whose,
            detail=detail,
        )

    def _judged(
        self, one: Operation, answer: pa.Table, witnessed: dict[str, pa.Table]
    ) -> tuple[QueryStatus, str, tuple[str, ...]]:
        expected = self._expected(one)
        if expected is not None:
            found = compare(answer, expected, one.schema, complete=True)
            why = "; ".join(map(str, found.differences[:2]))
            return ("agreed" if found.agrees else "diverged"), why, (self._known,)
        agree = [name for name, table in witnessed.items() if compare(answer, table, one.schema).agrees]
        if agree:
            return "agreed", "", tuple(agree)
        tables = list(witnessed.values())
        if len(tables) < len(WITNESSES) or not compare(tables[0], tables[1], one.schema).agrees:
            return "unverified", "its witnesses are fewer than two, or do not agree", ()
        name, table = next(iter(witnessed.items()))
        found = compare(answer, table, one.schema)
        return "diverged", f"{name} says otherwise: {'; '.join(map(str, found.differences[:2]))}", tuple(witnessed)

    def _ask(self, one: Operation, limit: Seconds) -> tuple[Seconds, bytes]:
        """What it took, and what it answered.

        Raises:
            WorkerEnded: it failed.
        """
        if self._worker is None:
            self._worker = self._ready.open()
            self._worker.attach(self._copy, list(self._tables))
        try:
            self._worker.prepare(one.text(one.timed()[0], self._ready.engine.dialect), limit)
            cost = self._worker.run(limit)
            return cost.wall_s, _fetched(self._worker)
        except WorkerEnded as ended:
            if not ended.alive:
                self._worker = None
            raise

    def execute(self, name: str) -> Execution:
        """Execute one under the clock, and compare what it answers with what it answered before.

        Raises:
            EngineFault: it failed.
        """
        one = self._operations[name]
        try:
            seconds, content = self._ask(one, self._limits[name])
            before, answer = self._right[name]
            if content == before:
                return Execution(seconds, "")
            found = compare(_table(content), answer, one.schema)
        except WorkerEnded as ended:
            raise EngineFault(
                f"query {name} failed alongside the load: {ended.detail}",
                where=self._ready.engine.name,
                remedy="leave it out with --operations, or offer less load",
            ) from None
        return Execution(seconds, "; ".join(map(str, found.differences[:2])) if not found.agrees else "")


def _fetched(worker: WorkerProcess) -> bytes:
    path, _ = worker.answer(_LIMIT)
    try:
        return arrow_stream.content(path)
    except BadStream as error:
        raise _unreadable(error) from None
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _table(content: bytes) -> pa.Table:
    try:
        return arrow_stream.table(content)
    except BadStream as error:
        raise _unreadable(error) from None


def _unreadable(error: BadStream) -> WorkerEnded:
    return WorkerEnded(Outcome.ERROR, f"what it handed out cannot be read as an Arrow stream: {error}", alive=True)
