"""Whether what must hold holds: a sentence, a table, and a part of the JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weigh.load.rate_search.probes import sentence
from weigh.load.rate_search.report import BudgetRow, budget_row, interval_words, value_words
from weigh.load.requirements.results import Holding, holding
from weigh.model import units
from weigh.model.text import one_line, whole_sentences
from weigh.model.units import Seconds
from weigh.render.blocks import Cell, Lines, Part, words

if TYPE_CHECKING:
    from weigh.load.rate_search.probes import BudgetOutcome
    from weigh.load.requirements.results import Requirements, RunHolding
    from weigh.load.spec import LoadSpec
    from weigh.render.blocks import Block

TITLE = "What is required"
_REASON = 240
"""Characters of a reason."""
_STYLES: dict[Holding, str] = {"HOLDS": "fine", "BROKEN": "refusal", "OPEN": "open"}
_LONGEST = 50.0
"""How many times as long a run is still a remedy."""


def headline(one: Requirements, spec: LoadSpec) -> str:
    """The answer in a sentence."""
    budgets = " and ".join(map(str, one.budgets))
    run = one.deciding
    rate = f" at {run.rate:,.6g}/s" if run and run.rate else ""
    text = f"{one.verdict} {budgets}{rate}"
    if len(one.runs) > 1:
        same = sum(each.verdict == one.verdict for each in one.runs)
        text += f" in {same} of {len(one.runs)} runs" if same < len(one.runs) else f" in each of {same} runs"
    reason = one.why
    if run is not None and run.verdict == one.verdict and (measured := _measured(one, run)):
        reason = f"{reason}; {measured}" if _otherwise(run) or not _plain(run) else measured
    if one.verdict == "OPEN" and run and run.contended:
        # Who it was stands with the tier.
        reason = reason.partition(": ")[0]
    text += f": {whole_sentences(reason, _REASON).rstrip('.')}"
    if one.late:
        slower = "which only adds to it" if one.verdict == "HOLDS" else "but by less than that"
        text += f", although the generator was late, {slower}"
    if one.verdict == "BROKEN" and run:
        text += _spent(run, spec)
    if one.verdict == "OPEN" and run:
        text += "; on a quiet machine it would tell" if run.contended else _longer(run, spec)
    return f"{text}."


def _measured(one: Requirements, run: RunHolding) -> str:
    """What the run saw of what decides; empty where it is something else."""
    if one.verdict == "HOLDS":
        return ", ".join(map(_outcome, run.budgets))
    return ", ".join(_outcome(each) for each in run.budgets if holding(each) == one.verdict)


def _plain(run: RunHolding) -> bool:
    """Whether a run is broken by what it measured of its requirements."""
    return run.verdict != "BROKEN" or run.why == "; ".join(sentence(one) for one in run.budgets if not one.within)


def _outcome(one: BudgetOutcome) -> str:
    """``p99 11.9 ms (11.2 to 12.8 ms)``."""
    interval = interval_words(one)
    return f"{one.budget.name} {value_words(one)}" + (f" ({interval})" if interval and one.value else "")


def _spent(run: RunHolding, spec: LoadSpec) -> str:
    """What was broken first, and when."""
    found = run.first
    if found is None or found[1] >= spec.duration_s:
        return ""
    one, at = found
    share = f"{units.quantity(100 * one.budget.share)} %"
    may, did = ("be slower", "were") if one.budget.q is not None else ("fail", "did")
    several = f" ({one.budget.name})" if sum(each is not None for each in run.spent) > 1 else ""
    return (
        f"; {share} of the requests may {may}{several}, and so many {did} after {units.seconds(at)} of "
        f"{units.seconds(spec.duration_s)}"
    )


def _longer(run: RunHolding, spec: LoadSpec) -> str:
    """How long a run would tell, where that is what is missing; by how the interval shrinks with its length."""
    factors = []
    for each in run.budgets:
        if each.decided or each.budget.limit_s is None or each.value is None:
            continue
        if each.low is None or each.high is None:
            factors.append(4.0)
            continue
        side = each.high - each.value if each.within else each.value - each.low
        room = abs(each.budget.limit_s - each.value)
        factors.append(1.5 * (side / room) ** 2 if room else math.inf)
    if not factors:
        return ""
    if max(factors) > _LONGEST or spec.arrivals.kind == "trace":
        return "; the limit is where it is, within what this server varies by"
    minutes = math.ceil(max(*factors, 1.5) * spec.duration_s / 60)
    return f"; --duration {minutes}m should tell"


def blocks(one: Requirements, spec: LoadSpec) -> list[Block]:
    """Each requirement in each run."""
    headings = ("", "required", "measured", "95 % interval", "spent after", "run")
    rows = []
    for run in one.runs:
        for each, at in zip(run.budgets, run.spent, strict=True):
            # What a run that counts for nothing saw holds nothing.
            verdict = "OPEN" if _otherwise(run) and holding(each) == "HOLDS" else holding(each)
            spent = units.seconds(at) if at is not None and at < spec.duration_s else ""
            cell = Cell(Part(verdict, _STYLES[verdict]))
            rows.append((cell, str(each.budget), value_words(each), _interval(each), spent, str(run.run)))
    alone = [f"Run {run.run} is {run.verdict}: {one_line(run.why, _REASON)}." for run in one.runs if _otherwise(run)]
    return [*([words(headings, rows, label=None)] if rows else []), *([Lines(alone, most=1000)] if alone else [])]


def _interval(one: BudgetOutcome) -> str:
    """The interval of what was measured; where the percentile has none, what decides: how many were above the limit."""
    limit = one.budget.limit_s
    if one.resolved or not one.decided or limit is None:
        return interval_words(one)
    side = "at most" if one.within else "more than"
    return f"{side} {units.percent(one.budget.share, 2)} above {units.seconds(limit)}"


def _otherwise(run: RunHolding) -> bool:
    """Whether the verdict of a run does not follow from its requirements alone."""
    if run.verdict == "BROKEN":
        return all(holding(each) != "BROKEN" for each in run.budgets)
    return run.verdict == "OPEN" and all(holding(each) == "HOLDS" for each in run.budgets)


class OutcomeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A requirement in a run.

    Attributes:
        budget: its text.
        verdict: ``HOLDS`` or ``BROKEN`` where the whole interval says so, else ``OPEN``.
        value: what the run saw: seconds by rank, or a share of the requests; None where nothing was answered.
        low, high: 95 % interval of it; None where it is not resolved.
        spent_s: when as many requests had been too slow or had failed as may be in the whole run; None where that never
            was.
    """

    budget: str
    verdict: Holding
    value: float | None
    low: float | None
    high: float | None
    spent_s: Seconds | None


class HoldingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the open loop.

    Attributes:
        run: its number.
        rate: requests a second that were due.
        verdict: of all requirements.
        why: in a few words.
        budgets: one by one.
    """

    run: int
    rate: float | None
    verdict: Holding
    why: str
    budgets: tuple[OutcomeRow, ...]


class RequirementsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``requirements`` of the document (docs/guide/load.md#does-it-hold).

    Attributes:
        budgets: what must hold.
        verdict: ``HOLDS`` where everything held in every run, ``BROKEN`` where something was broken in one, else
            ``OPEN``.
        why: in a few words.
        runs: of the open loop.
    """

    budgets: tuple[BudgetRow, ...]
    verdict: Holding
    why: str
    runs: tuple[HoldingRow, ...]


def document(one: Requirements) -> RequirementsDocument:
    """The part of the JSON document."""
    return RequirementsDocument(
        budgets=tuple(map(budget_row, one.budgets)),
        verdict=one.verdict,
        why=one.why,
        runs=tuple(
            HoldingRow(
                run=run.run,
                rate=run.rate,
                verdict=run.verdict,
                why=run.why,
                budgets=tuple(
                    OutcomeRow(
                        budget=str(each.budget),
                        verdict=holding(each),
                        value=each.value,
                        low=each.low,
                        high=each.high,
                        spent_s=at,
                    )
                    for each, at in zip(run.budgets, run.spent, strict=True)
                ),
            )
            for run in one.runs
        ),
    )
