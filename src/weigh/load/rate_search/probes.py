"""What a probe says: whether the server kept the budgets at its rate, or broke them, or nobody can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.load.budgets import Budget
from weigh.load.rate_search.search import EXCEEDANCES, Verdict
from weigh.load.spec import CONFIDENCE
from weigh.model import codes, units
from weigh.model.units import Seconds
from weigh.statistics.histogram import Histogram, decode, merged
from weigh.statistics.percentiles import share_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.runs import LoadInterval, LoadRun
    from weigh.statistics.arrays import Floats

PARTS = 8
"""Parts of a probe, one after another."""
SPREAD = 4
"""Parts in which a budget is broken, from which on it is no single event."""
LATE = 0.25
"""Share of a limit by which the generator may be late, at the same percentile, before a broken budget is its own."""
_TWICE = 2.0
GENERATOR = (codes.E8_LATE.code, codes.E8_SATURATED.code)
"""Reasons that only add to the response times: what is kept in spite of them is kept."""
_SERVER = (codes.L2_RATE.code, codes.L7_ERRORS.code)


class BudgetOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A budget at the rate of a probe.

    Attributes:
        budget: that was asked for.
        value: what the probe saw: seconds by rank, or the share of requests that failed; None where nothing was
            answered.
        low, high: interval of the percentile; None where it is not resolved, and of errors unless it is judged by it.
        resolved: whether the probe resolves the percentile; true of errors.
        within: whether it was within the budget by what the probe saw.
        decided: whether that may be said: the percentile is resolved, or not one request was slower than the limit, or
            the budget was broken in at least half of the probe's length, part by part.
    """

    budget: Budget
    value: float | None
    low: Seconds | None
    high: Seconds | None
    resolved: bool
    within: bool
    decided: bool


class ProbeFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A probe.

    Attributes:
        run: its number.
        rate: requests a second that were asked for.
        seconds: its length.
        achieved: requests a second that were answered over the part that counts; None where none was.
        sustained: whether as much was answered as was due.
        verdict: ``kept`` or ``broken``; ``undecided``, after which it was made again; ``generator`` where the
            generator was too slow, ``disturbed`` where others were in the way: neither says anything of the server.
        why: in a few words.
        unsure: counted by what it saw, although a percentile is not resolved or the run is not steady.
        budgets: one by one, as they were asked for.
    """

    run: int
    rate: float
    seconds: Seconds
    achieved: float | None
    sustained: bool
    verdict: Verdict
    why: str
    unsure: bool
    budgets: tuple[BudgetOutcome, ...]


def judged(
    run: LoadRun, found: RunFigures, budgets: Sequence[Budget], *, last: bool, by_interval: bool = False
) -> ProbeFigures:
    """What a probe says.

    Args:
        run: as it was measured, with a rate and a length.
        found: its figures, with every reason for which it is refused.
        budgets: that it is to keep.
        last: whether it counts by what it saw where it is not resolved or not steady.
        by_interval: whether a budget is kept or broken only where its whole interval is, and not what the run saw: for
            a claim about one rate, which no other probe corrects.
    """
    reasons: dict[str, str] = {one.code: one.text for one in found.reasons}
    counted = run.intervals[found.settled.intervals if found.settled else 0 :]
    outcome = _clear if by_interval else _outcome
    outcomes = tuple(outcome(one, found, counted) for one in budgets) if found.operations else ()
    unsteady = found.settled.refused.text if found.settled and found.settled.refused else ""
    if by_interval and all(_alike(one, counted) for one in outcomes):
        # Wherever the level moved to, the answer was the same.
        unsteady = ""
    verdict, why, unsure = _verdict(reasons, outcomes, found, unsteady, last=last)
    return ProbeFigures(
        run=run.number,
        rate=run.rate or 0.0,
        seconds=run.duration_s or 0.0,
        # While requests were due: what is left over is answered behind the end of the schedule.
        achieved=found.rate_achieved.mean if found.operations and found.rate_achieved else None,
        sustained=codes.L2_RATE.code not in reasons,
        verdict=verdict,
        why=why,
        unsure=unsure,
        budgets=outcomes,
    )


def _verdict(
    reasons: dict[str, str], outcomes: Sequence[BudgetOutcome], found: RunFigures, unsteady: str, *, last: bool
) -> tuple[Verdict, str, bool]:
    others = [code for code in reasons if code not in (*GENERATOR, *_SERVER)]
    if others:
        return "disturbed", reasons[others[0]], False
    verdict, why, unsure = _servers(reasons, outcomes, found, unsteady, last=last)
    # What is kept in spite of a late generator is kept: being late only adds to the response times.
    if verdict != "kept" and (late := _late(reasons, outcomes, found)):
        return "generator", late, False
    return verdict, why, unsure


def _servers(
    reasons: dict[str, str], outcomes: Sequence[BudgetOutcome], found: RunFigures, unsteady: str, *, last: bool
) -> tuple[Verdict, str, bool]:
    """The verdict, if the generator was in time."""
    if codes.L2_RATE.code in reasons:
        return "broken", "not sustained: requests were left over", False
    if codes.L7_ERRORS.code in reasons or any(one.budget.q is None and not one.within for one in outcomes):
        return "broken", "too many requests failed", False
    if not outcomes or found.settled is None:
        return "disturbed", "hardly anything was answered", False
    broken = [one for one in outcomes if not one.within]
    if any(one.decided for one in broken):
        return "broken", "; ".join(map(sentence, broken)), False
    doubts = [f"{sentence(one)}, not resolved" for one in outcomes if not one.decided]
    if unsteady:
        doubts.append(f"not steady: {unsteady}")
    if doubts and not last:
        return "undecided", "; ".join(doubts), False
    return ("broken" if broken else "kept"), "; ".join(doubts or map(sentence, outcomes)), bool(doubts)


def _late(reasons: dict[str, str], outcomes: Sequence[BudgetOutcome], found: RunFigures) -> str:
    """Why a budget may be broken by the generator; nothing where it is not."""
    if codes.E8_SATURATED.code in reasons:
        return reasons[codes.E8_SATURATED.code]
    if codes.L2_RATE.code in reasons:
        return ""
    for one in outcomes:
        if one.within or one.budget.q is None or one.budget.limit_s is None or one.value is None:
            continue
        late = found.whole.lag_late.value_at(one.budget.q) or 0.0
        # What is slower by more than that is slow without it.
        if late > LATE * one.budget.limit_s and one.value <= one.budget.limit_s + _TWICE * late:
            return f"requests left up to {units.seconds(late)} late ({one.budget.name}) although a connection was free"
    return ""


def sentence(one: BudgetOutcome) -> str:
    """A budget and what became of it, in a few words."""
    if one.value is None:
        return f"{one.budget.name} not known"
    return f"{one.budget.name} {units.seconds(one.value) if one.budget.q is not None else units.percent(one.value, 2)}"


def spent_s(budget: Budget, counted: Sequence[LoadInterval]) -> Seconds | None:
    """When, in seconds of the run, as many requests had been too slow or had failed as may be in all of it.

    Args:
        budget: of which they are.
        counted: intervals of the run that count.

    Returns:
        None where they never were so many.
    """
    failures, totals = _failures(counted)
    bad = failures if budget.q is None else np.array(list(_slower(budget, _responses(counted))))
    most = budget.share * totals.sum()
    at = np.flatnonzero(np.cumsum(bad) > most)
    return counted[int(at[0])].to_s if len(at) else None


def _responses(counted: Sequence[LoadInterval]) -> list[Histogram]:
    """Response times of each interval."""
    return [merged(decode(one.response) for one in part.operations) for part in counted]


def _failures(counted: Sequence[LoadInterval]) -> tuple[Floats, Floats]:
    """Requests without an answer, and all requests, of each interval."""
    failed = [sum(sum(one.errors.values()) + one.timeouts for one in part.operations) for part in counted]
    answered = [sum(one.count for one in part.operations) for part in counted]
    return np.array(failed, dtype=np.float64), np.array(failed, dtype=np.float64) + answered


def _clear(budget: Budget, found: RunFigures, counted: Sequence[LoadInterval]) -> BudgetOutcome:
    """As :func:`_outcome`, decided by the whole interval of the share of requests that failed or were too slow."""
    one = _outcome(budget, found, counted)
    failed, totals = _failures(counted)
    if budget.q is None:
        low, high = share_interval(failed, totals, CONFIDENCE) or (None, None)
        # More failed than may: the run is refused for it, whatever another would have.
        decided = not one.within or (high is not None and high <= budget.share)
        return msgspec.structs.replace(one, low=low, high=high, decided=decided)
    intervals = _responses(counted)
    answered = np.array([each.total for each in intervals], dtype=np.float64)
    slow = share_interval(np.array(list(_slower(budget, intervals)), dtype=np.float64), answered, CONFIDENCE)
    if slow is None or answered.sum() * budget.share < EXCEEDANCES:
        return msgspec.structs.replace(one, decided=False)
    return msgspec.structs.replace(one, decided=slow[1] <= budget.share if one.within else slow[0] > budget.share)


def _outcome(budget: Budget, found: RunFigures, counted: Sequence[LoadInterval]) -> BudgetOutcome:
    whole = found.whole
    if budget.q is None or budget.limit_s is None:
        requests = whole.count + whole.failed
        share = whole.failed / requests if requests else None
        holds = share is not None and share <= (budget.errors or 0.0)
        return BudgetOutcome(budget=budget, value=share, low=None, high=None, resolved=True, within=holds, decided=True)
    intervals = _responses(counted)
    one, value = whole.response.at(budget.q), whole.response.value_at(budget.q)
    holds = value is not None and value <= budget.limit_s
    return BudgetOutcome(
        budget=budget,
        value=value,
        low=one.low,
        high=one.high,
        resolved=one.resolved,
        within=holds,
        decided=one.resolved or (_none_slower(budget, intervals) if holds else _throughout(budget, intervals)),
    )


def _none_slower(budget: Budget, intervals: Sequence[Histogram]) -> bool:
    """Whether not one of enough requests was slower than the limit, whatever the percentile is."""
    total = sum(one.total for one in intervals)
    return total * budget.share >= EXCEEDANCES and not any(_slower(budget, intervals))


def _throughout(budget: Budget, intervals: Sequence[Histogram]) -> bool:
    """Whether the budget is broken in so many parts of the probe that it was no single event."""
    return _broken_parts(budget, intervals) >= SPREAD


def _alike(one: BudgetOutcome, counted: Sequence[LoadInterval]) -> bool:
    """Whether every part of the run says the same of a percentile."""
    if one.budget.q is None:
        return True
    broken = _broken_parts(one.budget, _responses(counted))
    return broken == (0 if one.within else PARTS)


def _broken_parts(budget: Budget, intervals: Sequence[Histogram]) -> int:
    totals = np.array([one.total for one in intervals], dtype=np.float64)
    above = np.array(list(_slower(budget, intervals)), dtype=np.float64)
    parts = zip(np.array_split(above, PARTS), np.array_split(totals, PARTS), strict=True)
    return sum(bool(slow.sum() > budget.share * some.sum()) for slow, some in parts)


def _slower(budget: Budget, intervals: Sequence[Histogram]) -> Iterator[int]:
    for one in intervals:
        yield one.above(budget.limit_s or 0.0)
