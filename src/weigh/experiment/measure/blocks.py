"""Blocks: the measurement itself.

A block is one fresh start of every arm, alive together. Inside it there are several passes over all operations; in
each pass every operation has one round, in which the arms take turns in random order; a turn is one untimed and r timed
executions in a row, because the first execution after a neighbour is slower than the next by a different amount for
every engine. In a duet the two of a pair take their turn at the same moment (:mod:`weigh.experiment.measure.duet`).

A cold block shares nothing: every turn is two lives of its own, one cold and one first
(:mod:`weigh.experiment.measure.cold`).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from weigh.engines.prepared import cache_folder
from weigh.evidence import turns
from weigh.experiment import schedule
from weigh.experiment.measure.lives import Lives
from weigh.experiment.measure.turns import Turns
from weigh.experiment.record import BlockBegun
from weigh.experiment.results.precision import precision
from weigh.host.calibrating import Calibrating
from weigh.host.sampling import Sampling
from weigh.model import units
from weigh.model.sample import Outcome
from weigh.model.schedule import start_order

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from weigh.engines.prepared import PreparedContender
    from weigh.evidence import timeline
    from weigh.evidence.journal import Journal
    from weigh.experiment.data.data_link import DataLink
    from weigh.experiment.measure.last_questions import LastQuestions
    from weigh.experiment.measure.spending import Spending
    from weigh.experiment.measure.stopping import Stopping
    from weigh.experiment.measure.timed_answers import TimedAnswers
    from weigh.experiment.record import Planned, Record
    from weigh.model.gate import Gate
    from weigh.model.operation import Workload
    from weigh.model.progress import Progress
    from weigh.model.sample import Sample
    from weigh.model.schedule import Arm, Slot
    from weigh.model.spec import Spec
    from weigh.model.units import Seconds

Cases = tuple[tuple[str, str], ...]
_LONG_BLOCK = 10.0
"""Seconds of a block after which it is told how far it is."""
_SLACK = 1.1
"""By which the next block may be dearer than the dearest before it."""


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
        link: where the data is.
        journal: receives everything at once.
        attempt: number of the attempt.
        gate: what it found, as it stands in the journal.
        stopping: decides between blocks what goes on; without it all that was planned does.
        spending: what may still be spent; None where no budget was declared.
        last: what lives are asked when all their turns are over.
    """

    def __init__(
        self,
        spec: Spec,
        workload: Workload,
        contenders: Mapping[str, PreparedContender],
        arms: tuple[Arm, ...],
        answers: TimedAnswers,
        link: DataLink,
        journal: Journal,
        attempt: int,
        gate: Gate,
        stopping: Stopping | None = None,
        spending: Spending | None = None,
        last: LastQuestions | None = None,
    ) -> None:
        self._spec = spec
        self._attempt = attempt
        self._digests = turns.established(gate)
        self._journal = journal
        self._stopping = stopping
        self._spending = spending
        self._last = last
        self.not_begun = ""
        """Why the budget forbade the next block; empty where it did not."""
        self.watching = Sampling(journal)
        self.calibrating = Calibrating(journal, cache_folder())
        self._lives = Lives(spec, contenders, arms, link, journal, self.watching)
        self._turns = Turns(spec, workload, self._lives, answers, link, journal, self.watching, attempt)
        self._progress: Progress | None = None
        self._most = 0
        self._begun: tuple[BlockBegun, ...] = ()
        self._turn_count: set[tuple[int, int]] = set()

    def restore(self, record: Record) -> None:
        """Go on with an attempt that was killed: what it found out about contenders and operations still holds."""
        self._lives.last_start = max((sample.start for sample in record.samples), default=0)
        # Its clock goes on where it stood: no execution may seem to come before the look that decided on it.
        times = [sample.at for sample in record.samples] + [look.at for look in record.looks]
        times += [watch.moments[-1].end for watch in record.watches if watch.moments]
        times += [one.at + sum(one.seconds) for one in record.calibrations]
        self._turns.began -= max(times, default=0.0)
        self._turns.wrong.update(one.operation for one in record.samples if one.outcome is Outcome.WRONG)
        failures = (one for one in record.samples if one.outcome not in (Outcome.OK, Outcome.WRONG))
        self._turns.failed.update((one.contender, one.operation) for one in failures)
        self._begun = record.blocks
        self._turn_count = {(sample.block, sample.turn) for sample in record.samples}
        if self._stopping:
            self._stopping.restore(record.samples, record.looks, record.watches)

    @property
    def began(self) -> Seconds:
        """What ``time.monotonic()`` said when the attempt began, or would have said without the time it was dead."""
        return self._turns.began

    @property
    def wrong(self) -> frozenset[str]:
        """Operations whose answer changed in a timed execution."""
        return frozenset(self._turns.wrong)

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
            progress: receives messages between blocks.
            unable: (contender, operation) pairs that the gate found unsupported or in error.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._turns.failed.update(unable)
        self._lives.cpus, self._turns.plan = plan.cpus, plan
        self._progress, self._most = progress, plan.starts + plan.cold
        cases, starts, most = plan.cases, plan.starts, plan.starts + plan.cold
        watched = precision.Plan(
            operations=len(operations_of(cases)), rounds=plan.rounds, most=starts, fewer=plan.fewer is True
        )
        # All but the last block that was begun are whole: the next begins when one ends.
        dearest = 0.0
        for block in range(max(0, len(self._begun) - 1), most):
            live = self._live(cases)
            if not live or (self._stopping and self._stopping.stopped):
                return
            before = self._spending.spent if self._spending else 0.0
            if self._spending and _SLACK * dearest > self._spending.left:
                self.not_begun = f"{units.count(block, 'block')} of at most {most} were measured, the next did not fit"
                return
            self.calibrating.next(block)
            if block < len(self._begun):
                self._block(self._begun[block])
            else:
                begun = self._begin(block, live, plan)
                self._journal.append("block", begun)
                self._block(begun)
            dearest = max(dearest, self._spending.spent - before) if self._spending else 0.0
            if self._stopping is None:
                progress.step(block + 1, most, "measuring")
                continue
            self._stopping.look(block, operations_of(self._live(cases)), watched, self._turns.now)
            progress.step(block + 1, self._stopping.expected(starts), self._stopping.progress_line)

    def _begin(self, block: int, live: Cases, plan: Planned) -> BlockBegun:
        """What the next block consists of."""
        everyone, operations = tuple(self._lives.arms), operations_of(live)
        if block >= plan.starts:
            once = dict.fromkeys(operations, 1)
            return BlockBegun(block=block, cases=live, arms=everyone, rounds=once, runs=1, temperature="cold")
        rounds = (
            self._stopping.rounds(plan.rounds, operations) if self._stopping else dict.fromkeys(operations, plan.rounds)
        )
        return BlockBegun(block=block, cases=live, arms=everyone, rounds=rounds, runs=plan.runs, serial=plan.serial)

    def _live(self, cases: Cases) -> Cases:
        """What the next block measures."""
        out = self._turns.wrong | (self._stopping.retired if self._stopping else frozenset())
        return tuple(case for case in cases if case[0] not in out)

    def _block(self, begun: BlockBegun) -> None:
        block, lives = begun.block, self._lives
        slots = schedule.slots(self._spec, begun)
        first = 1 + max((turn for of, turn in self._turn_count if of == block), default=-1)
        stepped = time.monotonic()
        try:
            at_once = not begun.serial and begun.temperature == "hot" and first < len(slots)
            if at_once:
                # Who can do nothing that is asked here would only delay the others: by a whole time-out if it hangs.
                needed = {arm for slot in slots[first:] if not self._out(slot) for arm in slot.arms}
                order = start_order(self._spec.seed, block, begun.arms)
                lives.start([arm for arm in order if arm in needed], block)
            lives.stand(lives.alive, block, "before")
            for number, slot in list(enumerate(slots))[first:]:
                if self._out(slot):
                    continue
                if begun.temperature == "cold":
                    self._write(self._turns.alone(block, number, slot))
                    continue
                for arm in slot.arms:
                    if arm in lives.alive:
                        continue
                    if begun.serial:
                        self._over(block)
                    lives.start((arm,), block)
                    lives.stand({arm: lives.alive[arm]} if arm in lives.alive else {}, block, "before")
                samples = self._turns.turn(block, number, slot, begun.runs)
                columns = self._write(samples)
                if self._stopping:
                    self._stopping.add(samples, columns)
                if time.monotonic() > stepped + _LONG_BLOCK:
                    stepped = time.monotonic()
                    self._say_turn(block, number + 1, len(slots))
            self._over(block)
        finally:
            lives.end()

    def _say_turn(self, block: int, turn: int, turns: int) -> None:
        """How far a long block is, between two turns."""
        if self._progress is not None:
            most = self._stopping.expected(self._most) if self._stopping else self._most
            self._progress.step(block, most, f"measuring, turn {turn:,} of {turns:,} of start {block + 1}")

    def _write(self, samples: tuple[Sample, ...]) -> timeline.Columns | None:
        """A turn, and what the sampler saw meanwhile."""
        columns = self.watching.columns()
        turn = turns.Turn(samples=samples, cpu=self._turns.cpu_of_turn(), moments=columns)
        self._journal.append("turn", turns.pack(turn, self._attempt, self._digests))
        return columns

    def _over(self, block: int) -> None:
        """Tell of all that are alive, and end them."""
        self._lives.stand(self._lives.alive, block, "after")
        self._lives.tell(self._lives.alive, block)
        for arm, (_, worker) in self._lives.alive.items() if self._last else ():
            assert self._last
            self._last.ask(self._lives.contender(arm), worker)
        self._lives.end()

    def _out(self, slot: Slot) -> bool:
        """Whether a turn is not made: one of its sides cannot do the operation, or it is timed for nobody."""
        turns = self._turns
        failed = any((self._lives.arms[arm].contender, slot.operation) in turns.failed for arm in slot.arms)
        return failed or slot.operation in turns.wrong
