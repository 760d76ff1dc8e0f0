"""The highest rate of each contender, and the verdict on their ratio. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.analysis.figures import ALL
from weigh.load.comparison.figures import Kind, Question
from weigh.load.comparison.metrics import HIGHEST
from weigh.load.comparison.rate_search.ratio import Ratio, decide
from weigh.load.comparison.verdicts import LoadVerdict
from weigh.load.rate_search.results import (
    RateSearchResults,
    Status,
    highest_rate,
    lowest_broken,
    made_of,
    planned,
    status_of,
)
from weigh.load.rate_search.search import posterior
from weigh.load.rate_search.threshold import Posterior, Threshold
from weigh.model import codes
from weigh.model.rules import MIN_STARTS
from weigh.model.units import count
from weigh.model.verdict import Reason, VerdictName
from weigh.verdict import refusals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.results import LoadResults
    from weigh.verdict.refusals import Refusals


class ContenderRate(msgspec.Struct, frozen=True, kw_only=True):
    """The highest rate of a contender within the budget, from the probes of all attempts; rates in requests a second.

    Attributes:
        contender: its name.
        status: ``found``; ``broken`` at every rate that could be tried; ``kept`` at the highest one; ``generator``
            where it could not offer more; ``unresolved``.
        ended: why its last search ended, as in the ``rate_search`` of its own load.
        threshold: where the budget breaks; None unless found.
        sustained: the highest rate below every one that broke the budget; None where none kept it.
        broken: the lowest rate above every one that kept it; None where none broke it.
        probes: how many were made.
        counted: how many of them kept the budget or broke it.
    """

    contender: str
    status: Status
    ended: str
    threshold: Threshold | None
    sustained: float | None = msgspec.field(name="kept")
    broken: float | None
    probes: int
    counted: int


class RatesFound(msgspec.Struct, frozen=True, kw_only=True):
    """What searches in turn found.

    Attributes:
        rates: of every contender that was searched, in their order.
        searches: what each says by itself in the last attempt, by contender.
        verdicts: one of every contender other than the baseline.
    """

    rates: tuple[ContenderRate, ...]
    searches: dict[str, RateSearchResults]
    verdicts: tuple[LoadVerdict, ...]

    def of(self, contender: str) -> ContenderRate | None:
        """That of a contender; None where it was not searched."""
        return next((one for one in self.rates if one.contender == contender), None)


def question_of(record: LoadComparisonRecord) -> Question:
    """What the verdicts are about."""
    return Question(ALL, kind=Kind(record.spec.load.connections[0], "open"), metric=HIGHEST)


def rates_found(
    records: Sequence[LoadComparisonRecord], loads: Sequence[Mapping[str, LoadResults]], refused: Sequence[Refusals]
) -> RatesFound:
    """Compute it.

    Args:
        records: of all attempts, oldest first.
        loads: what each contender's load says by itself, by its name; one for each attempt.
        refused: why a contender carries no verdict; the figures are kept.
    """
    spec = records[-1].spec
    rates: list[ContenderRate] = []
    limits: dict[str, Posterior] = {}
    for contender in spec.contenders:
        own = [
            (record, found)
            for record, one in zip(records, loads, strict=True)
            if contender.name in one and (found := one[contender.name].rate_search)
        ]
        if not own:
            continue
        limit = _limit(own)
        rate = _rate(contender.name, [found for _, found in own], limit)
        rates.append(rate)
        if limit is not None and rate.threshold is not None:
            limits[contender.name] = limit
    searches = {name: one.rate_search for name, one in loads[-1].items() if one.rate_search}
    return RatesFound(rates=tuple(rates), searches=searches, verdicts=_verdicts(records[-1], rates, limits, refused))


def _limit(own: Sequence[tuple[LoadComparisonRecord, RateSearchResults]]) -> Posterior | None:
    """What the probes of all attempts leave to believe; None where too few kept the budget, or broke it."""
    plans = [
        plan for record, one in own if one.pilot and (plan := planned(record.spec.load, one.search, one.pilot.rate))
    ]
    if not plans:
        return None
    widest = msgspec.structs.replace(plans[-1], low=min(one.low for one in plans), high=max(one.high for one in plans))
    return posterior(widest, made_of([probe for _, one in own for probe in one.probes]))


def _rate(contender: str, own: Sequence[RateSearchResults], limit: Posterior | None) -> ContenderRate:
    probes = [probe for one in own for probe in one.probes]
    found = limit.threshold if limit else None
    status = status_of(own[-1].ended, probes, found)
    return ContenderRate(
        contender=contender,
        status=status,
        ended=own[-1].ended,
        threshold=found if status == "found" else None,
        sustained=highest_rate(probes),
        broken=lowest_broken(probes),
        probes=len(probes),
        counted=sum(len(one.counted) for one in own),
    )


def _verdicts(
    record: LoadComparisonRecord,
    rates: Sequence[ContenderRate],
    limits: Mapping[str, Posterior],
    refused: Sequence[Refusals],
) -> tuple[LoadVerdict, ...]:
    spec, question = record.spec, question_of(record)
    of = {one.contender: one for one in rates}
    whole: tuple[Refusals, ...] = (
        *refused,
        {(question, one.contender): why for one in rates if (why := _no_rate(one))},
    )
    others = [one for one in of if one != spec.baseline]
    if spec.baseline not in of:
        return ()
    reasons: dict[str, tuple[Reason, ...]] = {
        name: tuple(refusals.reasons(whole, question, name, spec.baseline)) for name in others
    }
    ratios = {name: Ratio(limits[name], limits[spec.baseline]) for name in others if {name, spec.baseline} <= {*limits}}
    found = decide({name: ratio for name, ratio in ratios.items() if not reasons[name]}, spec.rules)
    for name, ratio in ratios.items():
        if reasons[name]:
            # Its figures are shown, and it is in no family.
            found |= decide({name: ratio}, spec.rules)
    made = []
    for name in others:
        one, pair = found.get(name), (of[name], of[spec.baseline])
        value, baseline_value = (each.threshold.rate if each.threshold else None for each in pair)
        made.append(
            LoadVerdict(
                operation=question.operation,
                contender=name,
                baseline=spec.baseline,
                verdict=VerdictName.REFUSED if reasons[name] or one is None else one.verdict,
                metric=HIGHEST,
                ratio=one.ratio if one else None,
                low=one.low if one else None,
                high=one.high if one else None,
                low_fcr=one.low_fcr if one else None,
                high_fcr=one.high_fcr if one else None,
                confidence=spec.rules.confidence,
                margin=spec.rules.margin,
                starts=min(each.counted for each in pair),
                runs=1,
                reasons=reasons[name],
                loop=question.kind.loop,
                connections=question.kind.connections,
                value=value,
                baseline_value=baseline_value,
            )
        )
    return tuple(made)


def _no_rate(one: ContenderRate) -> Reason | None:
    """Why a contender has no rate that could be compared."""
    if one.threshold is None:
        return codes.L3_UNRESOLVED.reason(f"no highest rate of {one.contender} was found")
    if one.counted < MIN_STARTS:
        return codes.T10_STARTS.reason(
            f"{count(one.counted, 'probe')} of {one.contender} say something of it: a verdict needs {MIN_STARTS}"
        )
    return None
