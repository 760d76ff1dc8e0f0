"""A comparison of servers under one load, in order: targets, data, equal rows, blocks of fresh lives, seal."""

from __future__ import annotations

import itertools
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh._version import __version__
from weigh.engines.prepared import cache_folder
from weigh.evidence import attempts
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import attempted
from weigh.host import facts, knobs, lock, scratch, settle
from weigh.host.calibrating import Calibrating, wanted
from weigh.host.sampling import Sampling, rate
from weigh.host.sysfs import Machine
from weigh.load import conditions, rows
from weigh.load.comparison import duet, same_server
from weigh.load.comparison import record as records
from weigh.load.comparison.config import QUICK_BLOCKS, QUICK_RUN_S
from weigh.load.comparison.rate_search.run import search_in_turn
from weigh.load.files import LoadFiles
from weigh.load.gate import checks
from weigh.load.gate.asking import LoadGate, WrongAnswers
from weigh.load.run import check, open_record
from weigh.load.session import Session
from weigh.load.session.lives import Lives
from weigh.model import units
from weigh.model.answer import GateStatus
from weigh.model.errors import EngineFault
from weigh.model.progress import Remaining

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from weigh.evidence.sealing import End
    from weigh.load.comparison.spec import LoadArm, LoadComparisonSpec, LoadTurn
    from weigh.load.target.target import Target
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

_LONG_S = 6 * 60


class _Side(NamedTuple):
    """One arm while the comparison goes on.

    Attributes:
        arm: its part in the spec.
        watching: of its turns.
        session: makes its runs.
    """

    arm: LoadArm
    watching: Sampling
    session: Session


def run(
    spec: LoadComparisonSpec,
    targets: Mapping[str, Target],
    root: Path,
    command: str,
    progress: Progress,
    render: Callable[[Path], Any],
    answers: LoadFiles | None = None,
    *,
    same_engine: bool = False,
) -> Path:
    """Load every contender in turn, and seal the evidence.

    Args:
        spec: what to do.
        targets: the servers by the names of the contenders.
        root: folder of all evidence.
        command: the command that does it again, without secrets.
        progress: reports how far it is.
        render: writes the report into the directory, before it is sealed.
        answers: files of them that the user names.
        same_engine: whether contenders that are one server are loaded all the same, as an A/A.

    Returns:
        The evidence directory.

    Raises:
        WeighError: it could not begin. Once it has begun, what happened is in the evidence, sealed, and the error that
            ended it is raised with the evidence's place as a note.
    """
    settle.patience()
    wanted()
    answers = answers or LoadFiles()
    rate()
    for one in spec.contenders:
        conditions.refuse(spec.load, targets[one.name])
    with ExitStack() as stack:
        scratch.sweep()
        stack.enter_context(lock.measuring(f"weigh load {spec.load.workload}"))
        servers_read = []
        for one in spec.contenders:
            # What is misspelt in a target or a script is reported before there is any evidence.
            progress.say(f"reaching {one.name}")
            with targets[one.name].reach(cache_folder(), max(spec.load.connections)) as reached:
                check(spec.load, answers, reached)
                servers_read.append(same_server.running(one.name, one.target, reached))
        if not spec.load.find_rate:
            progress.say(length(spec))
        same = same_server.check(servers_read, same_engine=same_engine)
        folder, attempt = attempts.begin(root, spec.id)
        journal = Journal(folder)
        stack.callback(journal.close)
        opened: list[Journal] = []

        def close(end: End) -> None:
            for own in opened:
                own.release()
                own.append("end", end)
                own.close()

        with attempted(folder, journal, lambda: render(folder), close) as course:
            try:
                journal.append(records.OPENED, records.LoadComparisonOpened(attempt=attempt, spec=spec))
                journal.append(
                    "environment",
                    records.LoadComparisonEnvironment(
                        weigh=__version__, command=command, host=facts.read(knobs.read(Machine.here()))
                    ),
                )
                for finding in same:
                    journal.append("finding", finding)
                with ExitStack() as servers:
                    began = time.monotonic()
                    sides = {}
                    for arm in spec.arms:
                        own = _journal(folder, arm)
                        opened.append(own)
                        sides[arm.name] = _prepared(
                            spec, arm, targets[arm.contender], own, attempt, command, progress, servers, began, answers
                        )
                    _check_rows(list(sides.values()))
                    _check_answers(sides)
                    if spec.load.find_rate:
                        sessions = {name: side.session for name, side in sides.items()}
                        search_in_turn(spec, spec.load.find_rate, sessions, folder, journal, _watch(sides, began))
                    else:
                        calibrating = Calibrating(journal, cache_folder())
                        with calibrating.started(began):
                            _blocks(spec, sides, journal, began, calibrating)
                course.complete()
            except WrongAnswers:
                # Nobody times wrong answers: they are in the journals, and the report says it.
                course.stop("the answers before the clock are wrong")
        return folder


def _journal(folder: Path, arm: LoadArm) -> Journal:
    place = records.folder_of(folder, arm)
    place.mkdir(parents=True)
    return Journal(place)


