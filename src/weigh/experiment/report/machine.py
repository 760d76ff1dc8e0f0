"""The machine under the measurement: who else used it, what was saturated, how quiet it was. Pure.

The same in three forms: lines of the terminal's report, a part of the JSON document, a part of the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.machine import contention_findings
from weigh.machine.contention import ALL, Contention, contention
from weigh.machine.drift import Quiet, quiet
from weigh.machine.timeline_bins import Stretches, stretches
from weigh.machine.use_method import Place, Resource, Use, memory_of, use
from weigh.model.contender import URL
from weigh.model.units import Seconds, count, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.record import Record
    from weigh.machine.contention import Blamed, PairShare, TurnShare

NAMES = {"cpu": "CPU", "memory": "memory", "disk": "disk", "network": "network"}
_CULPRITS = 16
"""Names of processes that the document gives of one pair."""
_PIDS = 20
"""Ids of one name that it gives."""
STRETCHES = 96
"""Parts in which the measured time is drawn."""


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What the sampler and the fixed kernels say of all attempts.

    Attributes:
        contention: who else used the CPUs.
        use: utilisation, saturation and errors during the turns.
        stretches: the same over the whole measured time, in parts that can be drawn; None where nothing was measured.
        quiet: of every fixed kernel, by attempt.
        moments: how many the sampler took.
        seconds: that they cover.
        cost_s: CPU seconds of the sampler itself.
        unreadable: sources that it could not read, and why.
    """

    contention: Contention
    use: Use
    stretches: Stretches | None
    quiet: tuple[Quiet, ...]
    moments: int
    seconds: Seconds
    cost_s: Seconds
    unreadable: dict[str, str]

    @property
    def foreign(self) -> float:
        """Share of the CPU of all turns that others used."""
        return _overall(self.contention.judged, "foreign_s")

    @property
    def steal(self) -> float:
        """Share of the CPU of all turns that the hypervisor gave to other guests."""
        return _overall(self.contention.pairs, "steal_s")

    @property
    def worst(self) -> PairShare | None:
        """The pair that others disturbed most."""
        return max(self.contention.judged, key=lambda one: one.foreign, default=None)

    @property
    def cost(self) -> float:
        """Share of one CPU that the sampler used."""
        return self.cost_s / self.seconds if self.seconds else 0.0


def machine(attempts: Sequence[Record], bound: float) -> Machine | None:
    """What is known of the machine; None where no attempt was watched.

    Args:
        attempts: all that the verdicts read.
        bound: share of a turn's CPU that others may use.
    """
    watches = [watch for record in attempts for watch in record.watches]
    if not watches:
        return None
    watched = [(record.samples, record.watches, memory_of(record)) for record in attempts]
    moments = [moment for watch in watches for moment in watch.moments]
    return Machine(
        contention=contention(((record.samples, record.watches) for record in attempts), bound, _apart(attempts[-1])),
        use=use(watched),
        stretches=stretches(watched, STRETCHES),
        quiet=tuple(one for record in attempts for one in quiet(record.calibrations)),
        moments=len(moments),
        seconds=sum(moment.span for moment in moments),
        cost_s=sum(watch.cost_s for watch in watches),
        unreadable={name: why for watch in watches for name, why in watch.unreadable.items()},
    )


def _apart(record: Record) -> tuple[str, ...]:
    """Contenders that are reached by URL."""
    return tuple(one.name for one in record.spec.contenders if URL in one.settings)


def lines(one: Machine) -> Iterator[str]:
    """The machine in a few sentences."""
    yield _others(one)
    if quiet_ := _quiet(one):
        yield quiet_
    yield from (said for each in one.use.resources if (said := resource(each)))
    if any(resource.saturated is not None for resource in one.use.resources):
        yield _first(one.use)


def document(one: Machine) -> dict[str, Any]:
    """``machine`` of the JSON document (docs/json.md)."""
    found = one.contention
    return {
        "watched": found.watched,
        "gaps": list(contention_findings.gaps(found)),
        "bound": None if found.bound >= ALL else found.bound,
        "foreign": one.foreign,
        "steal": one.steal,
        "pairs": [_pair(pair) for pair in found.pairs],
        "use": msgspec.to_builtins(one.use.resources),
        "bottleneck": one.use.bottleneck,
        "quiet": msgspec.to_builtins(one.quiet),
        "sampler": {
            "moments": one.moments,
            "seconds": one.seconds,
            "cpu_s": one.cost_s,
            "unreadable": one.unreadable,
        },
    }


