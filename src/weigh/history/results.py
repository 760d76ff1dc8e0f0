"""What a history says, before it has a form. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.history import attempts, candidates, clickhouse_rule
from weigh.history.entry import Damaged, Entry, digested, file_name, impossible
from weigh.history.environment import UNKNOWN
from weigh.history.gross import Gross, detectable, gross
from weigh.history.series import Place, Series, Split, series
from weigh.history.weekdays import NAMES, Weekdays, weekdays
from weigh.model import codes
from weigh.model.finding import gravest_first
from weigh.model.text import one_line
from weigh.model.units import count
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from weigh.model.finding import Finding

SCHEMA = "weigh/history/1"
MARGIN = 0.03
"""The smallest change that is a candidate, where no other is given."""
_NAMED = 3


_LOOKED = 1_000
"""Points of a part in which changes are looked for, the last ones: memory goes with their square."""
_TRIED = 300
"""Series for which it is tried what could be found; of more it would take as long as all the rest."""


class Power(NamedTuple):
    """What could be found in the last part of a series that has no candidate.

    Attributes:
        points: of that part.
        detectable: the smallest step in its middle, about, that would be a candidate, a fraction; None where none would
            be, and where it was not tried.
        gross: a step of too few points to be a candidate; None without one. Its place is one of the series.
    """

    points: int
    detectable: float | None
    gross: Gross | None


class SideBySide(NamedTuple):
    """Two versions in one evidence.

    Attributes:
        verdict: of the later against the earlier one.
        ratio, low, high: likewise.
        entry: the evidence.
    """

    verdict: str
    ratio: float
    low: float
    high: float
    entry: Entry


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change of level that may be a version's.

    Attributes:
        id: eight hex digits, the same as long as the two versions are.
        series: that it is in.
        before, after: the last point of the old level and the first one of the new level.
        first, last: the points between which the change lies, about 95 % (the last one of the old level, and the first
            one of the new level).
        at: place of ``after`` in the series.
        ratio: level after over level before.
        opinion: of ClickHouse's rule: ``step``, ``confirmed``, or ``no step``.
        side_by_side: what was measured side by side of the two versions; None where nothing was.
        state: ``candidate``, ``confirmed``, ``not confirmed``, or ``same version`` on both sides.
    """

    id: str
    series: Series
    before: Place
    after: Place
    first: Place
    last: Place
    at: int
    ratio: float
    opinion: str
    side_by_side: SideBySide | None
    state: str


@dataclass(frozen=True, slots=True)
class HistoryResults:
    """What is reported.

    Attributes:
        folder: of the history.
        margin: the smallest change that is a candidate.
        entries: how many it has.
        series: every series.
        candidates: by series and place.
        power: by series without candidate: what could be found.
        steps: of ClickHouse's rule alone, by series: the places.
        attempts: comparisons that were made more than once on machines that are alike.
        findings: errors first.
    """

    folder: str
    margin: float
    entries: int
    series: tuple[Series, ...]
    candidates: tuple[Candidate, ...]
    power: dict[int, Power]
    steps: dict[int, tuple[int, ...]]
    attempts: tuple[attempts.Attempts, ...]
    findings: tuple[Finding, ...]


def history_results(
    folder: str,
    entries: Sequence[Entry],
    damaged: Sequence[Damaged] = (),
    *,
    margin: float = MARGIN,
    operation: str = "",
) -> HistoryResults:
    """All that the entries say.

    Args:
        folder: or server, without a password.
        entries: by time.
        damaged: entries that cannot be believed.
        margin: the smallest change that is a candidate.
        operation: only series of operations that have this in their name; empty for all.
    """
    known, wrong = _possible(entries)
    chosen = [one for one in series(known) if operation.lower() in one.key.operation.lower()]
    found: list[Candidate] = []
    findings: list[Finding] = [*_damaged(damaged), *wrong]
    steps: dict[int, tuple[int, ...]] = {}
    power: dict[int, Power] = {}
    for at, one in enumerate(chosen):
        try:
            own, notes, rule = _candidates(one, known, margin)
            could = None if own else _power(one, margin, tried=len(power) < _TRIED)
        except Exception as error:
            # Anybody may have made the entries, and one series that cannot be computed must not hide the others.
            findings.append(_uncomputable(one, error))
            continue
        found += own
        findings += notes
        steps[at] = rule
        if could is not None:
            power[at] = could
    findings += _splits(chosen)
    findings += attempts.findings(known)
    return HistoryResults(
        folder=folder,
        margin=margin,
        entries=len(entries),
        series=tuple(chosen),
        candidates=tuple(found),
        power=power,
        steps=steps,
        attempts=tuple(attempts.attempts(known)),
        findings=gravest_first(findings),
    )


