"""Templates: the operations of a suite that are one statement with other values, judged together. Pure.

One small operation may scatter so much that a hundred starts do not decide on it. Those of a template mostly move
together, and the mean of their ratios scatters less. It answers another question, and the verdicts of the operations
stay as they are: it is the mean over the template, in which one that is slower can hide behind the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.pooled import Pool, pooled
from weigh.model.verdict import Verdict, VerdictName
from weigh.verdict import refusals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.operation import Workload
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec


class TemplateVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One contender against the baseline over all operations of a template.

    Attributes:
        operations: of the template.
        verdicts: how many of them have each verdict, the most frequent first.
        verdict: on wall time; its ``operation`` is the template. The ratio is the geometric mean of those of the
            operations, in the starts in which all of them were measured.
    """

    operations: tuple[str, ...]
    verdicts: dict[VerdictName, int]
    verdict: Verdict


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
        TemplateVerdict(operations=pool.operations, verdicts=_counted(parts), verdict=verdict)
        for pool, parts, verdict in zip(pools, members, pooled(spec, samples, pools), strict=True)
    )


def _counted(parts: Sequence[Verdict | None]) -> dict[VerdictName, int]:
    names = [one.verdict for one in parts if one]
    return {name: names.count(name) for name in sorted(set(names), key=lambda name: (-names.count(name), name))}
