"""When sampling ended, recomputed: by the plan, or by the width of the intervals, contention and the budget.

Whoever looks at the results and stops when they please stops on significance, and the error rates no longer hold (T8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.precision import precision
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from weigh.experiment.interim_look import InterimLook
    from weigh.experiment.record import Planned, Record
    from weigh.model.sample import Sample

_DIGITS = 9
"""Significant digits at which widths are compared."""


def departures(record: Record, earlier: Sequence[Record] = ()) -> Iterator[str]:
    """What about its end, and about what was retired before, does not follow from the samples; the first of it.

    Args:
        record: of an attempt.
        earlier: those of the attempts before it.
    """
    if record.plan is None or not record.blocks:
        return
    if record.spec.precision:
        yield from _looks(record, record.plan, earlier)
    elif record.looks:
        yield "it was looked at the results between the blocks, and no precision was asked for"
    most = record.plan.starts + record.plan.cold
    if len(record.blocks) > most:
        yield f"it planned {most} blocks at most and has {len(record.blocks)}"
    elif record.end and record.end.how == "complete" and not _may_end(record, record.plan):
        yield f"it ended as complete after {len(record.blocks)} blocks, and nothing that was decided beforehand ends it"


def _may_end(record: Record, plan: Planned) -> bool:
    if len(record.blocks) >= plan.starts + plan.cold or (record.looks and record.looks[-1].stop):
        return True
    wrong = {one.operation for one in record.samples if one.outcome is Outcome.WRONG}
    return not _live(plan, wrong, record.looks)


def _live(plan: Planned, wrong: Collection[str], looks: Sequence[InterimLook]) -> tuple[str, ...]:
    """Operations that are still measured."""
    out = precision.retired(looks).union(wrong)
    return tuple(dict.fromkeys(operation for operation, _ in plan.cases if operation not in out))


def _looks(record: Record, plan: Planned, earlier: Sequence[Record]) -> Iterator[str]:
    samples = [sample for one in earlier for sample in one.samples]
    sampled = precision.Sampled(record.samples, samples, record.spec)
    times = _times(record.samples)
    wrong = {(one.block, one.operation) for one in record.samples if one.outcome is Outcome.WRONG}
    watches = {one.attempt: one.watches for one in (*earlier, record)}
    by_block = {one.block: one for one in record.looks}
    if len(by_block) < len(record.looks):
        yield "it was looked twice after one block"
        return
    before: list[InterimLook] = []
    for begun in record.blocks:
        if before and before[-1].stop:
            yield f"block {begun.block} was measured after sampling had ended"
            return
        live = _live(plan, {operation for block, operation in wrong if block <= begun.block}, before)
        due = begun.block + 1 >= precision.FIRST_LOOK and live
        look = by_block.pop(begun.block, None)
        if look is None:
            # The last block may be torn, or what ended the attempt came before the look.
            whole = begun is not record.blocks[-1] or (record.end is not None and record.end.how == "complete")
            if due and whole:
                yield f"there was no look after block {begun.block}"
                return
            continue
        if not due:
            yield f"there was a look after block {begun.block}, where none is due"
            return
        again = sampled.look(
            plan=precision.Plan(
                operations=len({operation for operation, _ in plan.cases}),
                rounds=plan.rounds,
                most=plan.starts,
                fewer=plan.fewer is True,
            ),
            live=live,
            before=before,
            block=begun.block,
            at=look.at,
            watches=watches,
        )
        if text := _differs(look, again) or _untimely(look, times):
            yield f"after block {begun.block}: {text}"
            return
        before.append(look)
    if by_block:
        yield f"there was a look after block {min(by_block)}, which was not measured"


def _differs(recorded: InterimLook, again: InterimLook) -> str:
    """What does not follow from the samples, the most telling first."""
    if recorded.stop != again.stop:
        return f"sampling {_ending(recorded)}; by the samples it {_ending(again)}"
    if recorded.contended != again.contended:
        names = [_listed(one.contended) for one in (recorded, again)]
        return f"it finds {names[0]} contended; by what the sampler saw it is {names[1]}"
    if recorded.retired != again.retired:
        return f"it retires {_listed(recorded.retired)}; by the widths of the intervals it is {_listed(again.retired)}"
    if recorded.decided != again.decided:
        return f"it calls {_listed(recorded.decided)} decided; by the samples it is {_listed(again.decided)}"
    if recorded.rounds != again.rounds:
        return "the number of rounds a start does not follow from the samples"
    if _rounded(recorded) != _rounded(again):
        return "the widths of the intervals do not follow from the samples"
    return ""


def _times(samples: Sequence[Sample]) -> dict[int, tuple[float, float]]:
    """When the first and the last execution of each block began."""
    found: dict[int, tuple[float, float]] = {}
    for one in samples:
        first, last = found.get(one.block, (one.at, one.at))
        found[one.block] = min(first, one.at), max(last, one.at)
    return found


def _untimely(look: InterimLook, times: Mapping[int, tuple[float, float]]) -> str:
    """The budget is counted in the time of the samples."""
    before = max((last for block, (_, last) in times.items() if block <= look.block), default=0.0)
    after = min((first for block, (first, _) in times.items() if block > look.block), default=float("inf"))
    return "" if before <= look.at <= after else "the look was not at the time that it says"


def _ending(look: InterimLook) -> str:
    ends = {"reached": "the precision is reached", "budget": "the budget is spent", "starts": "the starts are made"}
    return f"ends because {ends[look.stop]}" if look.stop else "goes on"


def _listed(operations: Sequence[str]) -> str:
    return ", ".join(operations) or "nothing"


def _rounded(look: InterimLook) -> object:
    plain = msgspec.to_builtins(look)
    plain["next_s"] = f"{look.next_s:.{_DIGITS}g}"
    for width in plain["widths"]:
        width["half"] = None if width["half"] is None else f"{width['half']:.{_DIGITS}g}"
    return plain
