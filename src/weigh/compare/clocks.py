"""Other clocks: joined verdicts that weigh's own clock does not give, or that hang on where the clock begins. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.clock import clock_end, round_trip
from weigh.model import codes
from weigh.model.sample import Samples
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weigh.compare.model import Joined, Joining, Key, Side
    from weigh.model.verdict import Reason
    from weigh.statistics.arrays import Floats


def doubts(first: Side, second: Side, wall: Joining, again: Callable[[Side, Side], Joining]) -> Mapping[Key, Reason]:
    """Joined verdicts on wall time that another clock does not give, with the reason for which they are refused.

    Args:
        first: the session of the baselines.
        second: the session of the candidates.
        wall: the join of the times that contenders say.
        again: joins other times by the same rules.
    """
    found: dict[Key, Reason] = {}
    for one, other in zip(round_trip.clocks(first.samples), round_trip.clocks(second.samples), strict=True):
        executions = [
            verdict
            for verdict in wall.verdicts
            if verdict.verdict in round_trip.CLAIMS
            and (
                one.differ(Question(verdict.operation), verdict.baseline, first.reference)
                or other.differ(Question(verdict.operation), verdict.contender, second.reference)
            )
        ]
        if executions:
            by_clock = _joined(
                again,
                _by(first, one.seconds),
                _by(second, other.seconds),
            )
            for verdict in executions:
                against = by_clock.get(verdict.key)
                if against is not None and round_trip.contradicts(verdict, against):
                    found.setdefault(verdict.key, one.say(verdict, against))
    for key, reason in _where_it_begins(first, second, wall, again):
        found.setdefault(key, reason)
    return found


def _where_it_begins(
    first: Side, second: Side, wall: Joining, again: Callable[[Side, Side], Joining]
) -> list[tuple[Key, Reason]]:
    """Verdicts that are others when taking the query is part of the time."""
    more = [clock_end.extra(side.samples) for side in (first, second)]
    executions = [
        verdict
        for verdict in wall.verdicts
        if verdict.verdict in clock_end.CLAIMS
        and any(
            (verdict.operation, name) in of
            for of, names in zip(
                more, ((verdict.baseline, first.reference), (verdict.contender, second.reference)), strict=True
            )
            for name in names
        )
    ]
    if not executions:
        return []
    sides = [
        _by(side, clock_end.with_prepare(Samples.of(side.samples), of))
        for side, of in zip((first, second), more, strict=True)
    ]
    with_prepare = _joined(again, sides[0], sides[1])
    return [
        (verdict.key, _reason(verdict, with_prepare[verdict.key]))
        for verdict in executions
        if verdict.key in with_prepare and clock_end.otherwise(verdict, with_prepare[verdict.key])
    ]


def _by(side: Side, seconds: Floats) -> Side:
    """A session by another clock."""
    return msgspec.structs.replace(side, samples=Samples.of(side.samples).with_seconds(seconds))


def _joined(again: Callable[[Side, Side], Joining], first: Side, second: Side) -> dict[Key, Joined]:
    return {one.key: one for one in again(first, second).verdicts}


def _reason(one: Joined, other: Joined) -> Reason:
    ratios = "" if one.ratio is None or other.ratio is None else f" ({one.ratio:.3g} against {other.ratio:.3g} times)"
    return codes.A6_CLOCK.reason(
        "it depends on where the clock begins: with the time of taking the query, which lies before it, the verdict "
        f"would be another one{ratios}"
    )
