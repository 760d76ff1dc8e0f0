"""The suite: one contender's ratios over a whole workload. With a member missing there is no mean (R1). Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.model.verdict import Missing, Suite, VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.model.operation import Workload
    from weigh.model.verdict import Verdict

NOT_CHOSEN = "not chosen"
NOT_MEASURED = "not measured"
_NONE = (VerdictName.REFUSED, VerdictName.DIVERGED, VerdictName.ERROR)
"""Verdicts whose ratio, if there is one, claims nothing."""


def suites(
    workload: Workload, verdicts: Iterable[Verdict], contenders: Iterable[str], baseline: str, temperature: str = "hot"
) -> tuple[Suite, ...]:
    """One of every contender other than the baseline, at one temperature.

    A ratio is already one number an operation, however many timed cases it has. An unresolved ratio counts: to leave
    out what is close to 1 would move the mean.

    Args:
        workload: of the experiment; its ``suite`` names what belongs to it alongside what was chosen.
        verdicts: of one metric.
        contenders: names, in order.
        baseline: whom the ratios are over.
        temperature: whose verdicts count: a mean over several temperatures would be of nothing.
    """
    by_pair = {(one.contender, one.operation): one for one in verdicts if one.temperature == temperature}
    members = workload.suite or tuple(one.name for one in workload.operations if one.timed())
    chosen = {one.name for one in workload.operations}
    return tuple(
        _suite(name, baseline, temperature, members, [by_pair.get((name, member)) for member in members], chosen)
        for name in contenders
        if name != baseline
    )


def _suite(
    contender: str,
    baseline: str,
    temperature: str,
    members: Sequence[str],
    verdicts: Sequence[Verdict | None],
    chosen: set[str],
) -> Suite:
    missing = []
    ratios = []
    for member, verdict in zip(members, verdicts, strict=True):
        if verdict is None:
            missing.append(Missing(operation=member, why=NOT_MEASURED if member in chosen else NOT_CHOSEN))
        elif verdict.ratio is None or verdict.verdict in _NONE:
            missing.append(Missing(operation=member, why=_why(verdict)))
        else:
            ratios.append(verdict.ratio)
    whole = not missing and bool(ratios)
    return Suite(
        contender=contender,
        baseline=baseline,
        operations=len(members),
        mean=math.exp(math.fsum(map(math.log, ratios)) / len(ratios)) if whole else None,
        low=min(ratios) if whole else None,
        high=max(ratios) if whole else None,
        missing=tuple(missing),
        temperature=temperature,
    )


def _why(verdict: Verdict) -> str:
    """``refused (T7.unstable)``, ``error (X.timeout)``, ``diverged (A1)``."""
    # A verdict that was ruled has its reason first; the marks of other operations come after it.
    code = f" ({verdict.reasons[0].code})" if verdict.reasons else ""
    return f"{verdict.verdict}{code}"
