"""The table: observations of one metric as arrays, one middle and one mean of every turn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from weigh.model.metrics.metric import Unit
from weigh.model.rules import Typical
from weigh.statistics import effects
from weigh.statistics.order_statistics import Groups
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from weigh.model.rules import Rules
    from weigh.statistics.arrays import Bools, Floats, Ints
    from weigh.verdict.observation import Observation


_Key = TypeVar("_Key", tuple[int, str], tuple[Question, str], tuple[int, int])


@dataclass(frozen=True, slots=True)
class Turns:
    """Figures of turns, all of the shape (cases, blocks, rounds, arms).

    Attributes:
        middle: median of the logarithms of its executions; NaN where there is none, or one without a logarithm.
        mean: mean of its executions, NaN likewise.
    """

    middle: Floats
    mean: Floats


@dataclass(frozen=True, slots=True)
class Table:
    """Observations, sorted, so that the order in which they come cannot matter.

    The first six arrays have the shape (executions,), the question of a case is ``question_of[case]``. A
    block is one block of one attempt: a second attempt adds blocks. A start is one arm in one block.

    Attributes:
        case, contender, arm, block, round: numbers of what was executed, by whom and when.
        value: the metric as something of which more is worse (:func:`cost`); NaN where it was not measured.
        question_of: number of the question of each (question, case) pair.
        questions: by number: operations at a temperature.
        contenders, arms: names by number.
        contender_of: number of the contender of each arm.
        blocks: number of blocks.
        attempts: number of attempts they are of.
        builds: which of several builds a contender had in each block, shape (blocks, contenders), -1 where it was built
            once; None where everybody was.
        typical: how the typical effect is estimated.
        before: number of the contender whose turn ended when that of an execution began, in the same round of the same
            case; -1 where there was none. None where the order is not known.
    """

    case: Ints
    contender: Ints
    arm: Ints
    block: Ints
    round: Ints
    value: Floats
    question_of: Ints
    questions: tuple[Question, ...]
    contenders: tuple[str, ...]
    arms: tuple[str, ...]
    contender_of: Ints
    blocks: int
    attempts: int = 1
    builds: Ints | None = None
    typical: Typical = Typical.CONTRAST
    before: Ints | None = None

    def under(self, rules: Rules) -> Table:
        """The same, estimated as the rules say."""
        return replace(self, typical=rules.typical or Typical.PAIRS)

    def usual(self, candidate: Floats, baseline: Floats) -> Floats:
        """What one execution usually takes, one number a block; as :func:`weigh.statistics.effects.typical`."""
        estimate = effects.typical if self.typical is Typical.CONTRAST else effects.median_of_pairs
        return estimate(candidate, baseline)

    @property
    def question(self) -> Ints:
        """Number of the question of each execution."""
        return self.question_of[self.case]

    def unusable(self) -> Ints:
        """Executions without a ratio (missing or not above zero), shape (questions, contenders)."""
        return self._count(~(self.value > 0))

    def executions(self) -> Ints:
        """All executions, shape (questions, contenders)."""
        return self._count(np.ones(len(self.value), dtype=np.bool_))

    def counts(self) -> Ints:
        """Executions of each start, shape (questions, blocks, arms)."""
        shape = (len(self.questions), self.blocks, len(self.arms))
        cell = (self.question * self.blocks + self.block) * len(self.arms) + self.arm
        return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)

    def turns(self) -> Turns:
        """The figures of every turn: what a median and a mean of its executions are."""
        rounds = int(self.round.max(initial=0)) + 1
        shape = (len(self.question_of), self.blocks, rounds, len(self.arms))
        cell = ((self.case * self.blocks + self.block) * rounds + self.round) * len(self.arms) + self.arm
        groups = Groups.of(np.where(self.value > 0, self.value, np.nan), cell, int(np.prod(shape)))
        with np.errstate(invalid="ignore", divide="ignore"):
            # A missing value sorts last: it is the largest of its turn.
            sound = np.where(np.isnan(groups.maximum()), np.nan, 1.0)
            low, high = groups.at((groups.count - 1) // 2), groups.at(groups.count // 2)
            middle = (np.log(low) + np.log(high)) / 2 * sound
            mean = np.bincount(cell, self.value, minlength=len(sound)) / groups.count * sound
        return Turns(middle.reshape(shape), mean.reshape(shape))

    def after(self, contender: int) -> Bools:
        """Turns that a turn of a contender went before, shape (cases, blocks, rounds, arms)."""
        rounds = int(self.round.max(initial=0)) + 1
        found = np.zeros((len(self.question_of), self.blocks, rounds, len(self.arms)), dtype=np.bool_)
        if self.before is not None:
            those = self.before == contender
            found[self.case[those], self.block[those], self.round[those], self.arm[those]] = True
        return found

    def levels(self) -> Floats:
        """The typical logarithm of each start by itself, shape (questions, blocks, arms), NaN where there is none."""
        with np.errstate(invalid="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return self.by_question(np.nanmedian(self.turns().middle, axis=2))

    def only(self, chosen: NDArray[np.bool_], attempts: int) -> Table:
        """Some of the executions, numbered as if there were no others.

        Args:
            chosen: which of them.
            attempts: of how many attempts these are.
        """
        cases, case = _renumbered(self.case[chosen])
        arms, arm = _renumbered(self.arm[chosen])
        blocks, block = _renumbered(self.block[chosen])
        questions, question_of = _renumbered(self.question_of[cases])
        contender, builds = self.contender[chosen], None
        if self.builds is not None:
            known = self.builds[self.block[chosen], contender]
            builds = np.full((len(blocks), len(self.contenders)), -1, dtype=np.int64)
            builds[block, contender] = known
        return replace(
            self,
            case=case,
            contender=contender,
            arm=arm,
            block=block,
            round=self.round[chosen],
            value=self.value[chosen],
            question_of=question_of,
            questions=tuple(self.questions[number] for number in questions),
            arms=tuple(self.arms[number] for number in arms),
            contender_of=self.contender_of[arms],
            blocks=len(blocks),
            attempts=attempts or 1,
            builds=builds if builds is not None and (builds >= 0).any() else None,
            before=None if self.before is None else self.before[chosen],
        )

    def by_question(self, of_cases: Floats) -> Floats:
        """The mean over the cases of each question; one that lacks a case has none, because cases differ in size.

        Args:
            of_cases: shape (cases, ...).
        """
        return self._summed(of_cases) / self._cases(of_cases)

    def _summed(self, of_cases: Floats) -> Floats:
        first = np.searchsorted(self.question_of, np.arange(len(self.questions)))
        if len(first) == 0:
            return np.empty((0, *of_cases.shape[1:]))
        return np.asarray(np.add.reduceat(of_cases, first, axis=0), dtype=np.float64)

    def _cases(self, like: Floats) -> Floats:
        cases = np.bincount(self.question_of, minlength=len(self.questions)).astype(np.float64)
        return cases.reshape(-1, *(1 for _ in like.shape[1:]))

    def _count(self, chosen: NDArray[np.bool_]) -> Ints:
        shape = (len(self.questions), len(self.contenders))
        cell = self.question[chosen] * shape[1] + self.contender[chosen]
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where observations belong, of whatever metric: all of a table but its values.

    Attributes:
        case, arm, block, round, build: of each observation, in any order; numbers as of :class:`Table`, a build is -1
            where there is one.
        cases: question and case by number, sorted.
        arm_pairs: number of the contender, and name of the arm, by number, sorted.
        block_pairs: attempt and block by number, sorted.
        contenders: names by number.
        before: as of :class:`Table`.
    """

    case: Ints
    arm: Ints
    block: Ints
    round: Ints
    build: Ints
    cases: Sequence[tuple[Question, str]]
    arm_pairs: Sequence[tuple[int, str]]
    block_pairs: Sequence[tuple[int, int]]
    contenders: tuple[str, ...]
    before: Ints | None = None

    def table(self, values: Floats, unit: Unit) -> Table:
        """The table of one metric.

        Args:
            values: of each observation; NaN where it was not measured.
            unit: of the values.
        """
        questions = sorted({question for question, _ in self.cases})
        number_of = {question: number for number, question in enumerate(questions)}
        contender_of = np.array([number for number, _ in self.arm_pairs], dtype=np.int64)
        value = cost(values, unit)
        order = np.lexsort((value, self.round, self.block, self.arm, self.case))
        return Table(
            case=self.case[order],
            contender=contender_of[self.arm[order]],
            arm=self.arm[order],
            block=self.block[order],
            round=self.round[order],
            value=value[order],
            question_of=np.array([number_of[question] for question, _ in self.cases], dtype=np.int64),
            questions=tuple(questions),
            contenders=self.contenders,
            arms=tuple(name for _, name in self.arm_pairs),
            contender_of=contender_of,
            blocks=len(self.block_pairs),
            attempts=len({attempt for attempt, _ in self.block_pairs}) or 1,
            builds=self._builds(contender_of[self.arm]),
            before=None if self.before is None else self.before[order],
        )

    def _builds(self, contender: Ints) -> Ints | None:
        """Which builds were alive; None where nobody was built several times."""
        if not (self.build >= 0).any():
            return None
        found = np.full((len(self.block_pairs), len(self.contenders)), -1, dtype=np.int64)
        found[self.block, contender] = self.build
        return found


