"""Plans: two trees of operators laid side by side. Pure."""

from __future__ import annotations

import re
import statistics
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.experiment.profile.spread import apart
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROPERTY = re.compile(r"(?:^|; )[^:;]*: ")
_WORD = re.compile(r"[^\W\d]\w*")
_MOSTLY = 0.5
_MOST = 2000
"""Operators of a side that are compared with all of the other."""


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

    def words(self) -> frozenset[str]:
        """What it works on, without the names of its properties; numbers of columns are those of one plan."""
        return frozenset(_WORD.findall(_PROPERTY.sub(" ", self.detail)))


def laid(before: Sequence[Operator], after: Sequence[Operator]) -> tuple[OperatorChange, ...]:
    """Operators in the order of the contender's plan, those that it has no more where they were.

    Args:
        before: the plan of each execution by the baseline.
        after: the same of the contender.
    """
    old, new = _steps(before), _steps(after)
    pairs = _pairs(old, new)
    gone: dict[int, list[OperatorChange]] = {}
    place = -1
    places = {of: at for at, of in pairs.items()}
    for number, one in enumerate(old):
        place = places.get(number, place)
        if number not in places:
            gone.setdefault(place, []).append(_change(one, None))
    found = gone.get(-1, [])
    for number, one in enumerate(new):
        found.append(_change(old[pairs[number]] if number in pairs else None, one))
        found += gone.get(number, [])
    return tuple(found)


def _pairs(old: Sequence[_Step], new: Sequence[_Step]) -> dict[int, int]:
    """The number of an operator of the contender -> that of the baseline which is the same one.

    First those of one name that work on mostly the same, wherever they are: another order of joins moves them. Of the
    others, in the order of the plans, where one does not say what it works on.
    """
    word_pairs = [one.words() for one in old], [one.words() for one in new]
    by_name: dict[str, list[int]] = {}
    for number, one in enumerate(old[:_MOST]):
        by_name.setdefault(one.name, []).append(number)
    alike = [
        (-share, abs(number - other), number, other)
        for number, one in enumerate(new[:_MOST])
        for other in by_name.get(one.name, ())
        if (share := _alike(word_pairs[0][other], word_pairs[1][number])) >= _MOSTLY
    ]
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, number, other in sorted(alike):
        if number not in found and other not in taken:
            found[number] = other
            taken.add(other)
    rest = [at for at in range(len(old)) if at not in taken], [at for at in range(len(new)) if at not in found]
    names = [old[at].name for at in rest[0]], [new[at].name for at in rest[1]]
    for match in SequenceMatcher(a=names[0], b=names[1], autojunk=False).get_matching_blocks():
        for step in range(match.size):
            other, number = rest[0][match.a + step], rest[1][match.b + step]
            if not (word_pairs[0][other] and word_pairs[1][number]):
                found[number] = other
    return found


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that are on both sides; 0 where there are none."""
    return len(one & other) / len(one | other) if one or other else 0.0


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
    operator = new or old
    assert operator is not None
    before, after = (old.seconds if old else []), (new.seconds if new else [])
    before_s, after_s = (statistics.median(seconds) if seconds else None for seconds in (before, after))
    known = before_s is not None or after_s is not None
    one_side = old is None or new is None
    return OperatorChange(
        name=operator.name,
        detail=operator.detail,
        depth=operator.depth,
        there="both" if not one_side else "contender" if new else "baseline",
        before_s=before_s,
        after_s=after_s,
        change_s=(after_s or 0.0) - (before_s or 0.0) if known else None,
        before_rows=old.rows if old else None,
        after_rows=new.rows if new else None,
        clear=known and (one_side or apart(before, after)),
    )
