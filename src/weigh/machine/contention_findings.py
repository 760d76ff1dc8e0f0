"""Contended: what is reported about contention, as reasons of refused verdicts and as findings. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.machine.contention import merged
from weigh.machine.unevenness import ALL
from weigh.model import codes
from weigh.model.spec import CONTENTION
from weigh.model.units import count, cpu_of_others, percent, seconds
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from weigh.machine.contention import Contention, Gap, PairShare, ProcessGroup
    from weigh.machine.turn_shares import TurnShare
    from weigh.machine.unevenness import Uneven
    from weigh.model.finding import Finding
    from weigh.model.verdict import Reason
    from weigh.verdict.refusals import Refusals

_NAMED = 3
"""Processes, operations and turns that a text names; the JSON has them all."""


def refusals(found: Contention, baseline: str = "") -> tuple[Refusals, ...]:
    """Comparisons that are refused: because of other processes, and because of other guests.

    Args:
        found: what others used.
        baseline: with whom the others are compared, where that is not the baseline of the experiment.
    """
    other_processes = {one.pair: one.other_processes for one in found.pairs}
    uneven = found.uneven(baseline)
    kinds = ([one for one in uneven if one.guests is guests] for guests in (False, True))
    return tuple(
        {
            (Question(one.candidate.operation, one.candidate.temperature), one.candidate.contender): _why(
                one, found.bound, other_processes[one.disturbed]
            )
            for one in kind
        }
        for kind in kinds
        if kind
    )


def _why(one: Uneven, bound: float, other_processes: Sequence[ProcessGroup]) -> Reason:
    guests = " to other guests" if one.guests else ""
    both = f"of the CPU of its turns{guests} and {percent(one.baseline_share)} of those of "
    apart = f"{one.baseline.contender}, more than {percent(bound)} apart"
    if one.guests:
        return codes.E4_STEAL.reason(f"the hypervisor gave {percent(one.share)} {both}{apart}")
    return codes.E4_CONTENDED.reason(f"others used {percent(one.share)} {both}{apart}: {named(other_processes)}")


def by_others(share: float, bound: float, other_processes: Sequence[ProcessGroup], of: str) -> Reason:
    """Why something is refused where other processes used more than they may.

    Args:
        share: of the CPU.
        bound: that they may use.
        other_processes: who they were.
        of: whose CPU it is.
    """
    used = cpu_of_others(share, f"the CPU of {of}", of)
    return codes.E4_CONTENDED.reason(f"others used {used}, more than {percent(bound)}: {named(other_processes)}")


def by_guests(share: float, bound: float, of: str) -> Reason:
    """The same where other guests of the host had it."""
    return codes.E4_STEAL.reason(
        f"the hypervisor gave {percent(share)} of the CPU of {of} to other guests, more than {percent(bound)}"
    )


def findings(found: Contention) -> Iterator[Finding]:
    """Who was disturbed, when and by whom; nothing where nobody was.

    A warning where a verdict is refused, and where others used more than the bound of both sides alike. Contended turns
    that are too few for either are a note.
    """
    uneven = found.uneven()
    by_contender: dict[str, list[PairShare]] = defaultdict(list)
    for one in found.pairs:
        by_contender[one.contender].append(one)
    for contender, pairs in by_contender.items():
        if contender in found.apart:
            continue
        if refused := [one for one in pairs if one.refused]:
            yield _refused(contender, refused, [one for one in uneven if not one.guests], found.bound)
        if brief := [one for one in pairs if not (one.refused or one.above) and any(_by_others(one, found.bound))]:
            yield _brief(contender, brief, found.bound)
    if busy := _alike(found.judged, "above", [one for one in uneven if not one.guests]):
        yield _busy(busy, found)
    yield from _steal(found, [one for one in uneven if one.guests])
    yield from _apart(found, by_contender)
    yield from _allowed(found)


def gaps(found: Contention) -> tuple[str, ...]:
    """What the sampler did not cover, attempt by attempt."""
    return tuple(map(_gap, found.gaps))


def named(other_processes: Sequence[ProcessGroup]) -> str:
    """The greediest with their CPU seconds: ``make (pid 4711) 3.20 s, cc1plus (12 processes) 900 ms of CPU``."""
    if not other_processes:
        return "no process can be named, they ended before they were observed"
    listed = ", ".join(f"{one.name} ({_who(one)}) {seconds(one.cpu_s)}" for one in other_processes[:_NAMED])
    more = f", and {len(other_processes) - _NAMED:,} more" if len(other_processes) > _NAMED else ""
    return f"{listed} of CPU{more}"


def _who(one: ProcessGroup) -> str:
    """Without an id where processes cannot be observed, as from inside a container."""
    if len(one.pids) > 1:
        return f"{len(one.pids):,} processes"
    return f"pid {one.pids[0]}" if one.pids[0] else "in no process that can be observed"


def _alike(pairs: Iterable[PairShare], above: str, uneven: Sequence[Uneven]) -> list[PairShare]:
    """Those above the bound that are no side of an uneven comparison."""
    sides = {side for one in uneven for side in (one.candidate, one.baseline)}
    return [one for one in pairs if getattr(one, above) and one.pair not in sides]


def _refused(contender: str, pairs: Sequence[PairShare], uneven: Sequence[Uneven], bound: float) -> Finding:
    contended = [turn for one in pairs for turn in _by_others(one, bound)]
    total = sum(len(one.turns) for one in pairs)
    return codes.E4_CONTENDED.finding(
        "warning",
        contender=contender,
        operation=pairs[0].operation if len(pairs) == 1 else None,
        text=f"others used {_span(one.foreign for one in pairs)} of the CPU of its turns{_on(pairs)} and "
        f"{_less(pairs, uneven)}, more than {percent(bound)} apart, so there is no verdict: "
        f"{named(_processes_of(pairs))}; {_turns(contended, total)}",
        remedy="stop them and run again; --contention sets another bound, and the report says so",
    )


def _less(pairs: Sequence[PairShare], uneven: Sequence[Uneven]) -> str:
    """What the other sides of uneven comparisons had of it: ``0.2 % of those of base``."""
    disturbed = {one.pair for one in pairs}
    sides = [
        (one.baseline.contender, one.baseline_share)
        if one.disturbed == one.candidate
        else (one.candidate.contender, one.share)
        for one in uneven
        if one.disturbed in disturbed
    ]
    return f"{_span(share for _, share in sides)} of those of {_listed([name for name, _ in sides], 'contender')}"


def _span(shares: Iterable[float]) -> str:
    """``3.0 %`` or ``3.0 % to 8.0 %``."""
    each = list(shares)
    low, high = percent(min(each)), percent(max(each))
    return high if low == high else f"{low} to {high}"


def _busy(pairs: Sequence[PairShare], found: Contention) -> Finding:
    """One finding: a busy machine is everybody's."""
    worst = max(pairs, key=lambda one: one.foreign)
    return codes.E4_CONTENDED.finding(
        "warning",
        text=f"others used up to {percent(worst.foreign)} of the CPU of turns ({worst.operation}, {worst.contender}), "
        f"{_on_how_many(pairs, found)}: {named(_processes_of(pairs))}",
        remedy="stop them, or run on a quiet machine; what a busy one does to the ratio of two programs "
        "need not hold on another",
    )


