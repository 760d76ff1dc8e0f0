"""Attempts that stop on precision, made in the order of the seed with a clock that is counted."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from weigh.evidence.sealing import End
from weigh.experiment.record import BlockBegun, Planned, Record
from weigh.experiment.results.precision import precision
from weigh.experiment.verify import order, stopping
from weigh.model.contender import Contender
from weigh.model.machine.timeline import Moment, Watch
from weigh.model.sample import Outcome, Sample
from weigh.model.schedule import arms, block_order
from weigh.model.spec import Spec
from weigh.model.units import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.experiment.interim_look import InterimLook


QUIET, LOUD = "quiet", "loud"


SPREAD = {QUIET: 0.002, LOUD: 0.05}


CASES = ((LOUD, "only"), (QUIET, "only"))


SPEC = Spec(
    workload="w",
    contenders=(Contender(name="a", engine="duckdb"), Contender(name="b", engine="chdb")),
    baseline="a",
    starts=16,
    runs=2,
    precision=0.02,
)


RUNS = 2
PLAN = precision.Plan(operations=2, rounds=2, most=16)


def took(operation: str, block: int, arm: str, round_: int, run: int, attempt: int) -> float:
    """Seconds of an execution: a law of its place, so that a resumed attempt would measure the same."""
    worker = random.Random(f"{attempt} {operation} {block} {arm}")
    one = random.Random(f"{attempt} {operation} {block} {arm} {round_} {run}")
    return 0.1 * math.exp(SPREAD[operation] * (worker.gauss() + one.gauss() / 2))


def attempt(
    spec: Spec = SPEC,
    earlier: Sequence[Record] = (),
    number: int = 1,
    others: Callable[[Sample], float] = lambda _: 0.0,
) -> Record:
    """An attempt as the protocol makes it, in the order of the seed, with a clock that is counted.

    Args:
        spec: of it.
        earlier: attempts before it.
        number: of it.
        others: share of a CPU that others used during the turn of a sample.
    """
    before = [sample for one in earlier for sample in one.samples]
    watches: list[Watch] = []
    names = tuple(arm.name for arm in arms(spec))
    samples: list[Sample] = []
    looks: list[InterimLook] = []
    blocks: list[BlockBegun] = []
    clock = 0.0
    live: tuple[str, ...] = (LOUD, QUIET)
    for block in range(spec.starts):
        cases = tuple(case for case in CASES if case[0] in live)
        rounds = precision.rounds_due(PLAN.rounds, looks, live)
        blocks.append(BlockBegun(block=block, cases=cases, arms=names, rounds=rounds, runs=RUNS))
        clock += 1.0
        for turn, slot in enumerate(block_order(spec.seed, block, cases, names, rounds)):
            began = clock
            (arm,) = slot.arms
            for run in range(RUNS + 1):
                wall = whole(took(slot.operation, block, arm, slot.round, run, number))
                samples.append(
                    Sample(
                        attempt=number, block=block, start=0, turn=turn, round=slot.round, run=run,
                        arm=arm, contender=arm.split("#")[0], operation=slot.operation, case=slot.case,
                        outcome=Outcome.OK, wall_s=wall, at=clock,
                    )
                )  # fmt: skip
                clock = whole(clock + wall)
            span = clock - began
            watches.append(Watch(moments=(Moment(at=began, span=span, foreign=others(samples[-1]) * span, steal=0.0),)))
        if block + 1 < precision.FIRST_LOOK:
            continue
        looks.append(
            precision.look(
                samples, before, spec=spec, plan=PLAN, live=live, before=looks, block=block,
                at=clock, watches={number: watches} | {one.attempt: one.watches for one in earlier},
            )
        )  # fmt: skip
        live = tuple(one for one in live if one not in looks[-1].retired)
        if looks[-1].stop:
            break
    return Record(
        attempt=number,
        spec=spec,
        plan=Planned(cases=CASES, starts=PLAN.most, rounds=PLAN.rounds, runs=RUNS),
        blocks=tuple(blocks),
        looks=tuple(looks),
        samples=tuple(samples),
        watches=tuple(watches),
        end=End(how="complete"),
    )


def problems(record: Record, earlier: Sequence[Record] = ()) -> list[str]:
    """What the auditor says."""
    return [*order.departures(record), *stopping.departures(record, earlier)]


def starts(record: Record, operation: str) -> int:
    return len({one.block for one in record.samples if one.operation == operation})


HONEST = attempt()


class Told:
    """Progress that is kept."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)

    def step(self, done: int, total: int, what: str) -> None:
        raise AssertionError("blocks are counted elsewhere")
