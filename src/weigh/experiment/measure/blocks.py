"""Blocks and turns: the measurement itself.

A block is one fresh start of every arm, alive together. Inside it operations come in random order; for each, the
arms take turns in random order; a turn is one untimed and r timed executions in a row, because the first
execution after a neighbour is slower than the next by a different amount for every engine.

A cold block shares nothing: every turn is two lives of its own, one cold and one first
(:mod:`weigh.experiment.measure.cold`).
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from weigh.engines.prepared import cache_folder
from weigh.engines.process import WorkerEnded, WorkerProcess
from weigh.experiment import resources
from weigh.experiment.measure import cold
from weigh.experiment.measure.calibration import Calibrating
from weigh.experiment.measure.execution import Position, execute, failed, sample
from weigh.experiment.measure.timed_answers import TimedAnswers
from weigh.experiment.record import BlockBegun, Turn
from weigh.host import processes
from weigh.host.sampling import Sampling
from weigh.model import codes
from weigh.model.sample import Outcome
from weigh.model.schedule import Arm, Slot, block_order, start_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from weigh.engines.prepared import PreparedContender
    from weigh.evidence.journal import Journal
    from weigh.experiment.data_link import DataLink
    from weigh.experiment.measure.execution import Execution
    from weigh.experiment.measure.stopping import Stopping
    from weigh.experiment.record import Record
    from weigh.model.operation import Workload
    from weigh.model.progress import Progress
    from weigh.model.sample import Sample, Temperature
    from weigh.model.spec import Spec
    from weigh.model.units import Seconds

Cases = tuple[tuple[str, str], ...]


class Blocks:
    """Measures block after block until told to stop.

    Args:
        spec: of the experiment.
        workload: its operations.
        contenders: by name.
        arms: of every block.
        kept: the gate's answer of (contender, operation, case).
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
        kept: Mapping[tuple[str, str, str], Any],
        stage: DataLink,
        journal: Journal,
        attempt: int,
        stopping: Stopping | None = None,
    ) -> None:
        self._spec = spec
        self._workload = workload
        self._contenders = contenders
        self._arms = {arm.name: arm for arm in arms}
        self._answers = TimedAnswers(workload, kept)
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
        cases: Cases,
        starts: int,
        runs: int,
        progress: Progress,
        *,
        unable: Collection[tuple[str, str]] = (),
        serial: bool = False,
        cold_starts: int = 0,
    ) -> None:
        """Measure whole blocks.

        Args:
            cases: (operation, case) pairs that passed the gate.
            starts: number of hot blocks, at most.
            runs: timed executions a turn.
            progress: is told between blocks.
            unable: (contender, operation) pairs that the gate found unsupported or in error.
            serial: start an arm only after the one before it has ended.
            cold_starts: number of cold blocks, which come after the hot ones.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._failed.update(unable)
        # All but the last block that was begun are whole: the next begins when one ends.
        for block in range(max(0, len(self._begun) - 1), starts + cold_starts):
            live = self._live(cases)
            if not live or (self._stopping and self._stopping.stopped):
                return
            self.calibrating.next(block)
            if block < len(self._begun):
                self._block(self._begun[block])
            else:
                everyone = tuple(self._arms)
                begun = BlockBegun(block=block, cases=live, arms=everyone, runs=runs, serial=serial)
                if block >= starts:
                    begun = BlockBegun(block=block, cases=live, arms=everyone, runs=1, temperature="cold")
                self._journal.append("block", begun)
                self._block(begun)
            if self._stopping is None:
                progress.step(block + 1, starts + cold_starts, "measuring")
                continue
            operations = tuple(dict.fromkeys(operation for operation, _ in self._live(cases)))
            self._stopping.look(block, operations, runs, starts, self._now)
            progress.step(block + 1, self._stopping.expected(starts), self._stopping.shown)

    def _live(self, cases: Cases) -> Cases:
        """What the next block measures."""
        out = self._wrong | (self._stopping.retired if self._stopping else frozenset())
        return tuple(case for case in cases if case[0] not in out)

    def _block(self, begun: BlockBegun) -> None:
        seed, block = self._spec.seed, begun.block
        slots = block_order(seed, block, begun.cases, begun.arms, serial=begun.serial)
        first = 1 + max((turn for of, turn in self._kept_turns if of == block), default=-1)
        workers: dict[str, tuple[int, WorkerProcess]] = {}
        try:
            together = not begun.serial and begun.temperature == "hot" and first < len(slots)
            for arm in start_order(seed, block, begun.arms) if together else ():
                self._start(arm, workers)
            self._stand(workers, block, "before")
            for number, slot in list(enumerate(slots))[first:]:
                contender = self._arms[slot.arm].contender
                if (contender, slot.operation) in self._failed or slot.operation in self._wrong:
                    continue
                if begun.temperature == "cold":
                    samples = self._alone(block, number, slot)
                    self.watching.keep()
                    self._journal.append("turn", Turn(samples=samples))
                    continue
                if slot.arm not in workers:
                    if begun.serial:
                        self._stand(workers, block, "after")
                        self._tell(workers, block)
                        self._end(workers)
                    self._start(slot.arm, workers)
                    self._stand({slot.arm: workers[slot.arm]} if slot.arm in workers else {}, block, "before")
                runs = self._stopping.runs(slot.operation, begun.runs) if self._stopping else begun.runs
                samples = self._turn(block, number, slot, runs, workers)
                # First: what a kill leaves without moments was measured again, and not kept unwatched.
                seen = self.watching.keep()
                self._journal.append("turn", Turn(samples=samples))
                if self._stopping:
                    self._stopping.add(samples, seen)
            self._stand(workers, block, "after")
            self._tell(workers, block)
        finally:
            self._end(workers)

    def _tell(self, workers: dict[str, tuple[int, WorkerProcess]], block: int) -> None:
        """What each life could use, at its end."""
        whose = {arm: self._contenders[self._arms[arm].contender] for arm in workers}
        resources.tell(self._journal, block, workers, whose)

    @staticmethod
    def _end(workers: dict[str, tuple[int, WorkerProcess]]) -> None:
        for _, worker in workers.values():
            worker.close()
        workers.clear()

    def _start(self, arm: str, workers: dict[str, tuple[int, WorkerProcess]]) -> None:
        """A fresh life for an arm. One that cannot start is found out at its first turn."""
        self._starts += 1
        try:
            worker = self._contenders[self._arms[arm].contender].start(self._stage.tables)
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
        # One that died meanwhile is found out at its first turn.
        with suppress(WorkerEnded):
            self.watching.own(worker.servers() if self.watching.active else ())

    def _stand(
        self, workers: Mapping[str, tuple[int, WorkerProcess]], block: int, place: Literal["before", "after"]
    ) -> None:
        """How much of the data of these lives is in memory now."""
        for arm, (_, worker) in workers.items():
            if place == "before":
                # One that died meanwhile is found out at its first turn.
                with suppress(WorkerEnded):
                    self._files[arm] = worker.files()
            seen = cold.standing(self._files.get(arm, []), place, block, arm)
            self._journal.append("warmth", seen)

    def _position(self, block: int, start: int, turn: int, slot: Slot, temperature: Temperature = "hot") -> Position:
        """Where in the experiment an execution is."""
        return Position(
            attempt=self._attempt,
            block=block,
            start=start,
            turn=turn,
            arm=slot.arm,
            contender=self._arms[slot.arm].contender,
            operation=slot.operation,
            case=slot.case,
            temperature=temperature,
        )

    @property
    def _now(self) -> Seconds:
        """Seconds since the beginning of the attempt."""
        return time.monotonic() - self._began

    def _text(self, slot: Slot) -> str:
        """The query of a place as its contender gets it."""
        operation = self._workload.operation(slot.operation)
        case = next(case for case in operation.cases if case.name == slot.case)
        return operation.text(case, self._contenders[self._arms[slot.arm].contender].engine.dialect)

    def _alone(self, block: int, number: int, slot: Slot) -> tuple[Sample, ...]:
        """A turn of a cold block: one life with nothing of the data in memory, one with what the first one read."""
        ready = self._contenders[self._arms[slot.arm].contender]
        samples: list[Sample] = []
        temperatures: tuple[Temperature, ...] = ("cold", "first")
        for run, temperature in enumerate(temperatures, start=1):
            self._starts += 1
            position = self._position(block, self._starts, number, slot, temperature)
            at = self._now
            try:
                with cold.alone(ready, self._stage.tables, temperature, self._spec.timeout) as one:
                    self.watching.mark()
                    at = self._now
                    execution, seen = one.execute(self._text(slot), position, run, self._began, self._spec.timeout)
                    self.watching.mark()
                    at = execution.at
                    # Before the life goes: its answers go with it.
                    samples += self._checked(position, [execution])
                    self._tell({slot.arm: (self._starts, one.worker)}, block)
                    self._journal.append("warmth", seen)
            except WorkerEnded as ended:
                self._failed.add((ready.name, slot.operation))
                return (*samples[: run - 1], failed(position, run, at, ended))
        return tuple(samples)

    def _turn(
        self, block: int, number: int, slot: Slot, runs: int, workers: dict[str, tuple[int, WorkerProcess]]
    ) -> tuple[Sample, ...]:
        start, worker = workers.get(slot.arm, (self._starts, None))
        position = self._position(block, start, number, slot)
        executions: list[Execution] = []
        at = 0.0
        try:
            if worker is None:
                raise WorkerEnded(Outcome.ERROR, "no life could be started", alive=True)
            timeout = self._spec.timeout
            prepared = worker.prepare(self._text(slot), timeout)
            elsewhere = None
            self.watching.mark()
            for run in range(runs + 1):
                if run == 1 and executions[0].cost.bytes_read is None and self._files.get(slot.arm):
                    # The kernel tells the worker of its own process only, and a server's are others.
                    elsewhere = processes.bytes_read(worker.pid)
                at = self._now
                executions.append(execute(worker, prepared, run, at, timeout))
            self.watching.mark()
            if elsewhere is not None and (now := processes.bytes_read(worker.pid)) is not None:
                seen = cold.turned(self._files[slot.arm], now - elsewhere, position)
                self._journal.append("warmth", seen)
        except WorkerEnded as ended:
            if not ended.alive:
                workers.pop(slot.arm, None)
            self._failed.add((position.contender, slot.operation))
            # A dead life takes its answers with it: what was measured before is kept, unchecked, with the failure.
            return (*self._checked(position, executions), failed(position, len(executions), at, ended))
        return self._checked(position, executions)

    def _checked(self, position: Position, executions: Iterable[Execution]) -> tuple[Sample, ...]:
        """Samples of a turn, each answer compared with the one the gate saw."""
        samples = tuple(sample(position, one, self._answers.check(position, one)) for one in executions)
        if any(one.outcome is Outcome.WRONG for one in samples):
            self._wrong.add(position.operation)
        return samples
