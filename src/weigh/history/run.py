"""Confirm: the versions on either side of a candidate, side by side, and those between until the change is found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.model.errors import EvidenceFault, ExitCode, UsageError, nearest
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.history.entry import Entry, Measured, Point
    from weigh.history.results import Candidate, HistoryResults

HALF = 0.5
"""Of a step, in logarithms: a version that shows less of it lies before the change."""


class Version(NamedTuple):
    """A version that can be measured.

    Attributes:
        name: as the history calls it.
        contender: what ``--contender`` takes.
    """

    name: str
    contender: str


class Measurement(msgspec.Struct, frozen=True):
    """Two versions side by side.

    Attributes:
        before, after: the baseline and the other one.
        verdict: of the later one; ``none`` without one.
        ratio, low, high: with the interval; None without one.
        evidence: where it lies.
    """

    before: str
    after: str
    verdict: str
    ratio: float | None
    low: float | None
    high: float | None
    evidence: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What came of it.

    Attributes:
        candidate: that was measured.
        measured: in order.
        state: ``confirmed``, ``not confirmed`` or ``open``.
        before, after: the nearest versions between which the change lies.
        left: versions between these two; none where they are neighbours.
    """

    candidate: Candidate
    measured: tuple[Measurement, ...]
    state: str
    before: str
    after: str
    left: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        """1 where a later version is slower, 3 where nothing was decided."""
        if self.state == "open":
            return ExitCode.INCONCLUSIVE
        return ExitCode.FOUND if self.state == "confirmed" and self.candidate.ratio > 1 else ExitCode.OK


def chosen(results: HistoryResults, name: str) -> Candidate:
    """The candidate of that id, or of its beginning.

    Raises:
        UsageError: there is none, there are several, or nothing can be measured again.
    """
    found = [one for one in results.candidates if one.id.startswith(name)] if name else []
    if len(found) != 1:
        known = [one.id for one in results.candidates]
        raise UsageError(
            f"there is no candidate '{name}'" if not found else f"several candidates begin with {name}",
            where=results.folder,
            remedy=nearest(name, known) if known else "weigh history show lists candidates; this history has none",
        )
    (one,) = found
    if one.state == "same version":
        raise UsageError(
            f"the version is {one.after.version} on both sides of {one.id}",
            remedy="there are no two versions to measure: look at the machine",
        )
    if one.after.entry.kind != "run":
        origin = "of a load" if one.after.entry.kind.startswith("load") else f"from {one.after.entry.kind}"
        raise UsageError(
            f"{one.id} is {origin}, and weigh cannot run that again by itself",
            remedy="measure both versions side by side (weigh load --contender A --contender B), and add the evidence"
            if one.after.entry.kind.startswith("load")
            else "measure both versions with weigh run, and add the evidence",
        )
    return one


def versions(one: Candidate, further: Sequence[str] = ()) -> list[Version]:
    """Versions from the last one that is surely before the change to the first one that is surely behind it.

    Args:
        one: the candidate.
        further: versions between the two sides that the history has not, in order.
    """
    places = [place for _, place in one.series.part(one.after.part)]
    first, last = places.index(one.first), places.index(one.last)
    found: dict[str, Version] = {}
    for place in places[first : last + 1]:
        found.setdefault(place.version, Version(place.version, contender(place.point.who)))
        if place is one.before:
            for name in further:
                found.setdefault(name, Version(name, contender(one.before.point.who, name)))
    return list(found.values())


def contender(who: Measured, version: str = "") -> str:
    """What ``--contender`` takes.

    Args:
        who: what was measured.
        version: another one of the same engine; empty for its own.

    Raises:
        EvidenceFault: it is not known how it was made.
    """
    if not who.spec:
        raise EvidenceFault(
            f"how {who.version} was made is not recorded", remedy="measure both versions with weigh run"
        )
    made, _, data = who.spec.partition("?")
    made = f"{who.engine}@{version}" if version else made
    settings = [data] if data else []
    settings += [
        f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in who.settings.items()
    ]
    return made + (f"?{'&'.join(settings)}" if settings else "")


def confirm(
    one: Candidate, between: Sequence[Version], measure: Callable[[Version, Version], Measurement]
) -> Confirmed:
    """Measure both ends, and where the change is confirmed halve what lies between them.

    Args:
        one: the candidate.
        between: versions in order, at least two.
        measure: two of them, the first one the baseline.
    """
    low, high = 0, len(between) - 1
    made = [measure(between[low], between[high])]
    state = _state(made[0], one.ratio)
    while state == "confirmed" and high - low > 1:
        middle = (low + high) // 2
        made.append(measure(between[low], between[middle]))
        outcome = _state(made[-1], one.ratio)
        if outcome == "open":
            break
        if outcome == "confirmed" and _shows(made[-1], one.ratio):
            high = middle
        else:
            low = middle
    left = tuple(version.name for version in between[low + 1 : high]) if state == "confirmed" else ()
    return Confirmed(one, tuple(made), state, between[low].name, between[high].name, left)


def _state(found: Measurement, step: float) -> str:
    wanted = VerdictName.SLOWER if step > 1 else VerdictName.FASTER
    if found.verdict == wanted:
        return "confirmed"
    decided = (VerdictName.SLOWER, VerdictName.FASTER, VerdictName.SAME, VerdictName.SMALL)
    return "not confirmed" if found.verdict in decided else "open"


def _shows(found: Measurement, step: float) -> bool:
    """Whether it shows enough of the step."""
    return found.ratio is not None and math.log(found.ratio) / math.log(step) >= HALF


def check_alike(one: Candidate, entry: Entry) -> None:
    """That the same was asked of the same rows as in the history, as far as both are known.

    Raises:
        EvidenceFault: it was not.
    """
    known, measured = one.after, _point(entry, one)
    apart = [
        what
        for what, mine, theirs in (
            ("its workload is another", one.series.key.workload, entry.workload),
            ("its query is another", known.point.question, measured.question if measured else ""),
            ("its rows are others", known.entry.data.get("rows"), entry.data.get("rows")),
        )
        if mine and theirs and mine != theirs
    ]
    if apart:
        raise EvidenceFault(
            f"this is not what the history measured: {'; '.join(apart)}",
            where=entry.path,
            remedy="run it where the weigh.toml and the files of that measurement lie; nothing was added",
        )


def measurement(entry: Entry, one: Candidate, before: Version, after: Version) -> Measurement:
    """What an entry says of two versions on the operation of a candidate."""
    point = _point(entry, one)
    if point is None:
        return Measurement(before.name, after.name, "none", None, None, None, entry.path)
    return Measurement(before.name, after.name, point.verdict, point.ratio, point.low, point.high, entry.path)


def _point(entry: Entry, one: Candidate) -> Point | None:
    """The later version on the operation of a candidate."""
    key = one.series.key
    for point in entry.points:
        key_of_point = point.operation, point.metric, point.temperature
        if key_of_point == (key.operation, key.metric, key.temperature) and point.verdict:
            return point
    return None
