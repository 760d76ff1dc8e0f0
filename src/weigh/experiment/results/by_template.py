"""Templates: the operations of a suite that are one statement with other values, judged together. Pure.

One small operation may scatter so much that a hundred starts do not decide on it. Those of a template mostly move
together, and the mean of their ratios scatters less. It answers another question, and the verdicts of the operations
stay as they are: it is the mean over the template, in which one that is slower can hide behind the others.

Between the two stand pooled verdicts, one an operation with the help of the others
(:mod:`weigh.statistics.partial_pooling`). They decide what is open alone, and only that it is the same: of all that are
called so few are wrong, and of a single one that differs from its template it is not promised.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.pooled import Pool, of_operations, pooled
from weigh.model import codes
from weigh.model.rules import MIN_STARTS
from weigh.model.verdict import Verdict, VerdictName
from weigh.statistics.partial_pooling import LEAST, shrunk
from weigh.verdict import refusals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.operation import Workload
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec

PART = 0.8
"""Part of the error rate of SAME that a pooled one has: an operation may be the same alone, or with its template."""
_OPEN = (VerdictName.UNRESOLVED, VerdictName.REFUSED)


class PooledVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One operation with the help of the others of its template.

    Attributes:
        operation: which.
        verdict: its own where that is decided; ``same`` where the interval lies inside the margin and it is not off
            the others; otherwise its own.
        ratio: contender over baseline, shrunk to that of the template.
        low, high: the interval of the ratio that must lie inside the margin for ``same``.
    """

    operation: str
    verdict: VerdictName
    ratio: float
    low: float
    high: float


class TemplateVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One contender against the baseline over all operations of a template.

    Attributes:
        operations: of the template.
        verdicts: how many of them have each verdict, the most frequent first.
        verdict: on wall time; its ``operation`` is the template. The ratio is the geometric mean of those of the
            operations, in the starts in which all of them were measured.
        pooled: of each operation with the help of the others (docs/concept/statistics.md#pooled); none where they
            differ from one another, or are fewer than three. Absent in evidence of before there were any.
    """

    operations: tuple[str, ...]
    verdicts: dict[VerdictName, int]
    verdict: Verdict
    pooled: tuple[PooledVerdict, ...] | msgspec.UnsetType = msgspec.UNSET


def by_template(
    workload: Workload | None,
    spec: Spec,
    samples: Sequence[Sample],
    verdicts: Sequence[Verdict],
    shares: Mapping[str, float],
) -> tuple[TemplateVerdict, ...]:
    """The verdicts of all templates, in the order of the suite; none where it has no template.

    False discoveries are controlled over the templates by themselves, at half of the rate, as over each of the two
    questions about single operations. A template of which one operation has no figure, or is refused for more than its
    noise, is refused: a mean of the others would be of what happened to be left.

    Args:
        workload: of the experiment.
        spec: of the experiment.
        samples: of all attempts.
        verdicts: of its operations, on wall time.
        shares: as of :func:`weigh.verdict.analysis.analyse`; a template has the smallest of its operations, because
            the starts that count end where the first of them ended.
    """
    templates = workload.templates if workload else {}
    if not templates or not verdicts:
        return ()
    found = {(one.operation, one.temperature, one.contender): one for one in verdicts}
    pools, members = [], []
    for temperature in spec.temperatures:
        for name, operations in templates.items():
            for contender in spec.contenders:
                parts = tuple(found.get((one, temperature, contender.name)) for one in operations)
                if any(parts):
                    whys = map(refusals.why_not_pooled, parts)
                    why = next((one for one in whys if one is not None), None)
                    share = min(shares.get(one, 1.0) for one in operations)
                    pools.append(Pool(name, operations, temperature, contender.name, spec.baseline, share, why))
                    members.append(parts)
    return tuple(
        TemplateVerdict(
            operations=pool.operations,
            verdicts=_counted(parts),
            verdict=verdict,
            pooled=_pooled(spec, samples, pool, parts, verdict) if spec.rules.pooled else msgspec.UNSET,
        )
        for pool, parts, verdict in zip(pools, members, pooled(spec, samples, pools), strict=True)
    )


def _pooled(
    spec: Spec, samples: Sequence[Sample], pool: Pool, parts: Sequence[Verdict | None], whole: Verdict
) -> tuple[PooledVerdict, ...]:
    """Of each operation; none where they should not be pooled."""
    # Starts that share a build depend on one another, and the deviations would have to be grouped as the mean is.
    if whole.ratio is None or whole.rebuilt is not msgspec.UNSET or min(whole.starts, len(parts)) < LEAST:
        return ()
    # What may not be reported of all of them together is not said of each with the help of all.
    if whole.verdict is VerdictName.REFUSED or _of_another_kind(whole):
        return ()
    numbers = of_operations(spec, samples, pool)
    found = shrunk(numbers, PART * spec.rules.equivalence * pool.share) if numbers.shape[1] >= MIN_STARTS else None
    if found is None or not found.alike:
        return ()
    near = found.within(math.log1p(spec.rules.margin))
    return tuple(
        PooledVerdict(
            operation=operation,
            verdict=VerdictName.SAME if near[at] and _undecided(part) else part.verdict,
            ratio=math.exp(found.effect[at]),
            low=math.exp(found.effect[at] - found.half[at]),
            high=math.exp(found.effect[at] + found.half[at]),
        )
        for at, (operation, part) in enumerate(zip(pool.operations, parts, strict=True))
        if part is not None
    )


def _undecided(one: Verdict) -> bool:
    """Whether a verdict is open for want of precision, and not because some of its starts are of another kind."""
    return one.verdict in _OPEN and not _of_another_kind(one)


def _of_another_kind(one: Verdict) -> bool:
    """Whether some of its starts are."""
    return any(why.code == codes.T7_STARTS.code for why in one.reasons)


def _counted(parts: Sequence[Verdict | None]) -> dict[VerdictName, int]:
    names = [one.verdict for one in parts if one]
    return {name: names.count(name) for name in sorted(set(names), key=lambda name: (-names.count(name), name))}
