"""Verdicts on other tools' runs: those of :mod:`weigh.verdict.analysis`, where the design can carry one.

A round of the design is a block. What the judge sees of a turn are its measurements; a turn that is one long series of
events counts with its arithmetic mean, because the events of one run are not starts.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.judge import reasons
from weigh.judge.design import Design, Turn, copied, design
from weigh.model.metrics.metric import Metric, Unit
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.verdict import Timing, Verdict, VerdictName
from weigh.verdict.analysis import analyse
from weigh.verdict.analysis_model import Inquiry
from weigh.verdict.observation import Observation
from weigh.verdict.question import Question
from weigh.verdict.refusals.preclusions import Preclusions
from weigh.verdict.table import tabulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from weigh.model.rules import Rules
    from weigh.model.spec import Rule
    from weigh.model.verdict import Reason

MANY = 10_000
"""Measurements of one turn above which its geometric mean stands for them: that is the number the judge uses anyhow."""
UNKNOWN = "unknown"
"""Temperature of somebody else's runs."""
TIME = Metric(name=HEADLINE, unit=Unit.SECONDS, absent="the time is zero or missing", each="measurements")


def verdicts(
    turns: Sequence[Turn],
    baseline: str,
    rules: Rules,
    *,
    interleaved: bool = False,
    refused: Mapping[tuple[str, str], Reason] | None = None,
    everywhere: Reason | None = None,
    rule: Rule | None = None,
) -> tuple[Verdict, ...]:
    """One verdict for every operation and contender other than the baseline.

    Args:
        turns: of all contenders and operations.
        baseline: name of the contender that the others are compared with.
        rules: margin and error rates; false discoveries are controlled over all comparisons that have a design.
        interleaved: the user's word that the files of the contenders were made in turn.
        refused: (operation, contender) pairs that have no measurements, with the reason.
        everywhere: why nothing here can be compared at all.
        rule: whose rule gives a second opinion.
    """
    refused = refused or {}
    operations = list(dict.fromkeys([*(turn.operation for turn in turns), *(pair[0] for pair in refused)]))
    found = list(dict.fromkeys([*(turn.contender for turn in turns), *(pair[1] for pair in refused)]))
    candidates = [name for name in found if name != baseline]
    of_operation: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        of_operation[turn.operation].append(turn)
    rows: dict[tuple[str, str], Verdict] = {}
    warned: dict[str, tuple[Reason, ...]] = {}
    observations: list[Observation] = []
    failures: dict[tuple[str, str], Reason] = {}
    for operation in operations:
        series_of = of_operation[operation]
        failed = {turn.contender for turn in series_of if turn.measured.failed}
        there = {turn.contender for turn in series_of}
        failures |= _failures(operation, series_of)
        unfit: dict[str, Reason] = {}
        if everywhere is None:
            sound = [turn for turn in series_of if turn.contender not in failed]
            plan, unfit = _plan(sound, baseline, interleaved=interleaved)
            warned[operation] = plan.warnings
            observations += _observations(operation, plan.rounds)
        for name in candidates:
            lacking = next((one for one in (name, baseline) if one not in there), None)
            why = refused.get((operation, name)) or refused.get((operation, baseline))
            why = why or (reasons.missing(lacking) if lacking else None)
            if why is None and not failed & {name, baseline}:
                why = everywhere or unfit.get(name)
            if why is not None:
                rows[operation, name] = _refusal(
                    operation, name, baseline, rules, why, _plain(series_of, name, baseline)
                )
    judged: Mapping[tuple[Question, str], Verdict] = {}
    if observations or failures:
        questions = {one.question for one in observations} | {Question(name, UNKNOWN) for name, _ in failures}
        inquiry = Inquiry(
            metric=TIME,
            baseline=baseline,
            questions=sorted(questions),
            rules=rules,
            totals=True,
            second_opinion=rule == "clickhouse",
            preclusions=Preclusions(failed=failures),
        )
        judged = analyse(tabulate(observations, TIME.unit, (baseline, *candidates)), inquiry).verdicts
    for (question, name), one in judged.items():
        if (question.operation, name) not in rows:
            marked = (*one.reasons, *warned.get(question.operation, ()))
            rows[question.operation, name] = msgspec.structs.replace(one, reasons=marked)
    return tuple(rows[operation, name] for operation in operations for name in candidates if (operation, name) in rows)


