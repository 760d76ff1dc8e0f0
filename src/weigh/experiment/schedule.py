"""The schedule of a block: what its beginning says, made into turns. Who measures asks, and so does the auditor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.schedule import Slot, block_order, solos

if TYPE_CHECKING:
    from weigh.experiment.record import BlockBegun
    from weigh.model.spec import Spec


def slots(spec: Spec, begun: BlockBegun) -> list[Slot]:
    """The turns of a block in order."""
    if not spec.duet:
        return block_order(spec.seed, begun.block, begun.cases, begun.arms, begun.rounds, serial=begun.serial)
    pairs = block_order(spec.seed, begun.block, begun.cases, begun.arms, begun.rounds, duet=spec.baseline)
    return [*pairs, *solos(spec.seed, begun.block, begun.cases, begun.arms)]
