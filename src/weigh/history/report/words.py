"""What is said of series and candidates, in words shared by terminal and page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.history.entry import OTHERS
from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
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
    if told := others(one):
        return f"as {told} says, not weighed by weigh"
    return "median of each measurement" if one.unit == "s" else "value of each measurement"


def others(one: Series) -> str:
    """Files of other tools that it is from; empty where weigh measured it."""
    return " and ".join(OTHERS[kind] for kind in sorted({place.entry.kind for place in one.places} & OTHERS.keys()))


def at(place: Place) -> str:
    """A point in words: version and day."""
    return one_line(f"{place.version or 'version not known'} ({place.at[:10]})", 120)


def between(one: Candidate) -> str:
    """The two points of a candidate, and how sure the place is."""
    said = f"between {at(one.before)} and {at(one.after)}"
    if (one.first.entry.id, one.last.entry.id) != (one.before.entry.id, one.after.entry.id):
        said += f"; it may lie anywhere from {at(one.first)} to {at(one.last)} (95 %)"
    return said


def change(one: Candidate) -> str:
    """By how much."""
    return f"{100 * (one.ratio - 1):+.1f} %"


def outcome(one: Candidate) -> str:
    """What a measurement side by side said, or that there is none."""
    said = STATES[one.state]
    if one.state == "candidate" and one.side_by_side is not None:
        said = "measured side by side without a verdict"
    if one.side_by_side is not None:
        beside = one.side_by_side
        said += f": {beside.verdict.upper()} {beside.ratio:.3f} ({beside.low:.3f}-{beside.high:.3f}), "
        said += one_line(beside.entry.evidence)
    return said


def summary(results: HistoryResults) -> str:
    """The first sentence."""
    series, entries = len(results.series), results.entries
    if not results.series:
        return f"No series to show, of {units.count(entries, 'record')}."
    open_ = [one for one in results.candidates if one.state == "candidate"]
    held = [one for one in results.candidates if one.state == "confirmed"]
    said = [f"{len(held)} confirmed" if held else "", f"{len(open_)} to be confirmed" if open_ else ""]
    what = ", ".join(part for part in said if part)
    number = len(results.candidates)
    found = f"{number} {'change' if number == 1 else 'changes'} of level" if number else "no change of level"
    splits = sum(len(one.splits) for one in results.series)
    split = f"; split {units.count(splits, 'time')} where the environment changed" if splits else ""
    of = f"{units.count(entries, 'record')}, {series} series"
    return f"{of}: {found}{f' ({what})' if what else ''}{split}."
