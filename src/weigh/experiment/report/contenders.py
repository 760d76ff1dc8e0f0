"""The cast: contenders and arms in the order of every table, each with its mark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from weigh.model.schedule import arms
from weigh.render.blocks import Part

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.spec import Spec


@dataclass(frozen=True, slots=True)
class Mark:
    """A contender as a table names it.

    Attributes:
        name: of the contender.
        mark: number of its mark (:mod:`weigh.render.svg.marks`).
        baseline: whether the others are compared with it.
        word: of its answers: ``contradicted``, ``differs`` where nothing tells who is right; empty where they agree.
    """

    name: str
    mark: int
    baseline: bool
    word: str

    @property
    def phrase(self) -> tuple[str | Part, ...]:
        """Its name in its colour, and whether it is the baseline."""
        return Part(self.name, f"a{self.mark}"), *((" ", Part("(baseline)", "small nw")) if self.baseline else ())

    @property
    def flag(self) -> tuple[str | Part, ...]:
        """The word of its answers; empty where there is none."""
        return (" ", Part(self.word, "flag")) if self.word else ()


class Contenders:
    """Everybody, the baseline first."""

    def __init__(self, results: ExperimentResults) -> None:
        self.spec: Spec = results.record.spec
        others = [contender.name for contender in self.spec.contenders if contender.name != self.spec.baseline]
        gate = results.gate
        words = {
            name: "contradicted" if one.wrong else "differs" for name, one in (gate.doubts if gate else {}).items()
        }
        # Mark 1 is that of the baseline's second arm.
        self.everybody = tuple(
            Mark(name, 0 if place == 0 else place + 1, place == 0, words.get(name, ""))
            for place, name in enumerate([self.spec.baseline, *others])
        )

    @cached_property
    def marks(self) -> dict[str, int]:
        """Number of the mark of every arm."""
        by_name = {who.name: who.mark for who in self.everybody}
        return {arm.name: by_name[arm.contender] if arm.name in by_name else 1 for arm in arms(self.spec)}

    @property
    def arms(self) -> int:
        """How many marks there are."""
        return len(self.everybody) + 1
