"""Query streams, in order: data, refresh sets, truth, and lives of every contender.

The first life is checked and not timed; the others are timed, and checked all the same.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh._version import __version__
from weigh.data.tpch import refresh as refreshes
from weigh.engines.prepared import cache_folder, read_back
from weigh.evidence import attempts
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import attempted, sealed
from weigh.experiment.data.data_link import tables_of
from weigh.experiment.setup import check, prepare
from weigh.host import facts, knobs, lock, scratch
from weigh.host.sampling import Sampling, rate
from weigh.host.sysfs import Machine
from weigh.model import codes
from weigh.model.errors import UsageError
from weigh.streams import record as records
from weigh.streams import resume as resuming
from weigh.streams import tpcds, tpch
from weigh.streams.benchmark import Ask
from weigh.streams.lives import Lives, right
from weigh.streams.spec import SHAPES, StreamsSpec, query_name
from weigh.streams.states import States
from weigh.streams.truth import Truth, witnesses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.setup import Setup
    from weigh.model.finding import Finding
    from weigh.model.progress import Progress
    from weigh.streams.benchmark import Benchmark

_MOST_STREAMS = 40


def run(spec: StreamsSpec, request: RunRequest, progress: Progress, render: Callable[[Path], object]) -> Path:
    """Run the tests and seal the evidence.

    Args:
        spec: what to do.
        request: how.
        progress: reports how far it is.
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
        left = resuming.left(request.root, spec) if request.resume else resuming.Left()
        if left.folder is not None and (left.record is None or left.record.end is not None):
            if left.record is not None:
                # It had ended, and was killed while it was being sealed.
                with sealed(left.folder, Journal(left.folder), None):
                    render(left.folder)
            return left.folder
        if request.resume and left.folder is None:
            # One that was interrupted is sealed, and stays as it is.
            progress.say("no attempt was killed that could be gone on with: a new one begins")
        setup = prepare(experiment, request, progress, stack)
        before = left.record
        place = Path(tempfile.mkdtemp(prefix="weigh-streams-", dir=scratch.folder("streams")))
        stack.callback(shutil.rmtree, place.parent, ignore_errors=True)
        ready = _ready(spec, request, setup, progress, place)
        if before is not None:
            resuming.check_same(before, ready.environment, ready.plan)
        if left.folder is not None and before is not None:
            folder, number = left.folder, before.attempt
        else:
            folder, number = attempts.begin(request.root, spec.id)
        journal = Journal(folder)
        stack.callback(journal.close)
        with attempted(folder, journal, lambda: render(folder)) as course:
            if before is None:
                journal.append(records.OPENED, records.Opened(attempt=number, spec=spec))
            else:
                journal.append("finding", resuming.finding(before))
            watching = Sampling(journal)
            with watching.started(time.monotonic() - (resuming.moment(before) if before else 0.0)):
                _measure(spec, request, ready, journal, progress, place, watching, before)
            course.complete()
        return folder


def _refuse(spec: StreamsSpec, request: RunRequest) -> None:
    experiment = spec.experiment
    if experiment.workload not in SHAPES or request.user_files:
        raise UsageError(
            f"--streams is of TPC-H and TPC-DS, and the workload is {experiment.workload}",
            remedy="add --workload tpch or tpcds, or leave out --streams",
        )
    if not 1 <= spec.streams <= _MOST_STREAMS:
        raise UsageError(f"{spec.streams} streams", remedy=f"from 1 to {_MOST_STREAMS}: so many orders are prescribed")
    if experiment.operations:
        raise UsageError(f"--streams asks all {spec.shape.queries} queries", remedy="leave out --operations")
    if not spec.maintains:
        refreshes.size(experiment.scale or 1.0)


class _Ready(NamedTuple):
    """Everything that is made before anything is executed."""

    contenders: Sequence[PreparedContender]
    tables: Mapping[str, Sequence[str]]
    made: Benchmark
    states: States
    witnesses: Sequence[PreparedContender]
    findings: Sequence[Finding]
    environment: records.Environment
    plan: records.Plan


def _ready(spec: StreamsSpec, request: RunRequest, setup: Setup, progress: Progress, place: Path) -> _Ready:
    """Refresh sets, queries, what the tables must hold, and who takes part."""
    tables = tables_of(setup.data.folder, setup.data.manifest).paths
    made = (tpcds if spec.maintains else tpch).benchmark(spec, setup, tables, progress, place)
    states = States(tables, made.keys, made.changes, place)
    everyone = witnesses(setup.contenders, cache_folder(), progress)
    reads, findings = [], []
    for one in setup.contenders:
        read, found = read_back(one)
        reads.append(read)
        findings += found
    knobs_found = knobs.read(Machine.here())
    environment = records.Environment(
        weigh=__version__,
        command=request.command,
        host=facts.read(knobs_found),
        knobs=knobs_found,
        contenders=tuple(reads),
        read_only=tuple(one.name for one in setup.contenders if not one.engine.writes),
        witnesses=tuple(f"{one.name} {one.contender.version or one.engine.tested}" for one in everyone),
        data=dict(setup.data.manifest.digests),
        notice=setup.workload.notice,
    )
    plan = records.Plan(queries=made.queries, states=tuple(states.state(number) for number in range(len(states))))
    return _Ready(setup.contenders, tables, made, states, everyone, findings, environment, plan)


def _measure(
    spec: StreamsSpec,
    request: RunRequest,
    ready: _Ready,
    journal: Journal,
    progress: Progress,
    place: Path,
    watching: Sampling,
    before: records.StreamsRecord | None,
) -> None:
    for finding in ready.findings:
        journal.append("finding", finding)
    for name, body in (("environment", ready.environment), ("plan", ready.plan)):
        if before is None or getattr(before, name) is None:
            journal.append(name, body)
    truth = Truth(ready.made, _places(ready.made, ready.environment.read_only))
    for text in truth.ask(ready.witnesses, ready.states, spec.experiment.timeout, progress):
        journal.append("finding", codes.A1_WITNESS.finding(text=text, remedy="its answers are missing as a witness"))
    lives = Lives(spec, ready.tables, ready.made, ready.states, truth, place, watching, progress)
    gates = {life.contender: life for life in before.lives if not life.repetition} if before else {}
    fit = {}
    for one in ready.contenders:
        gate = gates.get(one.name)
        if gate is None:
            progress.say(f"gate: {one.name} refreshes, and answers all streams")
            gate = lives.life(one, 0)
            journal.append("life", gate)
        if right(gate):
            fit[one.name] = one
    for repetition, name in resuming.turns(spec, tuple(fit), before) if request.measure else ():
        progress.say(f"repetition {repetition} of {spec.repetitions}: {name}")
        journal.append("life", lives.life(fit[name], repetition))


def _places(made: Benchmark, read_only: Sequence[str]) -> dict[str, list[int]]:
    """The states in which each query may be asked: those between the ends of its test, and read-only engines' first."""
    found = {}
    for test in made.tests:
        for steps in test.streams.values():
            for at, one in enumerate(steps):
                if isinstance(one, Ask):
                    alone = len(test.streams) == 1
                    before = test.first + sum(isinstance(each, int) for each in steps[:at])
                    found[query_name(*one)] = [before] if alone else list(range(test.first, test.last + 1))
    for one in made.alone if read_only else ():
        places = found[query_name(*one)]
        found[query_name(*one)] = sorted({0, *places})
    return found
