"""What follows from the record of query streams: figures, verdicts, findings. Computed anew by ``weigh verify``."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from weigh.model import codes
from weigh.model.errors import ExitCode
from weigh.model.metrics.metric import Metric, Unit
from weigh.model.rules import MIN_STARTS
from weigh.model.verdict import Tier, TierName, VerdictName
from weigh.statistics.student_t import quantile
from weigh.streams import contention
from weigh.streams.figures import FIGURES, HOUR, FigureName, figures_of, value_of
from weigh.streams.record import StreamsRecord  # of a field, which is read when it is converted
from weigh.streams.spec import REFRESH, is_query
from weigh.verdict.analysis import analyse
from weigh.verdict.analysis_model import Inquiry
from weigh.verdict.observation import Observation
from weigh.verdict.question import Question
from weigh.verdict.table import tabulate
from weigh.verdict.tier import Basis, inconclusive, tier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.model.finding import Finding
    from weigh.model.verdict import Verdict
    from weigh.streams.record import Life, Step, StreamTest
    from weigh.streams.spec import StreamsSpec

_WAITED = 2.0
_TIME = Metric(name="wall_s", unit=Unit.SECONDS, absent="a test was not completed", each="tests")


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a contender over its repetitions: queries an hour, times the scale factor. More is better.

    Attributes:
        name: power, throughput, maintenance of TPC-DS, composite; or that of the queries of one session alone, which
            read-only engines have too.
        contender: whose.
        values: one a repetition, in their order.
        mean: geometric mean; None where there is no value.
        low, high: interval of it at the confidence of the rules, by Student's t of the logarithms; None of fewer
            values than a verdict needs.
    """

    name: FigureName
    contender: str
    values: tuple[float, ...]
    mean: float | None
    low: float | None
    high: float | None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the answers of a contender.

    Attributes:
        contender: whose.
        status: ``agreed``; ``unverified`` where witnesses could not decide; ``diverged``; or ``error``.
        answers: that were compared.
        unverified: of these, that nobody could decide.
        reads: tables that were read back row by row.
        looks: at both tables while refresh functions changed them.
        load_s: median seconds of loading; None of one that loads nothing.
    """

    contender: str
    status: Literal["agreed", "unverified", "diverged", "error"]
    answers: int
    unverified: int
    reads: int
    looks: int
    load_s: float | None


class StreamsResults(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What is printed.

    Attributes:
        record: what it follows from.
    """

    record: StreamsRecord

    @property
    def contenders(self) -> tuple[str, ...]:
        """Names, the baseline first."""
        experiment = self.record.spec.experiment
        names = [one.name for one in experiment.contenders]
        return tuple(sorted(names, key=lambda name: name != experiment.baseline))

    @property
    def read_only(self) -> tuple[str, ...]:
        """Contenders that cannot write."""
        return self.record.environment.read_only if self.record.environment else ()

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What came of everybody's answers."""
        return tuple(_outcome(name, self._lives(name)) for name in self.contenders if self._lives(name))

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """All figures; none of who answered wrongly."""
        found = []
        fit = {one.contender for one in self.outcomes if one.status in ("agreed", "unverified")}
        level = self.record.spec.experiment.rules.confidence
        for figure in figures_of(self.record.spec):
            for name in self.contenders:
                values = tuple(
                    value
                    for life in self._lives(name)
                    if life.repetition and (value := value_of(figure, life, self.record.spec))
                )
                if figure in ("throughput", "composite") and self._in_sequence(name):
                    continue
                if values and name in fit:
                    found.append(_figure(figure, name, values, level))
        return tuple(found)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every contender against the baseline, in the time of a query that a figure stands for."""
        experiment = self.record.spec.experiment
        scale = experiment.scale or 1.0
        names = list(dict.fromkeys(one.contender for one in self.figures))
        if experiment.baseline not in names or len(names) < 2:
            return ()
        observations = [
            Observation(Question(figure), (self.record.attempt, life.repetition), name, name, HOUR * scale / value)
            for name in names
            for life in self._lives(name)
            for figure in FIGURES
            if life.repetition and (value := value_of(figure, life, self.record.spec))
        ]
        both: dict[str, set[str]] = {
            figure: {one.contender for one in self.figures if one.name == figure} for figure in FIGURES
        }
        questions = [figure for figure in FIGURES if experiment.baseline in both[figure] and len(both[figure]) > 1]
        inquiry = Inquiry(
            metric=_TIME,
            baseline=experiment.baseline,
            questions=[Question(figure) for figure in questions],
            rules=experiment.rules,
            refused=(contention.refusals(self.record, self.uses, names),),
        )
        judged = analyse(tabulate(observations, Unit.SECONDS, names), inquiry).verdicts
        return tuple(one for (question, name), one in judged.items() if name in both[question.operation])

    @cached_property
    def uses(self) -> tuple[contention.Use, ...]:
        """What others used of the machine during the tests."""
        return contention.uses(self.record)

    @cached_property
    def tier(self) -> Tier | None:
        """What it is good for; None where nothing was timed and nobody is inadmissible."""
        experiment, end = self.record.spec.experiment, self.record.end
        why = end.how if end else "it was killed"
        gaps = contention.gaps(self.uses)
        found = tier(
            Basis(
                contenders=self.contenders,
                baseline=experiment.baseline,
                gate=None,
                verdicts=self.verdicts,
                findings=self.findings,
                timed=any(life.repetition for life in self.record.lives),
                unfinished=() if why == "complete" else ((self.record.attempt, why),),
                unread=(),
                laid_out=True,
                watched=not gaps,
                gaps=gaps,
                temperature_proven=False,
                assumed="every life has loaded its tables, and how much of them was in memory then is not measured",
            )
        )
        open_ = [one for one in self.outcomes if one.unverified]
        if found is None or not open_:
            return found
        names = ", ".join(one.contender for one in open_)
        reason = codes.A8.reason(f"nothing independent confirmed some answers of {names}")
        return Tier(
            name=TierName.SUGGESTIVE if found.name is TierName.CONCLUSIVE else found.name,
            reasons=(*found.reasons, reason),
            inadmissible=found.inadmissible,
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What weigh has to say, errors first."""
        disturbed = contention.findings(self.record, self.uses)
        found = [*self.record.findings, *self._of_lives(), *self._of_reading(), *disturbed]
        return tuple(sorted(dict.fromkeys(found), key=lambda one: ("error", "warning", "note").index(one.severity)))

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """What the exit code of the command is."""
        statuses = {one.status for one in self.outcomes}
        slower = any(one.verdict is VerdictName.SLOWER for one in self.verdicts)
        if "diverged" in statuses or (slower and self.record.spec.experiment.baseline_declared):
            return ExitCode.FOUND
        if "error" in statuses or not self.outcomes:
            return ExitCode.FAILED
        return inconclusive([one.verdict for one in self.verdicts], self.tier, strict=strict)

    def _in_sequence(self, name: str) -> bool:
        """Whether streams of a contender ran one after the other: what that took is no throughput of several."""
        tests = (
            (test, life) for life in self._lives(name) for test in life.tests if test.name.startswith("throughput")
        )
        return self.record.spec.streams > 1 and any(in_sequence(test, life) for test, life in tests)

    def _lives(self, name: str) -> list[Life]:
        return [one for one in self.record.lives if one.contender == name]

    def _of_lives(self) -> Iterator[Finding]:
        for name in self.contenders:
            found: dict[str, Finding] = {}
            for life in self._lives(name):
                for one in _findings(life, self.record.spec):
                    found.setdefault(one.code, one)
            yield from found.values()

    def _of_reading(self) -> Iterator[Finding]:
        for name in self.read_only:
            yield codes.X_READ_ONLY.finding(
                contender=name,
                text="it reads files and cannot write: no refresh, no throughput test, no composite; its "
                f"{self.record.spec.shape.queries} queries were asked one after the other",
                remedy="compare it by 'queries alone', or with a contender that keeps tables: duckdb, postgres",
            )


