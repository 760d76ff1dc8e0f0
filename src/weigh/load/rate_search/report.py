"""A search in words: lines and a table for the terminal, a part of the JSON, a part of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
from markupsafe import Markup

from weigh.load.budgets import BUDGET_S, enough_s
from weigh.load.rate_search.findings import rate
from weigh.load.rate_search.plot import curve
from weigh.load.rate_search.results import PILOT_S, RateSearchResults, Status, longest_s, precision
from weigh.load.rate_search.search import MOST
from weigh.load.rate_search.threshold import Threshold
from weigh.model import units
from weigh.model.text import one_line
from weigh.model.units import Seconds
from weigh.render.blocks import Cell, Column, Group, Lines, Part, Plot, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.budgets import Budget
    from weigh.load.rate_search.probes import BudgetOutcome, ProbeFigures
    from weigh.render.blocks import Block, Content

TITLE = "The highest rate within the budget"
_VERDICTS = {
    "kept": "kept",
    "broken": "BROKEN",
    "undecided": "made again",
    "generator": "generator too slow",
    "disturbed": "disturbed",
}
_STYLES = {"kept": "fine", "broken": "refusal"}
STYLE = (
    ".rk,.rb,.rc{stroke-width:6.5;stroke-linecap:round;fill:none}.rk{stroke:var(--same)}.rb{stroke:var(--bad)}"
    ".rc{stroke:var(--none)}.rkk{color:var(--same)}.rbk{color:var(--bad)}.rck{color:var(--none)}\n"
    ".ri{stroke:var(--none);fill:none}.rl{stroke:var(--open);stroke-width:1.6;stroke-dasharray:5 3;fill:none}"
)
"""Rules for its curves."""
_KEY = Markup(
    ', against the requests a second that were due: <span class="rkk"><b>&bull;</b></span> kept, '
    '<span class="rbk"><b>&bull;</b></span> broken, <span class="rck"><b>&bull;</b></span> the closed loop. The line '
    "across is the budget; the upright line is the knee, the rate at which it breaks, on the band of its interval"
)


def headline(one: RateSearchResults) -> str:
    """The result in one sentence."""
    goal = one.search
    if one.threshold is not None:
        found = one.threshold
        return (
            f"The highest rate with {goal} is {rate(found.rate)} ({100 * found.confidence:g} % interval "
            f"{rate(found.low)} to {rate(found.high)})."
        )
    match one.status:
        case "broken":
            return (
                f"{goal} is broken at every rate that could be tried, down to {rate(_lowest(one))}: a lower one needs "
                "a longer --budget to be determined."
            )
        case "kept" if goal.highest is not None:
            return f"{goal} is kept at {rate(goal.highest)}, the highest rate that was asked for; the limit is above."
        case "kept":
            return (
                f"{goal} is kept up to {rate(max(probe.rate for probe in one.counted))}, twice what a closed loop got "
                "through: the limit was not reached. Name a higher one with --rate."
            )
        case "generator":
            highest = rate(one.sustained) if one.sustained else "the rates that were tried"
            why = "above it the generator was too slow, and the server's limit is not known"
            return f"{goal} is kept at {highest}; {why}."
    if one.sustained and one.broken:
        known = f"{goal} was kept at {rate(one.sustained)} and broken at {rate(one.broken)}"
        return f"OPEN: {known}, which is not enough for the highest rate: {_why_not(one)}."
    if broken := [probe.rate for probe in one.counted if probe.verdict == "broken"]:
        known = f"{goal} was broken at {rate(min(broken))}, and which rates keep it is not known yet"
    elif passing := [probe.rate for probe in one.counted if probe.verdict == "kept"]:
        known = f"{goal} was kept at {rate(max(passing))}, and which is the highest is not known yet"
    else:
        known = f"which rates keep {goal} is not known yet"
    return f"OPEN: {known}: {_why_not(one)}."


def lines(one: RateSearchResults) -> Iterator[str]:
    """What stands below the headline."""
    if one.threshold is not None:
        counted = one.counted
        passing = [
            probe for probe in counted if probe.verdict == "kept" and one.sustained and probe.rate <= one.sustained
        ]
        text = "At that rate a run keeps the budget as often as not"
        if one.sustained:
            text += f"; up to {rate(one.sustained)} {_all(len(passing))} kept it"
        if one.broken:
            above = sum(probe.rate >= one.broken for probe in counted)
            text += f", and from {rate(one.broken)} on {_all(above)} broke it"
        spread = units.percent(one.threshold.spread)
        yield f"{text}. From probe to probe the limit moves by about {spread}."
        if one.threshold.width > precision(one.search):
            why = "the time was over" if one.ended == "time" else f"{MOST} probes were made"
            yield f"The interval is as wide as it is because {why}: a longer --budget narrows it."
    if one.pilot:
        there = " and ".join(map(_at_full_speed, one.pilot.probe.budgets))
        yield (f"The search began at {rate(one.pilot.rate)}, which is what a closed loop got through. There {there}.")
    made = sum(probe.seconds for probe in one.probes)
    yield (
        f"{units.count(len(one.probes), 'probe')} of {units.duration(made)} together, of a budget of "
        f"{units.duration(one.search.budget_s)} with what lies between them; near the limit in random order."
    )


def _all(number: int) -> str:
    return "the one probe" if number == 1 else f"all {number} probes"


def _lowest(one: RateSearchResults) -> float:
    return min(probe.rate for probe in one.counted)


def _why_not(one: RateSearchResults) -> str:
    longest = units.seconds(longest_s(one.search))
    return {
        "time": _time_over(one),
        "stopped": "it was broken off",
        "unresolvable": f"at the rates that get through, a probe that resolves it takes longer than {longest}; give a "
        "longer --budget, or a percentile that is not so far out",
        "disturbed": f"others were in the way ({_disturbance(one)}): search again when the machine is quiet",
        "generator": f"the generator was too slow ({_disturbance(one)})",
    }.get(one.ended, f"after {units.count(len(one.probes), 'probe')} it was not clear")


def _time_over(one: RateSearchResults) -> str:
    """What the time was spent on, and how long a search would take at that pace."""
    made = len(one.probes)
    given = units.duration(one.search.budget_s)
    if not made:
        return f"no probe was over within {given}; the usual budget is --budget {units.typed(BUDGET_S)}"
    enough = units.typed(enough_s(one.search.budget_s, made))
    return f"{given} was enough for {units.count(made, 'probe')}; at that pace give --budget {enough}"


def _disturbance(one: RateSearchResults) -> str:
    return next((probe.why for probe in reversed(one.probes) if probe.verdict in ("disturbed", "generator")), "")


def _at_full_speed(one: BudgetOutcome) -> str:
    """What a closed loop saw: it waits in no queue of its own, so a time is from sending."""
    if one.budget.q is None:
        return f"{value_words(one)} of the requests failed"
    return f"{one.budget.name} was {value_words(one)} from sending to the answer"


def value_words(one: BudgetOutcome) -> str:
    """What was measured of a budget."""
    if one.value is None:
        return "-"
    return units.seconds(one.value) if one.budget.q is not None else units.percent(one.value, 2)


def interval_words(one: BudgetOutcome) -> str:
    """The interval of it."""
    if one.low is None or one.high is None:
        return "" if one.resolved else "not resolved"
    if one.budget.q is None:
        return f"{units.percent(one.low, 3)} to {units.percent(one.high, 3)}"
    return f"{units.seconds(one.low)} to {units.seconds(one.high)}"


def blocks(one: RateSearchResults) -> list[Block]:
    """What was found, a curve for each percentile on a page, and each probe, by rate."""
    found = Part(headline(one), "bold" if one.threshold or one.status == "kept" else "broken")
    drawn = [(str(budget), curve(one, budget)) for budget in one.search.budgets if budget.q is not None]
    return [
        Lines([found], form="terminal"),
        Lines(list(lines(one)), style="dim", most=1000),
        *(Plot((name, _KEY), drawing) for name, drawing in drawn if drawing),
        *([Lines([""], form="terminal")] if one.probes else []),
        *([_table(one)] if one.probes else []),
    ]


def _table(one: RateSearchResults) -> Table:
    columns = [Column(heading, right=True) for heading in ("rate", "probe", "length", "answered")]
    for budget in one.search.budgets:
        columns += [Column(budget.name, right=True)]
        columns += [Column("95 % interval", right=True)] if budget.q is not None else []
    order = {probe.run: number for number, probe in enumerate(one.probes, 1)}
    rows = []
    for probe in sorted(one.probes, key=lambda each: (each.rate, each.run)):
        answered = rate(probe.achieved) if probe.achieved else "-"
        cells: list[Content] = [rate(probe.rate), str(order[probe.run]), units.seconds(probe.seconds), answered]
        found = {outcome.budget: outcome for outcome in probe.budgets}
        for budget in one.search.budgets:
            outcome = found.get(budget)
            cells.append(value_words(outcome) if outcome else "-")
            if budget.q is not None:
                cells.append(interval_words(outcome) if outcome else "")
        rows.append(Row([*cells, _outcome(probe)]))
    optional = ("95 % interval", "length", "answered")
    return Table([*columns, Column(Cell("", page="the budget"))], [Group("", rows)], optional, label=None)


def _outcome(probe: ProbeFigures) -> Cell:
    """Whether a probe was within the budget; on a page also why it does not count."""
    word, unclear = _verdict(probe), probe.verdict in ("undecided", "generator", "disturbed") and probe.why
    why = (Markup("<br>"), Part(one_line(probe.why, 300), "small")) if unclear else ()
    style = _STYLES.get(probe.verdict, "open")
    return Cell(Part(word, style), style if style == "refusal" else "", page=(word, *why))


def _verdict(probe: ProbeFigures) -> str:
    text = _VERDICTS[probe.verdict]
    if probe.verdict == "broken" and not probe.sustained:
        text += ", not sustained"
    return text + (", by what it saw" if probe.unsure else "")


class BudgetRow(msgspec.Struct, frozen=True, kw_only=True):
    """A budget.

    Attributes:
        text: as it was asked for, ``p99<=20ms``.
        percentile: 0.99 for p99; None where it is about errors.
        limit_s: the longest that it may be; None likewise.
        errors: share of the requests that may fail; None where it is about a percentile.
    """

    text: str
    percentile: float | None
    limit_s: Seconds | None
    errors: float | None


class ProbeBudgetRow(msgspec.Struct, frozen=True, kw_only=True):
    """A budget in a probe.

    Attributes:
        budget: its text.
        value: what the probe saw: seconds by rank, or a share of the requests.
        low, high: 95 % interval of the percentile; None where it is not resolved, and of errors.
        resolved: whether the probe resolves the percentile.
        met: whether it was within the budget.
    """

    budget: str
    value: float | None
    low: Seconds | None
    high: Seconds | None
    resolved: bool
    met: bool = msgspec.field(name="kept")


class ProbeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A probe; ``run`` is its number.

    Attributes:
        run: number of the run.
        rate: requests a second that were asked for; of the closed loop, those that were answered.
        seconds: its length.
        achieved: requests a second that were answered; None where none was.
        sustained: whether as much was answered as was due.
        verdict: ``kept``, ``broken``, ``undecided`` (it was made again), ``generator`` (too slow) or ``disturbed``.
        why: in a few words.
        unsure: counted by what it saw, although not resolved or not steady.
        budgets: one by one.
    """

    run: int
    rate: float
    seconds: Seconds
    achieved: float | None
    sustained: bool
    verdict: str
    why: str
    unsure: bool
    budgets: tuple[ProbeBudgetRow, ...]


class RateSearchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``rate_search`` of the document; rates in requests a second (docs/guide/find-rate.md).

    Attributes:
        budgets: that a rate must keep.
        budget_s: time that the search was given.
        highest: the highest rate to try that was asked for; None where none was.
        status: ``found``; ``broken`` at every rate that could be tried; ``kept`` at the highest one; ``generator``
            where it could not offer more; ``unresolved``.
        ended: ``found``, ``time``, ``probes``, ``lowest``, ``highest``, ``generator``, ``disturbed``, ``stopped`` or
            ``unresolvable``.
        sentence: what was found, as the report says it; absent in older evidence.
        threshold: the rate at which a run keeps the budgets as often as not, with its interval; None unless found.
        sustained: the highest rate below every one that broke a budget; None where none kept them.
        broken: the lowest rate above every one that kept them; None where none broke one.
        closed_loop: what a closed loop got through; None where it was not made.
        probes: in the order in which they were made.
    """

    budgets: tuple[BudgetRow, ...]
    budget_s: Seconds
    highest: float | None
    status: Status
    ended: Literal["found", "lowest", "highest", "generator", "probes", "disturbed", "time", "stopped", "unresolvable"]
    sentence: str | msgspec.UnsetType = msgspec.UNSET
    threshold: Threshold | None
    sustained: float | None = msgspec.field(name="kept")
    broken: float | None
    closed_loop: ProbeRow | None
    probes: tuple[ProbeRow, ...]


def budget_row(one: Budget) -> BudgetRow:
    """A budget, as a document has it."""
    return BudgetRow(text=str(one), percentile=one.q, limit_s=one.limit_s, errors=one.errors)


def document(one: RateSearchResults) -> RateSearchDocument:
    """The part of the JSON document."""
    return RateSearchDocument(
        budgets=tuple(map(budget_row, one.search.budgets)),
        budget_s=one.search.budget_s,
        highest=one.search.highest,
        status=one.status,
        ended=one.ended,
        sentence=headline(one),
        threshold=one.threshold,
        sustained=one.sustained,
        broken=one.broken,
        closed_loop=_probe_row(one.pilot.probe, rate=one.pilot.rate) if one.pilot else None,
        probes=tuple(_probe_row(probe, rate=probe.rate) for probe in one.probes),
    )


def _probe_row(one: ProbeFigures, *, rate: float) -> ProbeRow:
    return ProbeRow(
        run=one.run,
        rate=rate,
        seconds=one.seconds or PILOT_S,
        achieved=one.achieved,
        sustained=one.sustained,
        verdict=one.verdict,
        why=one.why,
        unsure=one.unsure,
        budgets=tuple(
            ProbeBudgetRow(
                budget=str(each.budget), value=each.value, low=each.low, high=each.high, resolved=each.resolved,
                met=each.within,
            )
            for each in one.budgets
        ),
    )  # fmt: skip
