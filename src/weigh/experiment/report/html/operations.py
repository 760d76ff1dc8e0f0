"""The operations, each by itself: the question, the answers, every execution, every start."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment.report.cold import question
from weigh.experiment.report.html import answers, queries
from weigh.experiment.report.plots import samples as sample_plot
from weigh.experiment.report.plots import starts as start_plot
from weigh.experiment.results.analysis import observed
from weigh.model import units
from weigh.model.sample import Outcome
from weigh.render.sentences import reasons_in, sentence
from weigh.verdict.question import HOT, Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

    from weigh.experiment.report.contenders import Contenders, Mark
    from weigh.experiment.report.html.verdicts import Group
    from weigh.experiment.report.html.verdicts import Row as VerdictRow
    from weigh.experiment.results.results import ExperimentResults
    from weigh.experiment.results.statements import Statement
    from weigh.model.sample import Sample
    from weigh.model.units import Rows
    from weigh.model.verdict import Reason, Timing
    from weigh.render.svg.draw import Shared

MOST_DOTS = 4_000
"""Executions that one plot shows; above it, every second, third, ... start is left out, and that is reported."""

_NUMBER = re.compile(r"\d[\d.e+-]*")


@dataclass(frozen=True, slots=True)
class Line:
    """One contender on one operation: the gate's word and, where they may be shown, its times.

    Attributes:
        who: the contender.
        cell: what the gate found; None where it was not asked.
        timing: its times.
        rows: of its answer in the timed executions.
        title: its name, with the temperature where that is not hot.
    """

    who: Mark
    cell: answers.Cell | None
    timing: Timing | None
    rows: Rows | None
    title: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Executions of one arm that did not end well.

    Attributes:
        arm: name.
        outcome: ``timeout`` and so on.
        count: how many.
        detail: what the first one said.
    """

    arm: str
    outcome: str
    count: int
    detail: str


@dataclass(frozen=True, slots=True)
class Plots:
    """The plots of one operation at one temperature.

    Attributes:
        temperature: of the executions, where it is not hot.
        samples, starts: every execution, and every start.
        about: what the plot of samples shows.
    """

    temperature: str
    samples: Markup | None
    starts: Markup | None
    about: str


@dataclass(frozen=True, slots=True)
class Part:
    """One operation.

    Attributes:
        name, anchor: of it.
        status: the gate's word; empty where it was not reached.
        question: what was asked; None where the evidence does not have it.
        words: a sentence for every verdict on wall time, with the codes of the reasons that it tells.
        statements: how the other metrics moved: contenders, code and text.
        lines: every contender.
        alike: what the gate found, where it found the same for all.
        notes: what the gate noted, with the contenders it concerns.
        rows: verdicts.
        reasons: of the verdicts, one by one, without those that are reported in words.
        failures: executions that did not end well.
        plots: of every temperature whose times may be shown.
        unshown: why there is no time of it.
    """

    name: str
    anchor: str
    status: str
    question: queries.Question | None
    words: tuple[tuple[str, tuple[str, ...]], ...]
    statements: tuple[tuple[str, str, str], ...]
    lines: tuple[Line, ...]
    alike: str
    notes: tuple[tuple[str, str], ...]
    rows: tuple[VerdictRow, ...]
    reasons: tuple[tuple[VerdictRow, Reason], ...]
    failures: tuple[Failure, ...]
    plots: tuple[Plots, ...]
    unshown: str