def _candidates(
    one: Series, entries: Sequence[Entry], margin: float
) -> tuple[list[Candidate], list[Finding], tuple[int, ...]]:
    made: list[Candidate] = []
    findings: list[Finding] = []
    rule: list[int] = []
    for number in range(len(one.parts)):
        places = one.part(number)[-_LOOKED:]
        values, week = _values(one, places)
        if week is not None:
            findings.append(_of_weekdays(one, week))
        found = candidates.changes(values, margin)
        steps = clickhouse_rule.steps(values)
        rule += [places[at][0] for at, _ in steps]
        if found.two_speeds is not None:
            findings.append(
                codes.R6_TWO_SPEEDS.finding(
                    text=f"{one.key} goes to and fro between two speeds, {by(found.two_speeds)} apart, "
                    "whatever the version: no change of level is distinguished from that",
                    remedy="look for what the machine or the engine does at random; measure with more starts",
                    operation=one.key.operation,
                )
            )
        for change in found.changes:
            candidate = _candidate(one, places, change, steps, entries)
            made.append(candidate)
            if candidate.state == "same version":
                findings.append(
                    codes.R6_SAME_VERSION.finding(
                        text=f"{one.key} changes by {by(change.ratio)} while its version stays "
                        f"{candidate.after.version}: something else changed, and no fact that weigh reads shows it",
                        remedy="look at the machine and its neighbours between the two points",
                        operation=one.key.operation,
                    )
                )
    return made, findings, tuple(sorted(rule))


def _values(one: Series, places: Sequence[tuple[int, Place]]) -> tuple[list[float], Weekdays | None]:
    """Those of a part, without what the weekdays do where the order is that of time."""
    values = [place.value for _, place in places]
    week = weekdays(values, [place.at for _, place in places]) if one.ordered_by == "time" else None
    return (list(week.values), week) if week else (values, None)


def _of_weekdays(one: Series, week: Weekdays) -> Finding:
    return codes.R6_WEEKDAYS.finding(
        text=f"{one.key} is {100 * (week.ratio - 1):.1f} % larger on a {NAMES[week.slowest]} than on a "
        f"{NAMES[week.fastest]}: that is taken out before a change of level is looked for",
        remedy="measure when nobody else uses the machine, or always on the same day",
        operation=one.key.operation,
    )


def by(ratio: float) -> str:
    """A change in words: ``+3.1 %``, or ``18 times`` where that says more."""
    return f"{100 * (ratio - 1):+.1f} %" if 0.1 < ratio < 10 else f"{ratio:.3g} times"


def _power(one: Series, margin: float, *, tried: bool) -> Power:
    """What could be found in the last part."""
    places = one.part(one.places[-1].part)[-_LOOKED:] if one.places else []
    values, _ = _values(one, places)
    far = gross(values, margin)
    if far is not None:
        far = msgspec.structs.replace(far, at=places[far.at][0])
    return Power(len(places), detectable(values, margin) if tried else None, far)


def _possible(entries: Sequence[Entry]) -> tuple[list[Entry], list[Finding]]:
    """Entries without the points that nobody can have measured, and findings on these."""
    findings = []
    made = list(entries)
    for at, entry in enumerate(entries):
        if wrong := [text for point in entry.points if (text := impossible(point))]:
            more = f" (and {count(len(wrong) - 1, 'more point')} of it)" if len(wrong) > 1 else ""
            findings.append(
                codes.R4_HISTORY.finding(
                    text=f"a point of {one_line(entry.evidence, 80)} is left out{more}: {one_line(wrong[0], 200)}",
                    remedy=f"delete {file_name(entry.id)}, and add its evidence again",
                )
            )
            rest = tuple(point for point in entry.points if not impossible(point))
            made[at] = msgspec.structs.replace(entry, points=rest)
    return made, findings


