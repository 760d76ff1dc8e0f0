"""COST: the width at which a contender first beats the best single-threaded one.

After F. McSherry, M. Isard, D. G. Murray, "Scalability! But at what COST?", HotOS 2015: a system that scales is not yet
one that is fast. Here all widths are contenders of one experiment, and *beats* is the verdict FASTER over the best
single-threaded contender: past the margin, false discoveries controlled. The best one is chosen by its median among
what was measured, so it looks a little better than it is: the width that is named errs towards the larger one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model.contender import Setting, Variation
from weigh.model.units import Scale
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from weigh.model.verdict import Timing, Verdict


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One varied contender on one operation.

    Attributes:
        operation, contender: whose executions.
        scale: of the rung.
        against: the best single-threaded contender.
        width: threads at which it first beats that; None where no width that was tried does.
        member: the contender of that width.
        ratio: member over ``against``.
        low, high: its interval.
        tried: the widths that were compared, ascending.
        open: widths whose verdict is unresolved or refused: more starts may change the answer.
        absent: single-threaded contenders without a time here; one of them may be better than ``against``.
    """

    operation: str
    contender: str
    scale: Scale | None
    against: str
    width: Setting | None = None
    member: str | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    tried: tuple[Setting, ...] = ()
    open: tuple[Setting, ...] = ()
    absent: tuple[str, ...] = ()


def best_single(variations: Iterable[Variation], timings: Iterable[Timing]) -> dict[str, str]:
    """The single-threaded contender with the least median, by operation."""
    single = _singles(variations)
    best: dict[str, Timing] = {}
    for timing in timings:
        if timing.contender in single:
            now = best.get(timing.operation)
            best[timing.operation] = timing if now is None or timing.median < now.median else now
    return {operation: timing.contender for operation, timing in best.items()}


def _singles(variations: Iterable[Variation]) -> list[str]:
    return [
        name
        for one in variations
        if one.threads
        for name, value in one.members.items()
        if value == 1 and not isinstance(value, bool)
    ]


def costs(
    variations: Sequence[Variation],
    timings: Sequence[Timing],
    judged: Callable[[str], Iterable[Verdict]],
    scale: Scale | None,
) -> Iterator[Cost]:
    """One of every varied contender and operation.

    Args:
        variations: contenders in several widths; only those of threads count.
        timings: of all contenders that may be shown.
        judged: gives the verdicts of the same executions with another contender as the baseline.
        scale: of the rung.
    """
    best = best_single(variations, timings)
    measured = {(one.operation, one.contender) for one in timings}
    verdicts = {
        name: {(one.operation, one.contender): one for one in judged(name)} for name in sorted(set(best.values()))
    }
    for operation, against in best.items():
        absent = tuple(name for name in _singles(variations) if (operation, name) not in measured)
        for variation in variations:
            if variation.threads:
                cost = _cost(operation, variation, against, verdicts[against], scale)
                yield msgspec.structs.replace(cost, absent=absent)


def _cost(
    operation: str,
    variation: Variation,
    against: str,
    verdicts: dict[tuple[str, str], Verdict],
    scale: Scale | None,
) -> Cost:
    wider = sorted(
        ((width, name) for name, width in variation.members.items() if name != against),
        key=lambda one: float(one[0]),
    )
    found = [
        (width, name, verdict)
        for width, name in wider
        if (verdict := verdicts.get((operation, name))) is not None and verdict.ratio is not None
    ]
    cost = Cost(
        operation=operation,
        contender=variation.contender,
        scale=scale,
        against=against,
        tried=tuple(width for width, _, _ in found),
        open=tuple(width for width, _, one in found if one.verdict in (VerdictName.UNRESOLVED, VerdictName.REFUSED)),
    )
    for width, name, verdict in found:
        if verdict.verdict is VerdictName.FASTER:
            return msgspec.structs.replace(
                cost, width=width, member=name, ratio=verdict.ratio, low=verdict.low, high=verdict.high
            )
    return cost
