"""Blocks and turns: the measurement itself.

A block is one fresh start of every arm, alive together. Inside it operations come in random order; for each, the
arms take turns in random order; a turn is one untimed and r timed executions in a row, because the first
execution after a neighbour is slower than the next by a different amount for every engine.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from weigh.engines.life import Life, LifeEnded
from weigh.evidence.record import BlockBegun, Turn
from weigh.model.finding import Finding
from weigh.model.plan import Arm, Slot, block_order, start_order
from weigh.model.sample import Outcome, Sample
from weigh.protocol.interview import read_answer
from weigh.verdict import answers

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from weigh.evidence.journal import Journal
    from weigh.evidence.record import Record
    from weigh.model.operation import Workload
    from weigh.model.spec import Spec
    from weigh.protocol.prepare import Ready
    from weigh.protocol.progress import Progress
    from weigh.protocol.stage import Stage
    from weigh.protocol.stopping import Stopping

LARGE_ANSWER = 64 << 20
"""Bytes; above, the full digest of an answer is taken once a start and its row count otherwise."""

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
        contenders: Mapping[str, Ready],
        arms: tuple[Arm, ...],
        kept: Mapping[tuple[str, str, str], Any],
        stage: Stage,
        journal: Journal,
        attempt: int,
        stopping: Stopping | None = None,
    ) -> None:
        self._spec = spec
        self._workload = workload
        self._contenders = contenders
        self._arms = {arm.name: arm for arm in arms}
        self._kept = kept
        self._stage = stage
        self._journal = journal
        self._attempt = attempt
        self._stopping = stopping
        self._began = time.monotonic()
        self._starts = 0
        self._failed: set[tuple[str, str]] = set()
        self._wrong: set[str] = set()
        self._begun: tuple[BlockBegun, ...] = ()
        self._kept_turns: set[tuple[int, int]] = set()
        timed = {(one.name, case.name) for one in workload.operations for case in one.timed()}
        self._digests = {
            key: answers.digest(table, workload.operation(key[1]).schema)
            for key, table in kept.items()
            if key[1:] in timed
        }

    def restore(self, record: Record) -> None:
        """Go on with an attempt that was killed: what it found out about contenders and operations still holds."""
        self._starts = max((sample.start for sample in record.samples), default=0)
        # Its clock goes on where it stood: no execution may seem to come before the look that decided on it.
        times = [sample.at for sample in record.samples] + [look.at for look in record.looks]
        self._began -= max(times, default=0.0)
        self._wrong.update(one.operation for one in record.samples if one.outcome is Outcome.WRONG)
        failures = (one for one in record.samples if one.outcome not in (Outcome.OK, Outcome.WRONG))
        self._failed.update((one.contender, one.operation) for one in failures)
        self._begun = record.blocks
        self._kept_turns = {(sample.block, sample.turn) for sample in record.samples}
        if self._stopping:
            self._stopping.restore(record.samples, record.looks)

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
    ) -> None:
        """Measure whole blocks.

        Args:
            cases: (operation, case) pairs that passed the gate.
            starts: number of blocks, at most.
            runs: timed executions a turn.
            progress: is told between blocks.
            unable: (contender, operation) pairs that the gate found unsupported or in error.
            serial: start an arm only after the one before it has ended.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._failed.update(unable)
        # All but the last block that was begun are whole: the next begins when one ends.
        for block in range(max(0, len(self._begun) - 1), starts):
            live = self._live(cases)
            if not live or (self._stopping and self._stopping.stopped):
                return
            if block < len(self._begun):
                self._block(self._begun[block])
            else:
                begun = BlockBegun(block=block, cases=live, arms=tuple(self._arms), runs=runs, serial=serial)
                self._journal.append("block", begun)
                self._block(begun)
            if self._stopping is None:
                progress.step(block + 1, starts, "measuring")
                continue
            operations = tuple(dict.fromkeys(operation for operation, _ in self._live(cases)))
            self._stopping.look(block, operations, runs, starts, time.monotonic() - self._began)
            progress.step(block + 1, self._stopping.expected(starts), self._stopping.shown)

    def _live(self, cases: Cases) -> Cases:
        """What the next block measures."""
        out = self._wrong | (self._stopping.retired if self._stopping else frozenset())
        return tuple(case for case in cases if case[0] not in out)

    def _block(self, begun: BlockBegun) -> None:
        seed, block = self._spec.seed, begun.block
        slots = block_order(seed, block, begun.cases, begun.arms, serial=begun.serial)
        first = 1 + max((turn for of, turn in self._kept_turns if of == block), default=-1)
        lives: dict[str, tuple[int, Life]] = {}
        try:
            for arm in () if begun.serial or first >= len(slots) else start_order(seed, block, begun.arms):
                self._start(arm, lives)
            for number, slot in list(enumerate(slots))[first:]:
                contender = self._arms[slot.arm].contender
                if (contender, slot.operation) in self._failed or slot.operation in self._wrong:
                    continue
                if slot.arm not in lives:
                    if begun.serial:
                        self._end(lives)
                    self._start(slot.arm, lives)
                runs = self._stopping.runs(slot.operation, begun.runs) if self._stopping else begun.runs
                samples = self._turn(block, number, slot, runs, lives)
                self._journal.append("turn", Turn(samples=samples))
                if self._stopping:
                    self._stopping.add(samples)
        finally:
            self._end(lives)

    @staticmethod
    def _end(lives: dict[str, tuple[int, Life]]) -> None:
        for _, life in lives.values():
            life.close()
        lives.clear()

    def _start(self, arm: str, lives: dict[str, tuple[int, Life]]) -> None:
        """A fresh life for an arm. One that cannot start is found out at its first turn."""
        self._starts += 1
        try:
            life = self._contenders[self._arms[arm].contender].start(self._stage.tables)
        except LifeEnded as ended:
            self._journal.append(
                "finding",
                Finding(
                    code="X.start",
                    severity="warning",
                    contender=self._arms[arm].contender,
                    text=f"a fresh start failed: {ended}",
                    remedy="see whether memory or processes ran out",
                ),
            )
            return
        lives[arm] = (self._starts, life)

    def _turn(
        self, block: int, number: int, slot: Slot, runs: int, lives: dict[str, tuple[int, Life]]
    ) -> tuple[Sample, ...]:
        contender = self._arms[slot.arm].contender
        start, life = lives.get(slot.arm, (self._starts, None))
        operation = self._workload.operation(slot.operation)
        case = next(case for case in operation.cases if case.name == slot.case)
        place: dict[str, Any] = {
            "attempt": self._attempt, "block": block, "start": start, "turn": number, "arm": slot.arm,
            "contender": contender, "operation": slot.operation, "case": slot.case,
        }  # fmt: skip
        measured: list[tuple[dict[str, Any], Path | None]] = []
        at = 0.0
        try:
            if life is None:
                raise LifeEnded(Outcome.ERROR, "no life could be started", alive=True)
            timeout = self._spec.timeout
            sql = operation.text(case, self._contenders[contender].engine.dialect)
            prepared = life.ask("prepare", timeout, sql=sql)["cpu_s"]
            for run in range(runs + 1):
                at = time.monotonic() - self._began
                cost = life.ask("run", timeout)
                path, fetched = life.answer(timeout)
                measured.append(({**cost, "prepared": prepared, "fetched": fetched, "run": run, "at": at}, path))
        except LifeEnded as ended:
            if not ended.alive:
                lives.pop(slot.arm, None)
            self._failed.add((contender, slot.operation))
            failure = Sample(**place, run=len(measured), outcome=ended.outcome, detail=ended.detail[:2000], at=at)
            # A dead life takes its answers with it: what was measured before is kept, unchecked, with the failure.
            return (*self._checked(place, measured, slot), failure)
        return self._checked(place, measured, slot)

    def _checked(
        self, place: dict[str, Any], measured: list[tuple[dict[str, Any], Path | None]], slot: Slot
    ) -> tuple[Sample, ...]:
        """Samples of a turn, each answer compared with the one the gate saw. The clock stands meanwhile."""
        samples = []
        for cost, path in measured:
            outcome, digest, detail = Outcome.OK, "", ""
            if path is not None and path.exists():
                large = cost["fetched"]["bytes"] > LARGE_ANSWER and cost["run"] > 0
                outcome, digest, detail = self._judge(path, cost["rows"], slot, full=not large)
            fetched = cost["fetched"]
            samples.append(
                Sample(
                    **place,
                    run=cost["run"],
                    outcome=outcome,
                    wall_s=cost["wall_s"],
                    cpu_s=cost["cpu_s"],
                    prepare_cpu_s=cost["prepared"],
                    answer_s=fetched["seconds"],
                    answer_cpu_s=fetched["cpu_s"],
                    rows=cost["rows"],
                    digest=digest,
                    peak_memory=cost["peak_memory"],
                    bytes_read=cost["bytes_read"],
                    major_faults=cost["major_faults"],
                    at=cost["at"],
                    detail=detail,
                )
            )
        return tuple(samples)

    def _judge(self, path: Path, rows: int, slot: Slot, *, full: bool) -> tuple[Outcome, str, str]:
        contender = self._arms[slot.arm].contender
        key = (contender, slot.operation, slot.case)
        schema = self._workload.operation(slot.operation).schema
        expected = self._kept[key]
        if not full:
            path.unlink()
            same = rows == expected.num_rows
            return (Outcome.OK, "", "") if same else self._contradict(slot, f"{rows:,} rows")
        try:
            table = read_answer(path)
        except LifeEnded as ended:
            return Outcome.ERROR, "", ended.detail
        digest = answers.digest(table, schema)
        if digest == self._digests[key] and not schema.loose:
            return Outcome.OK, digest, ""
        compared = answers.compare(table, expected, schema)
        if compared.agrees:
            return Outcome.OK, digest, ""
        shown = "; ".join(map(str, compared.differences[:2]))
        outcome, _, detail = self._contradict(slot, shown)
        return outcome, digest, detail

    def _contradict(self, slot: Slot, shown: str) -> tuple[Outcome, str, str]:
        self._wrong.add(slot.operation)
        return Outcome.WRONG, "", f"differs from the answer the gate saw: {shown}"
