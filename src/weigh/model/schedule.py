"""The plan: who runs when. A pure function of the seed, so that an auditor can recompute it.

A permutation is made by sorting on SHA-256 of (seed, block, what is ordered): no generator state, the same on
every platform and version, and dropping an operation does not reorder the rest.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weigh.model.operation import Operation
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
    """A place for one turn in a block: which arm executes which case of which operation.

    Attributes:
        operation, case: what is executed.
        round: number of the round of the operation; in a duet every pair has rounds of its own.
        arms: who executes it: one, or the two of a duet, each on its half of the CPUs in this order.
    """

    operation: str
    case: str
    round: int
    arms: tuple[str, ...]


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
    seed: int,
    block: int,
    cases: Sequence[tuple[str, str]],
    arm_names: Sequence[str],
    rounds: Mapping[str, int],
    *,
    serial: bool = False,
    duet: str = "",
) -> list[Slot]:
    """The turns of a block in order: pass after pass over all operations, in each one round of every operation.

    In every pass operations come in random order; in every round the arms do. So what the machine does for a second
    meets one round of a few operations, and not a whole turn of one arm.

    Args:
        seed: of the experiment.
        block: number of the block, from 0.
        cases: (operation, case) pairs that are still measured.
        arm_names: arms of the block.
        rounds: of each operation.
        serial: the arms live one after another: each takes all its turns before the next one starts.
        duet: the arm with which every other one is paired, where the two of a pair execute at the same moment.
    """
    by_key = {f"{operation}\x1e{case}": (operation, case) for operation, case in cases}
    slots = []
    for number in range(max((rounds[operation] for operation, _ in cases), default=0)):
        live = [key for key, (operation, _) in by_key.items() if rounds[operation] > number]
        for key in permuted(live, seed, block, number, "operations"):
            place = (seed, block, number, *by_key[key])
            operation, case = by_key[key]
            slots += [
                Slot(operation=operation, case=case, round=at, arms=arms_of_slot)
                for at, arms_of_slot in (
                    _pairs(arm_names, duet, number, place) if duet else _turns(arm_names, number, place)
                )
            ]
    if serial:
        workers = start_order(seed, block, arm_names)
        slots.sort(key=lambda slot: workers.index(slot.arms[0]))
    return slots


def _turns(arm_names: Sequence[str], number: int, place: tuple[object, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    for arm in permuted(arm_names, *place):
        yield number, (arm,)


def _pairs(
    arm_names: Sequence[str], duet: str, number: int, place: tuple[object, ...]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every other arm with that one; which of them is on the first half of the CPUs changes from round to round."""
    others = [arm for arm in arm_names if arm != duet]
    seed, block, _, *of = place
    for arm in permuted(others, *place):
        first = permuted((arm, duet), seed, block, *of, arm)
        yield number * len(others) + others.index(arm), tuple(first if number % 2 == 0 else reversed(first))


def solos(seed: int, block: int, cases: Sequence[tuple[str, str]], arm_names: Sequence[str]) -> list[Slot]:
    """One turn of every contender alone, after the duets of a block: what the other one costs it."""
    alone = [arm for arm in arm_names if not arm.endswith(CONTROL)]
    return [
        Slot(operation=operation, case=case, round=0, arms=(arm,))
        for operation, case in cases
        for arm in permuted(alone, seed, block, "solo", operation, case)
    ]


def unseen(secret: str, block: int, slot: Slot, operation: Operation) -> tuple[str, int]:
    """What the untimed execution of a turn asks: a case like the timed one, and a number that makes it a new question.

    A question that nobody asked before shows what it costs to execute it, beside the timed one, which was asked before.
    All arms of a round ask the same.

    Args:
        secret: of the attempt, drawn after the gate.
        block: number of the block.
        slot: place of the turn.
        operation: its operation.

    Returns:
        Name of the case, and the salt, at least 1.
    """
    group = slot.case.rpartition("-")[0]
    alike = [case.name for case in operation.cases if group and case.name.rpartition("-")[0] == group]
    place = (secret, block, slot.operation, slot.case, slot.round)
    drawn = permuted([name for name in alike if name != slot.case] or [slot.case], *place)
    digest = hashlib.sha256("\x1f".join(map(str, place)).encode()).digest()
    return drawn[0], 1 + (int.from_bytes(digest[:4]) >> 2)


def build_of(spec: Spec, contender: str, block: int) -> int:
    """Which of its builds a contender has in a block; 0 of one that was built once.

    The order is drawn for each contender and stays, so that a build of one side meets the same build of the other in
    all of their blocks: what such a pair gives is independent of what another pair gives.
    """
    build = spec.contender(contender).build
    times = 1 if build is msgspec.UNSET else build.times
    order = permuted(map(str, range(times)), spec.seed, contender, "builds")
    return int(order[block % times])


def cpus_of(block: int, cpus: Sequence[int], needed: int) -> tuple[int, ...]:
    """The CPUs of all arms of a block: ``needed`` of them, others in the next block.

    Two processes that the kernel keeps on CPUs of different speed are distinguished where they are equal.
    """
    count = max(1, len(cpus) // needed)
    first = block % count * needed
    return tuple(cpus[first : first + needed])
