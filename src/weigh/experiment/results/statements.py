"""The other metrics: which of them moved with the time, and what they settle that time leaves open. Pure.

CPU seconds, peak memory and bytes read have verdicts of the same form as wall time, and mostly much less noise. What is
said here follows from those verdicts; nothing is tested again. CPU seconds tell how much work was done, not how long a
user waits: they can settle that an engine works more, and never that it is slower.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.model import codes
from weigh.model.finding import Code
from weigh.model.metrics.run_metrics import HEADLINE, RUN_METRICS, metrics_of
from weigh.model.sample import Samples
from weigh.model.units import percent
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.model.codes.code import Entry
    from weigh.model.sample import Sample
    from weigh.model.verdict import Verdict

_DIRECTION = {VerdictName.SLOWER: 1, VerdictName.FASTER: -1, VerdictName.SAME: 0, VerdictName.SMALL: 0}
_FACTOR = 2.0
"""From this ratio on a change is reported as a factor."""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """One thing said about how the metrics of a contender moved together.

    Attributes:
        code: ``M.settled``, ``M.bought``, ``M.against``, ``M.with``, ``M.alone``, ``M.beside``; of the whole session
            ``M.zero``, ``M.some``, ``M.missing``.
        text: one sentence, without its subject.
        metrics: those that it is about, wall time apart.
        operation, contender: whom it is about; None where it is the whole session.
        temperature: of the executions.
    """

    code: Code
    text: str
    metrics: tuple[str, ...]
    operation: str | None = None
    contender: str | None = None
    temperature: str = "hot"


def judged(metric: str, analysis: MetricAnalysis) -> MetricAnalysis:
    """The analysis without rows that only say what ``M.some`` says once: that it is sometimes zero.

    Hot data is not read, but for a page now and then.
    """
    if not RUN_METRICS[metric].often_zero:
        return analysis
    without_zero = (
        one for one in analysis.verdicts if not {reason.code for reason in one.reasons} & {codes.X_METRIC.code}
    )
    return msgspec.structs.replace(analysis, verdicts=tuple(without_zero))


def statements(
    analyses: Mapping[str, MetricAnalysis], samples: Sequence[Sample], temperatures: Sequence[str] = ("hot",)
) -> tuple[Statement, ...]:
    """What the metrics say together: first of the session, then of every operation and contender in order.

    Args:
        analyses: by metric.
        samples: of all attempts; they tell a metric that is zero from one that was not measured.
        temperatures: each is reported by itself.
    """
    found = []
    for temperature in temperatures:
        every = Samples.of(samples)
        alike = {*every.coded("temperature").values} <= {temperature}
        samples_at = every if alike else [sample for sample in every if sample.temperature == temperature]
        rows = {metric: analysis.at(temperature) for metric, analysis in analyses.items()}
        found += [msgspec.structs.replace(one, temperature=temperature) for one in _statements(rows, samples_at)]
    return tuple(found)


def _statements(analyses: Mapping[str, MetricAnalysis], samples: Sequence[Sample]) -> tuple[Statement, ...]:
    headline = analyses.get(HEADLINE)
    if headline is None or not headline.verdicts or not headline.timings:
        return ()
    found = [*_unjudged(samples)]
    by_operation: dict[tuple[str, str], dict[str, Verdict]] = defaultdict(dict)
    # When the first query is answered follows from the time of the load: that both moved says nothing more.
    for metric in (one for one in analyses if RUN_METRICS[one].noun):
        for one in analyses[metric].verdicts:
            by_operation[one.operation, one.contender][metric] = one
    for wall in headline.verdicts:
        found += _pair(wall, by_operation[wall.operation, wall.contender])
    return tuple(found)


def _unjudged(samples: Sequence[Sample]) -> Iterator[Statement]:
    """Metrics that are zero or were not measured, each once and not on every row."""
    every = Samples.of(samples)
    for metric in metrics_of()[1:] if every.timed.any() else ():
        noun = RUN_METRICS[metric].noun
        values = every.floats(metric)
        measured = every.timed & ~np.isnan(values)
        known = values[measured]
        unknown = every.groups("contender", among=every.timed).keys() - every.groups("contender", among=measured).keys()
        zeros = int((known <= 0).sum())
        if not len(known):
            yield Statement(code=codes.M_MISSING.code, text=f"{noun}: not measured, so not judged", metrics=(metric,))
            continue
        for name in sorted(unknown):
            text = f"{noun}: not measured, because other processes do its work, so not judged"
            yield Statement(code=codes.M_MISSING.code, text=text, metrics=(metric,), contender=name)
        if zeros == len(known):
            yield Statement(code=codes.M_ZERO.code, text=f"{noun}: zero in every execution, so not judged",
                            metrics=(metric,))  # fmt: skip
        elif zeros:
            text = f"{noun}: zero in {zeros:,} of {len(known):,} executions; no ratio where one of them is zero"
            yield Statement(code=codes.M_SOME.code, text=text, metrics=(metric,))


def _pair(wall: Verdict, metrics_moved: Mapping[str, Verdict]) -> Iterator[Statement]:
    """What is to be reported of one contender on one operation."""
    moved = {metric: direction for metric, one in metrics_moved.items() if (direction := _DIRECTION.get(one.verdict))}
    still = [metric for metric, one in metrics_moved.items() if _DIRECTION.get(one.verdict) == 0]
    time = _DIRECTION.get(wall.verdict)
    cpu = metrics_moved.get("cpu_s")

    def statement(code: Entry, text: str, *metrics: str) -> Statement:
        return Statement(code=code.code, text=text, metrics=metrics, operation=wall.operation, contender=wall.contender)

    if time is None:
        if not _left_open(wall):
            return
        if cpu is not None and cpu.verdict in _DIRECTION:
            yield statement(codes.M_SETTLED, f"time leaves it open, CPU seconds settle it: {_outcome(cpu)}", "cpu_s")
        others = [metric for metric in moved if metric != "cpu_s"]
        if others:
            yield statement(codes.M_BESIDE, f"time leaves it open; {_listed(others, metrics_moved)}", *others)
        return
    if time == 0:
        if moved:
            yield statement(codes.M_BESIDE, f"the time is the same, with {_listed([*moved], metrics_moved)}", *moved)
        return
    alike = [metric for metric, direction in moved.items() if direction == time]
    opposed = [metric for metric, direction in moved.items() if direction != time]
    if opposed and time < 0:
        price = " and ".join(RUN_METRICS[metric].price for metric in opposed)
        text = f"{wall.ratio:.2f} times the time, bought with {price}: {_factors(opposed, metrics_moved)}"
        yield statement(codes.M_BOUGHT, text, *opposed)
    elif opposed:
        yield statement(
            codes.M_AGAINST, f"{wall.ratio:.2f} times the time, and yet {_factors(opposed, metrics_moved)}", *opposed
        )
    if alike:
        apart = f"; {_nouns(still)} did not" if still else ""
        yield statement(codes.M_WITH, f"{_nouns(alike)} moved with the time{apart}", *alike)
    elif "cpu_s" in still and not opposed:
        yield statement(
            codes.M_ALONE, f"the time moved alone: CPU seconds are the same within {percent(wall.margin)}", "cpu_s"
        )


def _nouns(metrics: Iterable[str]) -> str:
    return " and ".join(RUN_METRICS[one].noun for one in metrics)


def _left_open(wall: Verdict) -> bool:
    """Whether time was measured and said nothing: not where an execution failed or the starts were too few."""
    unstable = codes.T7_UNSTABLE.code in {reason.code for reason in wall.reasons}
    return wall.verdict is VerdictName.UNRESOLVED or (wall.verdict is VerdictName.REFUSED and unstable)


def _outcome(one: Verdict) -> str:
    if one.verdict in (VerdictName.SAME, VerdictName.SMALL):
        return f"no difference that matters (under {percent(one.margin)})"
    return f"{_amount(one)} {_range(one)}"


def _listed(metrics: Sequence[str], verdicts: Mapping[str, Verdict]) -> str:
    """``12.0 % more CPU seconds (10.0 to 14.0 %) and 2.31 times the bytes read (2.20 to 2.42)``."""
    parts = []
    for metric in metrics:
        one = verdicts[metric]
        amount = f"{one.ratio:.2f} times the" if _as_factor(one) else _amount(one)
        parts.append(f"{amount} {RUN_METRICS[metric].noun} {_range(one)}")
    return " and ".join(parts)


def _factors(metrics: Sequence[str], verdicts: Mapping[str, Verdict]) -> str:
    """``1.69 times the CPU seconds (1.52 to 1.88)``, alongside a time said in the same way.

    Shares would not compare: 45 % less is undone by 82 % more.
    """
    found = [verdicts[metric] for metric in metrics]
    return " and ".join(
        f"{one.ratio:.2f} times the {RUN_METRICS[one.metric].noun} ({one.low:.2f} to {one.high:.2f})" for one in found
    )


def _as_factor(one: Verdict) -> bool:
    return one.ratio is not None and one.ratio >= _FACTOR


def _amount(one: Verdict) -> str:
    """``12.0 % more``, ``8.0 % fewer``, ``2.31 times as many``."""
    assert one.ratio is not None
    if _as_factor(one):
        return f"{one.ratio:.2f} times as {'much' if RUN_METRICS[one.metric].less == 'less' else 'many'}"
    return f"{percent(abs(one.ratio - 1))} {'more' if one.ratio > 1 else RUN_METRICS[one.metric].less}"


def _range(one: Verdict) -> str:
    """The interval in the words of :func:`_amount`."""
    assert one.ratio is not None
    assert one.low is not None
    assert one.high is not None
    if _as_factor(one):
        return f"({one.low:.2f} to {one.high:.2f})"
    ends = sorted(100 * (end - 1) * (1 if one.ratio > 1 else -1) for end in (one.low, one.high))
    return f"({ends[0]:.1f} to {ends[1]:.1f} %)"
