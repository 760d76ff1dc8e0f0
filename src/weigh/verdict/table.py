"""The table: samples of one metric as arrays, one mean logarithm per (question, block, arm)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from weigh.model.sample import Sample
    from weigh.statistics.arrays import Floats, Ints


_Key = TypeVar("_Key", tuple[int, str], tuple[Question, str], tuple[int, int])


@dataclass(frozen=True, slots=True)
class Table:
    """Timed executions that ended well, sorted, so that the order of the samples cannot matter.

    The first five arrays have the shape (executions,), the question of a case is ``question_of[case]``. A
    block is one block of one attempt: a second attempt adds blocks. A start is one arm in one block.

    Attributes:
        case, contender, arm, block: numbers of what was executed, by whom and when.
        value: the metric in its unit; NaN where it was not measured.
        question_of: number of the question of each (question, case) pair.
        questions: by number: operations at a temperature.
        contenders, arms: names by number.
        contender_of: number of the contender of each arm.
        blocks: number of blocks.
    """

    case: Ints
    contender: Ints
    arm: Ints
    block: Ints
    value: Floats
    question_of: Ints
    questions: tuple[Question, ...]
    contenders: tuple[str, ...]
    arms: tuple[str, ...]
    contender_of: Ints
    blocks: int

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

    def logs(self) -> Floats:
        """Mean logarithm of each start, shape (questions, blocks, arms), NaN where there is none.

        The mean over the runs of a case, then over the cases; a start that lacks a case has none, because
        cases differ in size and their mean would move with the choice.
        """
        shape = (len(self.question_of), self.blocks, len(self.arms))
        cell = (self.case * self.blocks + self.block) * len(self.arms) + self.arm
        with np.errstate(invalid="ignore", divide="ignore"):
            logarithm = np.where(self.value > 0, np.log(self.value), np.nan)
            size = int(np.prod(shape))
            count = np.bincount(cell, minlength=size)
            by_case = (np.bincount(cell, logarithm, minlength=size) / count).reshape(shape)
        first = np.searchsorted(self.question_of, np.arange(len(self.questions)))
        cases = np.bincount(self.question_of, minlength=len(self.questions))
        if len(first) == 0:
            return np.empty((0, self.blocks, len(self.arms)))
        return np.asarray(np.add.reduceat(by_case, first, axis=0) / cases[:, None, None], dtype=np.float64)

    def _count(self, chosen: NDArray[np.bool_]) -> Ints:
        shape = (len(self.questions), len(self.contenders))
        cell = self.question[chosen] * shape[1] + self.contender[chosen]
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


def tabulate(samples: Sequence[Sample], metric: str, contenders: Iterable[str]) -> Table:
    """The timed executions of the given contenders."""
    names = tuple(contenders)
    number_of = {name: number for number, name in enumerate(names)}
    timed = [sample for sample in samples if sample.timed and sample.contender in number_of]
    arm, arm_pairs = _numbered([(number_of[sample.contender], sample.arm) for sample in timed])
    case, case_pairs = _numbered([(Question(sample.operation, sample.temperature), sample.case) for sample in timed])
    block, block_pairs = _numbered([(sample.attempt, sample.block) for sample in timed])
    questions = sorted({question for question, _ in case_pairs})
    question_number = {question: number for number, question in enumerate(questions)}
    contender_of = np.array([number for number, _ in arm_pairs], dtype=np.int64)
    value = np.array([getattr(sample, metric) for sample in timed], dtype=np.float64)
    order = np.lexsort((value, block, arm, case))
    return Table(
        case=case[order],
        contender=contender_of[arm[order]],
        arm=arm[order],
        block=block[order],
        value=value[order],
        question_of=np.array([question_number[question] for question, _ in case_pairs], dtype=np.int64),
        questions=tuple(questions),
        contenders=names,
        arms=tuple(name for _, name in arm_pairs),
        contender_of=contender_of,
        blocks=len(block_pairs),
    )


def _numbered(keys: Sequence[_Key]) -> tuple[Ints, list[_Key]]:
    """The place of each key among the distinct ones in order, and these."""
    distinct = sorted(set(keys))
    place = {key: number for number, key in enumerate(distinct)}
    return np.fromiter(map(place.__getitem__, keys), dtype=np.int64, count=len(keys)), distinct
