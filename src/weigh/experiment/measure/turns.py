"""Turns: executions in a row, of one arm or of two at the same moment, and their answers compared."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from weigh.engines.exchange import RequestCost, WorkerEnded
from weigh.experiment.data.ingest import Loading
from weigh.experiment.measure import cold, duet, ingest
from weigh.experiment.measure.clock_coverage import FamilyAccount
from weigh.experiment.measure.execution import Position, execute, failed, sample
from weigh.experiment.record import RequestsOfTurn
from weigh.host import affinity, facts, processes
from weigh.machine import standstill
from weigh.model.data.store import ExecutionRequests
from weigh.model.sample import Outcome
from weigh.model.schedule import unseen
from weigh.workloads.salted import salted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.engines.process import WorkerProcess
    from weigh.evidence.journal import Journal
    from weigh.experiment.data.data_link import DataLink
    from weigh.experiment.measure.execution import Execution
    from weigh.experiment.measure.lives import Lives
    from weigh.experiment.measure.timed_answers import TimedAnswers
    from weigh.experiment.record import Planned
    from weigh.host.sampling import Sampling
    from weigh.model.clock_coverage import TurnCpu
    from weigh.model.operation import Workload
    from weigh.model.sample import Sample, Temperature
    from weigh.model.schedule import Slot
    from weigh.model.spec import Spec
    from weigh.model.units import Seconds


class Turns:
    """Makes turns.

    Args:
        spec: of the experiment.
        workload: its operations.
        lives: of the arms.
        answers: compares answers with those of the gate.
        link: where the data is.
        journal: receives what was in memory, and what was asked of stores.
        watching: samples the machine meanwhile.
        attempt: number of the attempt.
    """

    def __init__(
        self,
        spec: Spec,
        workload: Workload,
        lives: Lives,
        answers: TimedAnswers,
        link: DataLink,
        journal: Journal,
        watching: Sampling,
        attempt: int,
    ) -> None:
        self.failed: set[tuple[str, str]] = set()
        """(contender, operation) pairs that are not executed any more."""
        self.wrong: set[str] = set()
        """Operations whose answer changed in a timed execution."""
        self.began = time.monotonic()
        """What ``time.monotonic()`` said when the attempt began, or would have said without the time it was dead."""
        self.plan: Planned | None = None
        self._spec = spec
        self._workload = workload
        self._lives = lives
        self._answers = answers
        self._link = link
        self._journal = journal
        self._watching = watching
        self._attempt = attempt
        self._cpu: list[TurnCpu] = []
        self._stopped: set[tuple[str, str]] = set()

    @property
    def now(self) -> Seconds:
        """Seconds since the beginning of the attempt."""
        return time.monotonic() - self.began

    def turn(self, block: int, number: int, slot: Slot, runs: int) -> tuple[Sample, ...]:
        """A turn of one arm, or of two at the same moment: one untimed and so many timed executions each."""
        if len(slot.arms) == 2:
            return self._duet(block, number, slot, runs)
        (arm,) = slot.arms
        workers = self._lives.alive
        start, worker = workers.get(arm, (self._lives.last_start, None))
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
                affinity.keep_on(worker.pid, self._halves[0])
            self._begin(arm, worker)
            prepared = RequestCost(seconds=0.0, cpu_s=0.0) if load else worker.prepare(text, timeout)
            elsewhere = None
            self._watching.mark()
            for run in range(runs + 1):
                if run == 1 and executions[0].cost.bytes_read is None and self._lives.files.get(arm):
                    # The kernel tells the worker of its own process only, and a server's are others.
                    elsewhere = processes.bytes_read(worker.pid)
                if run == 1 and first.salt:
                    prepared = worker.prepare(self._text(slot, arm), timeout)
                at = self.now
                executions.append(
                    ingest.execute(worker, load, run, at, timeout)
                    if load
                    else execute(worker, prepared, run, at, timeout)
                )
            self._watching.mark()
            self._cpu.append(self._lives.accounts[arm].end(position, executions))
            self._tell_stop(worker, position)
            self._lives.look_around(arm)
            if elsewhere is not None and (now := processes.bytes_read(worker.pid)) is not None:
                state = cold.turned(self._lives.files[arm], now - elsewhere, position)
                self._journal.append("cache_state", state)
        except WorkerEnded as ended:
            if not ended.alive:
                workers.pop(arm, None)
            self.failed.add((position.contender, slot.operation))
            # A dead life takes its answers with it: what was measured before is kept, unchecked, with the failure.
            where = position if executions else first
            return (*self._checked(position, executions, first), failed(where, len(executions), at, ended))
        return self._checked(position, executions, first)

    def alone(self, block: int, number: int, slot: Slot) -> tuple[Sample, ...]:
        """A turn of a cold block: one life with nothing of the data in memory, one with all of it."""
        (arm,) = slot.arms
        ready = self._lives.of_block(arm, block)
        samples: list[Sample] = []
        temperatures: tuple[Temperature, ...] = ("cold", "first")
        for run, temperature in enumerate(temperatures, start=1):
            start = self._lives.next_start()
            position = self._position(block, start, number, slot, arm, temperature)
            at = self.now
            try:
                with cold.alone(ready, self._link.tables(ready), temperature, self._spec.timeout) as one:
                    family = FamilyAccount(one.worker, block, start, arm, ready.name)
                    self._lives.accounts[arm] = family
                    self._journal.append("start", ready.start_cost(one.worker, block, start))
                    self._watching.mark()
                    self._begin(arm, one.worker)
                    at = self.now
                    execution, state = one.execute(self._text(slot, arm), position, run, self.began, self._spec.timeout)
                    self._watching.mark()
                    self._cpu.append(family.end(position, [execution]))
                    self._tell_stop(one.worker, position)
                    at = execution.at
                    # Before the life goes: its answers go with it.
                    samples += self._checked(position, [execution])
                    self._lives.tell({arm: (start, one.worker)}, block)
                    self._journal.append("cache_state", state)
            except WorkerEnded as ended:
                self.failed.add((ready.name, slot.operation))
                return (*samples[: run - 1], failed(position, run, at, ended))
        return tuple(samples)

    def cpu_of_turn(self) -> tuple[TurnCpu, ...]:
        """What the families used in the turn that is about to be written."""
        found, self._cpu = tuple(self._cpu), []
        return found

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
            contender=self._lives.arms[arm].contender,
            operation=slot.operation,
            case=slot.case,
            solo=bool(self._spec.duet) and len(slot.arms) == 1,
            temperature=temperature,
            build=self._lives.of_block(arm, block).wheel_number,
        )

    def _text(self, slot: Slot, arm: str, case_name: str = "") -> str:
        """The query of a place as its contender gets it, or the same with another case's literals."""
        operation = self._workload.operation(slot.operation)
        case = next(case for case in operation.cases if case.name == (case_name or slot.case))
        return operation.text(case, self._lives.contender(arm).engine.dialect)

    def _loading(self, slot: Slot, arm: str) -> Loading | None:
        """What loading a table needs; None of a query."""
        operation = self._workload.operation(slot.operation)
        ready = self._lives.contender(arm)
        return Loading.of(operation, ready, self._link.tables(ready)) if operation.ingest else None

    def _first(self, position: Position, slot: Slot, arm: str) -> tuple[Position, str]:
        """The untimed execution of a turn, and its query: one that nobody asked before, where the plan says so."""
        text = self._text(slot, arm)
        if self.plan is None or not self.plan.asks_unseen(position.contender, slot, position.temperature):
            return position, text
        case, salt = unseen(self.plan.secret, position.block, slot, self._workload.operation(slot.operation))
        other = salted(self._text(slot, arm, case), salt)
        return (msgspec.structs.replace(position, case=case, salt=salt), other) if other else (position, text)

    def _tell_requests(self, placed: Sequence[tuple[Position, Execution]]) -> None:
        """What the executions of a turn asked of a store, where their tables lie in one."""
        requests = tuple(
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
        if requests:
            self._journal.append("requests", RequestsOfTurn(executions=requests))

    def _begin(self, arm: str, worker: WorkerProcess) -> None:
        """Count from here on what its family uses. That it was stopped earlier is no matter of the turn."""
        processes.was_stopped(worker.pid)
        self._lives.accounts[arm].begin()

    def _tell_stop(self, worker: WorkerProcess, position: Position) -> None:
        """That a worker was stopped in a turn, once for each operation. The turn is kept: nobody gets rid of one."""
        where = position.contender, position.operation
        if processes.was_stopped(worker.pid) and where not in self._stopped:
            self._stopped.add(where)
            self._journal.append("finding", standstill.of_contender(*where, position.block, position.turn))

    @property
    def _halves(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The CPUs of the two sides of a duet."""
        return affinity.halves(self._spec.affinity or facts.allowed_cpus())

    def _duet(self, block: int, number: int, slot: Slot, runs: int) -> tuple[Sample, ...]:
        """A turn of two at the same moment, each on its half of the CPUs."""
        workers = self._lives.alive
        missing = [arm for arm in slot.arms if arm not in workers]
        positions = {
            arm: self._position(block, workers.get(arm, (self._lives.last_start,))[0], number, slot, arm)
            for arm in slot.arms
        }
        if missing:
            nobody = WorkerEnded(Outcome.ERROR, "no life could be started", alive=True)
            self.failed.update((positions[arm].contender, slot.operation) for arm in missing)
            return tuple(failed(positions[arm], 0, self.now, nobody) for arm in missing)
        sides = {arm: duet.Side(worker=workers[arm][1], sql=self._text(slot, arm)) for arm in slot.arms}
        for arm in slot.arms:
            self._begin(arm, workers[arm][1])
        self._watching.mark()
        duet.turn(list(sides.values()), runs, self._halves, self._spec.timeout, lambda: self.now)
        self._watching.mark()
        self._cpu += [
            self._lives.accounts[arm].end(positions[arm], side.executions)
            for arm, side in sides.items()
            if not side.ended
        ]
        samples: list[Sample] = []
        for arm, side in sides.items():
            self._tell_stop(side.worker, positions[arm])
            samples += self._checked(positions[arm], side.executions)
            if side.ended is not None:
                if not side.ended.alive:
                    workers.pop(arm, None)
                self.failed.add((positions[arm].contender, slot.operation))
                samples.append(failed(positions[arm], len(side.executions), self.now, side.ended))
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
            self.wrong.add(position.operation)
        return samples
