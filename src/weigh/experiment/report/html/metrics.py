"""The other metrics: CPU time and memory side by side, with verdicts of the same form as wall time's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.experiment.results.cost.cost import NAME
from weigh.model import units
from weigh.model.metrics.run_metrics import HEADLINE, RUN_METRICS
from weigh.render import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.experiment.report.contenders import Contenders, Mark
    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import Timing, Verdict


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric of one contender on one operation; what has no figure is empty."""

    median: str = ""
    ratio: str = ""
    interval: str = ""
    sign: str = ""
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One contender on one operation.

    Attributes:
        who: the contender.
        parallel: CPU seconds of a second of wall time, of the medians: how many cores it kept busy.
        figures: one for each metric.
    """

    who: Mark
    parallel: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Metrics:
    """The whole part: titles of the metrics, and (operation, rows) in order."""

    titles: tuple[str, ...]
    groups: tuple[tuple[str, tuple[Row, ...]], ...]


def metrics(results: ExperimentResults, contenders: Contenders, operations: dict[str, str]) -> Metrics | None:
    """What was measured alongside wall time, None where nothing was."""
    judged = {name: one for name, one in results.analyses.items() if name != HEADLINE and _has_columns(name, one)}
    if not judged:
        return None
    timings = {
        (t.metric, question(t.operation, t.temperature), t.contender): t
        for one in results.analyses.values()
        for t in one.timings
    }
    verdicts = {
        (v.metric, question(v.operation, v.temperature), v.contender): v
        for one in judged.values()
        for v in one.verdicts
    }
    groups = []
    questions = [question(one, temperature) for temperature in results.record.spec.temperatures for one in operations]
    for operation in questions:
        rows = []
        for who in contenders.everybody:
            keys = [(metric, operation, who.name) for metric in judged]
            if any(key in timings for key in keys):
                figures = tuple(_figure(timings.get(key), verdicts.get(key)) for key in keys)
                rows.append(Row(who, _parallel(timings, operation, who.name), figures))
        if rows:
            groups.append((operation, tuple(rows)))
    return Metrics(tuple(RUN_METRICS[name].title for name in judged), tuple(groups))


def _has_columns(metric: str, analysis: MetricAnalysis) -> bool:
    """Whether a metric has columns; that one is zero, which is usual of it, is a statement and no column.

    What answers cost has a part of its own.
    """
    return metric != NAME and bool(analysis.verdicts if RUN_METRICS[metric].often_zero else analysis.timings)


def _parallel(timings: Mapping[tuple[str, str, str], Timing], operation: str, contender: str) -> str:
    wall, cpu = (timings.get((metric, operation, contender)) for metric in ("wall_s", "cpu_s"))
    return f"{cpu.median / wall.median:.2f}" if wall and cpu and wall.median else ""


def _figure(timing: Timing | None, verdict: Verdict | None) -> Figure:
    if timing is None:
        return Figure()
    median = RUN_METRICS[timing.metric].unit.text(timing.median)
    if verdict is None or verdict.ratio is None:
        plain = words.ratio(verdict) if verdict else ""
        return Figure(median=median, ratio=plain, sign=str(verdict.verdict) if verdict else "", verdict=_word(verdict))
    return Figure(
        median=median,
        ratio=units.ratio(verdict.ratio),
        interval=words.interval(verdict.low, verdict.high, "–"),
        sign=str(verdict.verdict),
        verdict=_word(verdict),
    )


def _word(verdict: Verdict | None) -> str:
    """The name alone: ratio and interval stand alongside it. Nothing is faster that needs less memory."""
    if verdict is None:
        return ""
    metric, name = RUN_METRICS[verdict.metric], str(verdict.verdict)
    return (name if metric.unit.clock else {"slower": metric.more, "faster": metric.fewer}.get(name, name)).upper()
