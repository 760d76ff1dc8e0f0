"""The order of turns, recomputed: every turn that the seed demands took place, in its place, and no other (T5)."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment import schedule
from weigh.experiment.results.precision import precision
from weigh.model.answer import GateStatus
from weigh.model.sample import Outcome, Samples
from weigh.model.schedule import unseen
from weigh.verdict.refusals.disqualified import disqualified

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from weigh.experiment.interim_look import InterimLook
    from weigh.experiment.record import BlockBegun, Record
    from weigh.model.sample import Sample
    from weigh.model.schedule import Slot
    from weigh.statistics.arrays import Ints

_UNABLE = (GateStatus.UNSUPPORTED, GateStatus.ERROR)
_Runs = tuple[tuple[int, str], ...]
"""Number and temperature of every execution of a turn."""
_COLD: _Runs = ((1, "cold"), (2, "first"))


def departures(record: Record) -> Iterator[str]:
    """What is not as the seed demands, the first of each kind."""
    samples = Samples.of(record.samples)
    code, outcomes = samples.coded("outcome")
    well = np.array([one is Outcome.OK for one in outcomes], dtype=np.bool_)[code]
    if (
        not _ascending(*map(samples.integers, ("block", "turn", "run")))
        or (np.diff(samples.floats("at")[well]) < 0).any()
    ):
        yield "samples are not in the order of their turns and times: they were not measured in one session"
    if {*samples.coded("attempt").values} - {record.attempt}:
        yield f"samples of another attempt than {record.attempt}"
    numbers = [begun.block for begun in record.blocks]
    if numbers != list(range(len(numbers))):
        yield f"blocks {numbers} are not numbered from 0 on: some are missing"
    stray = {*samples.coded("block").values} - set(numbers)
    if stray:
        yield f"turns outside any block: {sorted(stray)[:5]}"
    out = disqualified(record.findings)
    for begun in record.blocks:
        missing = {one.name for one in record.spec.contenders} - {arm.split("#")[0] for arm in begun.arms} - set(out)
        if missing:
            yield f"block {begun.block} leaves out {', '.join(sorted(missing))}: no comparison follows from it"
            break
    yield from _Walk(record).departures()


def _ascending(*columns: Ints) -> bool:
    """Whether rows of numbers come in order, by the first column, then by the next."""
    step = np.zeros(max(len(columns[0]) - 1, 0), dtype=np.int64)
    for column in columns:
        step = np.where(step == 0, np.sign(np.diff(column)), step)
    return bool((step >= 0).all())


class _Walk:
    """Goes through the blocks as the measurement did, and knows whom it had to skip."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.wrong: set[str] = set()
        self.failed = {
            (contender, one.operation)
            for one in (record.gate.operations if record.gate else ())
            for contender, status in one.contenders.items()
            if status in _UNABLE
        }

    def departures(self) -> Iterator[str]:
        """The first turn that is not the one demanded, missing, or not whole."""
        whole = bool(self.record.end and self.record.end.how == "complete")
        blocks: dict[int, list[Sample]] = defaultdict(list)
        for sample in self.record.samples:
            blocks[sample.block].append(sample)
        for begun in self.record.blocks:
            of_block = blocks.get(begun.block, [])
            turns = {number: list(samples) for number, samples in groupby(of_block, key=attrgetter("turn"))}
            slots = schedule.slots(self.record.spec, begun)
            if turns and max(turns) >= len(slots):
                yield f"block {begun.block} has more turns than the seed demands"
                return
            looks = [one for one in self.record.looks if one.block < begun.block]
            if self.record.plan is not None and begun.cases != self._left(precision.retired(looks)):
                yield f"block {begun.block} measures other operations than those that are left"
                return
            if begun.temperature != self._temperature(begun.block):
                yield f"block {begun.block} is {begun.temperature}: the hot blocks come first, and were planned"
                return
            if self.record.plan is not None and begun.rounds != self._rounds(begun, looks):
                yield f"block {begun.block} has other numbers of rounds than were chosen"
                return
            last = begun is self.record.blocks[-1] and not whole
            for number, slot in enumerate(slots):
                expected = _COLD if begun.temperature == "cold" else _hot(begun.runs)
                departure = self._turn(begun.block, number, slot, turns.get(number), expected, may_end=last)
                if departure:
                    yield departure
                    return

    def _temperature(self, block: int) -> str:
        """What a block of this number is to be."""
        plan = self.record.plan
        return "cold" if plan is not None and plan.cold and block >= plan.starts else "hot"

    def _rounds(self, begun: BlockBegun, looks: Sequence[InterimLook]) -> dict[str, int]:
        """What was planned or chosen."""
        assert self.record.plan is not None
        planned = 1 if begun.temperature == "cold" else self.record.plan.rounds
        return precision.rounds_due(planned, looks, [operation for operation, _ in begun.cases])

    def _left(self, retired: Collection[str]) -> tuple[tuple[str, str], ...]:
        """The cases of a block: what was planned, was not retired, and was not wrong before."""
        assert self.record.plan is not None
        return tuple(case for case in self.record.plan.cases if case[0] not in retired and case[0] not in self.wrong)

    def _turn(
        self, block: int, number: int, slot: Slot, samples: list[Sample] | None, expected: _Runs, *, may_end: bool
    ) -> str:
        place = f"turn {number} of block {block}"
        if samples is None:
            skipped = any((arm.split("#")[0], slot.operation) in self.failed for arm in slot.arms)
            return "" if skipped or slot.operation in self.wrong or may_end else f"{place} is missing"
        by_arm: dict[str, list[Sample]] = defaultdict(list)
        for one in samples:
            by_arm[one.arm].append(one)
        solo = len(slot.arms) == 1 and bool(self.record.spec.duet)
        demanded = (slot.operation, slot.round, solo)
        if (
            tuple(by_arm) != slot.arms
            or {(one.operation, one.round, one.solo) for one in samples} != {demanded}
            or any((one.case, one.salt) != self._question(slot, one) for one in samples)
        ):
            return f"{place} is not the one that the seed demands"
        for of_arm in by_arm.values():
            if departure := self._executions(place, of_arm, expected):
                return departure
        return ""

    def _question(self, slot: Slot, one: Sample) -> tuple[str, int]:
        """Case and salt that an execution was to have."""
        if one.run:
            return slot.case, 0
        plan, workload = self.record.plan, self.record.workload
        if plan is None or workload is None or not plan.asks_unseen(one.contender, slot, one.temperature):
            return slot.case, 0
        return unseen(plan.secret, one.block, slot, workload.operation(slot.operation))

    def _executions(self, place: str, samples: list[Sample], expected: _Runs) -> str:
        """Of one arm in its turn."""
        failure = [one for one in samples if one.outcome not in (Outcome.OK, Outcome.WRONG)]
        if failure:
            self.failed.add((samples[0].contender, samples[0].operation))
        elif tuple((one.run, one.temperature) for one in samples) != expected:
            # In a duet the other one failed, and both went no further.
            if expected != _COLD and samples[0].operation in {of for _, of in self.failed}:
                return ""
            if expected == _COLD:
                return f"{place} is not one cold execution and a first one in another life"
            return f"{place} is not one untimed and {len(expected) - 1} timed executions"
        elif expected == _COLD and samples[0].start == samples[1].start:
            return f"{place} has both executions in one life"
        if any(one.outcome is Outcome.WRONG for one in samples):
            self.wrong.add(samples[0].operation)
        return ""


def _hot(runs: int) -> _Runs:
    return tuple((run, "hot") for run in range(runs + 1))