def tabulate(observations: Iterable[Observation], unit: Unit, contenders: Iterable[str]) -> Table:
    """The observations of the given contenders."""
    names = tuple(contenders)
    number_of = {name: number for number, name in enumerate(names)}
    rows = [one for one in observations if one.contender in number_of]
    arm, arm_pairs = _numbered([(number_of[one.contender], one.arm) for one in rows])
    case, cases = _numbered([(one.question, one.case) for one in rows])
    block, block_pairs = _numbered([one.block for one in rows])
    places = Places(
        case=case,
        arm=arm,
        block=block,
        round=np.fromiter((one.round for one in rows), dtype=np.int64, count=len(rows)),
        build=np.array([-1 if one.build is None else one.build for one in rows], dtype=np.int64),
        cases=cases,
        arm_pairs=arm_pairs,
        block_pairs=block_pairs,
        contenders=names,
    )
    return places.table(np.array([one.value for one in rows], dtype=np.float64), unit)


def cost(values: Floats, unit: Unit) -> Floats:
    """Values as something of which more is worse, so that 0 stays without a ratio where it had none.

    Answers a second become seconds for each; of a share that failed, requests for each that did not.
    """
    with np.errstate(divide="ignore"):
        if unit is Unit.PER_SECOND:
            return np.where(values == 0, 0.0, 1 / values)
        return 1 / (1 - values) if unit is Unit.SHARE else values


def _renumbered(numbers: Ints) -> tuple[Ints, Ints]:
    """The distinct ones of some numbers in order, and the place of each among them."""
    used = np.bincount(numbers) > 0
    return np.flatnonzero(used), (np.cumsum(used) - 1)[numbers]


def _numbered(keys: Sequence[_Key]) -> tuple[Ints, list[_Key]]:
    """The place of each key among the distinct ones in order, and these."""
    distinct = sorted(set(keys))
    place = {key: number for number, key in enumerate(distinct)}
    return np.fromiter(map(place.__getitem__, keys), dtype=np.int64, count=len(keys)), distinct
