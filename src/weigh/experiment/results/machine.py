"""What the sampler and the fixed kernels say of all attempts of an experiment. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.machine.contention import Contention, contention
from weigh.machine.drift import Quiet, quiet
from weigh.machine.timeline_bins import TimelineBins, timeline_bins
from weigh.machine.use_method import Use, memory_of, use
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.record import Record
    from weigh.machine.contention import PairShare


BINS = 96
"""Parts in which the measured time is drawn."""


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What the sampler and the fixed kernels say of all attempts.

    Attributes:
        contention: who else used the CPUs.
        use: utilisation, saturation and errors during the turns.
        bins: the same over the whole measured time, in parts that can be drawn; None where nothing was measured.
        quiet: of every fixed kernel, by attempt.
        moments: how many the sampler took.
        seconds: that they cover.
        cost_s: CPU seconds of the sampler itself.
        unreadable: sources that it could not read, and why.
    """

    contention: Contention
    use: Use
    bins: TimelineBins | None
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
        bound: share of the CPU by which the turns of the two sides of a comparison may differ.
    """
    watches = [watch for record in attempts for watch in record.watches]
    if not watches:
        return None
    latest = attempts[-1]
    watched = [(record.samples, record.watches, memory_of(record.host)) for record in attempts]
    moments = [moment for watch in watches for moment in watch.moments]
    return Machine(
        contention=contention(
            ((record.samples, record.watches) for record in attempts), bound, latest.spec.baseline, _apart(latest)
        ),
        use=use(watched),
        bins=timeline_bins(watched, BINS),
        quiet=tuple(one for record in attempts for one in quiet(record.calibrations)),
        moments=len(moments),
        seconds=sum(moment.span for moment in moments),
        cost_s=sum(watch.cost_s for watch in watches),
        unreadable={name: why for watch in watches for name, why in watch.unreadable.items()},
    )


def _apart(record: Record) -> tuple[str, ...]:
    """Contenders that are reached by URL."""
    return tuple(one.name for one in record.spec.contenders if one.remote)


def _overall(pairs: Sequence[PairShare], of: str) -> float:
    turns = [turn for pair in pairs for turn in pair.turns]
    return sum(getattr(turn, of) for turn in turns) / sum(turn.cpu_s for turn in turns) if turns else 0.0
