"""Contention: how much of the CPU of each turn others used, and which comparisons that spoils. Pure.

**The CPU of a turn** is what its timed executions used, and at least one CPU for as long as they lasted: an engine that
waits for a disk is not contended by a daemon that uses little. Others are processes that are neither weigh's nor a
contender's; what the hypervisor gave to other guests (steal) is counted apart and judged by the same bound.

**A turn is contended** where the share of others exceeds the bound, and amounts to more than the kernel's clock can
tell from nothing. It is named, kept, and by itself refuses nobody.

**A pair** of operation and contender is refused where the share over all its turns exceeds the bound even without the
turn that suffered most. One short blip can therefore not refuse it, whatever its size: what it does to the ratio is in
the interval. Executions may be far shorter than a moment of the sampler; what happened in a moment is shared out evenly
over it, which is right on average, and averages are what pairs are judged by. Turns never share a moment.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.machine.moments import amounts, in_order
from weigh.model.timeline import ForeignProcess
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from weigh.model.sample import Sample
    from weigh.model.timeline import Watch


ALL = 1.0
"""A bound at which contention is allowed, whatever its size."""
TELLABLE = 0.02
"""CPU seconds of others below which no single turn is called contended: two ticks of the kernel's clock."""
WATCHED = 0.9
"""Share of an execution that must lie inside moments for it to count as watched: its ends may be cut."""


class Pair(NamedTuple):
    """Whose executions: one contender on one operation at one temperature."""

    operation: str
    contender: str
    temperature: str = "hot"


class ProcessGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Foreign processes of one name: a job is often many short ones.

    Attributes:
        name: as the kernel knows it.
        cpu_s: CPU seconds of all of them.
        pids: their ids, ascending.
    """

    name: str
    cpu_s: Seconds
    pids: tuple[int, ...]


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """What others used during a stretch of time, in CPU seconds.

    Attributes:
        cpu_s: the CPU that the stretch is judged by.
        foreign_s, steal_s: of others, and of the hypervisor for others.
    """

    cpu_s: Seconds
    foreign_s: Seconds
    steal_s: Seconds

    @property
    def foreign(self) -> float:
        """Share of that CPU that others used."""
        return self.foreign_s / self.cpu_s

    @property
    def steal(self) -> float:
        """Share of that CPU that the hypervisor gave to other guests."""
        return self.steal_s / self.cpu_s


class TurnShare(Used, frozen=True, kw_only=True):
    """What others used during the timed executions of one turn.

    Attributes:
        attempt, block, turn: which turn.
        began, ended: of its first and last timed execution, seconds since the attempt began.
        executions, unwatched: how many there are, and how many of them the sampler did not cover.
    """

    attempt: int
    block: int
    turn: int
    began: Seconds
    ended: Seconds
    executions: int
    unwatched: int

    @property
    def order(self) -> tuple[float, int, int, int]:
        """The worst first; those that are equal but for rounding in the order of time."""
        return -round(max(self.foreign, self.steal), 6), self.attempt, self.block, self.turn


class PairShare(msgspec.Struct, frozen=True, kw_only=True):
    """All turns of one pair.

    Attributes:
        operation, contender, temperature: which pair.
        foreign, steal: shares over all turns that were watched.
        refused, stolen: whether that is more than the bound, even without the worst turn.
        turns: all of them.
        contended: those with more than the bound, the worst first.
        culprits: who used the CPU during the contended turns, or during all where the pair is refused; the greediest
            first.
    """

    operation: str
    contender: str
    temperature: str = "hot"
    foreign: float
    steal: float
    refused: bool
    stolen: bool
    turns: tuple[TurnShare, ...]
    contended: tuple[TurnShare, ...] = ()
    culprits: tuple[ProcessGroup, ...] = ()


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Timed executions of an attempt that the sampler did not cover.

    Attributes:
        attempt: its number.
        unwatched, executions: how many of how many.
        unreadable: what the sampler said it could not read.
    """

    attempt: int
    unwatched: int
    executions: int
    unreadable: tuple[tuple[str, str], ...] = ()


