"""Contention: how much of the CPU of each turn others used, and which comparisons that spoils. Pure.

What others use is no fault by itself. Turns are short and their order is random, so it falls on both sides of a
comparison, and what it does to the ratio is in the interval. It spoils a comparison where it fell on one side.

**The CPU of a turn** is what its timed executions used, and at least one CPU for as long as they lasted: an engine that
waits for a disk is not contended by a daemon that uses little. Others are processes that are neither weigh's nor a
contender's; what the hypervisor gave to other guests (steal) is counted apart and judged by the same bound.

**A turn is contended** where the share of others exceeds the bound, and amounts to more than the kernel's clock can
tell from nothing. It is named, kept, and by itself refuses nobody.

**A comparison** of which one side was disturbed more is uneven, and refused (:mod:`weigh.machine.unevenness`).

**A pair** of operation and contender is above the bound where its share over all turns is, even without the turn that
suffered most. Where no comparison of it is uneven, the verdict stands, with a warning. Executions may be far shorter
than a moment of the sampler; what happened in a moment is shared out evenly over it, which is right on average, and
averages are what is judged. Turns never share a moment.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.machine.moments import BY_OTHERS, amounts, in_order
from weigh.machine.turn_shares import Pair, TurnShare, turn_shares, watched
from weigh.machine.unevenness import ALL, Uneven, uneven_comparisons
from weigh.model.machine.timeline import ForeignProcess
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from weigh.model.machine.timeline import Watch
    from weigh.model.sample import Sample


TELLABLE = 0.02
"""CPU seconds of others below which no single turn is called contended: two ticks of the kernel's clock."""


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


