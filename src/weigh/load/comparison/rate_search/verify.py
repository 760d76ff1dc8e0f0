"""Verify searches in turn: the order of their rounds, and that every rate is the one that the search asks for. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import journal
from weigh.evidence.verification import Problem
from weigh.load.comparison.rate_search.rounds import turns
from weigh.load.comparison.record import folder_of
from weigh.load.rate_search.verify import departure
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.load.comparison.record import LoadComparisonRecord


def problems(record: LoadComparisonRecord, folder: Path) -> Iterator[Problem]:
    """What is wrong with the turns and the rates; nothing where they are as they should be.

    Args:
        record: of the comparison.
        folder: of it.
    """
    going = {one.name for one in record.spec.contenders}
    for number, block in enumerate(record.blocks, 1):
        # Who has ended does not come back: when it may end is observed in its own search.
        if block.block != number or block.arms != turns(record.spec, number, going & {*block.arms}):
            text = f"the turns of round {number} are not in the order of the seed"
            yield Problem(code=codes.T5_ORDER.code, file=journal.NAME, text=text)
        going &= {*block.arms}
    for arm in record.spec.arms:
        load = record.loads.get(arm.name)
        if load is None:
            continue
        made = [run.repeat for run in load.runs]
        blocks = [block.block for block in record.blocks if arm.name in block.arms]
        if made != blocks[: len(made)]:
            text = f"the runs of {arm.name} are not in the order of the rounds"
            yield Problem(code=codes.T5_ORDER.code, file=journal.NAME, text=text)
        if text := departure(load):
            place = folder_of(folder, arm).relative_to(folder)
            yield Problem(code=codes.R4_FIGURES.code, file=f"{place}/{journal.NAME}", text=text)