def _on_how_many(pairs: Sequence[PairShare], found: Contention) -> str:
    """``more than 5.0 % on 3 of 8 pairs, on both sides alike: ...``."""
    text = f"more than {percent(found.bound)} on {len(pairs)} of {count(len(found.pairs), 'pair')}"
    if all(one.contender == found.baseline for one in found.pairs):
        return f"{text}; the times are those of a busy machine"
    return f"{text}, on both sides alike, so the ratios are those of a busy machine"


def _brief(contender: str, pairs: Sequence[PairShare], bound: float) -> Finding:
    contended = [turn for one in pairs for turn in _by_others(one, bound)]
    total = sum(len(one.turns) for one in pairs)
    return codes.E4_CONTENDED.finding(
        "note",
        contender=contender,
        operation=pairs[0].operation if len(pairs) == 1 else None,
        text=f"others used more than {percent(bound)} of the CPU of single turns{_on(pairs)}: "
        f"{named(_processes_of(pairs))}; {_turns(contended, total)}",
        remedy="nothing is left out: the turns are too few to refuse a verdict, and what they add is in its interval",
    )


def _steal(found: Contention, uneven: Sequence[Uneven]) -> Iterator[Finding]:
    """Other guests of the same host: not one for each contender, because nobody here is to blame."""
    remedy = "nothing inside this machine mends it: take a host of your own, or one with fewer guests"
    if stolen := [one for one in found.pairs if one.stolen]:
        text = f"and {_less(stolen, uneven)}, so there is no verdict on {count(len(uneven), 'comparison')}"
        yield codes.E4_STEAL.finding("warning", text=_given(stolen, text, found.bound), remedy=remedy)
    if busy := _alike(found.pairs, "above_steal", uneven):
        text = _on_how_many(busy, found)
        yield codes.E4_STEAL.finding("warning", text=_given(busy, text, found.bound), remedy=remedy)
    brief = [one for one in found.pairs if not (one.stolen or one.above_steal) and any(_by_guests(one, found.bound))]
    if brief:
        text = f"and more than {percent(found.bound)} of single turns"
        yield codes.E4_STEAL.finding("note", text=_given(brief, text, found.bound), remedy=remedy)