class Contention(msgspec.Struct, frozen=True, kw_only=True):
    """What the sampler's moments say about others.

    Attributes:
        bound: share of a turn's CPU that others may use; at ``ALL`` nothing is refused.
        pairs: of everybody who was timed.
        gaps: attempts in which timed executions were not covered: number, how many of how many, and why.
        apart: contenders whose server cannot be told from others.
    """

    bound: float
    pairs: tuple[PairShare, ...]
    gaps: tuple[Gap, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[PairShare, ...]:
        """Pairs of contenders that can be told from others."""
        return tuple(one for one in self.pairs if one.contender not in self.apart)

    @property
    def watched(self) -> bool:
        """Whether every timed execution was covered."""
        return bool(self.pairs) and not self.gaps


def contention(
    attempts: Iterable[tuple[Sequence[Sample], Sequence[Watch]]], bound: float, apart: Collection[str] = ()
) -> Contention:
    """Share out what the sampler saw over the turns of all attempts.

    Args:
        attempts: samples and watches of each, on one clock.
        bound: share of a turn's CPU that others may use.
        apart: contenders whose server somebody else runs: nobody can tell it from others, so they are not judged.
    """
    shares: dict[Pair, list[TurnShare]] = defaultdict(list)
    blamed: dict[Pair, list[tuple[TurnShare, tuple[ForeignProcess, ...]]]] = defaultdict(list)
    gaps = []
    for samples, watches in attempts:
        found = _turns(samples, watches)
        executions = sum(turn.executions for _, turn in found)
        unwatched = sum(turn.unwatched for _, turn in found)
        if unwatched:
            reasons = {name: why for watch in watches for name, why in watch.unreadable.items()}
            of = found[0][1].attempt
            gaps.append(Gap(attempt=of, unwatched=unwatched, executions=executions, unreadable=tuple(reasons.items())))
        spans = [(turn.began, turn.ended) for _, turn in found]
        for (pair, turn), culprits in zip(found, processes_during(spans, watches), strict=True):
            shares[pair].append(turn)
            blamed[pair].append((turn, culprits))
    pairs = tuple(_judged(pair, shares[pair], blamed[pair], bound, apart) for pair in sorted(shares))
    return Contention(bound=bound, pairs=pairs, gaps=tuple(gaps), apart=tuple(sorted(apart)))


def disturbed(
    attempts: Iterable[tuple[Sequence[Sample], Sequence[Watch]]], bound: float, apart: Collection[str] = ()
) -> frozenset[Pair]:
    """The pairs that :func:`contention` refuses, because of processes or of other guests.

    Args:
        attempts: samples and watches of each, on one clock.
        bound: share of a turn's CPU that others may use.
        apart: contenders whose server cannot be told from others.
    """
    if bound >= ALL:
        return frozenset()
    shares: dict[Pair, list[TurnShare]] = defaultdict(list)
    for samples, watches in attempts:
        for pair, turn in _turns(samples, watches):
            shares[pair].append(turn)
    return frozenset(
        pair for pair, turns in shares.items() if _foreign(pair, turns, bound, apart)[0] or _stolen(turns, bound)[0]
    )


def _turns(samples: Sequence[Sample], watches: Sequence[Watch]) -> list[tuple[Pair, TurnShare]]:
    """Every turn with a timed execution, in the order of time."""
    timed = [one for one in samples if one.timed and one.wall_s]
    moments = in_order(watches)
    begin = np.array([one.at for one in timed])
    wall = np.array([one.wall_s for one in timed], dtype=np.float64)
    foreign = amounts(moments, lambda moment: moment.foreign, begin, wall)
    steal = amounts(moments, lambda moment: moment.steal, begin, wall)
    covered = amounts(moments, lambda moment: None if moment.foreign is None else moment.span, begin, wall)
    # A cold turn has executions at two temperatures.
    rows: dict[tuple[int, int, int, str], list[int]] = defaultdict(list)
    for at, one in enumerate(timed):
        rows[one.attempt, one.block, one.turn, one.temperature].append(at)
    found = []
    for (attempt, block, turn, _), own in sorted(rows.items()):
        first = timed[own[0]]
        used = sum(timed[at].cpu_s or 0.0 for at in own)
        share = TurnShare(
            attempt=attempt,
            block=block,
            turn=turn,
            began=float(begin[own].min()),
            ended=float((begin[own] + wall[own]).max()),
            cpu_s=max(used, float(wall[own].sum())),
            foreign_s=float(foreign[own].sum()),
            steal_s=float(steal[own].sum()),
            executions=len(own),
            unwatched=int((covered[own] < WATCHED * wall[own]).sum()),
        )
        found.append((Pair(first.operation, first.contender, first.temperature), share))
    return found


def processes_during(
    spans: Sequence[tuple[Seconds, Seconds]], watches: Sequence[Watch]
) -> list[tuple[ForeignProcess, ...]]:
    """Who used the CPU during each turn, or any other span of time.

    An event covers what came before its turn, and several turns where these are short: a process has the part of its
    seconds that others' use in the turn has of others' use in the event.

    Args:
        spans: from when to when, seconds since the attempt began.
        watches: of the attempt.
    """
    seen = [one for one in watches if one.culprits and one.moments]
    begins = np.array([one.moments[0].at for one in seen])
    ends = np.array([one.moments[-1].end for one in seen])
    whole = np.array([sum(moment.foreign or 0.0 for moment in one.moments) for one in seen])
    found: list[tuple[ForeignProcess, ...]] = [()] * len(spans)
    pairs = [
        (of, at) for of, (began, ended) in enumerate(spans) for at in np.flatnonzero((begins < ended) & (ends > began))
    ]
    if not pairs:
        return found
    which, at = np.array(pairs).T
    low = np.maximum(begins[at], np.array([began for began, _ in spans])[which])
    high = np.minimum(ends[at], np.array([ended for _, ended in spans])[which])
    part = amounts(in_order(seen), lambda moment: moment.foreign, low, high - low)
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = np.where(whole[at] > 0, part / whole[at], 0.0)
    for of, number, weight in zip(which, at, weights, strict=True):
        if weight > 0:
            culprits = seen[number].culprits
            found[of] += tuple(msgspec.structs.replace(one, cpu_s=one.cpu_s * float(weight)) for one in culprits)
    return found


def _judged(
    pair: Pair,
    turns: Sequence[TurnShare],
    blamed: Sequence[tuple[TurnShare, tuple[ForeignProcess, ...]]],
    bound: float,
    apart: Collection[str],
) -> PairShare:
    own_only = pair.contender not in apart
    refused, foreign = _foreign(pair, turns, bound, apart)
    stolen, steal = _stolen(turns, bound)
    contended = [
        turn
        for turn in turns
        if bound < ALL and any(share > bound and used >= TELLABLE for share, used in _used(turn, foreign=own_only))
    ]
    at_fault = turns if refused else [turn for turn in contended if turn.foreign > bound]
    return PairShare(
        operation=pair.operation,
        contender=pair.contender,
        temperature=pair.temperature,
        foreign=foreign,
        steal=steal,
        refused=refused,
        stolen=stolen,
        turns=tuple(turns),
        contended=tuple(sorted(contended, key=lambda turn: turn.order)),
        culprits=by_name(one for turn, culprits in blamed if turn in at_fault for one in culprits),
    )


def _used(turn: TurnShare, *, foreign: bool) -> tuple[tuple[float, float], ...]:
    """Shares of others and their CPU seconds; of processes only where they can be told from the contender's."""
    steal = ((turn.steal, turn.steal_s),)
    return ((turn.foreign, turn.foreign_s), *steal) if foreign else steal


def _foreign(pair: Pair, turns: Sequence[TurnShare], bound: float, apart: Collection[str]) -> tuple[bool, float]:
    """Whether a pair is refused because of other processes, and their share."""
    seen = _seen(turns)
    past, share = _past(seen, [turn.foreign_s for turn in seen], bound)
    return past and pair.contender not in apart, share


def _stolen(turns: Sequence[TurnShare], bound: float) -> tuple[bool, float]:
    """Whether it is refused because of other guests, and their share."""
    seen = _seen(turns)
    return _past(seen, [turn.steal_s for turn in seen], bound)


def _seen(turns: Sequence[TurnShare]) -> list[TurnShare]:
    """What nobody watched is no sign of peace."""
    return [turn for turn in turns if turn.unwatched < turn.executions]


def _past(turns: Sequence[TurnShare], used: Sequence[float], bound: float) -> tuple[bool, float]:
    """Whether the share exceeds the bound even without the worst turn, and the share over all turns."""
    if not turns:
        return False, 0.0
    worst = max(range(len(turns)), key=lambda at: used[at] - bound * turns[at].cpu_s)
    rest = sum(turn.cpu_s for turn in turns) - turns[worst].cpu_s
    share = sum(used) / sum(turn.cpu_s for turn in turns)
    return bound < ALL and share > bound and sum(used) - used[worst] > bound * rest, share


def by_name(culprits: Iterable[ForeignProcess]) -> tuple[ProcessGroup, ...]:
    """What the processes of each name used over several events, the greediest first."""
    used: dict[str, float] = defaultdict(float)
    pids: dict[str, set[int]] = defaultdict(set)
    for one in culprits:
        used[one.name] += one.cpu_s
        pids[one.name].add(one.pid)
    found = [ProcessGroup(name=name, cpu_s=cpu_s, pids=tuple(sorted(pids[name]))) for name, cpu_s in used.items()]
    return tuple(sorted(found, key=lambda one: (-one.cpu_s, one.name)))


def merged(found: Iterable[ProcessGroup]) -> tuple[ProcessGroup, ...]:
    """The same over several pairs."""
    return by_name(
        ForeignProcess(pid=pid, name=one.name, cpu_s=one.cpu_s / len(one.pids)) for one in found for pid in one.pids
    )