def _plan(turns: Sequence[Turn], baseline: str, *, interleaved: bool) -> tuple[Design, dict[str, Reason]]:
    """The rounds of one operation, and the contenders that have no part in them.

    Each pair is looked at first: a contender that had no turns in between must not cost the others their verdict.
    """
    others = list(dict.fromkeys(turn.contender for turn in turns if turn.contender != baseline))
    unfit: dict[str, Reason] = {}
    if not any(turn.contender == baseline for turn in turns):
        return Design(), unfit
    for name in others:
        pair = [turn for turn in turns if turn.contender in (name, baseline)]
        reason = copied(pair, baseline, name) or design(pair, interleaved=interleaved).refused
        if reason is not None:
            unfit[name] = reason
    if len(unfit) == len(others):
        return Design(), unfit
    plan = design([turn for turn in turns if turn.contender not in unfit], interleaved=interleaved)
    if plan.refused is None:
        return plan, unfit
    return Design(), {**dict.fromkeys(others, plan.refused), **unfit}


def timings(turns: Iterable[Turn]) -> tuple[Timing, ...]:
    """Every contender on every operation, by itself: shown whether or not there is a verdict."""
    groups: dict[tuple[str, str], list[Turn]] = defaultdict(list)
    for turn in turns:
        if len(turn.measured.values):
            groups[turn.operation, turn.contender].append(turn)
    return tuple(_timing(operation, contender, series) for (operation, contender), series in groups.items())


def _timing(operation: str, contender: str, turns: Sequence[Turn]) -> Timing:
    values = np.concatenate([turn.measured.values for turn in turns])
    starts = sum(turn.measured.starts for turn in turns)
    mean = float(values.mean())
    return Timing(
        operation=operation,
        contender=contender,
        temperature=UNKNOWN,
        starts=starts,
        runs=max(len(values) // max(starts, 1), 1),
        min=float(values.min()),
        median=float(np.median(values)),
        max=float(values.max()),
        cv=float(values.std(ddof=1)) / mean if len(values) > 1 and mean > 0 else None,
    )


def _observations(operation: str, rounds: Sequence[Sequence[Turn]]) -> Iterator[Observation]:
    """The rounds as blocks of the judge."""
    question = Question(operation, UNKNOWN)
    for block, one in enumerate(rounds):
        for turn in one:
            for value in _measurements(turn):
                yield Observation(question, (1, block), turn.contender, turn.contender, float(value))


def _measurements(turn: Turn) -> NDArray[np.float64]:
    values = turn.measured.values
    if turn.measured.series:
        return np.array([values.mean()])
    if len(values) > MANY and values.min() > 0:
        return np.array([np.exp(np.log(values).mean())])
    return values


def _failures(operation: str, turns: Iterable[Turn]) -> dict[tuple[str, str], Reason]:
    """Who failed: one measurement is enough for an ERROR, and nobody's ratio is made of the others."""
    failed: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        if turn.measured.failed:
            failed[turn.contender].append(turn)
    return {
        (operation, name): reasons.failed(
            name, sum(one.measured.failed for one in codes_of), codes_of[0].measured.detail
        )
        for name, codes_of in failed.items()
    }


def _plain(turns: Sequence[Turn], contender: str, baseline: str) -> float | None:
    """The ratio of the medians of all values."""
    values = [
        [turn.measured.values for turn in turns if turn.contender == name and len(turn.measured.values)]
        for name in (contender, baseline)
    ]
    if not all(values):
        return None
    candidate, other = (float(np.median(np.concatenate(one))) for one in values)
    return candidate / other if candidate > 0 and other > 0 else None


def _refusal(operation: str, contender: str, baseline: str, rules: Rules, why: Reason, plain: float | None) -> Verdict:
    """A verdict without figures, but for the plain ratio."""
    return Verdict(
        operation=operation,
        contender=contender,
        baseline=baseline,
        verdict=VerdictName.REFUSED,
        temperature=UNKNOWN,
        confidence=rules.confidence,
        margin=rules.margin,
        plain_ratio=plain,
        reasons=(why,),
    )