def bound(share: float) -> str:
    """What was declared about contention, in words."""
    if share >= ALL:
        return "never: contention was allowed, whatever its size"
    return f"where others used more than {percent(share)} of the CPU of its turns"


def turns(pair: PairShare, most: int) -> str:
    """The contended turns of a pair by block and turn, the worst first, with the share of others."""
    if not pair.contended:
        return "each is too short to be told"
    several = len({turn.attempt for turn in pair.turns}) > 1
    said = [
        f"{f'{turn.attempt}:' if several else ''}{turn.block}.{turn.turn} {percent(turn.foreign + turn.steal, 0)}"
        for turn in pair.contended[:most]
    ]
    more = len(pair.contended) - most
    return ", ".join(said) + (f" and {more:,} more" if more > 0 else "")


def culprits(pair: PairShare) -> str:
    """Who used the CPU during the contended turns of a pair."""
    return contention_findings.named(pair.culprits) if pair.foreign > pair.steal else "other guests of the host"


def _pair(pair: PairShare) -> dict[str, Any]:
    return {
        "operation": pair.operation,
        "contender": pair.contender,
        "temperature": pair.temperature,
        "foreign": pair.foreign,
        "steal": pair.steal,
        "refused": pair.refused or pair.stolen,
        "turns": len(pair.turns),
        "contended": [_turn(turn) for turn in pair.contended],
        "culprits": blamed(pair.culprits),
    }


def blamed(culprits: Sequence[Blamed]) -> list[dict[str, Any]]:
    """Processes that others used, as the document has them."""
    return [
        {"name": one.name, "cpu_s": one.cpu_s, "processes": len(one.pids), "pids": list(one.pids[:_PIDS])}
        for one in culprits[:_CULPRITS]
    ]


def _turn(turn: TurnShare) -> dict[str, Any]:
    return {
        "attempt": turn.attempt,
        "block": turn.block,
        "turn": turn.turn,
        "foreign": turn.foreign,
        "steal": turn.steal,
        "foreign_s": turn.foreign_s,
        "steal_s": turn.steal_s,
    }


def _overall(pairs: Sequence[PairShare], of: str) -> float:
    turns = [turn for pair in pairs for turn in pair.turns]
    return sum(getattr(turn, of) for turn in turns) / sum(turn.cpu_s for turn in turns) if turns else 0.0


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
    return (
        f"others used {percent(one.foreign)} of the CPU of the turns, at most {percent(worst.foreign)} "
        f"({worst.operation}, {worst.contender}), other guests {percent(one.steal)}; {allowed}. The sampler itself "
        f"used {percent(one.cost, 2)} of one CPU"
    )


def _quiet(one: Machine) -> str:
    """How much the fixed kernels varied; the noisiest attempt of each."""
    worst: dict[str, float] = {}
    for each in one.quiet:
        if each.cv is not None:
            worst[each.kernel] = max(each.cv, worst.get(each.kernel, 0.0))
    said = ", ".join(f"{name} {percent(cv)}" for name, cv in worst.items())
    return f"quiet: the times of fixed work varied by {said} (CV)" if said else ""


def resource(one: Resource, part: str = "turn") -> str:
    """One resource in one line; nothing of one that nothing was read of.

    Args:
        one: the resource.
        part: what the time is divided into.
    """
    said = []
    if one.utilisation is not None:
        said.append(f"{percent(one.utilisation, 0)} in use, {percent(one.most, 0)} in the fullest {part}")
    if one.saturated is not None:
        waited = f"work waited for it in {percent(one.saturated)} of the time"
        said.append(waited if one.saturated else "never waited for")
    if one.errors:
        said.append(count(one.errors, "error"))
    return f"{NAMES[one.name]}: {'; '.join(said)}" if said else ""


def _first(found: Use) -> str:
    first = next((one.first for one in found.resources if one.name == found.bottleneck), None)
    if not isinstance(first, Place):
        return "nothing was saturated during the turns"
    place = f"attempt {first.attempt}, block {first.block}, turn {first.turn}"
    name = NAMES[found.bottleneck or ""]
    return f"first saturated: {name}, in {place} ({first.operation}, {first.contender})"