def parts(
    results: ExperimentResults,
    samples: Sequence[Sample],
    contenders: Contenders,
    anchors: dict[str, str],
    gate: Sequence[answers.Row],
    groups: Iterable[Group],
    shared: Shared,
    most_dots: int = MOST_DOTS,
) -> tuple[Part, ...]:
    """A part for every operation.

    Args:
        results: what is to be reported.
        samples: of all attempts.
        contenders: everybody.
        anchors: of every operation, in order.
        gate: rows of the part on answers.
        groups: rows of the table of verdicts.
        shared: keeps what plots have in common.
        most_dots: executions that one plot shows.
    """
    cells = {(row.name, cell.who.name): cell for row in gate for cell in row.cells if cell.status}
    statuses = {row.name: row.status for row in gate}
    temperatures = results.record.spec.temperatures
    timings = {(one.operation, one.contender, one.temperature): one for one in results.headline.timings}
    rows: dict[str, tuple[VerdictRow, ...]] = {}
    for group in groups:
        rows[group.name] = (*rows.get(group.name, ()), *group.rows)
    words, context = _in_words(results), _by_operation(results.statements)
    in_words = {(one.operation, one.contender, one.temperature): reasons_in(one) for one in results.headline.verdicts}
    by_operation: dict[str, list[Sample]] = {name: [] for name in anchors}
    for sample in sorted(samples, key=_when):
        by_operation.setdefault(sample.operation, []).append(sample)
    reads = results.record.environment.contenders if results.record.environment else ()
    spoken = {name: name for read in reads for name in (read.engine, read.lineage)}
    for read in reads:
        if read.frames:
            spoken[read.frames] = f"{spoken[read.frames]}, {read.name}" if read.frames in spoken else read.name
    drawing = _Drawing(samples, contenders, shared, most_dots)
    found = []
    for name, anchor in anchors.items():
        members = by_operation[name]
        counted = {sample.contender: sample.rows for sample in members if sample.timed}
        by_temperature = [
            [
                Line(
                    who,
                    cells.get((name, who.name)),
                    timings.get((name, who.name, temperature)),
                    counted.get(who.name),
                    question(who.name, temperature),
                )
                for who in contenders.everybody
            ]
            for temperature in temperatures
        ]
        # What the gate found is the same at all temperatures.
        lines = by_temperature[0]
        plots = tuple(
            drawing.plots(name, temperature, members, those)
            for temperature, those in zip(temperatures, by_temperature, strict=True)
            if any(line.timing for line in those)
        )
        found.append(
            Part(
                name=name,
                anchor=anchor,
                status=statuses.get(name, ""),
                question=queries.question(results.record.workload, name, spoken),
                words=words.get(name, ()),
                statements=context.get(name, ()),
                lines=tuple(
                    line for those in by_temperature for line in those if line.timing or (those is lines and line.cell)
                ),
                alike=_alike(lines),
                notes=_notes(lines),
                rows=rows.get(name, ()),
                reasons=tuple(
                    (row, reason)
                    for row in rows.get(name, ())
                    for reason in row.reasons
                    if reason not in in_words.get((name, row.who.name, row.temperature), ())
                ),
                failures=_failures(members),
                plots=plots,
                unshown="" if plots else _unshown(rows.get(name, ()), members),
            )
        )
    return tuple(found)


