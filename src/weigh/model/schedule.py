"""The plan: who runs when. A pure function of the seed, so that an auditor can recompute it.

A permutation is made by sorting on SHA-256 of (seed, block, what is ordered): no generator state, the same on
every platform and version, and dropping an operation does not reorder the rest.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.model.spec import Spec

CONTROL = "#2"
"""Suffix of the baseline's second arm."""


class Arm(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A contender in the blocks; the baseline has two.

    Attributes:
        name: the contender's name, with ``#2`` for the baseline's second arm.
        contender: name of the contender.
    """

    name: str
    contender: str


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A place for one turn in a block: which arm executes which case of which operation."""

    operation: str
    case: str
    arm: str


def arms(spec: Spec) -> tuple[Arm, ...]:
    """The arms of an experiment: every contender, and the baseline once more (A/A)."""
    once = [Arm(name=contender.name, contender=contender.name) for contender in spec.contenders]
    return (*once, Arm(name=spec.baseline + CONTROL, contender=spec.baseline))


def permuted(items: Iterable[str], *key: object) -> list[str]:
    """The items in an order that depends on the key alone (and on their names)."""
    prefix = "\x1f".join(map(str, key))
    return sorted(items, key=lambda item: hashlib.sha256(f"{prefix}\x1f{item}".encode()).digest())


def start_order(seed: int, block: int, arm_names: Sequence[str]) -> list[str]:
    """The order in which the arms of a block are started."""
    return permuted(arm_names, seed, block, "start")


def block_order(
    seed: int, block: int, cases: Sequence[tuple[str, str]], arm_names: Sequence[str], *, serial: bool = False
) -> list[Slot]:
    """The turns of a block in order: operations in random order; for each, the arms in random order.

    Args:
        seed: of the experiment.
        block: number of the block, from 0.
        cases: (operation, case) pairs that are still measured.
        arm_names: arms of the block.
        serial: the arms live one after another: each takes all its turns before the next one starts.
    """
    by_key = {f"{operation}\x1e{case}": (operation, case) for operation, case in cases}
    slots = []
    for key in permuted(by_key, seed, block, "operations"):
        operation, case = by_key[key]
        order = permuted(arm_names, seed, block, operation, case)
        slots += [Slot(operation=operation, case=case, arm=arm) for arm in order]
    if serial:
        workers = start_order(seed, block, arm_names)
        slots.sort(key=lambda slot: workers.index(slot.arm))
    return slots