class PairShare(msgspec.Struct, frozen=True, kw_only=True):
    """All turns of one pair.

    Attributes:
        operation, contender, temperature: which pair.
        foreign, steal: shares over all turns that were watched.
        above, above_steal: whether that is more than the bound, even without the worst turn.
        refused, stolen: whether it is the side of an uneven comparison that was disturbed more.
        turns: all of them.
        contended: those with more than the bound, the worst first.
        other_processes: who used the CPU during the contended turns, or during all where the share of all is above the
            bound or refuses a verdict; the greediest first.
    """

    operation: str
    contender: str
    temperature: str = "hot"
    foreign: float
    steal: float
    above: bool
    above_steal: bool
    refused: bool
    stolen: bool
    turns: tuple[TurnShare, ...]
    contended: tuple[TurnShare, ...] = ()
    other_processes: tuple[ProcessGroup, ...] = ()

    @property
    def pair(self) -> Pair:
        """Which pair."""
        return Pair(self.operation, self.contender, self.temperature)


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
        bound: share by which the turns of the sides of a comparison may differ; at ``ALL`` nothing is refused.
        baseline: with whom the others are compared.
        pairs: of everybody who was timed.
        gaps: attempts in which timed executions were not covered: number, how many of how many, and why.
        apart: contenders whose server cannot be distinguished from others.
    """

    bound: float
    baseline: str
    pairs: tuple[PairShare, ...]
    gaps: tuple[Gap, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[PairShare, ...]:
        """Pairs of contenders that can be distinguished from others."""
        return tuple(one for one in self.pairs if one.contender not in self.apart)

    @property
    def watched(self) -> bool:
        """Whether every timed execution was covered."""
        return bool(self.pairs) and not self.gaps

    def uneven(self, baseline: str = "") -> tuple[Uneven, ...]:
        """Uneven comparisons with the baseline, or with another contender of these."""
        turns = {one.pair: one.turns for one in self.pairs}
        return tuple(uneven_comparisons(turns, self.bound, baseline or self.baseline, self.apart))


def contention(
    attempts: Iterable[tuple[Sequence[Sample], Sequence[Watch]]],
    bound: float,
    baseline: str,
    apart: Collection[str] = (),
) -> Contention:
    """Share out what the sampler saw over the turns of all attempts.

    Args:
        attempts: samples and watches of each, on one clock.
        bound: share of the CPU by which the turns of the two sides of a comparison may differ.
        baseline: with whom the others are compared.
        apart: contenders whose server somebody else runs: nobody can tell it from others, so they are not judged.
    """
    shares: dict[Pair, list[TurnShare]] = defaultdict(list)
    blamed: dict[Pair, list[tuple[TurnShare, tuple[ForeignProcess, ...]]]] = defaultdict(list)
    gaps = []
    for samples, watches in attempts:
        found = turn_shares(samples, watches)
        executions = sum(turn.executions for _, turn in found)
        unwatched = sum(turn.unwatched for _, turn in found)
        if unwatched:
            reasons = {name: why for watch in watches for name, why in watch.unreadable.items()}
            of = found[0][1].attempt
            gaps.append(Gap(attempt=of, unwatched=unwatched, executions=executions, unreadable=tuple(reasons.items())))
        spans = [(turn.began, turn.ended) for _, turn in found]
        for (pair, turn), other_processes in zip(found, processes_during(spans, watches), strict=True):
            shares[pair].append(turn)
            blamed[pair].append((turn, other_processes))
    uneven = list(uneven_comparisons(shares, bound, baseline, apart))
    refused = {one.disturbed for one in uneven if not one.guests}
    stolen = {one.disturbed for one in uneven if one.guests}
    pairs = tuple(
        _judged(pair, shares[pair], blamed[pair], bound, apart, refused=pair in refused, stolen=pair in stolen)
        for pair in sorted(shares)
    )
    return Contention(bound=bound, baseline=baseline, pairs=pairs, gaps=tuple(gaps), apart=tuple(sorted(apart)))


def disturbed(
    attempts: Iterable[tuple[Sequence[Sample], Sequence[Watch]]],
    bound: float,
    baseline: str,
    apart: Collection[str] = (),
) -> frozenset[Pair]:
    """The candidates whose comparison is uneven, because of processes or of other guests.

    Args:
        attempts: samples and watches of each, on one clock.
        bound: share of the CPU by which the turns of the two sides of a comparison may differ.
        baseline: with whom the others are compared.
        apart: contenders whose server cannot be distinguished from others.
    """
    if bound >= ALL:
        return frozenset()
    shares: dict[Pair, list[TurnShare]] = defaultdict(list)
    for samples, watches in attempts:
        for pair, turn in turn_shares(samples, watches):
            shares[pair].append(turn)
    return frozenset(one.candidate for one in uneven_comparisons(shares, bound, baseline, apart))


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
    watched = [one for one in watches if one.culprits and one.moments]
    begins = np.array([one.moments[0].at for one in watched])
    ends = np.array([one.moments[-1].end for one in watched])
    whole = np.array([sum(moment.foreign or 0.0 for moment in one.moments) for one in watched])
    found: list[tuple[ForeignProcess, ...]] = [()] * len(spans)
    if not spans or not watched:
        return found
    span_begins, span_ends = np.array(spans, dtype=np.float64).T
    # Events come in order of time, so that those that meet a span lie together; whoever edited the order loses none.
    first = np.searchsorted(np.maximum.accumulate(ends), span_begins, side="right")
    after = np.searchsorted(np.minimum.accumulate(begins[::-1])[::-1], span_ends, side="left")
    near = [(of, at) for of, (low, high) in enumerate(zip(first, after, strict=True)) for at in range(low, high)]
    which, at = np.array(near, dtype=np.int64).reshape(-1, 2).T
    meets = (begins[at] < span_ends[which]) & (ends[at] > span_begins[which])
    which, at = which[meets], at[meets]
    low, high = np.maximum(begins[at], span_begins[which]), np.minimum(ends[at], span_ends[which])
    part = amounts(in_order(watched), BY_OTHERS, low, high - low)
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = np.where(whole[at] > 0, part / whole[at], 0.0)
    for of, number, weight in zip(which, at, weights, strict=True):
        if weight > 0:
            other_processes = watched[number].culprits
            found[of] += tuple(msgspec.structs.replace(one, cpu_s=one.cpu_s * float(weight)) for one in other_processes)
    return found


def _judged(
    pair: Pair,
    turns: Sequence[TurnShare],
    blamed: Sequence[tuple[TurnShare, tuple[ForeignProcess, ...]]],
    bound: float,
    apart: Collection[str],
    *,
    refused: bool,
    stolen: bool,
) -> PairShare:
    weigh_alone = pair.contender not in apart
    complete = watched(turns)
    past, share_of_others = _past(complete, [turn.foreign_s for turn in complete], bound)
    above = past and weigh_alone
    above_steal, steal = _past(complete, [turn.steal_s for turn in complete], bound)
    contended = [
        turn
        for turn in turns
        if bound < ALL and any(share > bound and used >= TELLABLE for share, used in _used(turn, foreign=weigh_alone))
    ]
    at_fault = turns if refused or above else [turn for turn in contended if turn.foreign > bound]
    return PairShare(
        operation=pair.operation,
        contender=pair.contender,
        temperature=pair.temperature,
        foreign=share_of_others,
        steal=steal,
        above=above,
        above_steal=above_steal,
        refused=refused,
        stolen=stolen,
        turns=tuple(turns),
        contended=tuple(sorted(contended, key=lambda turn: turn.order)),
        other_processes=by_name(one for turn, other_processes in blamed if turn in at_fault for one in other_processes),
    )


def _used(turn: TurnShare, *, foreign: bool) -> tuple[tuple[float, float], ...]:
    """Shares of others and their CPU seconds; of processes only where they can be told from the contender's."""
    steal = ((turn.steal, turn.steal_s),)
    return ((turn.foreign, turn.foreign_s), *steal) if foreign else steal


def _past(turns: Sequence[TurnShare], used: Sequence[float], bound: float) -> tuple[bool, float]:
    """Whether the share exceeds the bound even without the worst turn, and the share over all turns."""
    if not turns:
        return False, 0.0
    worst = max(range(len(turns)), key=lambda at: used[at] - bound * turns[at].cpu_s)
    rest = sum(turn.cpu_s for turn in turns) - turns[worst].cpu_s
    share = sum(used) / sum(turn.cpu_s for turn in turns)
    return bound < ALL and share > bound and sum(used) - used[worst] > bound * rest, share


def by_name(other_processes: Iterable[ForeignProcess]) -> tuple[ProcessGroup, ...]:
    """What the processes of each name used over several events, the greediest first."""
    used: dict[str, float] = defaultdict(float)
    pids: dict[str, set[int]] = defaultdict(set)
    for one in other_processes:
        used[one.name] += one.cpu_s
        pids[one.name].add(one.pid)
    found = [ProcessGroup(name=name, cpu_s=cpu_s, pids=tuple(sorted(pids[name]))) for name, cpu_s in used.items()]
    return tuple(sorted(found, key=lambda one: (-one.cpu_s, one.name)))


def merged(found: Iterable[ProcessGroup]) -> tuple[ProcessGroup, ...]:
    """Groups of several comparisons as one list; a process that disturbed two of them counts in both."""
    return by_name(
        ForeignProcess(pid=pid, name=one.name, cpu_s=one.cpu_s / len(one.pids)) for one in found for pid in one.pids
    )