def _given(pairs: Sequence[PairShare], what: str, bound: float) -> str:
    worst = max(pairs, key=lambda one: one.steal)
    turns = [turn for one in pairs for turn in _by_guests(one, bound)]
    return (
        f"the hypervisor gave other guests up to {percent(worst.steal)} of the CPU of turns ({worst.operation}, "
        f"{worst.contender}), {what}; {_turns(turns, sum(len(one.turns) for one in pairs))}"
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
        text=f"{'its' if contender else 'the'} server is somebody else's process, which cannot be distinguished "
        f"from others that use the machine: contention is not judged{' for it' if contender else ''}",
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


def _by_guests(one: PairShare, bound: float) -> Iterator[TurnShare]:
    return (turn for turn in one.contended if turn.steal > bound)


def _processes_of(pairs: Iterable[PairShare]) -> tuple[ProcessGroup, ...]:
    return merged(one for pair in pairs for one in pair.other_processes)


def _on(pairs: Sequence[PairShare]) -> str:
    """``on q1, q2 and 3 more operations``; nothing where the finding's place says it."""
    if len(pairs) == 1:
        return ""
    return f" on {_listed([one.operation for one in pairs], 'operation')}"


def _listed(names: Iterable[str], what: str) -> str:
    """``q1, q2, q3 and 3 more operations``, each once."""
    each = list(dict.fromkeys(names))
    more = len(each) - _NAMED
    return ", ".join(each[:_NAMED]) + (f" and {count(more, f'more {what}')}" if more > 0 else "")


def _turns(contended: Iterable[TurnShare], total: int) -> str:
    """``2 of 20 turns are contended: block 3 turn 7 (61.0 %), ...``."""
    worst = sorted(contended, key=lambda turn: turn.order)
    if not worst:
        return f"none of {count(total, 'turn')} is long enough to be named"
    listed = ", ".join(f"{_place(turn)} ({percent(max(turn.foreign, turn.steal), 0)})" for turn in worst[:_NAMED])
    more = f" and {len(worst) - _NAMED:,} more" if len(worst) > _NAMED else ""
    return f"{len(worst):,} of {count(total, 'turn')}: {listed}{more}"


def _place(turn: TurnShare) -> str:
    attempt = f"attempt {turn.attempt} " if turn.attempt > 1 else ""
    return f"{attempt}block {turn.block} turn {turn.turn}"


def _gap(gap: Gap) -> str:
    why = "".join(f"; {name}: {reason}" for name, reason in gap.unreadable)
    return (
        f"the machine was not watched during {gap.unwatched:,} of {count(gap.executions, 'timed execution')} "
        f"of attempt {gap.attempt}{why}"
    )
