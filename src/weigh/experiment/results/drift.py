"""Drift of the machine in the attempts of an experiment: what is reported of it, and what it spoils."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.machine import drift
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.record import BlockBegun, Record
    from weigh.model.finding import Finding
    from weigh.verdict.refusals import Refusals

_EXECUTED = {"hot": ("hot",), "cold": ("cold", "first")}
"""Temperatures of the executions in a block of that kind."""


def findings(attempts: Sequence[Record]) -> list[Finding]:
    """E5.drift of every attempt."""
    return [
        finding
        for record in attempts
        for finding in drift.findings(
            drift.quiet(record.calibrations), record.spec.rules.margin, serial=bool(_apart(record))
        )
    ]


def refusals(attempts: Sequence[Record]) -> list[Refusals]:
    """Comparisons of arms that lived one after another while the machine's speed changed.

    Args:
        attempts: all that the verdicts read.
    """
    found = []
    for record in attempts:
        spec = record.spec
        pairs = [
            (Question(operation, temperature), one.name)
            for block in _apart(record)
            for temperature in _EXECUTED[block.temperature]
            for operation, _ in block.cases
            for one in spec.contenders
            if one.name != spec.baseline
        ]
        if pairs:
            found.append(drift.refusals(drift.quiet(record.calibrations), spec.rules.margin, pairs))
    return found


def _apart(record: Record) -> list[BlockBegun]:
    """Blocks whose arms lived one after another."""
    return [block for block in record.blocks if block.serial or block.temperature == "cold"]
