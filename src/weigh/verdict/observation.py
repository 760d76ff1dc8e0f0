"""Observations: one value each, of one arm in one block. All that the judge knows of what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from weigh.verdict.question import Question


class Observation(NamedTuple):
    """A value.

    Attributes:
        question: what it answers.
        block: attempt and number of the block: what is compared was measured in one.
        contender, arm: whose.
        value: in the unit of the metric; None where it was not measured.
        round: of the block, where it has several.
        case: of a question that has several, which differ in size.
        build: number of the build, of a contender that was built several times.
    """

    question: Question
    block: tuple[int, int]
    contender: str
    arm: str
    value: float | None
    round: int = 0
    case: str = ""
    build: int | None = None