def _figure(name: FigureName, contender: str, values: tuple[float, ...], level: float) -> Figure:
    logs = np.log(values)
    mean = float(np.exp(logs.mean()))
    if len(values) < MIN_STARTS:
        # Of two or three values it reaches from nothing to anything.
        return Figure(name=name, contender=contender, values=values, mean=mean, low=None, high=None)
    half = float(quantile(level, np.array(len(values) - 1.0))) * float(logs.std(ddof=1)) / math.sqrt(len(values))
    return Figure(
        name=name,
        contender=contender,
        values=values,
        mean=mean,
        low=mean * math.exp(-half),
        high=mean * math.exp(half),
    )


def _outcome(name: str, lives: Sequence[Life]) -> Outcome:
    tests = [test for life in lives for test in life.tests]
    steps = [step for test in tests for step in test.steps if is_query(step.name)]
    looks = sum(test.watched.looks for test in tests if test.watched)
    loads = [life.load_s for life in lives if life.load_s is not None]
    unverified = sum(one.status == "unverified" for one in steps)
    status: Literal["agreed", "unverified", "diverged", "error"] = "unverified" if unverified else "agreed"
    if any(one.failure for one in lives) or any(test.error for test in tests):
        status = "error"
    if any(test.accuses for test in tests):
        status = "diverged"
    return Outcome(
        contender=name,
        status=status,
        answers=sum(one.status != "error" for one in steps),
        unverified=unverified,
        reads=sum(len(test.reads) for test in tests),
        looks=looks,
        load_s=float(np.median(loads)) if loads else None,
    )


