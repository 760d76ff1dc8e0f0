"""Plans: two trees of operators laid side by side. Pure."""

from __future__ import annotations

import statistics
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.experiment.profile.spread import apart
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Sequence


class Operator(msgspec.Struct, frozen=True):
    """An operator of a plan, as an engine tells it.

    Attributes:
        name: what it is.
        detail: what it works on.
        seconds: its own, without those below it, of all threads; None where nobody counts them.
        rows: that it gave out; None where nobody counts them.
        children: below it.
    """

    name: str
    detail: str = ""
    seconds: Seconds | None = None
    rows: int | None = None
    children: tuple[Operator, ...] = ()


class OperatorChange(msgspec.Struct, frozen=True, kw_only=True):
    """An operator on both sides, or on one.

    Attributes:
        name: what it is.
        detail: what it works on, on the contender's side where it is there.
        depth: how many operators are above it.
        there: on which side.
        before_s: seconds of one execution by the baseline, the median over executions; None where it is not there, or
            nobody counts.
        after_s: the same of the contender.
        change_s: the difference; what is missing on a side took nothing there. None where nobody counts.
        before_rows: rows that it gave out; None as above.
        after_rows: the same of the contender.
        clear: whether all executions of one side took longer than all of the other.
    """

    name: str
    detail: str
    depth: int
    there: Literal["both", "baseline", "contender"]
    before_s: Seconds | None
    after_s: Seconds | None
    change_s: Seconds | None
    before_rows: int | None
    after_rows: int | None
    clear: bool


class _Step(msgspec.Struct):
    name: str
    detail: str
    depth: int
    seconds: list[Seconds]
    rows: int | None


def laid(before: Sequence[Operator], after: Sequence[Operator]) -> tuple[OperatorChange, ...]:
    """Operators in the order of the contender's plan, those that it has no more where they were.

    Args:
        before: the plan of each execution by the baseline.
        after: the same of the contender.
    """
    old, new = _steps(before), _steps(after)
    matcher = SequenceMatcher(a=[one.name for one in old], b=[one.name for one in new], autojunk=False)
    found: list[OperatorChange] = []
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind == "equal":
            found += map(_change, old[old_from:old_to], new[new_from:new_to])
        else:
            found += [_change(one, None) for one in old[old_from:old_to]]
            found += [_change(None, one) for one in new[new_from:new_to]]
    return tuple(found)


def ranked(changes: Sequence[OperatorChange]) -> list[OperatorChange]:
    """Those that moved in time, the largest change first; what executions scatter as far as that comes last."""
    moved = [one for one in changes if one.change_s]
    return sorted(moved, key=lambda one: (not one.clear, -abs(one.change_s or 0.0)))


def reshaped(changes: Sequence[OperatorChange]) -> list[OperatorChange]:
    """Those that are on one side alone, or give out another number of rows."""
    return [
        one
        for one in changes
        if one.there != "both" or (one.before_rows is not None and one.before_rows != one.after_rows)
    ]


def _steps(plans: Sequence[Operator]) -> list[_Step]:
    """The operators of the first plan with their seconds in every execution whose plan has the same form."""
    steps: list[_Step] = []
    for number, plan in enumerate(plans):
        flat = list(_flat(plan, 0))
        if number == 0:
            steps = [_Step(one.name, one.detail, depth, [], one.rows) for depth, one in flat]
        if [(depth, one.name) for depth, one in flat] != [(step.depth, step.name) for step in steps]:
            continue
        for step, (_, one) in zip(steps, flat, strict=True):
            if one.seconds is not None:
                step.seconds.append(one.seconds)
    return steps


def _flat(one: Operator, depth: int) -> list[tuple[int, Operator]]:
    return [(depth, one), *(below for child in one.children for below in _flat(child, depth + 1))]


def _change(old: _Step | None, new: _Step | None) -> OperatorChange:
    shown = new or old
    assert shown is not None
    before, after = (old.seconds if old else []), (new.seconds if new else [])
    before_s, after_s = (statistics.median(seconds) if seconds else None for seconds in (before, after))
    known = before_s is not None or after_s is not None
    one_side = old is None or new is None
    return OperatorChange(
        name=shown.name,
        detail=shown.detail,
        depth=shown.depth,
        there="both" if not one_side else "contender" if new else "baseline",
        before_s=before_s,
        after_s=after_s,
        change_s=(after_s or 0.0) - (before_s or 0.0) if known else None,
        before_rows=old.rows if old else None,
        after_rows=new.rows if new else None,
        clear=known and (one_side or apart(before, after)),
    )
