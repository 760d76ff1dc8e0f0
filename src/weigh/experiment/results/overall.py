"""Overall: contenders over all operations that all of them can do, and who is the fastest of them. Pure.

Every two contenders are compared, by one number a start (:mod:`weigh.experiment.results.pooled`): who is the fastest is
seen in the same figures, so all that could have been named are in the family of the comparisons.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.pooled import Pool, pooled
from weigh.model.verdict import Missing, Reason, Verdict, VerdictName
from weigh.verdict import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.experiment.record import Record
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec

NAME = "overall"
"""What such a verdict calls its operation."""
_FEWEST = 2
"""Operations below which there is nothing over which to take a mean."""


class OverallVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One contender against another over all operations that all contenders can do.

    Attributes:
        operations: in the mean.
        missing: those of the workload that are not, and why (R1).
        verdict: on wall time; its ``operation`` is ``overall``, its ``baseline`` whom the contender is compared with.
            The ratio is the geometric mean of those of the operations, in the starts in which all of them were
            measured; of two contenders neither of which is the baseline of the experiment it is the ratio of their
            ratios to it.
    """

    operations: tuple[str, ...]
    missing: tuple[Missing, ...]
    verdict: Verdict


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """Contenders by their overall ratio.

    Attributes:
        temperature: of the executions.
        order: names, the smallest overall ratio first. That one is faster than the next is said by their verdict alone.
        fastest_on: operations on which every other contender is SLOWER than the first.
        operations: how many were compared.
    """

    temperature: str
    order: tuple[str, ...]
    fastest_on: int
    operations: int


