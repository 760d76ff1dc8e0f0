"""Attained: what is reported in the end about the precision that was asked for, and about the number of attempts."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.experiment.results.precision.precision import target, widths
from weigh.model import codes
from weigh.model.spec import CONTENTION
from weigh.model.units import count, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.interim_look import InterimLook, Width
    from weigh.model.finding import Finding
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec


def precision(samples: Sequence[Sample], spec: Spec, looks: Sequence[InterimLook] = ()) -> Iterator[Finding]:
    """Which operations reached the precision, after how many starts, and about how many the others need.

    Args:
        samples: of all attempts.
        spec: of the experiment; without a precision nothing is reported.
        looks: of the latest attempt.
    """
    if not spec.precision:
        return
    by_operation: dict[str, list[Width]] = defaultdict(list)
    for one in widths(samples, spec, {sample.operation for sample in samples}):
        by_operation[one.operation].append(one)
    if not by_operation:
        return
    enough = target(spec)
    widest = {operation: max(those, key=_half) for operation, those in by_operation.items()}
    reached: dict[int, list[str]] = defaultdict(list)
    open_ = []
    early = {operation for one in looks for operation in one.decided}
    for operation, one in widest.items():
        if operation in early:
            continue
        if _half(one) <= enough:
            reached[min(width.starts for width in by_operation[operation])].append(operation)
        else:
            open_.append(one)
    aim = f"intervals of {percent(spec.precision)} to each side at {100 * spec.rules.confidence:g} %"
    total = sum(map(len, reached.values()))
    decided = f"; decided before that: {', '.join(sorted(early))}" if early else ""
    which = "; ".join(f"after {count(starts, 'start')} {', '.join(reached[starts])}" for starts in sorted(reached))
    yield codes.T1_PRECISION.finding(
        text=f"asked for {aim}: reached on {total} of {count(len(widest), 'operation')}"
        + (which and f", {which}")
        + decided
        + _delayed(looks, spec),
        remedy="nothing is wrong; sampling stops by the width of the intervals, or at fixed looks that spend three "
        "tenths of the error rates",
    )
    if open_:
        yield codes.T1_WIDE.finding(
            text=f"not reached on {'; '.join(map(_open, open_))}",
            remedy="run it again: another attempt adds its starts to these",
        )


def attempts(measured: int, samples: Sequence[Sample]) -> Iterator[Finding]:
    """Every attempt counts, and how many there were is reported (T8).

    Args:
        measured: attempts with blocks.
        samples: of all of them.
    """
    if measured > 1:
        starts = len({(one.attempt, one.block) for one in samples})
        yield codes.T8_ATTEMPTS.finding(
            text=f"the verdicts read all {measured} attempts of this experiment, {count(starts, 'start')} in all",
            remedy="more starts are better; but to look after each attempt and to go on until it pleases raises the "
            "error rate, so decide beforehand how many there shall be",
        )


def _delayed(looks: Sequence[InterimLook], spec: Spec) -> str:
    """What went on though it was narrow, because others disturbed one side of a comparison more."""
    waited = list(dict.fromkeys(operation for one in looks for operation in one.contended))
    if not waited:
        return ""
    blocks = sum(bool(one.contended) for one in looks if not one.stop)
    bound = percent(spec.contention or CONTENTION)
    text = f"; others used the CPU unevenly, by more than {bound}, on {', '.join(waited)}"
    return text + (f", which went on for it by {count(blocks, 'block')}" if blocks else "")


def _half(one: Width) -> float:
    return math.inf if one.half is None else one.half


def _open(one: Width) -> str:
    width = "no width" if one.half is None else percent(math.expm1(one.half))
    needed = f"about {one.needed:,} are needed" if one.needed else "more than a thousand are needed"
    return f"{one.operation} ({width} after {count(one.starts, 'start')}, {needed})"
