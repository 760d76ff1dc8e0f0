"""Precision: how wide the intervals are by now, and whether they are narrow enough to stop.

Sampling stops by the width, never by the effect: a rule that looks at the effect stops on significance. The
width is that of the interval that the verdict prints, from the same functions. Why an operation is retired only
after ten starts and three looks in a row is in docs/concept/statistics.md ("Stopping"): whoever stops at the first look
at which a small sample seems quiet has intervals that cover too rarely.

What would have no verdict because others disturbed one side more is not retired: further turns may be quieter, and
the shares that refuse it are those of all turns. On the effect it depends only through how long the turns took.

Pure: the protocol asks between blocks, and an auditor asks again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment.interim_look import InterimLook, Stop, Width
from weigh.experiment.results.analysis import observed
from weigh.experiment.results.precision import allocation
from weigh.experiment.results.preclusions import failed, preclusions
from weigh.machine.contention import disturbed
from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.sample import Samples
from weigh.model.spec import CONTENTION
from weigh.verdict.comparison import estimate
from weigh.verdict.decide import EARLY, LOOKS, at_end, decide, decided_early, starts_needed
from weigh.verdict.refusals.soundness import rounded
from weigh.verdict.totals import halved

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from weigh.model.machine.timeline import Watch
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec
    from weigh.verdict.refusals.preclusions import Preclusions
    from weigh.verdict.table import Table

FIRST_LOOK = MIN_STARTS
"""Blocks of an attempt before anything is looked at; the number of rounds is chosen from them."""
SLACK = 1.2
"""Times that a block may take longer than the ones before it, for the ten starts of a conclusive result to fit."""
FEWER_SLACK = 1.1
"""The same where there are fewer rounds for that: what is left is spent in the next block."""
IN_A_ROW = 3
"""Looks in a row at which an operation must be within the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What was planned before the first block.

    Attributes:
        operations: number of operations, for the family of the comparisons.
        rounds: turns of every arm for each operation.
        most: blocks after which sampling ends.
        fewer: whether there may be fewer rounds, for the ten starts of a conclusive result to fit into the budget.
    """

    operations: int
    rounds: int
    most: int
    fewer: bool = False


def look(
    samples: Sequence[Sample],
    earlier: Sequence[Sample],
    *,
    spec: Spec,
    plan: Plan,
    live: Sequence[str],
    before: Sequence[InterimLook],
    block: int,
    at: float,
    watches: Mapping[int, Sequence[Watch]],
) -> InterimLook:
    """What follows from the samples of all blocks until now.

    Args:
        samples: samples of this attempt, until now.
        earlier: of earlier attempts: the verdict reads them too.
        spec: with a precision.
        plan: as it was before the first block.
        live: operations that are still measured.
        before: the looks before this one, oldest first.
        block: the block that has just ended, from 0.
        at: seconds since the measurement began.
        watches: what the sampler saw, by number of the attempt.
    """
    return Sampled(samples, earlier, spec).look(
        plan=plan, live=live, before=before, block=block, at=at, watches=watches
    )


class Sampled:
    """The samples of an experiment, put into columns once for any number of looks.

    Args:
        samples: of this attempt.
        earlier: of earlier attempts: the verdict reads them too.
        spec: with a precision.
    """

    def __init__(self, samples: Sequence[Sample], earlier: Sequence[Sample], spec: Spec) -> None:
        self._spec, self._earlier = spec, earlier
        self._samples = Samples.of(samples)
        every = Samples((*earlier, *samples)) if earlier else self._samples
        names = [contender.name for contender in spec.contenders]
        self._failed_earlier, self._failed = failed(earlier), failed(self._samples)
        self._table = observed(every, "wall_s", names).under(spec.rules)
        # The number of a block in the table is its place here.
        code, contenders = every.coded("contender")
        known = np.array([name in names for name in contenders], dtype=np.bool_)
        self._blocks = sorted(every.groups("attempt", "block", among=every.timed & known[code]))
        of_this = set(self._samples.coded("attempt").values)
        self._later = np.array([block if attempt in of_this else -1 for attempt, block in self._blocks], dtype=np.int64)

    @cached_property
    def _spent(self) -> dict[int, allocation.Spent]:
        return allocation.spent(self._samples)

    def look(
        self,
        *,
        plan: Plan,
        live: Sequence[str],
        before: Sequence[InterimLook],
        block: int,
        at: float,
        watches: Mapping[int, Sequence[Watch]],
    ) -> InterimLook:
        """What follows from the blocks until one of this attempt; the arguments are those of :func:`look`."""
        return _look(
            lambda: [one for one in self._samples if one.block <= block], self._earlier, self._until(block, live),
            allocation.costs({number: one for number, one in self._spent.items() if number <= block}),
            spec=self._spec, plan=plan, live=live, before=before, block=block, at=at, watches=watches,
        )  # fmt: skip

    def of(self, operations: Collection[str]) -> _Session:
        """The comparisons of some operations."""
        return self._until(int(self._samples.integers("block").max(initial=0)), operations)

    def _until(self, block: int, operations: Collection[str]) -> _Session:
        some = frozenset(operations)
        live = np.array([question.operation in some for question in self._table.questions], dtype=np.bool_)
        until = self._later <= block
        chosen = until[self._table.block] & live[self._table.question]
        attempts = {self._blocks[number][0] for number in np.unique(self._table.block[chosen])}
        table = self._table if chosen.all() else self._table.only(chosen, len(attempts))
        until_now = [*self._failed_earlier, *(one for one in self._failed if one.block <= block)]
        precluded = preclusions([one for one in until_now if one.operation in some])
        return _Session(table, precluded, self._spec, operations)


def _look(
    samples: Callable[[], Sequence[Sample]],
    earlier: Sequence[Sample],
    session: _Session,
    costs: allocation.Costs,
    *,
    spec: Spec,
    plan: Plan,
    live: Sequence[str],
    before: Sequence[InterimLook],
    block: int,
    at: float,
    watches: Mapping[int, Sequence[Watch]],
) -> InterimLook:
    found = session.widths()
    enough = target(spec)
    wide = {one.operation for one in found if one.half is None or one.half > enough}
    few = {one.operation for one in found if one.starts < FULL_STARTS}
    narrow = tuple(operation for operation in live if operation not in wide)
    recent = before[len(before) - (IN_A_ROW - 1) :] if len(before) >= IN_A_ROW - 1 else None
    ripe = tuple(
        operation
        for operation in narrow
        if recent is not None and operation not in few and all(operation in one.narrow for one in recent)
    )
    family = plan.operations * (len(spec.contenders) - 1)
    decided = tuple(operation for operation in session.decided(family) if operation not in ripe)
    refused = contended(lambda: [*earlier, *samples()], watches, spec, (*ripe, *decided), found)
    retired = tuple(one for one in live if one in (*ripe, *decided) and one not in refused)
    rest = tuple(operation for operation in live if operation not in retired)
    chosen = {}
    if not before and not spec.rounds:
        planned_s = costs.block(live, dict.fromkeys(live, plan.rounds))
        more = (spec.budget - at) / planned_s if spec.budget is not None and planned_s > 0 else allocation.ENDLESS
        chosen = allocation.rounds(samples(), spec, plan.rounds, live, costs, max(more, 0.0))
    if spec.budget is not None:
        each = (spec.budget - at) / max(FULL_STARTS - block - 1, 1) / SLACK
        chosen = allocation.affordable(chosen, plan.rounds, costs, each)
    due = dict.fromkeys(rest, plan.rounds) | {one: n for one, n in rounds_of(before).items() if one in rest} | chosen
    missing = FULL_STARTS - block - 1
    if plan.fewer and spec.budget is not None and missing > 0:
        each = (spec.budget - at) / missing / FEWER_SLACK
        fitting = allocation.fitting({one: max(due[one], plan.rounds) for one in rest}, costs, each)
        chosen |= {one: rounds for one, rounds in fitting.items() if rounds != due[one]}
    if spec.duet:
        # As many rounds on either half of the CPUs: what one is faster than the other cancels.
        chosen = {operation: rounds - rounds % 2 for operation, rounds in chosen.items()}
    rounds = dict.fromkeys(rest, plan.rounds) | rounds_of(before) | chosen
    next_s = costs.block(rest, rounds)
    stop: Stop = ""
    if not rest:
        stop = "reached"
    elif block + 1 >= plan.most:
        stop = "starts"
    elif spec.budget is not None and at + next_s > spec.budget:
        stop = "budget"
    return InterimLook(
        block=block,
        at=at,
        widths=found,
        narrow=narrow,
        retired=retired,
        decided=tuple(one for one in decided if one in retired),
        contended=refused,
        rounds=chosen,
        next_s=next_s,
        stop=stop,
    )


def contended(
    samples: Callable[[], Iterable[Sample]],
    watches: Mapping[int, Sequence[Watch]],
    spec: Spec,
    operations: Collection[str],
    compared: Iterable[Width],
) -> tuple[str, ...]:
    """Those of some operations with a comparison that would be refused, because others favoured a side until now."""
    if not operations:
        return ()
    attempts: dict[int, list[Sample]] = {}
    for sample in samples():
        if sample.operation in operations:
            attempts.setdefault(sample.attempt, []).append(sample)
    apart = [one.name for one in spec.contenders if one.remote]
    bound = spec.contention or CONTENTION
    pairs_of = [(samples_of, watches.get(number, ())) for number, samples_of in attempts.items()]
    pairs = {(one.operation, one.contender) for one in disturbed(pairs_of, bound, spec.baseline, apart)}
    sides = {operation for operation, _ in pairs & {(one.operation, one.contender) for one in compared}}
    return tuple(one for one in operations if one in sides)


class _Session:
    """The comparisons that have a width: both sides were executed, and nobody failed or was wrong."""

    def __init__(self, table: Table, precluded: Preclusions, spec: Spec, operations: Collection[str]) -> None:
        self.spec, self.operations = spec, operations
        self.table = table
        unusable, executions = self.table.unusable(), self.table.executions()
        baseline = self.table.contenders.index(spec.baseline)
        self.pairs = [
            (number, candidate)
            for number, question in enumerate(self.table.questions)
            for candidate, name in enumerate(self.table.contenders)
            if candidate != baseline
            and executions[number, [candidate, baseline]].all()
            and not unusable[number, [candidate, baseline]].any()
            and precluded.of(question.operation, name, spec.baseline) is None
        ]
        estimated = estimate(self.table, self.pairs, baseline)
        self.starts = estimated.starts
        self.effects = rounded(estimated.effects, estimated.starts, estimated.step)
        self.rules = halved(spec.rules)

    def widths(self) -> tuple[Width, ...]:
        """How wide the interval of each is, at the share of the error rates that the end has."""
        effects, starts = self.effects, self.starts
        half = decide(effects, starts, self.rules, share=1 - EARLY).half
        enough = np.full(half.shape, target(self.spec))
        with np.errstate(invalid="ignore"):
            level = np.full(half.shape, 1 - (1 - self.rules.confidence) * (1 - EARLY))
            needed = starts_needed(effects.error, starts, enough, level)
            open_ = (half > enough) & np.isfinite(needed)
        return tuple(
            Width(
                operation=self.table.questions[number].operation,
                contender=self.table.contenders[candidate],
                starts=int(starts[at]),
                half=float(half[at]) if np.isfinite(half[at]) else None,
                needed=int(needed[at]) if open_[at] else None,
            )
            for at, (number, candidate) in enumerate(self.pairs)
        )

    def decided(self, family: int) -> list[str]:
        """Operations at an early look whose comparisons are all decided with its share of the error rates."""
        done = decided_early(self.effects, self.starts, self.rules, family)
        names = [self.table.questions[number].operation for number, _ in self.pairs]
        open_ = {name for name, one in zip(names, done, strict=True) if not one}
        return [name for name in dict.fromkeys(names) if name not in open_]


def widths(samples: Iterable[Sample], spec: Spec, operations: Collection[str]) -> tuple[Width, ...]:
    """The width of every comparison that has one."""
    return Sampled(Samples.of(samples), (), spec).of(operations).widths()


def rounds_of(looks: Iterable[InterimLook]) -> dict[str, int]:
    """Turns of every arm in a start by operation, where a look chose them."""
    return {operation: rounds for one in looks for operation, rounds in one.rounds.items()}


def rounds_due(plan: int, looks: Iterable[InterimLook], operations: Iterable[str]) -> dict[str, int]:
    """Turns of every arm in the next block, of each operation."""
    chosen = rounds_of(looks)
    return {operation: chosen.get(operation, plan) for operation in operations}


def shares(spec: Spec, looks: Iterable[InterimLook], samples: Samples) -> dict[str, float]:
    """Part of the error rates that the figures of each operation have (:mod:`weigh.verdict.decide`).

    Args:
        spec: of the experiment.
        looks: of all attempts.
        samples: of all attempts. After more than one nothing is left of any look: an attempt may have been made because
            the one before did not please.
    """
    if not spec.precision:
        return {}
    early = {operation for one in looks for operation in one.decided}
    again = not spec.rules.unspent or len(set(samples.values("attempt"))) > 1
    blocks = Counter(operation for operation, _ in samples.groups("operation", "block"))
    return {
        one: EARLY / len(LOOKS) if one in early else 1 - EARLY if again else at_end(starts)
        for one, starts in blocks.items()
    }


def retired(looks: Iterable[InterimLook]) -> frozenset[str]:
    """Operations that were retired."""
    return frozenset(operation for one in looks for operation in one.retired)


def target(spec: Spec) -> float:
    """Half-width at which it is enough, as a logarithm."""
    assert isinstance(spec.precision, float)
    return float(np.log1p(spec.precision))
