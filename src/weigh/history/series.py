"""Series: points of one question over versions, in parts that are comparable, with the reasons of every split. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.history.environment import UNKNOWN, Machines, changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.history.entry import Entry, Measured, Point

_RELEASE = re.compile(r"v?([0-9]{1,18}(?:\.[0-9]{1,18})+)(.*)", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,18}")
_SHARED = 3
"""Entries that a reference must be in, on average, for ratios to it to be the series."""


class Key(NamedTuple):
    """What a series is of."""

    workload: str
    operation: str
    metric: str
    temperature: str
    engine: str

    def __str__(self) -> str:
        parts = [self.workload, self.operation, self.engine]
        parts += [self.temperature] if self.temperature != "hot" else []
        parts += [self.metric] if self.metric not in ("wall_s", "value") else []
        return " ".join(dict.fromkeys(part for part in parts if part))


@dataclass(frozen=True, slots=True)
class Place:
    """A point in its series.

    Attributes:
        entry: that it is from.
        point: as it was measured.
        value: the ratio to the reference, or the value itself.
        low, high: the interval of a ratio.
        part: number of the part that it belongs to.
        at: when.
    """

    entry: Entry
    point: Point
    value: float
    low: float | None
    high: float | None
    part: int
    at: str

    @property
    def version(self) -> str:
        """Of whom it is."""
        return self.point.who.version


class Split(msgspec.Struct, frozen=True):
    """Where a series is not continued.

    Attributes:
        before, after: numbers of the parts.
        at: number of the first point after it, from 0.
        times: how often the series goes from the one part to the other.
        why: what changed.
    """

    before: int
    after: int
    at: int
    times: int
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One question over versions.

    Attributes:
        key: what it is of.
        unit: of the values; empty for ratios.
        places: all points in order.
        parts: facts of the environment of each part, in the order in which they begin.
        splits: between parts.
        ordered_by: ``version`` or ``time``.
        left_out: points without a ratio, where the series is one of ratios.
    """

    key: Key
    unit: str
    places: tuple[Place, ...]
    parts: tuple[dict[str, str], ...]
    splits: tuple[Split, ...]
    ordered_by: str
    left_out: int = 0

    @property
    def of_ratios(self) -> bool:
        """Whether its values are ratios to a reference."""
        return any("reference" in part for part in self.parts)

    def part(self, number: int) -> list[tuple[int, Place]]:
        """Points of a part with their places in the series."""
        return [(at, one) for at, one in enumerate(self.places) if one.part == number]


@dataclass(slots=True)
class _Collected:
    points: list[tuple[Entry, Point]] = field(default_factory=list)


def series(entries: Sequence[Entry]) -> list[Series]:
    """Every series of the entries, by workload and operation.

    What was made to confirm a candidate is no point, nor is an attempt that a later one reads together with its own.
    """
    covered = {covered_id for entry in entries for covered_id in entry.covers if covered_id != entry.id}
    machines = Machines()
    found: dict[Key, _Collected] = defaultdict(_Collected)
    for entry in entries:
        if entry.confirms or entry.id in covered:
            continue
        for point in entry.points:
            key = Key(entry.workload, point.operation, point.metric, point.temperature, point.who.engine)
            found[key].points.append((entry, point))
    return [_series(key, one.points, machines) for key, one in sorted(found.items())]


def _series(key: Key, points: list[tuple[Entry, Point]], machines: Machines) -> Series:
    against = [(_reference(point.against), entry.id) for entry, point in points if point.against]
    references = {name for name, _ in against}
    joined = bool(references) and (
        len(references) == 1 or len(references) * _SHARED <= len({one for _, one in against})
    )
    if joined:
        compared = [(entry, point) for entry, point in points if point.against and point.ratio is not None]
        # A reference is 1 by itself: it is left out, and no ratio is missing.
        left_out = sum(1 for _, point in points if point.against and point.ratio is None)
    else:
        compared, left_out = points, 0
    versions = {point.who.version for _, point in compared}
    by_version = len(versions) > 1 and all(_RELEASE.fullmatch(one) for one in versions)

    def order(one: tuple[Entry, Point]) -> Any:
        entry, point = one
        when = (point.at or entry.at, point.row, point.against is not None, entry.id)
        return (_release(point.who.version), when) if by_version else when

    places: list[Place] = []
    parts: dict[tuple[tuple[str, str], ...], int] = {}
    splits: dict[tuple[int, int], list[int]] = {}
    previous = None
    for at, (entry, point) in enumerate(sorted(compared, key=order)):
        facts = _facts(entry, point, machines, joined=joined)
        part = parts.setdefault(tuple(facts.items()), len(parts))
        place = Place(
            entry=entry,
            point=point,
            value=point.ratio if joined and point.ratio is not None else point.value,
            low=point.low if joined else None,
            high=point.high if joined else None,
            part=part,
            at=point.at or entry.at,
        )
        if previous is not None and previous != part:
            splits.setdefault((previous, part), []).append(at)
        previous = part
        places.append(place)
    known = [dict(one) for one in parts]
    return Series(
        key=key,
        unit="" if joined else compared[0][1].unit if compared else "",
        places=tuple(places),
        parts=tuple(known),
        splits=tuple(
            Split(before, after, at[0], len(at), tuple(changes(known[before], known[after])))
            for (before, after), at in splits.items()
        ),
        ordered_by="version" if by_version else "time",
        left_out=left_out,
    )


def _release(version: str) -> Any:
    """A version number as it is ordered: a suffix such as ``rc1`` or ``.dev3`` comes before the release."""
    match = _RELEASE.fullmatch(version)
    assert match is not None
    numbers = tuple(int(part) for part in match[1].split("."))
    early = bool(re.match(r"[-.]?(a|b|rc|dev|alpha|beta|pre)", match[2]))
    rest = tuple(
        (int(part), "") if _NUMBER.fullmatch(part) else (-1, part) for part in re.findall(r"[0-9]+|[^0-9]+", match[2])
    )
    return numbers, not early, rest


def _reference(one: Measured) -> str:
    """What a reference is, whatever it is called."""
    settings = "&".join(f"{name}={value}" for name, value in sorted({**one.settings, **one.data}.items()))
    return f"{one.engine}@{one.version}" + (f"?{settings}" if settings else "")


def _facts(entry: Entry, point: Point, machines: Machines, *, joined: bool) -> dict[str, str]:
    """What must be the same for two points to be comparable."""
    facts = machines.facts(entry)
    facts["weigh"] = ".".join(entry.weigh.split(".")[:2]) or UNKNOWN
    facts |= {name: entry.data.get(name, "") for name in ("dataset", "rows", "files")}
    facts["question"] = point.question
    facts |= {f"setting {name}": str(value) for name, value in sorted(point.who.settings.items())}
    facts |= dict(sorted(point.who.data.items()))
    facts |= dict(sorted(entry.offered.items()))
    if joined and point.against:
        facts["reference"] = _reference(point.against)
    return facts
