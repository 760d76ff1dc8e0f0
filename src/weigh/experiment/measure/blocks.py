"""Blocks and turns: the measurement itself.

A block is one fresh start of every arm, alive together. Inside it there are several passes over all operations; in
each pass every operation has one round, in which the arms take turns in random order; a turn is one untimed and r timed
executions in a row, because the first execution after a neighbour is slower than the next by a different amount for
every engine. In a duet the two of a pair take their turn at the same moment (:mod:`weigh.experiment.measure.duet`).

A cold block shares nothing: every turn is two lives of its own, one cold and one first
(:mod:`weigh.experiment.measure.cold`).
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.engines.exchange import RequestCost, WorkerEnded
from weigh.engines.prepared import cache_folder
from weigh.engines.process import WorkerProcess
from weigh.experiment import resources, schedule
from weigh.experiment.ingest import Loading
from weigh.experiment.measure import cold, duet, ingest
from weigh.experiment.measure.calibration import Calibrating
from weigh.experiment.measure.clock_coverage import FamilyAccount
from weigh.experiment.measure.execution import Position, execute, failed, sample
from weigh.experiment.record import BlockBegun, RequestsOfTurn, Turn
from weigh.experiment.results import precision
from weigh.host import facts, processes, server_ties
from weigh.host.sampling import Sampling
from weigh.model import codes
from weigh.model.sample import Outcome
from weigh.model.schedule import Arm, Slot, cpus_of, start_order, unseen
from weigh.model.store import ExecutionRequests
from weigh.workloads.salted import salted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from weigh.engines.prepared import PreparedContender
    from weigh.evidence.journal import Journal
    from weigh.experiment.data_link import DataLink
    from weigh.experiment.measure.execution import Execution
    from weigh.experiment.measure.stopping import Stopping
    from weigh.experiment.measure.timed_answers import TimedAnswers
    from weigh.experiment.record import Planned, Record
    from weigh.model.clock_coverage import TurnCpu
    from weigh.model.operation import Workload
    from weigh.model.progress import Progress
    from weigh.model.sample import Sample, Temperature
    from weigh.model.spec import Spec
    from weigh.model.units import Seconds

Cases = tuple[tuple[str, str], ...]


def operations_of(cases: Cases) -> tuple[str, ...]:
    """The operations of some cases, each once."""
    return tuple(dict.fromkeys(operation for operation, _ in cases))


class Blocks:
    """Measures block after block until told to stop.

    Args:
        spec: of the experiment.
        workload: its operations.
        contenders: by name.
        arms: of every block.
        answers: compares answers with those of the gate.
        stage: where the data is.
        journal: is told everything at once.
        attempt: number of the attempt.
        stopping: decides between blocks what goes on; without it all that was planned does.
    """

    def __init__(
        self,
        spec: Spec,
        workload: Workload,
        contenders: Mapping[str, PreparedContender],
        arms: tuple[Arm, ...],
        answers: TimedAnswers,
        stage: DataLink,
        journal: Journal,
        attempt: int,
        stopping: Stopping | None = None,
    ) -> None:
        self._spec = spec
        self._workload = workload
        self._contenders = contenders
        self._arms = {arm.name: arm for arm in arms}
        self._answers = answers
        self._stage = stage
        self._journal = journal
        self._attempt = attempt
        self._stopping = stopping
        self.watching = Sampling(journal)
        self.calibrating = Calibrating(journal, cache_folder())
        self._began = time.monotonic()
        self._starts = 0
        self._files: dict[str, list[str]] = {}
        self._failed: set[tuple[str, str]] = set()
        self._wrong: set[str] = set()
        self._begun: tuple[BlockBegun, ...] = ()
        self._kept_turns: set[tuple[int, int]] = set()
        self._accounts: dict[str, FamilyAccount] = {}
        self._cpu: list[TurnCpu] = []
        self._untied: set[tuple[str, int]] = set()
        self._cpus = 0
        self._plan: Planned | None = None
        # For as long as there are blocks: the kernel ends a worker with the thread that started it.
        self._starters = ThreadPoolExecutor(max_workers=len(arms))

    def restore(self, record: Record) -> None:
        """Go on with an attempt that was killed: what it found out about contenders and operations still holds."""
        self._starts = max((sample.start for sample in record.samples), default=0)
        # Its clock goes on where it stood: no execution may seem to come before the look that decided on it.
        times = [sample.at for sample in record.samples] + [look.at for look in record.looks]
        times += [watch.moments[-1].end for watch in record.watches if watch.moments]
        times += [one.at + sum(one.seconds) for one in record.calibrations]
        self._began -= max(times, default=0.0)
        self._wrong.update(one.operation for one in record.samples if one.outcome is Outcome.WRONG)
        failures = (one for one in record.samples if one.outcome not in (Outcome.OK, Outcome.WRONG))
        self._failed.update((one.contender, one.operation) for one in failures)
        self._begun = record.blocks
        self._kept_turns = {(sample.block, sample.turn) for sample in record.samples}
        if self._stopping:
            self._stopping.restore(record.samples, record.looks, record.watches)

    @property
    def began(self) -> Seconds:
        """What ``time.monotonic()`` said when the attempt began, or would have said without the time it was dead."""
        return self._began

    @property
    def wrong(self) -> frozenset[str]:
        """Operations whose answer changed in a timed execution."""
        return frozenset(self._wrong)

    def measure(
        self,
        plan: Planned,
        progress: Progress,
        *,
        unable: Collection[tuple[str, str]] = (),
    ) -> None:
        """Measure whole blocks.

        Args:
            plan: cases that passed the gate, hot blocks at most, cold blocks after them, rounds and runs.
            progress: is told between blocks.
            unable: (contender, operation) pairs that the gate found unsupported or in error.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._failed.update(unable)
        self._cpus, self._plan = plan.cpus, plan
        cases, starts, most = plan.cases, plan.starts, plan.starts + plan.cold
        watched = precision.Plan(operations=len(operations_of(cases)), rounds=plan.rounds, most=starts)
        # All but the last block that was begun are whole: the next begins when one ends.
        for block in range(max(0, len(self._begun) - 1), most):
            live = self._live(cases)
            if not live or (self._stopping and self._stopping.stopped):
                return
            self.calibrating.next(block)
            if block < len(self._begun):
                self._block(self._begun[block])
            else:
                begun = self._begin(block, live, plan)
                self._journal.append("block", begun)
                self._block(begun)
            if self._stopping is None:
                progress.step(block + 1, most, "measuring")
                continue
            self._stopping.look(block, operations_of(self._live(cases)), watched, self._now)
            progress.step(block + 1, self._stopping.expected(starts), self._stopping.shown)

    def _begin(self, block: int, live: Cases, plan: Planned) -> BlockBegun:
        """What the next block consists of."""
        everyone, operations = tuple(self._arms), operations_of(live)
        if block >= plan.starts:
            once = dict.fromkeys(operations, 1)
            return BlockBegun(block=block, cases=live, arms=everyone, rounds=once, runs=1, temperature="cold")
        rounds = (
            self._stopping.rounds(plan.rounds, operations) if self._stopping else dict.fromkeys(operations, plan.rounds)
        )
        return BlockBegun(block=block, cases=live, arms=everyone, rounds=rounds, runs=plan.runs, serial=plan.serial)

    def _live(self, cases: Cases) -> Cases:
        """What the next block measures."""
        out = self._wrong | (self._stopping.retired if self._stopping else frozenset())
        return tuple(case for case in cases if case[0] not in out)

    def _block(self, begun: BlockBegun) -> None:
        seed, block = self._spec.seed, begun.block
        slots = schedule.slots(self._spec, begun)
        first = 1 + max((turn for of, turn in self._kept_turns if of == block), default=-1)
        workers: dict[str, tuple[int, WorkerProcess]] = {}
        try:
            together = not begun.serial and begun.temperature == "hot" and first < len(slots)
            if together:
                # Who can do nothing that is asked here would only delay the others: by a whole time-out if it hangs.
                needed = {arm for slot in slots[first:] if not self._out(slot) for arm in slot.arms}
                order = start_order(seed, block, begun.arms)
                self._start([arm for arm in order if arm in needed], block, workers)
            self._stand(workers, block, "before")
            for number, slot in list(enumerate(slots))[first:]:
                if self._out(slot):
                    continue
                if begun.temperature == "cold":
                    samples = self._alone(block, number, slot)
                    self.watching.keep()
                    self._journal.append("turn", Turn(samples=samples, cpu=self._cpu_of_turn()))
                    continue
                for arm in slot.arms:
                    if arm in workers:
                        continue
                    if begun.serial:
                        self._stand(workers, block, "after")
                        self._tell(workers, block)
                        self._end(workers)
                    self._start((arm,), block, workers)
                    self._stand({arm: workers[arm]} if arm in workers else {}, block, "before")
                samples = self._turn(block, number, slot, begun.runs, workers)
                # First: what a kill leaves without moments was measured again, and not kept unwatched.
                seen = self.watching.keep()
                self._journal.append("turn", Turn(samples=samples, cpu=self._cpu_of_turn()))
                if self._stopping:
                    self._stopping.add(samples, seen)
            self._stand(workers, block, "after")
            self._tell(workers, block)
        finally:
            self._end(workers)

    def _out(self, slot: Slot) -> bool:
        """Whether a turn is not made: one of its sides cannot do the operation, or it is timed for nobody."""
        failed = any((self._arms[arm].contender, slot.operation) in self._failed for arm in slot.arms)
        return failed or slot.operation in self._wrong

    def _tell(self, workers: dict[str, tuple[int, WorkerProcess]], block: int) -> None:
        """What each life could use, at its end, and what it used since its last turn."""
        for arm in workers:
            self._journal.append("rest", self._accounts[arm].rest())
        whose = {arm: self._contenders[self._arms[arm].contender] for arm in workers}
        resources.tell(self._journal, block, workers, whose)

    @staticmethod
    def _end(workers: dict[str, tuple[int, WorkerProcess]]) -> None:
        with ThreadPoolExecutor() as pool:
            list(pool.map(WorkerProcess.close, [worker for _, worker in workers.values()]))
        workers.clear()

    def _start(self, arms: Sequence[str], block: int, workers: dict[str, tuple[int, WorkerProcess]]) -> None:
        """A fresh process for each of the arms, all at once: none of them waits for another one's libraries."""
        starting = {}
        for arm in arms:
            starting[arm] = self._starters.submit(self._stage.life, self._bounded(arm, block))
        try:
            wait(starting.values())
        except BaseException:
            # Interrupted: nobody else knows of those that are still being started.
            for one in starting.values():
                with suppress(Exception):
                    one.result().kill()
            raise
        for arm, one in starting.items():
            self._started(arm, one, block, workers)

    def _started(
        self, arm: str, start: Future[WorkerProcess], block: int, workers: dict[str, tuple[int, WorkerProcess]]
    ) -> None:
        """The process of an arm. One that cannot start is found out at its first turn."""
        self._starts += 1
        try:
            worker = start.result()
        except WorkerEnded as ended:
            self._journal.append(
                "finding",
                codes.X_START.finding(
                    contender=self._arms[arm].contender,
                    text=f"a fresh start failed: {ended}",
                    remedy="see whether memory or processes ran out",
                ),
            )
            return
        workers[arm] = (self._starts, worker)
        whose = self._arms[arm].contender
        self._journal.append("start", worker.start_cost(whose, block, self._starts))
        self._accounts[arm] = FamilyAccount(worker, block, self._starts, arm, whose)
        # One that died meanwhile is found out at its first turn.
        with suppress(WorkerEnded):
            self.watching.own(self._servers(whose, worker))

    def _servers(self, contender: str, worker: WorkerProcess) -> list[int]:
        """Processes that work for it, so that nobody takes them for others; who cannot be one is not believed."""
        family = worker.family.pids() if worker.family else [worker.pid]
        tied = []
        for pid in worker.servers():
            if not (why := server_ties.untied(pid, worker.pid, family)):
                tied.append(pid)
            elif (contender, pid) not in self._untied:
                self._untied.add((contender, pid))
                self._journal.append(
                    "finding",
                    codes.A11_SERVER.finding(
                        contender=contender,
                        text=f"its adapter names process {pid} as its server: {why}. What that one uses would be "
                        "nobody's disturbance",
                        remedy="servers() of an adapter names processes that serve this connection, and no others",
                    ),
                )
        return [*tied, *family]

    def _bounded(self, arm: str, block: int) -> PreparedContender:
        """The contender of an arm, held to the CPUs of the block."""
        ready = self._contenders[self._arms[arm].contender]
        if not self._cpus:
            return ready
        # In a duet every side begins on one half, so that its thread pools are made for as many CPUs.
        place = list(self._arms).index(arm) if self._spec.duet else block
        allowed = ready.bounds.affinity or facts.allowed_cpus()
        bounds = msgspec.structs.replace(ready.bounds, affinity=cpus_of(place, allowed, self._cpus))
        return msgspec.structs.replace(ready, bounds=bounds)

    def _stand(
        self, workers: Mapping[str, tuple[int, WorkerProcess]], block: int, place: Literal["before", "after"]
    ) -> None:
        """How much of the data of these lives is in memory now."""
        for arm, (_, worker) in workers.items():
            if place == "before":
                # One that died meanwhile is found out at its first turn.
                with suppress(WorkerEnded):
                    self._files[arm] = self._sources(arm) if self._spec.ingest else worker.files()
            seen = cold.standing(self._files.get(arm, []), place, block, arm)
            self._journal.append("cache_state", seen)

    def _sources(self, arm: str) -> list[str]:
        """The Parquet files of an arm, which are read when they are loaded."""
        tables = self._stage.tables(self._contenders[self._arms[arm].contender])
        return [path for paths in tables.paths.values() for path in paths]

    def _position(
        self, block: int, start: int, turn: int, slot: Slot, arm: str, temperature: Temperature = "hot"
    ) -> Position:
        """Where in the experiment an execution is."""
        return Position(
            attempt=self._attempt,
            block=block,
            start=start,
            turn=turn,
            round=slot.round,
            arm=arm,
            contender=self._arms[arm].contender,
            operation=slot.operation,
            case=slot.case,
            solo=bool(self._spec.duet) and len(slot.arms) == 1,
            temperature=temperature,
        )

    @property
    def _now(self) -> Seconds:
        """Seconds since the beginning of the attempt."""
        return time.monotonic() - self._began

    def _cpu_of_turn(self) -> tuple[TurnCpu, ...]:
        """What the families used in the turn that is about to be written."""
        found, self._cpu = tuple(self._cpu), []
        return found

    def _text(self, slot: Slot, arm: str, case_name: str = "") -> str:
        """The query of a place as its contender gets it, or the same with another case's literals."""
        operation = self._workload.operation(slot.operation)
        case = next(case for case in operation.cases if case.name == (case_name or slot.case))
        return operation.text(case, self._contenders[self._arms[arm].contender].engine.dialect)

    def _loading(self, slot: Slot, arm: str) -> Loading | None:
        """What loading a table needs; None of a query."""
        operation = self._workload.operation(slot.operation)
        ready = self._contenders[self._arms[arm].contender]
        return Loading.of(operation, ready, self._stage.tables(ready)) if operation.ingest else None

    def _first(self, position: Position, slot: Slot, arm: str) -> tuple[Position, str]:
        """The untimed execution of a turn, and its query: one that nobody asked before, where the plan says so."""
        text = self._text(slot, arm)
        if self._plan is None or not self._plan.asks_unseen(position.contender, slot, position.temperature):
            return position, text
        case, salt = unseen(self._plan.secret, position.block, slot, self._workload.operation(slot.operation))
        other = salted(self._text(slot, arm, case), salt)
        return (msgspec.structs.replace(position, case=case, salt=salt), other) if other else (position, text)

    def _alone(self, block: int, number: int, slot: Slot) -> tuple[Sample, ...]:
        """A turn of a cold block: one life with nothing of the data in memory, one with what the first one read."""
        (arm,) = slot.arms
        ready = self._contenders[self._arms[arm].contender]
        samples: list[Sample] = []
        temperatures: tuple[Temperature, ...] = ("cold", "first")
        for run, temperature in enumerate(temperatures, start=1):
            self._starts += 1
            position = self._position(block, self._starts, number, slot, arm, temperature)
            at = self._now
            try:
                with cold.alone(ready, self._stage.tables(ready), temperature, self._spec.timeout) as one:
                    family = FamilyAccount(one.worker, block, self._starts, arm, ready.name)
                    self._accounts[arm] = family
                    self._journal.append("start", one.worker.start_cost(ready.name, block, self._starts))
                    self.watching.mark()
                    family.begin()
                    at = self._now
                    execution, seen = one.execute(self._text(slot, arm), position, run, self._began, self._spec.timeout)
                    self.watching.mark()
                    self._cpu.append(family.end(position, [execution]))
                    at = execution.at
                    # Before the life goes: its answers go with it.
                    samples += self._checked(position, [execution])
                    self._tell({arm: (self._starts, one.worker)}, block)
                    self._journal.append("cache_state", seen)
            except WorkerEnded as ended:
                self._failed.add((ready.name, slot.operation))
                return (*samples[: run - 1], failed(position, run, at, ended))
        return tuple(samples)

    def _turn(
        self, block: int, number: int, slot: Slot, runs: int, workers: dict[str, tuple[int, WorkerProcess]]
    ) -> tuple[Sample, ...]:
        if len(slot.arms) == 2:
            return self._duet(block, number, slot, runs, workers)
        (arm,) = slot.arms
        start, worker = workers.get(arm, (self._starts, None))
        position = self._position(block, start, number, slot, arm)
        first, text = self._first(position, slot, arm)
        load = self._loading(slot, arm)
        executions: list[Execution] = []
        at = 0.0
        try:
            if worker is None:
                raise WorkerEnded(Outcome.ERROR, "no life could be started", alive=True)
            timeout = self._spec.timeout
            if position.solo:
                duet.keep_on(worker.pid, self._halves[0])
            self._accounts[arm].begin()
            prepared = RequestCost(seconds=0.0, cpu_s=0.0) if load else worker.prepare(text, timeout)
            elsewhere = None
            self.watching.mark()
            for run in range(runs + 1):
                if run == 1 and executions[0].cost.bytes_read is None and self._files.get(arm):
                    # The kernel tells the worker of its own process only, and a server's are others.
                    elsewhere = processes.bytes_read(worker.pid)
                if run == 1 and first.salt:
                    prepared = worker.prepare(self._text(slot, arm), timeout)
                at = self._now
                executions.append(
                    ingest.execute(worker, load, run, at, timeout)
                    if load
                    else execute(worker, prepared, run, at, timeout)
                )
            self.watching.mark()
            self._cpu.append(self._accounts[arm].end(position, executions))
            if elsewhere is not None and (now := processes.bytes_read(worker.pid)) is not None:
                seen = cold.turned(self._files[arm], now - elsewhere, position)
                self._journal.append("cache_state", seen)
        except WorkerEnded as ended:
            if not ended.alive:
                workers.pop(arm, None)
            self._failed.add((position.contender, slot.operation))
            # A dead life takes its answers with it: what was measured before is kept, unchecked, with the failure.
            where = position if executions else first
            return (*self._checked(position, executions, first), failed(where, len(executions), at, ended))
        return self._checked(position, executions, first)

    def _tell_requests(self, placed: Sequence[tuple[Position, Execution]]) -> None:
        """What the executions of a turn asked of a store, where their tables lie in one."""
        asked = tuple(
            ExecutionRequests(
                block=where.block,
                start=where.start,
                turn=where.turn,
                run=one.run,
                arm=where.arm,
                contender=where.contender,
                operation=where.operation,
                case=where.case,
                use=one.cost.store,
            )
            for where, one in placed
            if one.cost.store is not None
        )
        if asked:
            self._journal.append("requests", RequestsOfTurn(executions=asked))

    @property
    def _halves(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The CPUs of the two sides of a duet."""
        return duet.halves(self._spec.affinity or facts.allowed_cpus())

    def _duet(
        self, block: int, number: int, slot: Slot, runs: int, workers: dict[str, tuple[int, WorkerProcess]]
    ) -> tuple[Sample, ...]:
        """A turn of two at the same moment, each on its half of the CPUs."""
        missing = [arm for arm in slot.arms if arm not in workers]
        positions = {
            arm: self._position(block, workers.get(arm, (self._starts,))[0], number, slot, arm) for arm in slot.arms
        }
        if missing:
            nobody = WorkerEnded(Outcome.ERROR, "no life could be started", alive=True)
            self._failed.update((positions[arm].contender, slot.operation) for arm in missing)
            return tuple(failed(positions[arm], 0, self._now, nobody) for arm in missing)
        sides = {arm: duet.Side(worker=workers[arm][1], sql=self._text(slot, arm)) for arm in slot.arms}
        for arm in slot.arms:
            self._accounts[arm].begin()
        self.watching.mark()
        duet.turn(list(sides.values()), runs, self._halves, self._spec.timeout, lambda: self._now)
        self.watching.mark()
        self._cpu += [
            self._accounts[arm].end(positions[arm], side.executions) for arm, side in sides.items() if not side.ended
        ]
        samples: list[Sample] = []
        for arm, side in sides.items():
            samples += self._checked(positions[arm], side.executions)
            if side.ended is not None:
                if not side.ended.alive:
                    workers.pop(arm, None)
                self._failed.add((positions[arm].contender, slot.operation))
                samples.append(failed(positions[arm], len(side.executions), self._now, side.ended))
        # In the order of their times: what was executed at the same moment stands together.
        return tuple(sorted(samples, key=lambda one: one.run))

    def _checked(
        self, position: Position, executions: Iterable[Execution], first: Position | None = None
    ) -> tuple[Sample, ...]:
        """Samples of a turn, each answer compared with the one the gate saw; ``first`` is the untimed one's place."""
        placed = [(first if first and one.run == 0 else position, one) for one in executions]
        self._tell_requests(placed)
        checks = self._answers.check(placed)
        samples = tuple(sample(where, one, check) for (where, one), check in zip(placed, checks, strict=True))
        if any(one.outcome is Outcome.WRONG for one in samples):
            self._wrong.add(position.operation)
        return samples