def _in_words(results: ExperimentResults) -> dict[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """Sentences on wall time by operation."""
    rules = results.record.spec.rules
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for one in results.headline.verdicts:
        clauses = sentence(one, rules), tuple(reason.code for reason in reasons_in(one))
        found.setdefault(one.operation, []).append(clauses)
    return {name: tuple(clauses) for name, clauses in found.items()}


def _by_operation(statements: Iterable[Statement]) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """(contenders, code, text) by operation, contenders of whom the same is said together."""
    found: dict[str, dict[tuple[str, str], list[str]]] = {}
    for one in statements:
        if one.operation and one.contender:
            text = one.text if one.temperature == HOT else f"{one.temperature}: {one.text}"
            found.setdefault(one.operation, {}).setdefault((one.code, text), []).append(one.contender)
    return {
        operation: tuple((", ".join(names), code, text) for (code, text), names in clauses.items())
        for operation, clauses in found.items()
    }


def _alike(lines: Sequence[Line]) -> str:
    """The gate's word in one sentence, where all agreed on as many questions with the same witness."""
    cells = {(line.cell.status, line.cell.questions, line.cell.witness) if line.cell else None for line in lines}
    if len(cells) != 1 or (only := cells.pop()) is None or only[0] != "agreed":
        return ""
    return f"All agreed on {units.count(only[1], 'question')}, compared with {only[2]}."


def _when(sample: Sample) -> tuple[int, int, int, int]:
    return sample.attempt, sample.block, sample.turn, sample.run


def _notes(lines: Iterable[Line]) -> tuple[tuple[str, str], ...]:
    """(contenders, note), each kind of note once: those that differ in a number are one kind."""
    found: dict[str, tuple[str, dict[str, None]]] = {}
    lines = tuple(lines)
    for line in lines:
        for note in line.cell.notes if line.cell else ():
            found.setdefault(_NUMBER.sub("#", note), (note, {}))[1][line.who.name] = None
    return tuple(("all" if len(names) == len(lines) > 1 else ", ".join(names), note) for note, names in found.values())


def _unshown(rows: Sequence[VerdictRow], samples: Sequence[Sample]) -> str:
    if not samples and not rows:
        return "It was not timed."
    why = "; ".join(dict.fromkeys(reason.text for row in rows for reason in row.reasons[:1]))
    retained = " Its executions are in samples.parquet." if samples else ""
    return f"No time is shown: {why}.{retained}" if why else f"No time is shown.{retained}"


def _failures(samples: Iterable[Sample]) -> tuple[Failure, ...]:
    groups: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        if sample.outcome is not Outcome.OK:
            groups.setdefault((sample.arm, str(sample.outcome)), []).append(sample)
    return tuple(
        Failure(arm=arm, outcome=outcome, count=len(same), detail=same[0].detail)
        for (arm, outcome), same in groups.items()
    )


class _Drawing:
    """The plots of one experiment."""

    def __init__(self, samples: Sequence[Sample], contenders: Contenders, shared: Shared, most_dots: int) -> None:
        self._most = most_dots
        self._marks, self._shared = contenders.marks, shared
        self._table = observed(samples, "wall_s", (who.name for who in contenders.everybody))
        self._logs = self._table.levels()

    def plots(self, operation: str, temperature: str, samples: Sequence[Sample], lines: Sequence[Line]) -> Plots:
        """Both plots of an operation at a temperature."""
        # What may be shown is what has a timing: neither diverged, nor failed, nor disqualified.
        timed_names = {line.who.name for line in lines if line.timing}
        plot, drawn = self.samples([one for one in samples if one.temperature == temperature], timed_names)
        starts = self.starts(Question(operation, temperature), timed_names)
        return Plots("" if temperature == HOT else temperature, plot, starts, drawn)

    def samples(self, samples: Sequence[Sample], timed_names: set[str]) -> tuple[Markup | None, str]:
        """The plot of executions, and what is to be reported about it.

        Args:
            samples: of one operation, in order.
            timed_names: contenders whose times may be shown.
        """
        starts = {key: place for place, key in enumerate(dict.fromkeys((s.attempt, s.block) for s in samples), 1)}
        every = -(-len(samples) // self._most)
        dots = []
        for sample in samples:
            start = starts[sample.attempt, sample.block]
            failed = sample.outcome is not Outcome.OK
            if failed or (sample.contender in timed_names and (start - 1) % every == 0):
                seconds = None if failed else sample.wall_s
                dots.append(sample_plot.Dot(self._marks.get(sample.arm, 1), start, seconds, sample.run > 0, failed))
        if not any(dot.seconds for dot in dots):
            return None, ""
        timed = sum(dot.timed and not dot.failed for dot in dots)
        failures = sum(dot.failed for dot in dots)
        clauses = f"{timed:,} timed (filled), {len(dots) - timed - failures:,} untimed (hollow)"
        clauses += f", {failures:,} failed (crosses)" if failures else ""
        clauses += f"; of {len(starts):,} starts one in {every} is drawn" if every > 1 else ""
        return sample_plot.plot(dots, f"every execution in the order measured: {clauses}", self._shared), clauses

    def starts(self, question: Question, timed_names: set[str]) -> Markup | None:
        """The plot of starts: what the analysis counts, as seconds."""
        table = self._table
        if question not in table.questions:
            return None
        logs = self._logs[table.questions.index(question)]
        strips = []
        for name, mark in sorted(self._marks.items(), key=lambda pair: pair[1]):
            arm = table.arms.index(name) if name in table.arms else None
            if arm is None or table.contenders[table.contender_of[arm]] not in timed_names:
                continue
            members = logs[:, arm][~np.isnan(logs[:, arm])]
            if len(members):
                means = [float(value) for value in np.exp(members)]
                strips.append(start_plot.Strip(mark, name, means, float(np.exp(members.mean()))))
        if not strips:
            return None
        clauses = ", ".join(f"{strip.name} {units.seconds(strip.mean)}" for strip in strips)
        return start_plot.plot(strips, f"typical time of each start: {clauses}", self._shared)
