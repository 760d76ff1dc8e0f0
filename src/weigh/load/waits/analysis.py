"""What a run's sessions waited for: shares of the samples, the hottest lock and table, and who was in the way.

A share is a ratio of two counts that come together from each look: sessions in that wait over active ones. Its error is
that of a ratio of means (Cochran, Sampling Techniques, 1977, 6.4), with the mean of the residuals taken as a correlated
series (docs/concept/series.md): sessions of one look, and looks one after another, are not independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.spec import CONFIDENCE
from weigh.load.waits.model import Blocked, Source, Whose
from weigh.model import codes
from weigh.model.units import Seconds, count
from weigh.statistics.series.correlated_mean import mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from weigh.load.waits.model import RunWaits, Waits, WaitSample
    from weigh.model.finding import Finding

LEAST_LOOKS = 20
"""Looks that met an active session, below which no share is given."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """One wait event among the active samples.

    Attributes:
        event: wait event with its type, or ``CPU``.
        samples: how often an active session was observed in it.
        share: of all active sessions that were observed.
        low, high: interval of the share; None where the looks do not give one.
    """

    event: str
    samples: int
    share: float
    low: float | None = None
    high: float | None = None


class Hot(msgspec.Struct, frozen=True, kw_only=True):
    """A lock or a table that was waited for most.

    Attributes:
        lock: type of the lock; empty of a table.
        mode: mode of the lock; empty of a table.
        table: name of the table with its schema; empty where it is not known.
        sources: of how many of the waits the table is known by ``lock``, ``row``, ``held`` or ``statement``.
        samples: waits for it.
        of: waits for any lock.
    """

    lock: str = ""
    mode: str = ""
    table: str = ""
    sources: dict[Source, int] = msgspec.field(name="told", default={})
    samples: int
    of: int


class Root(msgspec.Struct, frozen=True, kw_only=True):
    """Who stood at the head of queues most often.

    Attributes:
        statement: that the session was at; empty where it is not known.
        state: of the session.
        whose: whose it is: of the load, of the server itself, of somebody else, or a prepared transaction; empty where
            it was gone when the server was asked.
        name: of somebody else's session: what it calls itself.
        samples: waits behind it.
    """

    statement: str
    state: str
    whose: Whose
    name: str
    samples: int


class StatementWaits(msgspec.Struct, frozen=True, kw_only=True):
    """One statement of the load.

    Attributes:
        statement: without its literals.
        samples: how often it was observed executing.
        events: what it was waiting for then, the most frequent first, and how often.
    """

    statement: str
    samples: int
    events: dict[str, int]


class RunWaited(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported of the waits of one run.

    Attributes:
        looks: how often the sessions were looked at.
        met: looks that met an active session.
        active: active sessions, over all looks.
        idle_in_transaction: sessions that waited for the load inside a transaction, over all looks.
        connections: sessions of the load, over all looks.
        resolved: whether so many looks give shares.
        shares: by wait event, the largest first; empty where they are not resolved.
        statements: the most active statements, at most 20.
        lock: the lock that was waited for most; this and what follows over the whole run.
        table: the table that was waited for most.
        roots: who was in the way, the most frequent first.
        longest: the wait that had lasted longest when it was observed.
        deepest: the wait with most sessions before it.
        vacuuming: what autovacuum did, and in how many looks.
        checkpoints: counted by the server; None where it does not tell.
        seconds: from the first look to the last.
        query_s: spent on waiting for the server's answers, over all looks of the run.
        cpu_s: CPU time of the sampler.
        server_cpu_s: CPU time of its session in the server; None where that cannot be read.
        longest_look_s: the look that took the server longest to answer.
    """

    looks: int
    met: int
    active: int
    idle_in_transaction: int
    connections: int
    resolved: bool
    shares: tuple[Share, ...]
    statements: tuple[StatementWaits, ...]
    lock: Hot | None
    table: Hot | None
    roots: tuple[Root, ...]
    longest: Blocked | None
    deepest: Blocked | None
    vacuuming: dict[str, int]
    checkpoints: int | None
    seconds: Seconds
    query_s: Seconds = msgspec.field(name="asked_s")
    cpu_s: Seconds
    server_cpu_s: Seconds | None
    longest_look_s: Seconds

    @property
    def waits(self) -> int:
        """Waits for a lock that were looked into."""
        return sum(one.samples for one in self.roots)


