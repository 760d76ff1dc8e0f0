"""Which operations are profiled: those that were asked for, or those that changed most. Pure."""

from __future__ import annotations

import math
import operator
import statistics
from collections import Counter
from typing import TYPE_CHECKING

from weigh.experiment.profile.results import ProfiledChange
from weigh.model.errors import UsageError, nearest
from weigh.model.sample import Outcome
from weigh.model.verdict import Verdict, VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.operation import Workload
    from weigh.model.sample import Sample
    from weigh.model.units import Seconds

MOST = 5
"""Changes that are profiled where nobody names any."""
_CHANGED = (VerdictName.SLOWER, VerdictName.FASTER)
_NEVER = (VerdictName.DIVERGED, VerdictName.ERROR)


def choose(
    results: ExperimentResults, records: Sequence[Record], operations: Sequence[str], contender: str | None
) -> tuple[list[ProfiledChange], dict[str, tuple[str, ...]]]:
    """What is profiled, the largest change first, and what changed as well, by contender.

    Of a suite, operations of one template mostly change for one reason: the largest change of each template comes
    before the second of any.

    Args:
        results: of the experiment.
        records: of its attempts.
        operations: names that were asked for; none: those that are SLOWER or FASTER.
        contender: name of the one contender; None for all.

    Raises:
        UsageError: a name is none of the experiment, or its answer was wrong.
    """
    spec = results.record.spec
    others = [one.name for one in spec.contenders if one.name != spec.baseline]
    if contender is not None and contender not in others:
        what = "the baseline of" if contender == spec.baseline else "no contender of"
        raise UsageError(f"'{contender}' is {what} this experiment", remedy=nearest(contender, others))
    if not others:
        raise UsageError("the experiment has one contender: nothing is compared", remedy="measure two in one run")
    known = [one.name for one in results.record.workload.operations] if results.record.workload else []
    for name in operations:
        if name not in known:
            raise UsageError(f"the experiment has no operation '{name}'", remedy=nearest(name, known))
    verdicts = [one for one in results.headline.verdicts if contender in (None, one.contender)]
    samples = [sample for record in records for sample in record.samples]
    if operations:
        pairs = [(name, one) for one in ([contender] if contender else others) for name in operations]
        found = [_change(_verdict(verdicts, *pair), *pair, spec.baseline, samples) for pair in pairs]
        return sorted(found, key=_size, reverse=True), {}
    changed = [one for one in verdicts if one.verdict in _CHANGED]
    pairs = list(dict.fromkeys((one.operation, one.contender) for one in changed))
    found = [_change(_verdict(changed, *pair), *pair, spec.baseline, samples) for pair in pairs]
    found = _of_each_template(sorted(found, key=_size, reverse=True), results.record.workload)
    left: dict[str, tuple[str, ...]] = {}
    for one in found[MOST:]:
        left[one.contender] = (*left.get(one.contender, ()), one.operation)
    return sorted(found[:MOST], key=_size, reverse=True), left


def _of_each_template(found: Iterable[ProfiledChange], workload: Workload | None) -> list[ProfiledChange]:
    """The first of every template and contender, then the second of each, and so on, else in the same order."""
    template = {name: of for of, names in (workload.templates if workload else {}).items() for name in names}
    before: Counter[tuple[str, str]] = Counter()
    rank = []
    for one in found:
        key = one.contender, template.get(one.operation, one.operation)
        rank.append((before[key], one))
        before[key] += 1
    return [one for _, one in sorted(rank, key=operator.itemgetter(0))]


def _verdict(verdicts: Iterable[Verdict], operation: str, contender: str) -> Verdict | None:
    """That of hot executions, else of another temperature.

    Raises:
        UsageError: the answer was wrong, or there was none.
    """
    both = [one for one in verdicts if (one.operation, one.contender) == (operation, contender)]
    for one in both:
        if one.verdict in _NEVER:
            raise UsageError(
                f"{one.verdict.upper()}: there is nothing to compare where an answer is wrong or missing",
                where=f"{contender}, {operation}",
                remedy="see the gate in the report",
            )
    return next((one for one in both if one.temperature == "hot"), both[0] if both else None)


def _change(
    verdict: Verdict | None, operation: str, contender: str, baseline: str, samples: Sequence[Sample]
) -> ProfiledChange:
    temperature = verdict.temperature if verdict else "hot"
    of = [
        one
        for one in samples
        if one.operation == operation and one.temperature == temperature and one.timed and one.outcome is Outcome.OK
    ]
    cases = {case: _blocks(of, case, baseline, contender) for case in dict.fromkeys(one.case for one in of)}
    case = max(cases, key=lambda name: _moved(cases[name]), default="")
    blocks = cases.get(case, ())
    decided = verdict is not None and verdict.ratio is not None and verdict.verdict is not VerdictName.REFUSED
    before, after = ([one[side] for one in blocks] for side in (0, 1))
    return ProfiledChange(
        operation=operation,
        case=case,
        baseline=baseline,
        contender=contender,
        verdict=str(verdict.verdict) if verdict else None,
        ratio=verdict.ratio if verdict and decided else None,
        # Times of what was refused are shown nowhere.
        before_s=statistics.median(before) if before and decided else None,
        after_s=statistics.median(after) if after and decided else None,
        blocks=blocks if decided else (),
    )


def _blocks(samples: Sequence[Sample], case: str, baseline: str, contender: str) -> tuple[tuple[Seconds, Seconds], ...]:
    """Medians of both sides by block."""
    sides: dict[str, dict[tuple[int, int], list[Seconds]]] = {baseline: {}, contender: {}}
    for one in samples:
        if one.case == case and one.contender in sides and one.wall_s:
            sides[one.contender].setdefault((one.attempt, one.block), []).append(one.wall_s)
    old, new = sides[baseline], sides[contender]
    return tuple((statistics.median(old[at]), statistics.median(new[at])) for at in sorted(old) if at in new)


def _moved(blocks: Sequence[tuple[Seconds, Seconds]]) -> float:
    return abs(statistics.median(math.log(after / before) for before, after in blocks)) if blocks else 0.0


def _size(one: ProfiledChange) -> float:
    return abs(math.log(one.ratio)) if one.ratio else 0.0
