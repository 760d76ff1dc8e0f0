"""What the server did during a run, and which spikes came with it. Pure.

**A kind of activity is blamed** for spikes where at least three of its events had one begin in them, and chance would
give as many with a probability of at most 5 %, over all kinds that could be blamed (Holm; the test is
:mod:`weigh.statistics.coincidence`). A kind that went on for half of the time, or had fewer than three events, could
not be: that is decided without looking at the spikes. What is not blamed may have been the cause all the same, and what
is blamed came together with the spikes: both may have a third cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.load.activity.kinds import KINDS, KindActivity, Place, RunActive
from weigh.load.activity.words import LEAST, MOST_OF_THE_TIME, sentence
from weigh.load.spec import CONFIDENCE
from weigh.load.spikes import slow_intervals, unlinked
from weigh.model import codes
from weigh.statistics.coincidence import coincidence, holm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.activity.model import ActivityLook, Event, Kind, RunActivity
    from weigh.load.runs import LoadInterval, LoadRun
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds

_SHORTEST = 0.5
"""Seconds between two looks below which what grew between them is no rate."""
_READING = 0.02
"""Seconds by which the clocks of a server's log and of the load may differ."""


def active(
    sampled: Sequence[RunActivity], run: LoadRun, cut: int, p99: Mapping[Seconds, Seconds | None]
) -> RunActive | None:
    """What is reported of one run; None where nobody looked.

    Args:
        sampled: of all runs.
        run: of the record.
        cut: how many of its intervals do not count, at its beginning.
        p99: of each, by when it began.
    """
    parts = [one.activity for one in sampled if one.run == run.number]
    looks = [look for one in parts for look in one.looks]
    if run.at is None or not any(one.looks or one.events for one in parts):
        return None
    intervals = [one for one in run.intervals[cut:] if one.to_s > one.from_s]
    events = _placed([event for one in parts for event in one.events], run)
    kinds, spikes = linked(events, intervals, [p99[one.from_s] for one in intervals])
    counted = tuple(kind for kind in KINDS if any(kind in one.counted for one in parts))
    deadlock = next((one for one in kinds if one.kind == "deadlock"), None)
    rate, most_rate = _rates(looks, "log_bytes")
    cores, most_cores = _rates(looks, "server_cpu_s")
    return RunActive(
        counted=counted,
        kinds=kinds,
        places=tuple(
            Place(kind=one.kind, from_s=one.at, to_s=one.until or one.at, exact=one.source != "looks", what=one.what)
            for one in sorted(events, key=lambda one: (one.at, KINDS.index(one.kind)))
        ),
        spikes=spikes,
        log_rate=rate,
        most_log_rate=most_rate,
        deadlocks=None if "deadlock" not in counted else deadlock.amount or 0 if deadlock else 0,
        waiting=_waiting(looks),
        cores=cores,
        most_cores=most_cores,
        looks=len(looks),
        interval_s=_interval(intervals),
        seconds=looks[-1].at - looks[0].at if looks else 0.0,
        longest_look_s=max((one.took_s for one in looks), default=0.0),
        cpu_s=sum(one.cpu_s for one in parts),
    )