def _findings(life: Life, spec: StreamsSpec) -> Iterator[Finding]:
    when = f"repetition {life.repetition}" if life.repetition else "the gate"
    if life.failure:
        yield codes.X_STREAMS.finding(
            contender=life.contender, text=f"{when}: {life.failure}", remedy="see the log, or raise --timeout"
        )
    for test in life.tests:
        where = f"{test.name} test of {when}"
        if test.error:
            yield codes.X_STREAMS.finding(
                contender=life.contender, text=f"{where}: {test.error}", remedy="it is not timed: see what it says"
            )
            continue
        if wrong := [one for one in test.steps if one.status == "diverged"]:
            names = ", ".join(one.name for one in wrong[:5])
            yield codes.A1_STREAM.finding(
                contender=life.contender,
                text=f"{where}: {len(wrong)} of {len(test.steps)} answers are true of no state that the tables may "
                f"have had ({names}): {wrong[0].name}: {wrong[0].detail}",
                remedy=f"it is not timed; `weigh gate --workload {spec.experiment.workload}` asks the queries without "
                "refreshes",
            )
        for one in test.reads:
            if one.other:
                yield codes.A4_REFRESHED.finding(
                    contender=life.contender,
                    text=f"{where}: after {one.state} refresh functions {one.table} holds other rows: {one.detail}",
                    remedy="it is not timed: rows that were inserted or deleted were lost",
                )
        if test.watched and test.watched.between:
            yield codes.A4_BETWEEN.finding(
                contender=life.contender,
                text=f"{where}: {test.watched.between} of {test.watched.looks} looks saw a part of a refresh: "
                f"{test.watched.detail}",
                remedy="it is not timed: its transactions are observed before they are committed, or in parts",
            )
        if test.name.startswith("throughput") and spec.streams > 1 and (text := in_sequence(test, life)):
            yield codes.T5_SEQUENCE.finding(
                contender=life.contender,
                text=f"{where}: {text}",
                remedy="its sessions wait for each other: what was measured is one stream after the other",
            )


def in_sequence(test: StreamTest, life: Life) -> str:
    """Why the streams did not run at the same moment; empty where they did.

    Accused is only who shows both: all queries of one stream ended before the first of another did, and that first one
    took many times what the same query took alone, since it waited.
    """
    alone = {
        one.name.partition(".")[2]: one.seconds for each in life.tests if each.name == "power" for one in each.steps
    }
    by_stream: dict[str, list[Step]] = {}
    for one in test.steps:
        if one.stream != REFRESH:
            by_stream.setdefault(one.stream, []).append(one)
    ordered = sorted(by_stream.values(), key=lambda steps: steps[-1].ended)
    for before, after in pairwise(ordered):
        first = min(after, key=lambda one: one.began)
        usual = alone.get(first.name.partition(".")[2], math.inf)
        if first.ended < before[-1].ended or first.seconds < 2 * _WAITED * len(by_stream) * usual:
            return ""
    if len(ordered) < 2:
        return ""
    first = min(ordered[-1], key=lambda one: one.began)
    return (
        f"the first query of stream {first.stream} ended when all {len(ordered[0])} of stream {ordered[0][0].stream} "
        f"had ended, after {first.seconds:.3g} s; alone the same query took {alone[first.name.partition('.')[2]]:.3g} s"
    )
