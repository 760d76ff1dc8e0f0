"""What answers cost: each operation and the whole suite, by the prices that were declared. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.experiment.results.analysis import MetricAnalysis, observed
from weigh.experiment.results.cost.quantities import cost as cost_of
from weigh.experiment.results.cost.quantities import count
from weigh.model import codes
from weigh.model.metrics.price import amount, scale
from weigh.model.metrics.run_metrics import RUN_METRICS, rules_of
from weigh.model.sample import Samples
from weigh.model.verdict import Missing, Verdict, VerdictName
from weigh.statistics.student_t import quantile
from weigh.verdict import analysis as judge
from weigh.verdict.analysis_model import Inquiry
from weigh.verdict.observation import Observation
from weigh.verdict.question import Question
from weigh.verdict.table import tabulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.experiment.record import Record
    from weigh.model.finding import Finding
    from weigh.model.metrics.price import Quantity
    from weigh.model.spec import Spec
    from weigh.statistics.arrays import Floats
    from weigh.verdict.table import Table

NAME = "cost"
SUITE = "suite"
"""What the verdict on the whole suite calls its operation."""
_NONE = (VerdictName.REFUSED, VerdictName.DIVERGED, VerdictName.ERROR)
_WORDS: Mapping[Quantity, str] = {"bytes": "how many bytes were scanned", "credits": "how many credits it charges"}


class CostRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one execution costs, or one of every operation.

    Attributes:
        operation: its name; None for the whole suite, one execution of each operation.
        contender: whose.
        temperature: of the executions.
        mean: money, the mean over the starts.
        low, high: interval of that mean over starts; None below two starts.
        starts: fresh starts, or sessions, in which it is known; both arms of the baseline.
    """

    operation: str | None
    contender: str
    temperature: str
    mean: float
    low: float | None
    high: float | None
    starts: int


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What answers cost.

    Attributes:
        currency: of all amounts; none is converted.
        prices: as declared, by contender.
        spent: what the executions of this attempt cost, the untimed ones of its blocks too, by contender; without the
            gate. None where one of them is not known.
        rows: of operations in the order of the gate, then of the suite.
        suites: each contender against the baseline over the whole suite: the ratio of the sums.
        missing: operations without which the suite has no sum, by contender (R1).
    """

    currency: str
    prices: dict[str, str]
    spent: dict[str, float | None]
    rows: tuple[CostRow, ...] = ()
    suites: tuple[Verdict, ...] = ()
    missing: dict[str, tuple[Missing, ...]] = {}


def cost(record: Record, samples: Samples, analysis: MetricAnalysis) -> Cost | None:
    """None where no price was declared, or nothing was timed.

    Args:
        record: of the latest attempt.
        samples: of all attempts.
        analysis: of the metric ``cost``.
    """
    spec = record.spec
    if not spec.price or not samples.timed.any():
        return None
    prices = spec.prices
    table = observed(samples, NAME, (one.name for one in spec.contenders), cost_of(samples, prices))
    means = _means(table)
    priced = {(one.operation, one.temperature, one.contender) for one in analysis.timings}
    timed = [one.name for one in record.workload.operations if one.timed()] if record.workload else []
    rows: list[CostRow] = []
    suites: list[Verdict] = []
    missing: dict[str, tuple[Missing, ...]] = {}
    level = spec.rules.confidence
    for temperature in spec.temperatures:
        questions = [Question(name, temperature) for name in timed]
        sums = {}
        for at, contender in enumerate(table.contenders):
            known = {
                question: means[table.questions.index(question)][:, table.contender_of == at]
                for question in questions
                if (question.operation, temperature, contender) in priced
            }
            rows += [_row(question.operation, temperature, contender, one, level) for question, one in known.items()]
            if len(known) == len(questions) > 1:
                sums[contender] = np.sum(list(known.values()), axis=0)
        order = {question.operation: at for at, question in enumerate(questions)}
        rows.sort(
            key=lambda one: (spec.temperatures.index(one.temperature), order.get(one.operation or "", len(order)))
        )
        rows += [_row(None, temperature, contender, one, level) for contender, one in sums.items()]
        found, lacking = _suites(spec, table, sums, analysis, temperature, timed)
        suites += found
        missing |= lacking
    return Cost(
        currency=next(iter(prices.values())).currency,
        prices={name: price.text for name, price in prices.items()},
        spent=_spent(spec, Samples.of(record.samples)),
        rows=tuple(rows),
        suites=tuple(suites),
        missing=missing,
    )


def _means(table: Table) -> Floats:
    """The mean cost of an execution in each start, shape (questions, blocks, arms); NaN where one is not known."""
    shape = (len(table.question_of), table.blocks, len(table.arms))
    cell = (table.case * table.blocks + table.block) * len(table.arms) + table.arm
    size = int(np.prod(shape))
    with np.errstate(invalid="ignore"):
        found = np.bincount(cell, table.value, minlength=size) / np.bincount(cell, minlength=size)
    return table.by_question(found.reshape(shape))


def _row(operation: str | None, temperature: str, contender: str, means: Floats, level: float) -> CostRow:
    known = means[~np.isnan(means)]
    middle = float(known.mean())
    half = None
    if len(known) > 1:
        half = float(quantile(level, np.array(len(known) - 1.0)) * known.std(ddof=1) / np.sqrt(len(known)))
    return CostRow(
        operation=operation,
        contender=contender,
        temperature=temperature,
        mean=middle,
        low=None if half is None else max(middle - half, 0.0),
        high=None if half is None else middle + half,
        starts=len(known),
    )


def _suites(
    spec: Spec,
    table: Table,
    sums: Mapping[str, Floats],
    analysis: MetricAnalysis,
    temperature: str,
    timed: Sequence[str],
) -> tuple[tuple[Verdict, ...], dict[str, tuple[Missing, ...]]]:
    """The verdicts on the whole suite: one number a start, the sum over all operations."""
    verdicts = {(one.operation, one.contender): one for one in analysis.at(temperature).verdicts}
    known = {(one.operation, one.contender) for one in analysis.at(temperature).timings}
    missing = {}
    for contender in table.contenders:
        if contender == spec.baseline or len(timed) < 2:
            continue
        lacking = []
        for name in timed:
            one = verdicts.get((name, contender))
            if one is None or (name, contender) not in known:
                lacking.append(Missing(operation=name, why="not known"))
            elif one.verdict in _NONE:
                lacking.append(Missing(operation=name, why=str(one.verdict)))
        if lacking:
            missing[contender] = tuple(lacking)
    able = [name for name in sums if name not in missing]
    if spec.baseline not in able or len(able) < 2:
        return (), missing
    question = Question(SUITE, temperature)
    columns = {name: np.flatnonzero(table.contender_of == at) for at, name in enumerate(table.contenders)}
    observations = [
        Observation(question, (0, block), name, table.arms[columns[name][arm]], float(value))
        for name in able
        for (block, arm), value in np.ndenumerate(sums[name])
        if not np.isnan(value)
    ]
    metric = RUN_METRICS[NAME]
    inquiry = Inquiry(
        metric=metric,
        baseline=spec.baseline,
        questions=[question],
        rules=rules_of(NAME, spec.rules, spec.groups),
    )
    found = judge.analyse(tabulate(observations, metric.unit, able), inquiry)
    return tuple(found.verdicts.values()), missing


def _spent(spec: Spec, samples: Samples) -> dict[str, float | None]:
    values = cost_of(samples, spec.prices)
    return {
        name: None if np.isnan(values[places]).any() else float(values[places].sum())
        for name, places in samples.groups("contender").items()
        if name in spec.prices
    }


def following(analysis: MetricAnalysis, headline: MetricAnalysis, spec: Spec) -> MetricAnalysis:
    """The verdicts on cost without those that hang on times of which there is no verdict.

    Who pays by the second has a bill that is spoiled by what spoils the clock. How much it scatters is its own matter.
    """
    by_time = {name for name, price in spec.prices.items() if "seconds" in price.quantities}
    of = {(one.operation, one.temperature, one.contender): one for one in headline.verdicts}

    def why(one: Verdict) -> Verdict | None:
        time = of.get((one.operation, one.temperature, one.contender))
        hangs = by_time & {one.contender, one.baseline}
        refused = hangs and time is not None and time.verdict is VerdictName.REFUSED
        return time if refused and time and not time.reasons[0].code.startswith("T") else None

    return msgspec.structs.replace(
        analysis,
        verdicts=tuple(one.refused(*time.reasons) if (time := why(one)) else one for one in analysis.verdicts),
    )


def findings(samples: Samples, spec: Spec) -> Iterator[Finding]:
    """Prices that nothing can be multiplied with."""
    for contender, price in spec.prices.items():
        timed = [one for one in samples if one.contender == contender and one.timed]
        for quantity in sorted(price.quantities & _WORDS.keys()):
            known = ~np.isnan(count(Samples.of(timed), quantity))
            if timed and not known.all():
                how = (
                    "nobody says" if not known.any() else f"it does not always say ({known.sum():,} of {len(timed):,})"
                )
                yield codes.X_UNPRICED.finding(
                    contender=contender,
                    text=f"its price is {price.text}, and {how} {_WORDS[quantity]}: it has no cost there",
                    remedy="declare a price by what it reports, or by the hour (--price 'NAME=2USD/h')",
                )


def summary(found: Cost, spec: Spec) -> str:
    """What the whole suite costs, or its only operation, in one sentence; empty where it has no sum."""
    rows = [one for one in found.rows if one.operation is None] or (found.rows if len({*_names(found)}) == 1 else [])
    times, _ = scale([one.mean for one in rows])
    clauses = [f"{one.contender} {amount(times * one.mean)} {found.currency}" for one in rows]
    if not clauses:
        return ""
    what = "all operations" if rows[0].operation is None else rows[0].operation
    passes = "One pass over {} costs" if times == 1 else f"{times:,} passes over {{}} cost"
    declared = ", ".join(dict.fromkeys(found.prices.values()))
    return f"{passes.format(what)} {', '.join(clauses)} (declared: {declared})."


def _names(found: Cost) -> Iterator[str | None]:
    yield from (one.operation for one in found.rows)