def _uncomputable(one: Series, error: Exception) -> Finding:
    return codes.R4_HISTORY.finding(
        text=f"{one_line(str(one.key), 200)} cannot be computed: {one_line(str(error) or type(error).__name__, 200)}",
        remedy="look at its points with --json, and delete the entry that is not right",
        operation=one.key.operation,
    )


def _candidate(
    one: Series,
    places: list[tuple[int, Place]],
    change: candidates.Change,
    steps: list[tuple[int, float]],
    entries: Sequence[Entry],
) -> Candidate:
    at, after = places[change.at]
    before = places[change.at - 1][1]
    first, last = places[max(change.first - 1, 0)][1], places[change.last][1]
    measured = _side_by_side(one, (before, after, first, last), entries)
    state = "candidate"
    if before.version == after.version:
        state = "same version"
    elif measured is not None:
        wanted = VerdictName.SLOWER if change.ratio > 1 else VerdictName.FASTER
        if measured.verdict == wanted:
            state = "confirmed"
        elif measured.verdict in ("slower", "faster", "same", "small"):
            state = "not confirmed"
    opinion = "no step"
    for place, height in steps:
        if abs(place - change.at) <= _NAMED:
            significant = measured is not None and not measured.low <= 1 <= measured.high
            opinion = "step"
            if measured is not None and significant and clickhouse_rule.confirmed(height, measured.ratio):
                opinion = "confirmed"
    return Candidate(
        id=digested([list(one.key), before.version, after.version, before.entry.id, after.entry.id])[:8],
        series=one,
        before=before,
        after=after,
        first=first,
        last=last,
        at=at,
        ratio=change.ratio,
        opinion=opinion,
        side_by_side=measured,
        state=state,
    )


def _side_by_side(
    one: Series, places: tuple[Place, Place, Place, Place], entries: Sequence[Entry]
) -> SideBySide | None:
    """The narrowest measurement of the two versions, or of those between which the change lies, in one evidence."""
    before, after, first, last = (place.version for place in places)
    found = []
    for entry in entries:
        for point in entry.points:
            alike = (point.operation, point.metric, point.temperature, point.who.engine) == one.key[1:]
            if not alike or entry.workload != one.key.workload or point.against is None or point.ratio is None:
                continue
            pair = point.against.version, point.who.version
            if point.against.engine == one.key.engine and pair in ((before, after), (first, last)):
                low, high = point.low or point.ratio, point.high or point.ratio
                narrow = pair == (before, after)
                found.append((narrow, bool(entry.confirms), entry.at, SideBySide(
                    point.verdict, point.ratio, low, high, entry
                )))  # fmt: skip
    return max(found, key=lambda one: one[:3])[3] if found else None


def _splits(chosen: Sequence[Series]) -> Iterator[Finding]:
    """What changed, once for all series that it split."""
    found: dict[tuple[str, ...], list[tuple[Series, Split]]] = defaultdict(list)
    for one in chosen:
        for split in one.splits:
            found[(one.key.workload, *split.why)].append((one, split))
    for (_, *why), every in found.items():
        one, split = every[0]
        place = one.places[split.at]
        often = f" ({split.times} times)" if split.times > 1 else ""
        yield codes.R6_SPLIT.finding(
            text=f"{_named(one for one, _ in every)} split before {place.version} ({place.at[:10]}){often}: "
            f"{'; '.join(why)}",
            remedy="points of both sides are not compared; measure versions of both sides side by side",
            operation=one.key.operation if len(every) == 1 else None,
        )
    unknown = [one for one in chosen if any(part.get("processor") == UNKNOWN for part in one.parts)]
    if unknown:
        yield codes.R6_UNKNOWN.finding(
            text=f"{_named(unknown)} of points whose machine nobody recorded: a change of it would look like one of a "
            "version",
            remedy="measure with weigh, which records the machine; what is a candidate here, confirm side by side",
        )


def _named(chosen: Iterable[Series]) -> str:
    """Series by name, with the verb: some of them, where there are many."""
    names = [str(one.key) for one in chosen]
    if len(names) == 1:
        return f"{names[0]} is"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more} are"


def _damaged(damaged: Sequence[Damaged]) -> Iterator[Finding]:
    for one in damaged:
        yield codes.R4_HISTORY.finding(
            text=f"{one.file} is left out: {one.why}", remedy="delete it, and add its evidence again"
        )
