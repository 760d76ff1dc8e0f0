"""A load experiment, in order: target, data, runs, seal."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing, nullcontext
from typing import TYPE_CHECKING, Any

from weigh._version import __version__
from weigh.cluster.connect import parsed
from weigh.engines.prepared import cache_folder
from weigh.evidence import attempts, whole
from weigh.evidence.anchoring import places
from weigh.evidence.anchoring.anchoring import Anchoring
from weigh.evidence.anchoring.run_key import RunKey
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import attempted
from weigh.host import facts, knobs, lock, scratch, settle, storage
from weigh.host.calibrating import Calibrating, wanted
from weigh.host.sampling import Sampling, rate
from weigh.host.sysfs import Machine
from weigh.load import conditions
from weigh.load import record as records
from weigh.load.analysis.findings import cut_trace, ignored_properties
from weigh.load.fleet import shares
from weigh.load.fleet.collecting import collected
from weigh.load.fleet.fleet import Fleet
from weigh.load.gate.asking import LoadGate, WrongAnswers
from weigh.load.generator import make_generator
from weigh.load.rate_search.run import search_rates
from weigh.load.replay import keeping as replay
from weigh.load.session import Session
from weigh.load.session.lives import Lives
from weigh.load.session.surroundings import Surroundings
from weigh.load.target import terms
from weigh.model import units
from weigh.model.progress import Remaining

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.load.files import LoadFiles
    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Reached, Target
    from weigh.model.progress import Progress

_BETWEEN = (records.OPENED, "loaded", "summary", "end")
"""Events between which a load is offered: an anchor that is sent within it would use the client's processor."""


def run(
    spec: LoadSpec,
    target: Target,
    root: Path,
    command: str,
    progress: Progress,
    render: Callable[[Path], Any],
    files: LoadFiles,
    anchors: tuple[str, ...] = (),
) -> Path:
    """Offer the load and seal the evidence.

    Args:
        spec: what to do.
        target: the server.
        root: folder of all evidence.
        command: the command that does it again, without secrets.
        progress: reports how far it is.
        render: writes the report into the directory, before it is sealed.
        files: of the load.
        anchors: where the head of the journal's chain is kept while it goes on, as of ``weigh run --anchor``.

    Returns:
        The evidence directory.

    Raises:
        WeighError: it could not begin. Once it has begun, what happened is in the evidence, sealed, and the error that
            ended it is raised with the evidence's place as a note.
    """
    # What is misspelt there is reported before anything is locked.
    settle.patience()
    wanted()
    conditions.refuse(spec, target)
    witnesses = {one: places.place(one) for one in anchors}
    with ExitStack() as stack:
        scratch.sweep()
        run_key = stack.enter_context(closing(RunKey())) if witnesses else None
        stack.enter_context(lock.measuring(f"weigh load {spec.workload}"))
        progress.say(f"reaching {target.text}")
        surroundings = stack.enter_context(Surroundings(spec.disturbances, spec.crash))
        lives = stack.enter_context(
            Lives(
                target,
                cache_folder(),
                max(spec.connections),
                fresh=spec.fresh_lives,
                cpus=spec.server_cpus,
                memory=spec.server_memory,
                surroundings=surroundings,
            )
        )
        # A mistake in a script is reported before there is any evidence.
        check(spec, files, lives.reached)
        rate()
        agents = parsed(spec.agents) if spec.agents else ""
        if isinstance(agents, int):
            # How many there will be is known: what they cannot share is refused before any is started.
            shares.check(spec, files, lives.reached, agents)
        fleet = stack.enter_context(Fleet(spec.agents, spec.id, progress)) if spec.agents else None
        if fleet is not None:
            shares.check(spec, files, lives.reached, len(fleet.agents))
        folder, attempt = attempts.begin(root, spec.id)
        journal = Journal(folder)
        stack.callback(journal.close)
        if run_key:
            anchoring = Anchoring(witnesses, spec.id, attempt, folder, run_key, between=_BETWEEN)
            journal.anchor(anchoring.stamps, run_key.public)
        with attempted(folder, journal, lambda: render(folder)) as course:
            try:
                open_record(journal, attempt, spec, files, lives.reached, command)
                watching = Sampling(journal)
                began = time.monotonic()
                if fleet is not None:
                    fleet.began = began
                    journal.append("agents", fleet.described)
                calibrating = Calibrating(journal, cache_folder())
                with (
                    conditions.on(spec.client_cpus),
                    # Where neither server nor agents are here, nothing that is measured is.
                    watching.started(began) if fleet is None or _is_here(fleet, lives.reached) else nullcontext(),
                    calibrating.started(began),
                ):
                    watching.track(lives.reached.servers or ())
                    gate = LoadGate(spec, files, journal, progress)
                    session = Session(spec, lives, journal, progress, watching, gate)
                    session.calibrating = calibrating
                    if fleet is None:
                        _runs(session, folder)
                    else:
                        watching.track(fleet.processes_here)
                        session.fleet = fleet
                        with collected(fleet, folder, spec, journal):
                            _runs(session, folder)
                course.complete()
            except WrongAnswers:
                # Nobody times wrong answers: what is wrong is in the journal, and the report says it.
                course.stop("the answers before the clock are wrong")
        return folder


def check(spec: LoadSpec, files: LoadFiles, reached: Reached) -> None:
    """See whether a load can be made.

    Raises:
        EngineFault: a script has a mistake, or a setting cannot be used.
    """
    if files.pin:
        whole.check_place(files.pin, "the answers cannot be pinned")
    make_generator(spec, files, reached, "open" if "open" in spec.loops else "closed", spec.connections[0])


def open_record(
    journal: Journal, attempt: int, spec: LoadSpec, files: LoadFiles, reached: Reached, command: str
) -> None:
    """Write the first events of a load experiment: what is to be done, where, and against what.

    Args:
        journal: of it, empty.
        attempt: its number.
        spec: what to do.
        files: as of :func:`run`.
        reached: the server.
        command: as of :func:`run`.
    """
    read = knobs.read(Machine.here())
    journal.append(records.OPENED, records.LoadOpened(attempt=attempt, spec=spec, anchor_key=journal.anchor_key))
    journal.append(
        "environment",
        records.LoadEnvironment(
            weigh=__version__,
            command=command,
            host=facts.read(read),
            target=terms.stated(reached.read, spec.target),
            lock=reached.lock,
            apart=reached.servers is None,
            knobs=tuple(read),
            storage=storage.place(reached.data) if reached.data else None,
        ),
    )
    if spec.replay and files.plan:
        replay.opened(journal, spec.replay, files.plan)
    for finding in (*cut_trace(spec), *ignored_properties(spec)):
        journal.append("finding", finding)


def _is_here(fleet: Fleet, reached: Reached) -> bool:
    """Whether agents or server may be on this machine."""
    return bool(fleet.processes_here) or reached.read.same_host is not False


def _runs(session: Session, folder: Path) -> None:
    """Every run, in turn."""
    order = session.spec.order
    if session.spec.find_rate:
        search_rates(session, session.spec.find_rate, folder)
        order = ()
    remaining = Remaining(len(order), session.spec.duration_s)
    for number, (repeat, connections, loop) in enumerate(order, 1):
        name = f"run {number} of {len(order)}, {loop} loop, {units.count(connections, 'connection')}"
        session.make(loop, connections, repeat, name=name + remaining.next())
    session.describe_again()
