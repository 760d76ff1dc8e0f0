"""Duets: what the two cost each other, from the turns that each took alone at the end of every block. Pure."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.sample import Outcome
from weigh.model.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from weigh.model.finding import Finding
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec

_MUCH = 1.10
"""Ratio from which on an operation is named: its partner takes a tenth of its speed."""
_NAMED = 3


def findings(samples: Iterable[Sample], spec: Spec) -> Iterator[Finding]:
    """What the times of a duet are times of, and who was slowed by the other; nothing where it was no duet."""
    if not spec.duet:
        return
    found = slowed(samples)
    text = "each contender was measured while the baseline executed on the other half of the CPUs"
    much = sorted(((ratio, *pair) for pair, ratio in found.items() if ratio >= _MUCH), reverse=True)
    if much:
        named = ", ".join(f"{operation} on {who} {ratio:.2f} times" for ratio, operation, who in much[:_NAMED])
        more = f" and {len(much) - _NAMED} more" if len(much) > _NAMED else ""
        text += f"; alongside the other it takes longer than alone: {named}{more}"
    elif found:
        text += f"; it costs nobody more than {percent(_MUCH - 1, 0)}"
    yield codes.X_DUET.finding(
        text=text,
        remedy="leave out --duet on a quiet machine, where the question is how long it takes alone",
    )


def slowed(samples: Iterable[Sample]) -> Mapping[tuple[str, str], float]:
    """How many times as long (operation, contender) takes alongside the other as alone: the ratio of the medians."""
    times: dict[tuple[str, str, str], dict[bool, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in samples:
        if one.run > 0 and one.outcome is Outcome.OK and one.wall_s:
            times[one.operation, one.contender, one.case][one.solo].append(one.wall_s)
    ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (operation, contender, _), by_kind in times.items():
        if by_kind[True] and by_kind[False]:
            ratios[operation, contender].append(median(by_kind[False]) / median(by_kind[True]))
    return {pair: median(found) for pair, found in ratios.items()}