def _prepared(
    spec: LoadComparisonSpec,
    arm: LoadArm,
    target: Target,
    journal: Journal,
    attempt: int,
    command: str,
    progress: Progress,
    servers: ExitStack,
    began: Seconds,
    answers: LoadFiles,
) -> _Side:
    """An arm with its data: loaded and kept, where its server can be started anew.

    Each arm loads for itself, the baseline's second one too: how the rows came to lie belongs to what differs between
    two servers that are alike.
    """
    progress.say(f"preparing {arm.name}")
    load = spec.load_of(arm)
    lives = servers.enter_context(
        Lives(
            target,
            cache_folder(),
            max(load.connections),
            fresh=True,
            cpus=load.server_cpus,
            memory=load.server_memory,
        )
    )
    open_record(journal, attempt, load, answers, lives.reached, command)
    watching = Sampling(journal)
    gate = LoadGate(load, answers._replace(pin=None), journal, progress)
    session = Session(load, lives, journal, progress, watching, gate)
    session.proves_rows = True
    with _watched(watching, session, began):
        if lives.fresh:
            session.prepare()
        elif not session.loads:
            # Somebody's own tables: nobody loads them, and they are read as they are.
            session.read_rows("loaded")
            session.ask()
    if lives.renewed:
        # The next one may have the same port.
        lives.end()
    return _Side(arm, watching, session)


def _check_rows(sides: Sequence[_Side]) -> None:
    """See that all have the same rows, before any clock.

    Raises:
        EngineFault: they have not.
    """
    known = [(one.arm.name, one.session.initial_rows) for one in sides if one.session.initial_rows is not None]
    for name, held in known[1:]:
        first, other = known[0]
        if held is not None and other is not None and (differ := rows.differences(other, held)):
            raise EngineFault(
                f"{name} does not hold the rows of {first}: {'; '.join(differ)}",
                remedy="load the same data into both: a server with less of it looks faster",
            )


def _check_answers(sides: Mapping[str, _Side]) -> None:
    """See that all answer the same, before any clock.

    Raises:
        WrongAnswers: they do not.
    """
    statements = {name: one.session.statements for name, one in sides.items() if one.session.statements is not None}
    lineage = {name: one.session.lives.reached.read.product for name, one in sides.items()}
    if any(one.status is GateStatus.DIVERGED for one in checks.between(statements, lineage)):
        raise WrongAnswers


def length(spec: LoadComparisonSpec) -> str:
    """How long it goes on, before the first request; where that is long, what takes less."""
    runs = _runs(spec)
    least = spec.blocks * runs * spec.load.duration_s
    text = (
        f"{units.count(spec.blocks, 'block')} of {units.count(runs, 'run')} of {units.duration(spec.load.duration_s)}"
    )
    text += f": at least {units.duration(least)}"
    if least <= _LONG_S:
        return text
    short = units.duration(QUICK_BLOCKS * _runs(msgspec.structs.replace(spec, twice=False)) * QUICK_RUN_S)
    return f"{text}; with --quick it would take at least {short}, and decide less"


def _runs(spec: LoadComparisonSpec) -> int:
    """Of a block, one after the other."""
    arms = 1 if spec.duet is True else len(spec.arms)
    return arms * len(spec.load.connections) * len(spec.load.loops)


def _blocks(
    spec: LoadComparisonSpec,
    sides: Mapping[str, _Side],
    journal: Journal,
    began: Seconds,
    calibrating: Calibrating,
) -> None:
    """Every turn, in the order of the spec."""
    if spec.duet is True:
        journal.append("finding", duet.finding())
    remaining = Remaining(spec.blocks * _runs(spec), spec.load.duration_s)
    for block, group in itertools.groupby(spec.order, lambda turn: turn.block):
        turns = list(group)
        # No server that weigh starts is alive.
        calibrating.next(block)
        journal.append("block", records.BlockBegun(block=block, arms=tuple(turn.arm for turn in turns)))
        if spec.duet is True:
            _duet(turns, sides, spec, began, remaining)
            continue
        for turn in turns:
            _turn(turn, sides[turn.arm], spec, began, remaining)


def _turn(turn: LoadTurn, side: _Side, spec: LoadComparisonSpec, began: Seconds, remaining: Remaining) -> None:
    """One arm in one block: a run of each kind."""
    session = side.session
    with _watched(side.watching, session, began):
        for connections, loop in turn.kinds:
            name = f"block {turn.block} of {spec.blocks}, {turn.arm}: {loop} loop, "
            name += units.count(connections, "connection") + remaining.next()
            session.make(loop, connections, turn.block, name=name)
        if turn.block == spec.blocks:
            session.describe_again()
    # The next one has the machine to itself.
    session.lives.end()


def _duet(
    turns: Sequence[LoadTurn],
    sides: Mapping[str, _Side],
    spec: LoadComparisonSpec,
    began: Seconds,
    remaining: Remaining,
) -> None:
    """Both arms in one block, at the same moment."""
    pair = [sides[turn.arm] for turn in turns]
    with ExitStack() as stack:
        for side in pair:
            stack.enter_context(_watched(side.watching, side.session, began))
        for connections, loop in turns[0].kinds:
            name = f"block {turns[0].block} of {spec.blocks}, {' and '.join(turn.arm for turn in turns)}: {loop} loop, "
            name += units.count(connections, "connection") + remaining.next()
            duet.make([side.session for side in pair], loop, connections, turns[0].block, name)
        if turns[0].block == spec.blocks:
            for side in pair:
                side.session.describe_again()
    for side in pair:
        side.session.lives.end()


def _watch(sides: Mapping[str, _Side], began: Seconds) -> Callable[[str], AbstractContextManager[None]]:
    """Watches the machine during the turn of an arm."""
    return lambda name: _watched(sides[name].watching, sides[name].session, began)


@contextmanager
def _watched(watching: Sampling, session: Session, began: Seconds) -> Iterator[None]:
    """Watch the machine while the body goes on, on the clock of the whole comparison."""
    with conditions.on(session.spec.client_cpus), watching.started(began):
        watching.track(session.lives.reached.servers or ())
        yield
