"""``verdicts.json`` of a run, as far as a list needs it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from weigh.experiment.report.first_screen.agreement import counted, named
from weigh.experiment.report.first_screen.headline import short
from weigh.experiment.report.first_screen.pair import Pair
from weigh.experiment.results.answered import Answered
from weigh.model import units
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.verdict import VerdictName
from weigh.render import words
from weigh.serve.stored import wrong_answers
from weigh.serve.stored.summary import Figure, Judged, Named, Summary, against, interval, name

SQL = "sql"
"""The workload of data and queries of a user's own."""
_MOST = 3
"""Contenders that a line tells of; the others are counted."""


class Experiment(msgspec.Struct, frozen=True):
    """What was measured."""

    workload: str
    baseline: str
    name: str | None = None

    @property
    def title(self) -> str:
        """As of :attr:`weigh.model.spec.Spec.title`."""
        return self.name if self.name and self.workload == SQL else self.workload


class Gated(msgspec.Struct, frozen=True):
    """What came of the answers to one operation."""

    operation: str
    status: str
    contenders: tuple[str, ...] = ()
    detail: str | None = None


class Timed(msgspec.Struct, frozen=True):
    """A time of a contender."""

    operation: str
    contender: str


class Why(msgspec.Struct, frozen=True):
    """A reason of a verdict, whose code may be one of another version."""

    code: str = ""


class Decided(msgspec.Struct, frozen=True):
    """A verdict, with the fields of :class:`weigh.model.verdict.Verdict` that put it into words."""

    operation: str
    metric: str
    contender: str
    baseline: str
    verdict: VerdictName
    ratio: float | None
    low: float | None
    high: float | None
    margin: float
    starts_needed: int | None = None
    plain_ratio: float | None = None
    reasons: tuple[Why, ...] = ()
    temperature: str = "hot"


class StoredRun(msgspec.Struct, frozen=True):
    """The document."""

    experiment: Experiment
    tier: Named | None
    contenders: tuple[Named, ...]
    gate: tuple[Gated, ...]
    timings: tuple[Timed, ...]
    verdicts: tuple[Decided, ...]
    answered: tuple[Answered, ...] = ()

    def summary(self) -> Summary:
        """One line of a list."""
        operations = dict.fromkeys(
            [*(name(one.operation) for one in self.gate), *(name(one.operation) for one in self.verdicts)]
        )
        return Summary(
            workload=name(self.experiment.title),
            says=self._says(),
            tier=self.tier.name if self.tier else None,
            contenders=tuple(name(one.name) for one in self.contenders),
            operations=tuple(operations),
            wrong=wrong_answers.words(
                wrong_answers.Differing(name(one.operation), one.contenders or ("?",), one.detail or "")
                for one in self.gate
                if one.status == "diverged"
            ),
            verdicts=tuple(
                dict.fromkeys(
                    [
                        *(Judged(name(one.operation), name(one.contender), str(one.verdict)) for one in self._decided),
                        *(Judged(name(one.operation), "", "diverged") for one in self.gate if one.status == "diverged"),
                    ]
                )
            ),
        )

    def figures(self) -> list[Figure]:
        """Each verdict within its own session."""
        return [
            Figure(
                f"{name(one.operation)}, {one.temperature}: {name(one.contender)} against {name(one.baseline)}",
                words.verdict(one)  # type: ignore[arg-type]
                + (f", ratio {words.ratio(one)}{interval(one.low, one.high)}" if words.ratio(one) else ""),
            )
            for one in self._decided
        ]

    @property
    def _decided(self) -> list[Decided]:
        return [one for one in self.verdicts if one.metric == HEADLINE]

    def _says(self) -> str:
        lacking = counted([msgspec.structs.replace(one, contender=name(one.contender)) for one in self.answered])
        first = f"{lacking} questions. " if lacking else ""
        return first + (self._compared() if self._decided else self._answers())

    def _compared(self) -> str:
        pairs: dict[tuple[str, str], list[Any]] = {}
        for one in self._decided:
            pairs.setdefault((one.contender, one.temperature), []).append(one)
        hot = {temperature for _, temperature in pairs} == {"hot"}
        parts = [
            f"{name(who)}{'' if hot else f', {when}'}: {short(Pair(who, self.experiment.baseline, when, tuple(those)))}"
            for (who, when), those in list(pairs.items())[:_MOST]
        ]
        more = [f"{units.count(len(pairs) - _MOST, 'comparison')} more"] if len(pairs) > _MOST else []
        return against(self.experiment.baseline, [*parts, *more])

    def _answers(self) -> str:
        found = Counter(one.status for one in self.gate)
        answers = ", ".join(f"{count} {status}" for status, count in found.items())
        wrong = [name(one.operation) for one in self.gate if one.status == "diverged"]
        answers_line = (
            f"Answers: {answers}{f' ({named(wrong)})' if wrong else ''}." if self.gate else "No answer was checked."
        )
        timed = "Timed, and nothing was compared." if self.timings else "Nothing was timed."
        return f"{timed} {answers_line}"
