"""Contended: what is said about contention, as reasons of refused verdicts and as findings. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.machine.contention import ALL, merged
from weigh.model import codes
from weigh.model.spec import CONTENTION
from weigh.model.units import count, percent, seconds
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from weigh.machine.contention import Contention, Gap, PairShare, ProcessGroup, TurnShare
    from weigh.model.finding import Finding
    from weigh.model.verdict import Reason
    from weigh.verdict.refusals import Refusals

_NAMED = 3
"""Processes, operations and turns that a text names; the JSON has them all."""


def refusals(found: Contention) -> tuple[Refusals, ...]:
    """Pairs that are refused: because of other processes, and because of other guests."""
    contended = {
        (Question(one.operation, one.temperature), one.contender): by_others(one.foreign, found.bound, one.culprits)
        for one in found.pairs
        if one.refused
    }
    stolen = {
        (Question(one.operation, one.temperature), one.contender): by_guests(one.steal, found.bound)
        for one in found.pairs
        if one.stolen
    }
    return tuple(one for one in (contended, stolen) if one)


def by_others(share: float, bound: float, culprits: Sequence[ProcessGroup], of: str = "its turns") -> Reason:
    """Why there is no verdict where other processes used more than they may.

    Args:
        share: of the CPU.
        bound: that they may use.
        culprits: who they were.
        of: whose CPU it is.
    """
    return codes.E4_CONTENDED.reason(
        f"others used {percent(share)} of the CPU of {of}, more than {percent(bound)}: {named(culprits)}"
    )


def by_guests(share: float, bound: float, of: str = "its turns") -> Reason:
    """The same where other guests of the host had it."""
    return codes.E4_STEAL.reason(
        f"the hypervisor gave {percent(share)} of the CPU of {of} to other guests, more than {percent(bound)}"
    )


def findings(found: Contention) -> Iterator[Finding]:
    """Who was disturbed, when and by whom; nothing where nobody was.

    A warning where a verdict is refused. Contended turns that are too few to refuse one are a note.
    """
    by_contender: dict[str, list[PairShare]] = defaultdict(list)
    for one in found.pairs:
        by_contender[one.contender].append(one)
    for contender, pairs in by_contender.items():
        if contender in found.apart:
            continue
        if refused := [one for one in pairs if one.refused]:
            yield _refused(contender, refused, found.bound)
        if brief := [one for one in pairs if not one.refused and any(_by_others(one, found.bound))]:
            yield _brief(contender, brief, found.bound)
    yield from _steal(found)
    yield from _apart(found, by_contender)
    yield from _allowed(found)


def gaps(found: Contention) -> tuple[str, ...]:
    """What the sampler did not cover, attempt by attempt."""
    return tuple(map(_gap, found.gaps))


def named(culprits: Sequence[ProcessGroup]) -> str:
    """The greediest with their CPU seconds: ``make (pid 4711) 3.20 s, cc1plus (12 processes) 900 ms of CPU``."""
    if not culprits:
        return "no process can be named, they ended before they were seen"
    said = ", ".join(f"{one.name} ({_who(one)}) {seconds(one.cpu_s)}" for one in culprits[:_NAMED])
    more = f", and {len(culprits) - _NAMED:,} more" if len(culprits) > _NAMED else ""
    return f"{said} of CPU{more}"


def _who(one: ProcessGroup) -> str:
    """Without an id where processes cannot be seen, as from inside a container."""
    if len(one.pids) > 1:
        return f"{len(one.pids):,} processes"
    return f"pid {one.pids[0]}" if one.pids[0] else "in no process that can be seen"


def _refused(contender: str, pairs: Sequence[PairShare], bound: float) -> Finding:
    low, high = min(one.foreign for one in pairs), max(one.foreign for one in pairs)
    share = percent(high) if percent(low) == percent(high) else f"{percent(low)} to {percent(high)}"
    contended = [turn for one in pairs for turn in _by_others(one, bound)]
    total = sum(len(one.turns) for one in pairs)
    culprits = _culprits(pairs)
    return codes.E4_CONTENDED.finding(
        "warning",
        contender=contender,
        operation=pairs[0].operation if len(pairs) == 1 else None,
        text=f"others used {share} of the CPU of its turns{_on(pairs)}, more than {percent(bound)}, so there is no "
        f"verdict: {named(culprits)}; {_turns(contended, total)}",
        remedy="stop them and run again; --contention sets another bound, and the report says so",
    )


def _brief(contender: str, pairs: Sequence[PairShare], bound: float) -> Finding:
    contended = [turn for one in pairs for turn in _by_others(one, bound)]
    total = sum(len(one.turns) for one in pairs)
    return codes.E4_CONTENDED.finding(
        "note",
        contender=contender,
        operation=pairs[0].operation if len(pairs) == 1 else None,
        text=f"others used more than {percent(bound)} of the CPU of single turns{_on(pairs)}: "
        f"{named(_culprits(pairs))}; {_turns(contended, total)}",
        remedy="nothing is left out: the turns are too few to refuse a verdict, and what they add is in its interval",
    )


def _steal(found: Contention) -> Iterator[Finding]:
    """Other guests of the same host: one finding, because nobody here is to blame."""
    stolen = [one for one in found.pairs if one.stolen]
    turns = [turn for one in found.pairs for turn in one.contended if turn.steal > found.bound]
    if not turns and not stolen:
        return
    worst = max(stolen or found.pairs, key=lambda one: one.steal)
    total = sum(len(one.turns) for one in found.pairs)
    verdict = f", so there is no verdict on {count(len(stolen), 'pair')}" if stolen else ""
    yield codes.E4_STEAL.finding(
        "warning" if stolen else "note",
        text=f"the hypervisor gave more than {percent(found.bound)} of the CPU of turns to other guests{verdict}: "
        f"{percent(worst.steal)} on {worst.operation}, {worst.contender}; {_turns(turns, total)}",
        remedy="nothing inside this machine mends it: take a host of your own, or one with fewer guests",
    )


def _apart(found: Contention, timed: Collection[str]) -> Iterator[Finding]:
    """A server that weigh did not start: it may be here, and then it looks like somebody else."""
    for contender in found.apart:
        if contender in timed:
            yield apart(contender)


def apart(contender: str | None = None) -> Finding:
    """Of one contender, or of the server of a load."""
    return codes.E4_APART.finding(
        contender=contender,
        text=f"{'its' if contender else 'the'} server is somebody else's process, which cannot be told from others "
        f"that use the machine: contention is not judged{' for it' if contender else ''}",
        remedy="let weigh start the server, or make sure by other means that nothing else runs",
    )


def _allowed(found: Contention) -> Iterator[Finding]:
    """A bound above the usual one: what came of it."""
    if found.bound <= CONTENTION or not found.pairs:
        return
    if not found.judged:
        return
    worst = max(found.judged, key=lambda one: max(one.foreign, one.steal))
    share = max(worst.foreign, worst.steal)
    yield allowed(share, found.bound, f"a pair's turns ({worst.operation}, {worst.contender})")


def allowed(share: float, bound: float, of: str) -> Finding:
    """What came of a bound above the usual one.

    Args:
        share: of the CPU that others used, where they used most.
        bound: that was declared.
        of: whose CPU it is.
    """
    size = "of any size" if bound >= ALL else f"up to {percent(bound)}"
    return codes.E4_ALLOWED.finding(
        "warning" if share > CONTENTION else "note",
        text=f"contention {size} was allowed: others used at most {percent(share)} of the CPU of {of}; without it "
        f"{percent(CONTENTION)} would be the bound",
        remedy="leave out --contention on a machine that is yours alone",
    )


def _by_others(one: PairShare, bound: float) -> Iterator[TurnShare]:
    return (turn for turn in one.contended if turn.foreign > bound)


def _culprits(pairs: Iterable[PairShare]) -> tuple[ProcessGroup, ...]:
    return merged(one for pair in pairs for one in pair.culprits)


def _on(pairs: Sequence[PairShare]) -> str:
    """``on q1, q2 and 3 more operations``; nothing where the finding's place says it."""
    if len(pairs) == 1:
        return ""
    operations = list(dict.fromkeys(one.operation for one in pairs))
    more = len(operations) - _NAMED
    return f" on {', '.join(operations[:_NAMED])}" + (f" and {count(more, 'more operation')}" if more > 0 else "")


def _turns(contended: Iterable[TurnShare], total: int) -> str:
    """``2 of 20 turns are contended: block 3 turn 7 (61.0 %), ...``."""
    worst = sorted(contended, key=lambda turn: turn.order)
    if not worst:
        return f"none of {count(total, 'turn')} is long enough to be named"
    said = ", ".join(f"{_place(turn)} ({percent(max(turn.foreign, turn.steal), 0)})" for turn in worst[:_NAMED])
    more = f" and {len(worst) - _NAMED:,} more" if len(worst) > _NAMED else ""
    return f"{len(worst):,} of {count(total, 'turn')}: {said}{more}"


def _place(turn: TurnShare) -> str:
    attempt = f"attempt {turn.attempt} " if turn.attempt > 1 else ""
    return f"{attempt}block {turn.block} turn {turn.turn}"


def _gap(gap: Gap) -> str:
    why = "".join(f"; {name}: {reason}" for name, reason in gap.unreadable)
    return (
        f"the machine was not watched during {gap.unwatched:,} of {count(gap.executions, 'timed execution')} "
        f"of attempt {gap.attempt}{why}"
    )
