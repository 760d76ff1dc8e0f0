"""The machine under the measurement: who else used it, what was saturated, how quiet it was. Pure.

The same in three forms: sentences, a part of the JSON document, a part of the page.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from weigh.machine import contention_findings
from weigh.machine.drift import Quiet
from weigh.machine.unevenness import ALL
from weigh.machine.use_method import Place, Resource, Use
from weigh.model.units import Seconds, count, cpu_of_others, percent
from weigh.render.blocks import Column, Fold, Group, Lines, Part, Plot, Row, Table
from weigh.render.machine import NAMES, OtherProcessRow, SamplerRow, blamed, resource
from weigh.render.svg import timeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from weigh.experiment.report.contenders import Contenders
    from weigh.experiment.results.machine import Machine
    from weigh.machine.contention import PairShare
    from weigh.machine.turn_shares import TurnShare
    from weigh.render.blocks import Block

_TURNS = 10
"""Contended turns of one pair that the page names; the JSON has them all."""
_CAPTION = (
    "Share in use; of the CPU ", Part("by contenders", "ow"), ", ", Part("by others", "fg"),
    ". A line above a lane: work waited. A mark on top: a contended turn.",
)  # fmt: skip


class ContendedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn in which others used more than they may.

    Attributes:
        attempt, block, turn: which turn.
        foreign, steal: shares of its CPU that others used, and that the hypervisor gave to other guests.
        foreign_s, steal_s: the same as CPU time.
    """

    attempt: int
    block: int
    turn: int
    foreign: float
    steal: float
    foreign_s: Seconds
    steal_s: Seconds


class PairContention(msgspec.Struct, frozen=True, kw_only=True):
    """Who else used the CPU during the turns of one contender on one operation.

    Attributes:
        operation, contender: whose turns.
        temperature: of their executions.
        foreign, steal: shares of the CPU of all its turns that others used, and that the hypervisor gave to other
            guests.
        refused: whether a verdict is refused because this side of the comparison had more of it than the other.
        turns: how many there are.
        contended: those above the bound, the worst first.
        other_processes: processes of others during those turns, or during all where their share is above the bound; the
            greediest first, at most 16 names.
    """

    operation: str
    contender: str
    temperature: str
    foreign: float
    steal: float
    refused: bool
    turns: int
    contended: tuple[ContendedTurn, ...]
    other_processes: tuple[OtherProcessRow, ...]


class MachineDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``machine`` of the JSON document.

    Attributes:
        watched: whether the sampler covered every timed execution.
        gaps: what it did not cover, in sentences.
        bound: share of the CPU by which the turns of the two sides of a comparison may differ; a turn is contended
            above it; None where any was allowed.
        foreign, steal: shares of the CPU of all turns that others used, and that the hypervisor gave to other guests.
        pairs: of everybody who was timed.
        use: of the four resources.
        bottleneck: the resource that was saturated first; None where none was.
        quiet: how the times of fixed work varied, by attempt and kind of work (docs/concept/machine.md#drift).
        sampler: what the sampler did itself.
    """

    watched: bool
    gaps: tuple[str, ...]
    bound: float | None
    foreign: float
    steal: float
    pairs: tuple[PairContention, ...]
    use: tuple[Resource, ...]
    bottleneck: str | None
    quiet: tuple[Quiet, ...]
    sampler: SamplerRow


def lines(one: Machine) -> Iterator[str]:
    """The machine in a few sentences."""
    yield _others(one)
    if quiet_ := _quiet(one):
        yield quiet_
    yield from (phrases for each in one.use.resources if (phrases := resource(each)))
    if any(resource.saturated is not None for resource in one.use.resources):
        yield _first(one.use)


def document(one: Machine) -> MachineDocument:
    """``machine`` of the JSON document."""
    found = one.contention
    return MachineDocument(
        watched=found.watched,
        gaps=tuple(contention_findings.gaps(found)),
        bound=None if found.bound >= ALL else found.bound,
        foreign=one.foreign,
        steal=one.steal,
        pairs=tuple(map(_pair, found.pairs)),
        use=one.use.resources,
        bottleneck=one.use.bottleneck,
        quiet=one.quiet,
        sampler=SamplerRow(moments=one.moments, seconds=one.seconds, cpu_s=one.cost_s, unreadable=one.unreadable),
    )


def turns(pair: PairShare, most: int) -> str:
    """The contended turns of a pair by block and turn, the worst first, with the share of others."""
    if not pair.contended:
        return "each is too short to be determined"
    several = len({turn.attempt for turn in pair.turns}) > 1
    phrases = [
        f"{f'{turn.attempt}:' if several else ''}{turn.block}.{turn.turn} {percent(turn.foreign + turn.steal, 0)}"
        for turn in pair.contended[:most]
    ]
    more = len(pair.contended) - most
    return ", ".join(phrases) + (f" and {more:,} more" if more > 0 else "")


def other_processes(pair: PairShare) -> str:
    """Who used the CPU during the contended turns of a pair."""
    return contention_findings.named(pair.other_processes) if pair.foreign > pair.steal else "other guests of the host"


def _pair(pair: PairShare) -> PairContention:
    return PairContention(
        operation=pair.operation,
        contender=pair.contender,
        temperature=pair.temperature,
        foreign=pair.foreign,
        steal=pair.steal,
        refused=pair.refused or pair.stolen,
        turns=len(pair.turns),
        contended=tuple(map(_turn, pair.contended)),
        other_processes=blamed(pair.other_processes),
    )


def _turn(turn: TurnShare) -> ContendedTurn:
    return ContendedTurn(
        attempt=turn.attempt,
        block=turn.block,
        turn=turn.turn,
        foreign=turn.foreign,
        steal=turn.steal,
        foreign_s=turn.foreign_s,
        steal_s=turn.steal_s,
    )


def _others(one: Machine) -> str:
    worst = one.worst
    if worst is None:
        return "contention was not judged for anybody who was timed"
    turns = sum(len(pair.contended) for pair in one.contention.pairs)
    bound = one.contention.bound
    allowed = (
        "any share was allowed"
        if bound >= ALL
        else f"{count(turns, 'turn')} of {sum(len(pair.turns) for pair in one.contention.pairs):,} had more than "
        f"{percent(bound)}"
    )
    used = cpu_of_others(one.foreign, "the CPU of the turns", "the turns")
    return (
        f"others used {used}, at most {percent(worst.foreign)} "
        f"({worst.operation}, {worst.contender}), other guests {percent(one.steal)}; {allowed}. The sampler itself "
        f"used {percent(one.cost, 2)} of one CPU"
    )


def _quiet(one: Machine) -> str:
    """How much the fixed kernels varied; the noisiest attempt of each."""
    worst: dict[str, float] = {}
    for each in one.quiet:
        if each.cv is not None:
            worst[each.kernel] = max(each.cv, worst.get(each.kernel, 0.0))
    phrases = ", ".join(f"{name} {percent(cv)}" for name, cv in worst.items())
    return f"quiet: the times of fixed work varied by {phrases} (CV)" if phrases else ""


def _first(found: Use) -> str:
    first = next((one.first for one in found.resources if one.name == found.bottleneck), None)
    if not isinstance(first, Place):
        return "nothing was saturated during the turns"
    place = f"attempt {first.attempt}, block {first.block}, turn {first.turn}"
    name = NAMES[found.bottleneck or ""]
    return f"first saturated: {name}, in {place} ({first.operation}, {first.contender})"


def part(machine: Machine, contenders: Contenders) -> Fold:
    """What is to be reported, the drawing, and pairs with contended turns, the worst first."""
    parts: list[Block] = [Lines(list(lines(machine)), css="say", listed=True, most=1000)]
    plot, rows = _plot(machine, contenders), _contended(machine, contenders)
    if plot is not None:
        parts.append(Plot(_CAPTION, plot, below=True))
    if rows:
        columns = [Column(one) for one in ("operation", "contender", "others", "by whom", "block.turn, share")]
        table = Table(columns, [Group("", rows)], label=None, scoped=None)
        parts.append(Fold("Contended turns", [table], tag="", css=""))
    return Fold("The machine meanwhile", parts, "h2", anchor="machine", short="Machine")


def _plot(machine: Machine, contenders: Contenders) -> Markup | None:
    found = machine.bins
    if found is None:
        return None
    marks = {who.name: who.mark for who in contenders.everybody}
    places: dict[int, list[float]] = defaultdict(list)
    for pair in machine.contention.pairs:
        for turn in pair.contended:
            places[marks[pair.contender]].append(found.place(turn.attempt, (turn.began + turn.ended) / 2))
    many = count(sum(map(len, places.values())), "turn")
    label = f"CPU, memory, disk and network while the turns were taken: in {many} others used too much"
    return timeline.plot(found, {mark: sorted(those) for mark, those in sorted(places.items())}, label)


def _contended(machine: Machine, contenders: Contenders) -> list[Row]:
    everybody = {who.name: who for who in contenders.everybody}
    pairs = [pair for pair in machine.contention.pairs if pair.contended or pair.refused or pair.stolen]
    return [
        Row([
            pair.operation + ("" if pair.temperature == "hot" else f", {pair.temperature}"),
            everybody[pair.contender].phrase,
            percent(pair.foreign + pair.steal) + (", refused" if pair.refused or pair.stolen else ""),
            other_processes(pair),
            turns(pair, _TURNS),
        ])
        for pair in sorted(pairs, key=lambda one: -(one.foreign + one.steal))
    ]  # fmt: skip