def linked(
    events: Sequence[Event], counted: Sequence[LoadInterval], p99: Sequence[Seconds | None]
) -> tuple[tuple[KindActivity, ...], tuple[tuple[Kind, ...], ...]]:
    """Every kind of activity, and what is blamed for each spike.

    Args:
        events: with their times in seconds since the run began, and an end.
        counted: the intervals of the run that count.
        p99: of each; None where nothing was answered.
    """
    spikes = unlinked(counted, p99)
    slow, typical = slow_intervals(p99)
    first, last = (counted[0].from_s, counted[-1].to_s) if counted else (0.0, 0.0)
    slack = _interval(counted) + _READING
    marks = [one.from_s for one in spikes]
    made: list[KindActivity] = []
    hit_by: dict[Kind, list[bool]] = {}
    p: dict[Kind, float] = {}
    for kind in KINDS:
        own = sorted((one for one in events if one.kind == kind), key=lambda one: one.at)
        if not own:
            continue
        # What the looks could not place tells nothing of when it was.
        placed = [one for one in own if not one.vague and first <= one.at < last]
        begins = [one.at - first for one in placed]
        lengths = [min(one.until or one.at, last) - one.at for one in placed]
        covered = _covered(placed, first, last)
        tested = len(placed) >= LEAST and covered <= MOST_OF_THE_TIME * (last - first)
        found = coincidence(begins, lengths, [mark - first for mark in marks], last - first, slack) if placed else None
        hits = found.hits if found else ()
        if tested and found:
            p[kind] = found.p
        inside = [_began_in(one.from_s, placed, slack) for one in spikes]
        hit_by[kind] = inside
        ratios = [one.p99_s / one.typical_s for one, there in zip(spikes, inside, strict=True) if there]
        # A spike belongs to the event in which it began, as long as it lasted.
        of_these = [one for one, there in zip(spikes, inside, strict=True) if there]
        slow_there = [
            not _touches(one, placed, slack)
            and not any(one.from_s < spike.to_s and one.to_s > spike.from_s for spike in of_these)
            for one in counted
        ]
        amounts = [one.amount for one in own if one.amount is not None]
        whats = [one.what for one in own if one.what]
        made.append(
            KindActivity(
                kind=kind,
                events=len(own),
                seconds=covered,
                longest_s=max(_length(one) for one in own),
                amount=sum(amounts) if amounts else None,
                what=dict(
                    sorted(((what, whats.count(what)) for what in set(whats)), key=lambda one: (-one[1], one[0]))
                ),
                exact=all(one.source != "looks" for one in own),
                tested=tested,
                hits=sum(hits),
                counted=len(placed),
                times=float(np.median(ratios)) if ratios and typical else None,
                slow_elsewhere=sum(one and there for one, there in zip(slow, slow_there, strict=True)),
                elsewhere=sum(slow_there),
                p=None,
                blamed=False,
            )
        )
    adjusted = dict(zip(p, holm(list(p.values())), strict=True))
    judged = tuple(
        msgspec.structs.replace(
            one,
            p=adjusted.get(one.kind),
            blamed=one.hits >= LEAST and adjusted.get(one.kind, 1.0) <= 1 - CONFIDENCE + 1e-12,
        )
        for one in made
    )
    blamed = [one.kind for one in judged if one.blamed]
    return judged, tuple(tuple(kind for kind in blamed if hit_by[kind][at]) for at in range(len(spikes)))


def _placed(events: Sequence[Event], run: LoadRun) -> list[Event]:
    """The events on the axis of a run; what still went on at its end ends with it."""
    assert run.at is not None
    end = run.intervals[-1].to_s if run.intervals else 0.0
    placed = []
    for one in events:
        begin = one.at - run.at
        until = max(end if one.until is None else one.until - run.at, begin)
        if until >= 0 and begin <= end:
            placed.append(msgspec.structs.replace(one, at=begin, until=until))
    return placed


def _length(one: Event) -> Seconds:
    """How long it lasted; by looks, at most."""
    return one.took_s if one.took_s is not None else (one.until or one.at) - one.at


def _interval(intervals: Sequence[LoadInterval]) -> Seconds:
    return float(np.median([one.to_s - one.from_s for one in intervals])) if intervals else 0.0


def _covered(events: Sequence[Event], first: Seconds, last: Seconds) -> Seconds:
    """Seconds in which at least one of them went on."""
    total, reached = 0.0, first
    for one in events:
        begin, until = max(one.at, reached), min(one.until or one.at, last)
        total += max(until - begin, 0.0)
        reached = max(reached, until)
    return total


def _began_in(moment: Seconds, events: Sequence[Event], slack: Seconds) -> bool:
    return any(one.at - slack <= moment <= (one.until or one.at) + slack for one in events)


def _touches(interval: LoadInterval, events: Sequence[Event], slack: Seconds) -> bool:
    return any(interval.from_s <= (one.until or one.at) + slack and interval.to_s >= one.at - slack for one in events)


def _rates(looks: Sequence[ActivityLook], of: str) -> tuple[float | None, float | None]:
    """How much a second a count grew, on average and between two looks at most."""
    known = [(one.at, value) for one in looks if (value := getattr(one, of)) is not None]
    if len(known) < 2 or known[-1][0] <= known[0][0]:
        return None, None
    times, values = np.array(known, dtype=np.float64).T
    # The last look may come close behind the one before it.
    long_enough = np.diff(times) >= _SHORTEST
    steps = np.maximum(np.diff(values), 0.0)[long_enough] / np.diff(times)[long_enough]
    mean = max(float((values[-1] - values[0]) / (times[-1] - times[0])), 0.0)
    return mean, max(float(steps.max(initial=0.0)), mean)


def _waiting(looks: Sequence[ActivityLook]) -> int | None:
    known = [one.waiting for one in looks if one.waiting is not None]
    return sum(bool(one) for one in known) if known else None


def findings(found: RunActive, run: int | None) -> Iterator[Finding]:
    """What is blamed for spikes.

    Args:
        found: of a run.
        run: its number; None where it is the only one.
    """
    name = "" if run is None else f"run {run}: "
    for one in found.kinds:
        if one.blamed:
            yield codes.L10_BLAMED.finding(
                text=f"{name}{sentence(one, found.interval_s)}",
                remedy="the tail is the server's, and belongs to the result: settle it there, or offer a load long "
                "enough to hold many",
            )
