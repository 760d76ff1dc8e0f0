"""Contention: how much of the CPU of each turn others used, and which comparisons that spoils. Pure.

What others use is no fault by itself. Turns are short and their order is random, so it falls on both sides of a
comparison, and what it does to the ratio is in the interval. It spoils a comparison where it fell on one side.

**The CPU of a turn** is what its timed executions used, and at least one CPU for as long as they lasted: an engine that
waits for a disk is not contended by a daemon that uses little. Others are processes that are neither weigh's nor a
contender's; what the hypervisor gave to other guests (steal) is counted apart and judged by the same bound.

**A turn is contended** where the share of others exceeds the bound, and amounts to more than the kernel's clock can
tell from nothing. It is named, kept, and by itself refuses nobody.

**A comparison** of a candidate with the baseline is uneven, and refused, where the shares over all turns of the two
sides differ by more than the bound, and by more than chance gives: three times the standard error that the difference
would have if the same turns had been dealt to the sides at random, which is what the order of the turns does. Turns
that follow each other are alike, and a round has one of every arm, so the true error is smaller. The same must hold for
what others used per second: a contender that computes on more CPUs has a smaller share of the same neighbour, and that
is no unevenness.

**A pair** of operation and contender is above the bound where its share over all turns is, even without the turn that
suffered most. Where no comparison of it is uneven, the verdict stands, with a warning. Executions may be far shorter
than a moment of the sampler; what happened in a moment is shared out evenly over it, which is right on average, and
averages are what is judged. Turns never share a moment.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.machine.moments import amounts, in_order
from weigh.model.timeline import ForeignProcess
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from weigh.model.sample import Sample
    from weigh.model.timeline import Watch
    from weigh.statistics.arrays import Floats


ALL = 1.0
"""A bound at which contention is allowed, whatever its size."""
TELLABLE = 0.02
"""CPU seconds of others below which no single turn is called contended: two ticks of the kernel's clock."""
WATCHED = 0.9
"""Share of an execution that must lie inside moments for it to count as watched: its ends may be cut."""
_CHANCE = 3.0
"""Standard errors of a difference between two sides up to which it is taken for chance."""


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
        wall_s: that they lasted together.
        executions, unwatched: how many there are, and how many of them the sampler did not cover.
    """

    attempt: int
    block: int
    turn: int
    began: Seconds
    ended: Seconds
    wall_s: Seconds
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
        above, above_steal: whether that is more than the bound, even without the worst turn.
        refused, stolen: whether it is the side of an uneven comparison that was disturbed more.
        turns: all of them.
        contended: those with more than the bound, the worst first.
        culprits: who used the CPU during the contended turns, or during all where the share of all is above the bound
            or refuses a verdict; the greediest first.
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
    culprits: tuple[ProcessGroup, ...] = ()

    @property
    def pair(self) -> Pair:
        """Which pair."""
        return Pair(self.operation, self.contender, self.temperature)


class Uneven(NamedTuple):
    """A comparison of which others disturbed one side more than the other.

    Attributes:
        candidate, baseline: the two sides.
        guests: whether it was other guests of the host (steal), and not other processes.
        share, beside: of the CPU of the turns of the candidate and of the baseline.
    """

    candidate: Pair
    baseline: Pair
    guests: bool
    share: float
    beside: float

    @property
    def disturbed(self) -> Pair:
        """The side that was disturbed more."""
        return self.candidate if self.share > self.beside else self.baseline


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
        apart: contenders whose server cannot be told from others.
    """

    bound: float
    baseline: str
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

    def uneven(self, baseline: str = "") -> tuple[Uneven, ...]:
        """Uneven comparisons with the baseline, or with another contender of these."""
        turns = {one.pair: one.turns for one in self.pairs}
        return tuple(_uneven(turns, self.bound, baseline or self.baseline, self.apart))


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
    uneven = list(_uneven(shares, bound, baseline, apart))
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
        apart: contenders whose server cannot be told from others.
    """
    if bound >= ALL:
        return frozenset()
    shares: dict[Pair, list[TurnShare]] = defaultdict(list)
    for samples, watches in attempts:
        for pair, turn in _turns(samples, watches):
            shares[pair].append(turn)
    return frozenset(one.candidate for one in _uneven(shares, bound, baseline, apart))


def _uneven(
    turns: Mapping[Pair, Sequence[TurnShare]], bound: float, baseline: str, apart: Collection[str]
) -> Iterator[Uneven]:
    if bound >= ALL:
        return
    for pair in sorted(turns):
        beside = pair._replace(contender=baseline)
        if pair == beside or beside not in turns:
            continue
        sides = _seen(turns[pair]), _seen(turns[beside])
        told = pair.contender not in apart and baseline not in apart
        for guests in (False, True) if told else (True,):
            if _fell_unevenly(*sides, bound, guests=guests):
                share, other = (
                    sum(_of(one, guests) for one in side) / sum(one.cpu_s for one in side) for side in sides
                )
                yield Uneven(pair, beside, guests, share, other)


def _fell_unevenly(own: Sequence[TurnShare], beside: Sequence[TurnShare], bound: float, *, guests: bool) -> bool:
    """Whether others disturbed one side more, the same one by share of its CPU and by its time."""
    if not own or not beside:
        return False
    used = [np.array([_of(turn, guests) for turn in side]) for side in (own, beside)]
    cpu = [np.array([turn.cpu_s for turn in side]) for side in (own, beside)]
    wall = [np.array([turn.wall_s for turn in side]) for side in (own, beside)]
    more = _more(used, cpu, bound)
    return more != 0 and more == _more(used, wall, bound)


def _more(used: Sequence[Floats], of: Sequence[Floats], bound: float) -> int:
    """Of which side more was used, by more than the bound and by more than chance: 1, -1 of the second, 0 of neither.

    The error is that of turns dealt at random, so it is taken from the turns of both sides together. From each side's
    own scatter, a side that by chance had no burst at all would seem to be sure of it.
    """
    share = [float(one.sum() / whole.sum()) for one, whole in zip(used, of, strict=True)]
    difference = share[0] - share[1]
    if abs(difference) <= bound:
        return 0
    sizes = [len(one) for one in used]
    common = (sizes[0] * share[0] + sizes[1] * share[1]) / sum(sizes)
    # What a turn adds to the share of its side, which is a quotient of sums; their mean is 0.
    scatter = np.concatenate([(one - common * whole) / whole.mean() for one, whole in zip(used, of, strict=True)])
    variance = float(scatter @ scatter) / (sum(sizes) - 1)
    chance = _CHANCE * math.sqrt(variance * (1 / sizes[0] + 1 / sizes[1]))
    return int(difference > chance) - int(difference < -chance)


def _of(turn: TurnShare, guests: bool) -> Seconds:
    """CPU seconds that other guests, or other processes, used."""
    return turn.steal_s if guests else turn.foreign_s


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
            wall_s=float(wall[own].sum()),
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
    *,
    refused: bool,
    stolen: bool,
) -> PairShare:
    own_only = pair.contender not in apart
    seen = _seen(turns)
    past, foreign = _past(seen, [turn.foreign_s for turn in seen], bound)
    above = past and own_only
    above_steal, steal = _past(seen, [turn.steal_s for turn in seen], bound)
    contended = [
        turn
        for turn in turns
        if bound < ALL and any(share > bound and used >= TELLABLE for share, used in _used(turn, foreign=own_only))
    ]
    at_fault = turns if refused or above else [turn for turn in contended if turn.foreign > bound]
    return PairShare(
        operation=pair.operation,
        contender=pair.contender,
        temperature=pair.temperature,
        foreign=foreign,
        steal=steal,
        above=above,
        above_steal=above_steal,
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