class Overall(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Attributes:
        verdicts: of every two contenders at every temperature, those against the baseline of the experiment first.
        rankings: one a temperature, of three contenders or more that have an overall ratio.
    """

    verdicts: tuple[OverallVerdict, ...] = ()
    rankings: tuple[Ranking, ...] = ()

    def against(self, baseline: str, temperature: str = "") -> tuple[OverallVerdict, ...]:
        """The verdicts of all contenders against one, at one temperature or at all."""
        found = (one for one in self.verdicts if one.verdict.baseline == baseline)
        return tuple(one for one in found if temperature in ("", one.verdict.temperature))

    def between(self, contender: str, other: str, temperature: str) -> tuple[VerdictName, float | None]:
        """What one contender is against the other, and its ratio over it."""
        for one in self.verdicts:
            verdict = one.verdict
            if verdict.temperature == temperature and {verdict.contender, verdict.baseline} == {contender, other}:
                if verdict.contender == contender:
                    return verdict.verdict, verdict.ratio
                return _MIRRORED.get(verdict.verdict, verdict.verdict), 1 / verdict.ratio if verdict.ratio else None
        raise KeyError((contender, other, temperature))


_MIRRORED = {VerdictName.SLOWER: VerdictName.FASTER, VerdictName.FASTER: VerdictName.SLOWER}


def overall(
    record: Record, samples: Sequence[Sample], verdicts: Sequence[Verdict], shares: Mapping[str, float]
) -> Overall:
    """The overall verdicts; none where it was not planned, of a grid, and below two operations that all can do.

    Args:
        record: of the latest attempt; its plan says whether there are any.
        samples: of all attempts.
        verdicts: of the operations, on wall time.
        shares: as of :func:`weigh.experiment.results.by_template.by_template`.
    """
    planned = record.plan is not None and record.plan.overall is True
    timed = [one.name for one in record.workload.operations if one.timed()] if record.workload else []
    if not planned or record.spec.grid or len(timed) < _FEWEST or not verdicts:
        return Overall()
    found: list[OverallVerdict] = []
    rankings: list[Ranking] = []
    for temperature in record.spec.temperatures:
        members = _members(record.spec, timed, [one for one in verdicts if one.temperature == temperature])
        if len(members.operations) < _FEWEST:
            # Of none there is no mean, and that of one is its own.
            continue
        pools = [*_pools(record.spec, temperature, members, shares)]
        found += (
            OverallVerdict(operations=pool.operations, missing=members.missing, verdict=verdict)
            for pool, verdict in zip(pools, pooled(record.spec, samples, pools), strict=True)
        )
        ranking = _ranking(record.spec, samples, temperature, members, Overall(verdicts=tuple(found)), shares)
        rankings += [ranking] if ranking else []
    return Overall(verdicts=tuple(found), rankings=tuple(rankings))


class _Members(msgspec.Struct, frozen=True, kw_only=True):
    """What is compared at one temperature: operations, who can do them, and why the others cannot do any."""

    operations: tuple[str, ...]
    missing: tuple[Missing, ...]
    able: tuple[str, ...]
    unable: dict[str, Reason]


def _members(spec: Spec, timed: Sequence[str], verdicts: Sequence[Verdict]) -> _Members:
    of = {(one.operation, one.contender): one for one in verdicts}
    others = [one.name for one in spec.contenders if one.name != spec.baseline]
    whys = {(name, who): refusals.why_not_pooled(of.get((name, who))) for name in timed for who in others}
    unable = {
        who: reason
        for who in others
        if (reason := whys[timed[0], who]) is not None and all(whys[name, who] is not None for name in timed)
    }
    able = [who for who in others if who not in unable]
    lacking = {name: [who for who in able if whys[name, who] is not None] for name in timed}
    return _Members(
        operations=tuple(name for name in timed if able and not lacking[name]),
        missing=tuple(
            Missing(
                operation=name, why="; ".join(_why(who, of.get((name, who)), whys[name, who]) for who in lacking[name])
            )
            for name in timed
            if lacking[name]
        ),
        able=(spec.baseline, *able),
        unable=unable,
    )


def _why(contender: str, verdict: Verdict | None, reason: Reason | None) -> str:
    """``polars: error (X.timeout)``."""
    state = str(verdict.verdict) if verdict else "not measured"
    return f"{contender}: {state}" + (f" ({reason.code})" if verdict and reason else "")


def _pools(spec: Spec, temperature: str, members: _Members, shares: Mapping[str, float]) -> Iterator[Pool]:
    """Every two contenders, those with the baseline first."""
    share = min((shares.get(one, 1.0) for one in members.operations), default=1.0)
    for who in (one.name for one in spec.contenders if one.name != spec.baseline):
        why = members.unable.get(who)
        yield Pool(NAME, members.operations, temperature, who, spec.baseline, share, why)
    for other, who in combinations(members.able[1:], 2):
        yield Pool(NAME, members.operations, temperature, who, other, share, None)


def _ranking(
    spec: Spec,
    samples: Sequence[Sample],
    temperature: str,
    members: _Members,
    found: Overall,
    shares: Mapping[str, float],
) -> Ranking | None:
    """None below three contenders, or where one of them has no ratio."""
    ratios = {one.verdict.contender: one.verdict.ratio for one in found.against(spec.baseline, temperature)}
    known = {spec.baseline: 1.0} | {who: ratio for who in members.able if (ratio := ratios.get(who)) is not None}
    if len(known) < 3 or len(known) < len(members.able):
        return None
    order = tuple(sorted(known, key=lambda who: known[who]))
    pools = [
        Pool(operation, (operation,), temperature, who, other, shares.get(operation, 1.0), None)
        for operation in members.operations
        for other, who in combinations(members.able, 2)
    ]
    behind = dict.fromkeys(members.operations, 0)
    for pool, one in zip(pools, pooled(spec, samples, pools), strict=True):
        slower = one.contender if one.verdict is VerdictName.SLOWER else one.baseline
        decided = one.verdict in (VerdictName.SLOWER, VerdictName.FASTER)
        behind[pool.name] += decided and order[0] in (one.contender, one.baseline) and slower != order[0]
    return Ranking(
        temperature=temperature,
        order=order,
        fastest_on=sum(count == len(order) - 1 for count in behind.values()),
        operations=len(members.operations),
    )
