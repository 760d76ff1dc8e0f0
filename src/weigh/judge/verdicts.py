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
from weigh.judge.design import Design, Turn, design
from weigh.model.contender import Contender
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.model.verdict import Timing, Verdict, VerdictName
from weigh.verdict.analysis import analyse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from weigh.model.spec import Rule, Rules
    from weigh.model.verdict import Reason

MANY = 10_000
"""Measurements of one turn above which its geometric mean stands for them: that is the number the judge uses anyhow."""
UNKNOWN = "unknown"
"""Temperature of somebody else's runs."""


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
    samples: list[Sample] = []
    for operation in operations:
        own = of_operation[operation]
        failed = {turn.contender for turn in own if turn.measured.failed}
        there = {turn.contender for turn in own}
        samples += _failures(operation, own)
        unfit: dict[str, Reason] = {}
        if everywhere is None:
            sound = [turn for turn in own if turn.contender not in failed]
            plan, unfit = _plan(sound, baseline, interleaved=interleaved)
            warned[operation] = plan.warnings
            samples += _samples(operation, plan.rounds)
        for name in candidates:
            lacking = next((one for one in (name, baseline) if one not in there), None)
            why = refused.get((operation, name)) or refused.get((operation, baseline))
            why = why or (reasons.missing(lacking) if lacking else None)
            if why is None and not failed & {name, baseline}:
                why = everywhere or unfit.get(name)
            if why is not None:
                rows[operation, name] = _refusal(operation, name, baseline, rules, why, _plain(own, name, baseline))
    spec = Spec(
        workload="foreign",
        contenders=tuple(Contender(name=name, engine="foreign") for name in (baseline, *candidates)),
        baseline=baseline,
        rules=rules,
        rule=rule or msgspec.UNSET,
    )
    judged = {(one.operation, one.contender): one for one in analyse(samples, spec=spec).verdicts} if samples else {}
    for key, one in judged.items():
        if key not in rows:
            marked = (*one.reasons, *warned.get(one.operation, ()))
            rows[key] = msgspec.structs.replace(one, temperature=UNKNOWN, reasons=marked)
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
        if (reason := design(pair, interleaved=interleaved).refused) is not None:
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
    return tuple(_timing(operation, contender, own) for (operation, contender), own in groups.items())


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


def _samples(operation: str, rounds: Sequence[Sequence[Turn]]) -> Iterator[Sample]:
    """The rounds as blocks of the judge."""
    for block, one in enumerate(rounds):
        for place, turn in enumerate(one):
            for run, value in enumerate(_measurements(turn), 1):
                yield _sample(operation, turn.contender, block, place, run, value=float(value))


def _measurements(turn: Turn) -> NDArray[np.float64]:
    values = turn.measured.values
    if turn.measured.series:
        return np.array([values.mean()])
    if len(values) > MANY and values.min() > 0:
        return np.array([np.exp(np.log(values).mean())])
    return values


def _failures(operation: str, turns: Sequence[Turn]) -> Iterator[Sample]:
    """Measurements that failed: one is enough for an ERROR, and nobody's ratio is made of the others."""
    for place, turn in enumerate(turns):
        for run in range(1, min(turn.measured.failed, 100) + 1):
            yield _sample(operation, turn.contender, 0, place, run, detail=turn.measured.detail)


def _sample(
    operation: str, contender: str, block: int, turn: int, run: int, value: float | None = None, detail: str = ""
) -> Sample:
    return Sample(
        block=block,
        start=turn,
        turn=turn,
        run=run,
        arm=contender,
        contender=contender,
        operation=operation,
        case="",
        outcome=Outcome.OK if value is not None else Outcome.ERROR,
        wall_s=value,
        detail=detail,
    )


def _plain(turns: Sequence[Turn], contender: str, baseline: str) -> float | None:
    """The ratio of the medians of all values."""
    values = [
        [turn.measured.values for turn in turns if turn.contender == name and len(turn.measured.values)]
        for name in (contender, baseline)
    ]
    if not all(values):
        return None
    own, other = (float(np.median(np.concatenate(one))) for one in values)
    return own / other if own > 0 and other > 0 else None


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
