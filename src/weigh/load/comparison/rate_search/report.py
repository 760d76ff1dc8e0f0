"""Searches in turn in words: sentences, a table of every contender's rate, a part of the JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.comparison.rate_search.results import ContenderRate
from weigh.load.rate_search import report as searches
from weigh.load.rate_search.findings import rate
from weigh.load.rate_search.report import BudgetRow
from weigh.load.rate_search.results import precision
from weigh.model import codes, units
from weigh.model.text import one_line
from weigh.model.units import Seconds
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.budgets import RateSearch
    from weigh.load.comparison.rate_search.results import RatesFound
    from weigh.load.comparison.verdicts import LoadVerdict

TITLE = "The highest rate of each"
HEADINGS = ("contender", "highest rate", "interval", "kept up to", "broken from", "probes")
_NAME = 60
_REASON = 400


def sentence(one: LoadVerdict, search: RateSearch) -> str:
    """What a contender carries against the baseline, in one sentence.

    Args:
        one: the verdict.
        search: what was searched.
    """
    name, base = one.contender, one.baseline
    if one.ratio is None or one.low is None or one.high is None:
        return f"No verdict between {name} and {base}: {_why(one)}."
    amount = f"{one.ratio:.2f} times the rate of {base} with {search}"
    interval = f"{100 * one.confidence:g} % interval {one.low:.2f} to {one.high:.2f}"
    match one.verdict:
        case VerdictName.FASTER | VerdictName.SLOWER:
            return f"{name} is {str(one.verdict).upper()} than {base}: it carries {amount} ({interval})."
        case VerdictName.SAME | VerdictName.SMALL:
            within = f"the same within {units.percent(one.margin)}"
            return f"{name} carries {amount}, {within} ({interval})."
        case VerdictName.UNRESOLVED:
            return f"It is open whether {name} or {base} carries more: {name} carries {amount} ({interval})."
    return f"No verdict between {name} and {base}: {_why(one)}. What was observed: {amount} ({interval})."


def _why(one: LoadVerdict) -> str:
    """Why it is refused; of durability in short, whose setting is told in the next sentence."""
    text = one_line(one.reasons[0].text, _REASON).rstrip(".") if one.reasons else "nothing was measured"
    return text.partition(".")[0] if one.reasons and one.reasons[0].code == codes.E7_UNEQUAL.code else text


def of_each(found: RatesFound) -> Iterator[str]:
    """What each contender's search found, in one sentence."""
    for one in found.rates:
        if one.threshold is not None:
            yield (
                f"{one.contender} carries {rate(one.threshold.rate)} ({100 * one.threshold.confidence:g} % interval "
                f"{rate(one.threshold.low)} to {rate(one.threshold.high)})."
            )
        elif one.contender in found.searches:
            yield f"{one.contender}: {searches.headline(found.searches[one.contender])}"


def reading(found: RatesFound, search: RateSearch) -> Iterator[str]:
    """How to read the figures."""
    yield (
        "ratio: highest rate of the contender over that of the baseline, above 1 is more. A highest rate is the one at "
        f"which a run keeps {search} as often as not."
    )
    yield (
        "Every round asks each server for one probe, in random order, so that what the machine does meets all alike. "
        "The interval of the ratio takes the two rates as independent."
    )
    if any(one.verdict is VerdictName.UNRESOLVED for one in found.verdicts):
        narrow = units.percent(precision(search))
        yield f"Open verdicts: the searches end when each rate is known to ±{narrow}; a longer --budget gets nearer."


def cells(found: RatesFound) -> Iterator[tuple[str, ...]]:
    """The row of each contender, under :data:`HEADINGS`."""
    for one in found.rates:
        limit = one.threshold
        yield (
            one_line(one.contender, _NAME),
            rate(limit.rate) if limit else "not found",
            f"{rate(limit.low)} to {rate(limit.high)}" if limit else "",
            rate(one.sustained) if one.sustained else "-",
            rate(one.broken) if one.broken else "-",
            f"{one.counted}" if one.counted == one.probes else f"{one.counted} of {one.probes}",
        )


class RatesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``rate_search`` of the document of several servers; rates in requests a second (docs/guide/find-rate.md).

    Attributes:
        budgets: that a rate must keep.
        budget_s: time that the search of each contender was given.
        highest: the highest rate to try that was asked for; null where none was.
        precision: half of the interval, as a share of the rate, that each was to reach.
        rates: what was found of each contender, from the probes of all attempts; the probes of this one are in the
            ``rate_search`` of its own load.
    """

    budgets: tuple[BudgetRow, ...]
    budget_s: Seconds
    highest: float | None
    precision: float
    rates: tuple[ContenderRate, ...]


def document(found: RatesFound, search: RateSearch) -> RatesDocument:
    """The part of the JSON document."""
    return RatesDocument(
        budgets=tuple(map(searches.budget_row, search.budgets)),
        budget_s=search.budget_s,
        highest=search.highest,
        precision=precision(search),
        rates=found.rates,
    )
