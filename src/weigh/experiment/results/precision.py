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

from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment.interim_look import InterimLook, Stop, Width
from weigh.experiment.results import allocation
from weigh.machine.contention import disturbed
from weigh.model.contender import URL
from weigh.model.spec import CONTENTION, FULL_STARTS, MIN_STARTS
from weigh.verdict.comparison import compare
from weigh.verdict.decide import decide, starts_needed
from weigh.verdict.preclusions import Rulings
from weigh.verdict.table import tabulate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from weigh.model.sample import Sample
    from weigh.model.spec import Spec
    from weigh.model.timeline import Watch

FIRST_LOOK = MIN_STARTS
"""Blocks of an attempt before anything is looked at; the number of runs is chosen from them."""
IN_A_ROW = 3
"""Looks in a row at which an operation must be within the target."""


def look(
    own: Sequence[Sample],
    earlier: Sequence[Sample],
    *,
    spec: Spec,
    runs: int,
    most: int,
    live: Sequence[str],
    before: Sequence[InterimLook],
    block: int,
    at: float,
    watches: Mapping[int, Sequence[Watch]] | None = None,
) -> InterimLook:
    """What follows from the samples of all blocks until now.

    Args:
        own: samples of this attempt.
        earlier: of earlier attempts: the verdict reads them too.
        spec: with a precision.
        runs: timed executions a turn, as planned before the first block.
        most: blocks after which sampling ends.
        live: operations that are still measured.
        before: the looks before this one, oldest first.
        block: the block that has just ended, from 0.
        at: seconds since the measurement began.
        watches: what the sampler saw, by number of the attempt; None where nobody asks for contention.
    """
    found = widths([*earlier, *own], spec, live)
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
    refused = None if watches is None else contended([*earlier, *own], watches, spec, ripe, found)
    retired = tuple(operation for operation in ripe if operation not in (refused or ()))
    rest = tuple(operation for operation in live if operation not in retired)
    costs = allocation.costs(own)
    chosen = {} if before else allocation.runs(own, spec, runs, live, costs)
    turns = dict.fromkeys(rest, runs) | runs_of(before) | chosen
    next_s = costs.block(rest, turns)
    stop: Stop = ""
    if not rest:
        stop = "reached"
    elif block + 1 >= most:
        stop = "starts"
    elif spec.budget is not None and at + next_s > spec.budget:
        stop = "budget"
    return InterimLook(
        block=block, at=at, widths=found, narrow=narrow, retired=retired, contended=refused, runs=chosen, next_s=next_s,
        stop=stop,
    )  # fmt: skip


def contended(
    samples: Iterable[Sample],
    watches: Mapping[int, Sequence[Watch]],
    spec: Spec,
    operations: Collection[str],
    compared: Iterable[Width],
) -> tuple[str, ...]:
    """Those of some operations with a comparison that would be refused, because others favoured a side until now."""
    if not operations:
        return ()
    attempts: dict[int, list[Sample]] = {}
    for sample in samples:
        if sample.operation in operations:
            attempts.setdefault(sample.attempt, []).append(sample)
    apart = [one.name for one in spec.contenders if URL in one.settings]
    bound = spec.contention or CONTENTION
    seen = [(own, watches.get(number, ())) for number, own in attempts.items()]
    pairs = {(one.operation, one.contender) for one in disturbed(seen, bound, spec.baseline, apart)}
    sides = pairs & {(one.operation, one.contender) for one in compared}
    return tuple(one for one in operations if any(one == operation for operation, _ in sides))


def widths(samples: Iterable[Sample], spec: Spec, operations: Collection[str]) -> tuple[Width, ...]:
    """The width of every comparison that has one: both sides were executed, and nobody failed or was wrong."""
    some = [sample for sample in samples if sample.operation in operations]
    table = tabulate(some, "wall_s", (contender.name for contender in spec.contenders))
    rulings = Rulings(some, {})
    unusable, executions = table.unusable(), table.executions()
    baseline = table.contenders.index(spec.baseline)
    pairs = [
        (number, candidate)
        for number, (operation, _) in enumerate(table.questions)
        for candidate, name in enumerate(table.contenders)
        if candidate != baseline
        and executions[number, [candidate, baseline]].all()
        and not unusable[number, [candidate, baseline]].any()
        and rulings.of(operation, name, spec.baseline) is None
    ]
    compared = compare(table, pairs, baseline)
    half = decide(compared.effects, compared.starts, spec.rules).half
    enough = np.full(half.shape, target(spec))
    with np.errstate(invalid="ignore"):
        level = np.full(half.shape, spec.rules.confidence)
        needed = starts_needed(compared.effects.error, compared.starts, enough, level)
        open_ = (half > enough) & np.isfinite(needed)
    return tuple(
        Width(
            operation=table.questions[number].operation,
            contender=table.contenders[candidate],
            starts=int(compared.starts[at]),
            half=float(half[at]) if np.isfinite(half[at]) else None,
            needed=int(needed[at]) if open_[at] else None,
        )
        for at, (number, candidate) in enumerate(pairs)
    )


def runs_of(looks: Iterable[InterimLook]) -> dict[str, int]:
    """Timed executions a turn by operation, where a look chose them."""
    return {operation: runs for one in looks for operation, runs in one.runs.items()}


def retired(looks: Iterable[InterimLook]) -> frozenset[str]:
    """Operations that were retired."""
    return frozenset(operation for one in looks for operation in one.retired)


def target(spec: Spec) -> float:
    """Half-width at which it is enough, as a logarithm."""
    assert isinstance(spec.precision, float)
    return float(np.log1p(spec.precision))
