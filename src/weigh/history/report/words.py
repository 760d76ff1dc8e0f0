"""Sentences on series and candidates, shared by terminal and page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.history.candidates import LEAST
from weigh.history.entry import OTHERS
from weigh.history.results import by
from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.history.gross import Gross
    from weigh.history.results import Candidate, HistoryResults
    from weigh.history.series import Place, Series

STATES = {
    "candidate": "not measured side by side yet",
    "confirmed": "confirmed side by side",
    "not confirmed": "not confirmed side by side",
    "same version": "the version is the same on both sides, so it is not the version's",
}


def value(one: Series, figure: float) -> str:
    """A value of a series with its unit."""
    if one.of_ratios:
        return f"{figure:.3f}"
    return units.seconds(figure) if one.unit == "s" else f"{figure:.4g} {one.unit}".rstrip()


def measure(one: Series) -> str:
    """What the values are."""
    if one.of_ratios:
        return "ratio to " + ", ".join(dict.fromkeys(part.get("reference", "") for part in one.parts))
    if tools := others(one):
        return f"as {tools} says, not weighed by weigh"
    return "median of each measurement" if one.unit == "s" else "value of each measurement"


def others(one: Series) -> str:
    """Files of other tools that it is from; empty where weigh measured it."""
    return " and ".join(OTHERS[kind] for kind in sorted({place.entry.kind for place in one.places} & OTHERS.keys()))


def at(place: Place) -> str:
    """A point in words: version and day."""
    return one_line(f"{place.version or 'version not known'} ({place.at[:10]})", 120)


def between(one: Candidate) -> str:
    """The two points of a candidate, and how sure the place is."""
    place = f"between {at(one.before)} and {at(one.after)}"
    if (one.first.entry.id, one.last.entry.id) != (one.before.entry.id, one.after.entry.id):
        place += f"; it may lie anywhere from {at(one.first)} to {at(one.last)} (95 %)"
    return place


def change(one: Candidate) -> str:
    """By how much."""
    return by(one.ratio)


def outcome(one: Candidate) -> str:
    """The outcome of a measurement side by side, or that there is none."""
    words = STATES[one.state]
    if one.state == "candidate" and one.side_by_side is not None:
        words = "measured side by side without a verdict"
    if one.side_by_side is not None:
        measured = one.side_by_side
        words += f": {measured.verdict.upper()} {measured.ratio:.3f} ({measured.low:.3f}-{measured.high:.3f}), "
        words += one_line(measured.entry.evidence)
    return words


def summary(results: HistoryResults) -> str:
    """The first sentence."""
    series, entries = len(results.series), results.entries
    if not results.series:
        return f"No series to show, of {units.count(entries, 'record')}."
    splits = sum(len(one.splits) for one in results.series)
    split = f"; split {units.count(splits, 'time')} where the environment changed" if splits else ""
    found = _changes(results) if results.candidates else _none(results)
    return f"{units.count(entries, 'record')}, {series} series: {found}{split}."


def _changes(results: HistoryResults) -> str:
    open_ = [one for one in results.candidates if one.state == "candidate"]
    confirmed = [one for one in results.candidates if one.state == "confirmed"]
    parts = [f"{len(confirmed)} confirmed" if confirmed else "", f"{len(open_)} to be confirmed" if open_ else ""]
    what = ", ".join(part for part in parts if part)
    number = len(results.candidates)
    return f"{number} {'change' if number == 1 else 'changes'} of level{f' ({what})' if what else ''}"


def _none(results: HistoryResults) -> str:
    """That there is no candidate, and what could have been one: a short history finds little."""
    power = list(results.power.values())
    far = [one.gross for one in power if one.gross]
    found = sorted(one.detectable for one in power if one.detectable is not None)
    if far:
        if len(power) == 1 and power[0].points < LEAST:
            return f"too short for a change to be determined; {ending(far[0])}"
        if len(power) == 1:
            return f"a step of too few points for a change to be determined: {ending(far[0])}"
        number = f"{len(far)} of {len(power)} series {'has' if len(far) == 1 else 'have'}"
        return f"{number} a step of too few points for a change to be determined"
    if not found and all(one.points < LEAST for one in power):
        return f"too short for a change to be determined, which takes {LEAST} points of one environment"
    if not found:
        return "no change of level, where none could be determined: too few points, or too much noise"
    size = f"about {units.percent(found[len(found) // 2], 0)}"
    if len(power) == 1:
        smaller = "; a smaller one could not be determined" if found[0] > results.margin else ""
        return f"no change of level of {size} or more{smaller}"
    rest = f", in {len(power) - len(found)} more none" if len(power) > len(found) else ""
    many = f"half of {len(found)} series" if len(found) > 1 else "1 series"
    return f"no change of level; in {many} one of {size} would have been told{rest}"


def gross(results: HistoryResults) -> Iterator[tuple[Series, str]]:
    """Series with a step of too few points, in words."""
    for at, one in sorted(results.power.items()):
        if one.gross is not None:
            yield results.series[at], f"{ending(one.gross)}: too few for a change to be determined"


def ending(one: Gross) -> str:
    """A step of too few points."""
    if one.after <= one.before:
        few, many, ratio, which, where = one.after, one.before, one.ratio, "last", "before"
    else:
        few, many, ratio, which, where = one.before, one.after, 1 / one.ratio, "first", "behind"
    subject = f"the {which} point" if few == 1 else f"the {which} {few} points"
    if ratio >= 2 or ratio <= 0.5:
        return f"{subject} {'is' if few == 1 else 'are'} {ratio:.3g} times the {many} {where}"
    far = f"{abs(100 * (ratio - 1)):.0f} % {'above' if ratio > 1 else 'below'}"
    return f"{subject} {'lies' if few == 1 else 'lie'} {far} the {many} {where}"