def waited(sampled: Sequence[RunWaits], run: int, cut: Seconds) -> RunWaited | None:
    """What is reported of one run; None where nobody looked.

    Args:
        sampled: of all runs.
        run: number of the run.
        cut: seconds at its beginning that do not count. Parts that began in them are left out of what is told of active
            sessions, and not of what is told of locks and of the cost.
    """
    parts = [one.waits for one in sampled if one.run == run]
    if not any(one.looks for one in parts):
        return None
    parts_counted = [one for one in parts if one.looks and one.looks[0].at >= cut]
    looks = [look for one in parts_counted for look in one.looks]
    everything = [look for one in parts for look in one.looks]
    met = sum(bool(look.active) for look in looks)
    resolved = met >= LEAST_LOOKS
    # Who was in the way is no figure: a queue at the beginning may be why it is taken for warm-up.
    blocked = [one for part in parts for one in part.blocked]
    vacuuming = [what for look in everything for what in look.vacuuming]
    cpu = [one.server_cpu_s for one in parts if one.server_cpu_s is not None]
    return RunWaited(
        looks=len(looks),
        met=met,
        active=sum(sum(look.active.values()) for look in looks),
        idle_in_transaction=sum(look.idle_in_transaction for look in looks),
        connections=sum(look.connections for look in looks),
        resolved=resolved,
        shares=tuple(_shares(looks)) if resolved else (),
        statements=tuple(_statements(parts_counted)),
        lock=_hottest(blocked, lambda one: (one.lock, one.mode, one.table)),
        table=_hottest(blocked, lambda one: ("", "", one.table)),
        roots=tuple(_roots(blocked)),
        longest=max(
            (one for one in blocked if one.longest_s is not None), key=lambda one: one.longest_s or 0.0, default=None
        ),
        deepest=max(blocked, key=lambda one: one.ahead, default=None),
        vacuuming={what: vacuuming.count(what) for what in dict.fromkeys(vacuuming)},
        checkpoints=next((one.checkpoints for one in reversed(parts) if one.checkpoints is not None), None),
        seconds=everything[-1].at - everything[0].at,
        query_s=sum(one.query_s for one in parts),
        cpu_s=sum(one.cpu_s for one in parts),
        server_cpu_s=sum(cpu) if cpu else None,
        longest_look_s=max(look.took_s for look in everything),
    )


def findings(found: RunWaited, run: int | None) -> Iterator[Finding]:
    """Somebody else's session was in the way of the load.

    Args:
        found: of a run.
        run: its number; None where it is the only one.
    """
    name = "" if run is None else f"run {run}: "
    others = [one for one in found.roots if one.whose in ("other", "prepared")]
    if others:
        whose = dict.fromkeys(_called(one) for one in others)
        samples = sum(one.samples for one in others)
        yield codes.E4_BLOCKER.finding(
            text=f"{name}sessions of somebody else ({', '.join(whose)}) held locks that the load waited for: "
            f"{samples:,} of {count(found.waits, 'wait')} for a lock were behind them",
            remedy="end what they do, or run again without it: their work is in the response times",
        )


def _called(one: Root) -> str:
    return one.name or ("a prepared transaction" if one.whose == "prepared" else "a session without a name")


def _shares(looks: Sequence[WaitSample]) -> Iterator[Share]:
    events = _counted((event, times) for look in looks for event, times in look.active.items())
    each = [sum(look.active.values()) for look in looks]
    whole = sum(each)
    for event, samples in events.items():
        share = samples / whole
        # What this look has more of it than its share: its mean is 0, and its error that of the share.
        over = [
            (look.active.get(event, 0) - share * active) * len(looks) / whole
            for look, active in zip(looks, each, strict=True)
        ]
        found = mean(over, confidence=CONFIDENCE, intervals=True)
        low = high = None
        if found.low is not None and found.high is not None:
            low, high = max(share + found.low, 0.0), min(share + found.high, 1.0)
        yield Share(event=event, samples=samples, share=share, low=low, high=high)


def _statements(parts: Iterable[Waits]) -> Iterator[StatementWaits]:
    found: dict[str, list[tuple[str, int]]] = {}
    for part in parts:
        for statement, events in part.statements.items():
            found.setdefault(statement, []).extend(events.items())
    counted = {statement: _counted(events) for statement, events in found.items()}
    for statement, events in sorted(counted.items(), key=lambda one: (-sum(one[1].values()), one[0])):
        yield StatementWaits(statement=statement, samples=sum(events.values()), events=events)


def _counted(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Sums by name, the largest first."""
    sums: dict[str, int] = {}
    for name, times in pairs:
        sums[name] = sums.get(name, 0) + times
    return dict(sorted(sums.items(), key=lambda one: (-one[1], one[0])))


def _hottest(blocked: Sequence[Blocked], key: Callable[[Blocked], tuple[str, str, str]]) -> Hot | None:
    """The lock or the table that most waits were for; None where there was none, or none whose table is known."""
    sums: dict[tuple[str, str, str], int] = {}
    for one in blocked:
        if any(key(one)):
            sums[key(one)] = sums.get(key(one), 0) + one.times
    if not sums:
        return None
    hot = min(sums, key=lambda one: (-sums[one], one))
    by_origin: dict[Source, int] = {}
    for one in blocked:
        if key(one) == hot and one.source:
            by_origin[one.source] = by_origin.get(one.source, 0) + one.times
    whole = sum(one.times for one in blocked)
    return Hot(lock=hot[0], mode=hot[1], table=hot[2], sources=by_origin, samples=sums[hot], of=whole)


def _roots(blocked: Iterable[Blocked]) -> Iterator[Root]:
    sums: dict[tuple[str, str, Whose, str], int] = {}
    for one in blocked:
        key = (one.root, one.root_state, one.root_whose, one.root_name)
        sums[key] = sums.get(key, 0) + one.times
    for (statement, state, whose, name), samples in sorted(sums.items(), key=lambda one: (-one[1], one[0])):
        yield Root(statement=statement, state=state, whose=whose, name=name, samples=samples)
