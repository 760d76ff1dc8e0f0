"""The design: in which order another tool measured, and whether that order can carry a verdict.

A *round* is what a block is to weigh: every contender at least once, next to each other in time. Rounds are cut from
the sequence of turns without a look at the values: as soon as everybody has had a turn, the next round begins. Whatever
is left at the end belongs to the last round. All of A before all of B is one round.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weigh.judge import reasons
from weigh.model.rules import MIN_STARTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.judge.measurements import Measurements
    from weigh.model.verdict import Reason


_COINCIDENCE = 8
"""Fewer values that differ may be equal in two measurements by chance, where the clock is coarse."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A stretch with the name of its contender and its place.

    Attributes:
        contender: as the verdict calls it.
        operation: as the verdict calls it.
        file: number of its file, in the order in which the files were named.
        measured: what was measured.
    """

    contender: str
    operation: str
    file: int
    measured: Measurements


@dataclass(frozen=True, slots=True)
class Design:
    """What the order of one operation's turns allows.

    Attributes:
        rounds: turns by round; empty where nothing tells the order.
        refused: why there is no verdict at all.
        warnings: what weakens one.
    """

    rounds: Sequence[Sequence[Turn]] = ()
    refused: Reason | None = None
    warnings: tuple[Reason, ...] = field(default=())


def design(turns: Sequence[Turn], *, interleaved: bool) -> Design:
    """The rounds of one operation, or why there are none.

    Args:
        turns: of all its contenders, at least two, all with values.
        interleaved: the user's word that the files of the contenders were made in turn.
    """
    starts: dict[str, int] = defaultdict(int)
    for turn in turns:
        starts[turn.contender] += turn.measured.starts
    few = {name: number for name, number in starts.items() if number < MIN_STARTS}
    if few:
        return Design(refused=reasons.starts(few))
    rounds, known = _rounds(turns, interleaved=interleaved)
    if not rounds:
        once = len(turns) == len(starts)
        return Design(refused=reasons.one_turn_each() if once else reasons.unknown_order())
    if (lost := _lost(turns)) is not None and len(rounds) >= MIN_STARTS:
        return Design(rounds, refused=lost)
    if len(rounds) == 1 and (order := _one_after_another(rounds[0])):
        return Design(rounds, refused=reasons.fixed_order(*order))
    if len(rounds) < MIN_STARTS:
        return Design(rounds, refused=reasons.few_rounds(len(rounds), coarse=not interleaved and tied(turns)))
    first = {one[0].contender for one in rounds}
    warned = (reasons.always_first(next(iter(first))),) if known and len(first) == 1 else ()
    return Design(rounds, warnings=warned)


def copied(turns: Sequence[Turn], one: str, other: str) -> Reason | None:
    """A reason where two contenders have the same values in the same order, which no two measurements do."""
    mine, its = (
        np.concatenate([np.zeros(0), *(turn.measured.values for turn in turns if turn.contender == name)])
        for name in (one, other)
    )
    if not np.array_equal(mine, its) or len(np.unique(mine)) < _COINCIDENCE:
        return None
    return reasons.copied(one, other, len(mine))


def _lost(turns: Sequence[Turn]) -> Reason | None:
    """A reason where one contender lacks more than one turn: the last one may have been broken off."""
    count: dict[str, int] = defaultdict(int)
    for turn in turns:
        count[turn.contender] += 1
    most, least = max(count, key=count.__getitem__), min(count, key=count.__getitem__)
    if count[most] - count[least] <= 1:
        return None
    return reasons.lost(most, count[most], least, count[least])


def _one_after_another(turns: Sequence[Turn]) -> tuple[str, str] | None:
    """The first two contenders, where nobody had a turn after somebody else's."""
    order = [turn.contender for turn in turns]
    changes = [later for earlier, later in pairwise(order) if earlier != later]
    return (order[0], changes[0]) if len(changes) == len(set(order)) - 1 else None


def _rounds(turns: Sequence[Turn], *, interleaved: bool) -> tuple[list[list[Turn]], bool]:
    """Turns by round, and whether the order inside a round is known."""
    everybody = {turn.contender for turn in turns}
    files: dict[int, list[Turn]] = defaultdict(list)
    for turn in sorted(turns, key=lambda turn: (turn.file, turn.measured.turn)):
        files[turn.file].append(turn)
    if len(files) == 1:
        return _cut(next(iter(files.values())), everybody), True
    if all({turn.contender for turn in of_file} == everybody for of_file in files.values()):
        # Each file holds everybody, so each is at least a round, whatever the order of the files.
        return [one for of_file in files.values() for one in _cut(of_file, everybody)], True
    if all(turn.measured.at is not None for turn in turns):
        # Dates may be as coarse as a second. Only the user's word breaks a tie, and by it the first of each contender
        # belong together; without it a tie must not make rounds out of files that came one after the other.
        number = _numbers(files) if interleaved else {}
        dated = sorted(turns, key=lambda turn: (turn.measured.at or 0.0, number.get(id(turn), 0)))
        return _cut(dated, everybody), not (interleaved and tied(turns))
    if interleaved:
        return _paired(files), False
    return [], False


def _cut(sequence: Iterable[Turn], everybody: set[str]) -> list[list[Turn]]:
    """Rounds of a sequence in order of time."""
    rounds: list[list[Turn]] = []
    current: list[Turn] = []
    for turn in sequence:
        current.append(turn)
        if {one.contender for one in current} == everybody:
            rounds.append(current)
            current = []
    if current and rounds:
        rounds[-1].extend(current)
    return rounds or [current]


def tied(turns: Iterable[Turn]) -> bool:
    """Whether dates leave open in which order two contenders were measured."""
    files_by_time: dict[float, str] = {}
    return any(
        turn.measured.at is not None and files_by_time.setdefault(turn.measured.at, turn.contender) != turn.contender
        for turn in turns
    )


def _numbers(files: Mapping[int, Sequence[Turn]]) -> dict[int, int]:
    """The number of each turn among those of its contender, in the order in which the files were named."""
    count: dict[str, int] = defaultdict(int)
    numbers = {}
    for of_file in files.values():
        for turn in of_file:
            numbers[id(turn)] = count[turn.contender]
            count[turn.contender] += 1
    return numbers


def _paired(files: Mapping[int, Sequence[Turn]]) -> list[list[Turn]]:
    """The first turn of every contender, the second of every contender, and so on, as long as all have one."""
    turns_of: dict[str, list[Turn]] = defaultdict(list)
    for of_file in files.values():
        for turn in of_file:
            turns_of[turn.contender].append(turn)
    return [list(one) for one in zip(*turns_of.values(), strict=False)]
