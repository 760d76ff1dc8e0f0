"""Query streams, in order: data, refresh sets, truth, and lives of every contender.

The first life is checked and not timed; the others are timed, and checked all the same.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from weigh._version import __version__
from weigh.data import generator as generators
from weigh.data.tpch import Tpch
from weigh.data.tpch import refresh as refreshes
from weigh.engines.prepared import cache_folder, read_back
from weigh.evidence import attempts
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import attempted
from weigh.experiment.data.data_link import tables_of
from weigh.experiment.data.dataset import interpreter
from weigh.experiment.setup import check, prepare
from weigh.host import facts, knobs, lock, scratch
from weigh.host.sampling import Sampling, rate
from weigh.host.sysfs import Machine
from weigh.model import codes
from weigh.model.errors import UsageError
from weigh.streams import record as records
from weigh.streams.lives import Lives, right
from weigh.streams.spec import StreamsSpec, query_name
from weigh.streams.states import States
from weigh.streams.truth import Truth, witnesses
from weigh.workloads.tpch import NOTICE, SCHEMAS, qgen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.setup import Setup
    from weigh.model.progress import Progress

WORKLOADS = ("tpch", "tpch-dbgen")
_MOST_STREAMS = 40


def run(spec: StreamsSpec, request: RunRequest, progress: Progress, render: Callable[[Path], object]) -> Path:
    """Run the tests and seal the evidence.

    Args:
        spec: what to do.
        request: how.
        progress: is told how far it is.
        render: writes what follows from the journal into the directory, before it is sealed.

    Returns:
        The evidence directory.

    Raises:
        WeighError: it could not begin, or what ended it, with the evidence's place as a note.
    """
    experiment = spec.experiment
    _refuse(spec, request)
    rate()
    with ExitStack() as stack:
        scratch.sweep()
        check(experiment, request)
        stack.enter_context(lock.measuring(f"weigh run --streams {spec.streams}"))
        setup = prepare(experiment, request, progress, stack)
        folder, number = attempts.begin(request.root, spec.id)
        journal = Journal(folder)
        stack.callback(journal.close)
        place = Path(tempfile.mkdtemp(prefix="weigh-streams-", dir=scratch.folder("streams")))
        stack.callback(shutil.rmtree, place.parent, ignore_errors=True)
        with attempted(folder, journal, lambda: render(folder)) as course:
            journal.append(records.OPENED, records.Opened(attempt=number, spec=spec))
            watching = Sampling(journal)
            with watching.started(time.monotonic()):
                _measure(spec, request, setup, journal, progress, place, watching)
            course.complete()
        return folder


def _refuse(spec: StreamsSpec, request: RunRequest) -> None:
    experiment = spec.experiment
    if experiment.workload not in WORKLOADS or request.user_files:
        raise UsageError(
            f"--streams is of TPC-H, and the workload is {experiment.workload}",
            remedy="add --workload tpch, or leave out --streams",
        )
    if not 1 <= spec.streams <= _MOST_STREAMS:
        raise UsageError(f"{spec.streams} streams", remedy=f"from 1 to {_MOST_STREAMS}: so many orders are prescribed")
    if experiment.operations:
        raise UsageError("--streams asks all 22 queries", remedy="leave out --operations")
    refreshes.size(experiment.scale or 1.0)


def _measure(
    spec: StreamsSpec,
    request: RunRequest,
    setup: Setup,
    journal: Journal,
    progress: Progress,
    place: Path,
    watching: Sampling,
) -> None:
    experiment = spec.experiment
    tables = tables_of(setup.data.folder, setup.data.manifest).paths
    sets = _sets(spec, setup, tables, progress, place)
    states = States(tables, sets, place)
    queries = _queries(spec, setup)
    everyone = witnesses(setup.contenders, cache_folder(), progress)
    reads = []
    for one in setup.contenders:
        read, findings = read_back(one)
        reads.append(read)
        for finding in findings:
            journal.append("finding", finding)
    found = knobs.read(Machine.here())
    read_only = tuple(one.name for one in setup.contenders if not one.engine.writes)
    journal.append(
        "environment",
        records.Environment(
            weigh=__version__,
            command=request.command,
            host=facts.read(found),
            knobs=found,
            contenders=tuple(reads),
            read_only=read_only,
            witnesses=tuple(f"{one.name} {one.contender.version or one.engine.tested}" for one in everyone),
            data=dict(setup.data.manifest.digests),
            notice=NOTICE,
        ),
    )
    plan = records.Plan(queries=queries, states=tuple(states.state(number) for number in range(len(states))))
    journal.append("plan", plan)
    texts = {one.name: one.sql for one in queries}
    schemas = {one.name: SCHEMAS[int(one.name.partition(".q")[2])] for one in queries}
    truth = Truth(schemas, texts, {name: _places(name, spec, read_only) for name in texts})
    for text in truth.ask(everyone, states, experiment.timeout, progress):
        journal.append("finding", codes.A1_WITNESS.finding(text=text, remedy="its answers are missing as a witness"))
    lives = Lives(spec, tables, sets, states, texts, truth, place, watching, progress)
    fit = []
    for one in setup.contenders:
        progress.say(f"gate: {one.name} refreshes, and answers {spec.streams + 1} streams")
        life = lives.life(one, 0)
        journal.append("life", life)
        if right(life):
            fit.append(one)
    order = random.Random(experiment.seed)  # of turns, and no secret
    for repetition in range(1, spec.repetitions + 1) if request.measure else ():
        for one in order.sample(fit, len(fit)):
            progress.say(f"repetition {repetition} of {spec.repetitions}: {one.name}")
            journal.append("life", lives.life(one, repetition))


def _sets(
    spec: StreamsSpec, setup: Setup, tables: Mapping[str, Sequence[str]], progress: Progress, place: Path
) -> list[refreshes.RefreshSet]:
    """A set for the power test, and one for each stream of the throughput test."""
    made_by = generators.generator(setup.source.dataset)
    assert isinstance(made_by, Tpch)
    schemas = {name: _plain(pq.read_schema(tables[name][0])) for name in (refreshes.ORDERS, refreshes.LINES)}
    python = interpreter(list(made_by.requirements))
    sets = []
    for number in range(1, spec.streams + 2):
        progress.say(f"refresh set {number} of {spec.streams + 1}")
        sets.append(refreshes.refresh_set(made_by, spec.experiment.scale or 1.0, number, schemas, python, place))
    return sets


def _plain(schema: pa.Schema) -> pa.Schema:
    return pa.schema([(field.name, field.type) for field in schema])


def _queries(spec: StreamsSpec, setup: Setup) -> tuple[records.StreamQuery, ...]:
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
                records.StreamQuery(
                    name=query_name(stream, number),
                    parameters=drawn[number],
                    sql=qgen.text(number, text, drawn[number]),
                )
            )
    return tuple(made)


def _places(name: str, spec: StreamsSpec, read_only: Sequence[str]) -> list[int]:
    """The states in which a query may be asked: the power test's between its refreshes, a stream's in any later one."""
    if name.startswith("0."):
        return [0, 1] if read_only else [1]
    return list(range(2, spec.states))
