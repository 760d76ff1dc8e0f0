"""The plan: the order is a pure function of the seed, the same on every platform and in every version."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as some

from weigh.model.contender import Contender
from weigh.model.schedule import arms, block_order, start_order
from weigh.model.spec import Spec

CASES = (("count", "rare"), ("count", "common"), ("top", "only"))
ARMS = ("a", "b", "a#2")


def shown(seed: int, block: int) -> list[str]:
    return [f"{slot.operation}/{slot.case}:{slot.arm}" for slot in block_order(seed, block, CASES, ARMS)]


def test_golden_order() -> None:
    """Old evidence is verified against this order: it must never change."""
    assert start_order(42, 0, ARMS) == GOLDEN_START
    assert shown(42, 0) == GOLDEN_BLOCK


def test_seed_and_block_decide() -> None:
    assert len({tuple(shown(seed, block)) for seed, block in product(range(3), range(3))}) == 9


@given(seed=some.integers(), block=some.integers(0, 1000))
def test_every_arm_takes_one_turn_at_every_case(seed: int, block: int) -> None:
    counted = Counter(shown(seed, block))
    assert counted == {f"{operation}/{case}:{arm}": 1 for (operation, case), arm in product(CASES, ARMS)}


@given(seed=some.integers(), block=some.integers(0, 1000), dropped=some.sampled_from(CASES))
def test_dropping_a_case_does_not_reorder_the_rest(seed: int, block: int, dropped: tuple[str, str]) -> None:
    whole = block_order(seed, block, CASES, ARMS)
    rest = block_order(seed, block, [case for case in CASES if case != dropped], ARMS)
    assert rest == [slot for slot in whole if (slot.operation, slot.case) != dropped]


def test_no_position_is_an_arm_s_own() -> None:
    """Over many blocks each arm comes first about as often: 300 draws of probability 1/3, 6 sigma apart."""
    first = Counter(start_order(7, block, ARMS)[0] for block in range(300))
    assert all(50 < first[arm] < 150 for arm in ARMS)


def test_the_baseline_has_two_arms() -> None:
    contenders = (Contender(name="a", engine="x"), Contender(name="b", engine="x"))
    found = arms(Spec(workload="w", contenders=contenders, baseline="b"))
    assert [(arm.name, arm.contender) for arm in found] == [("a", "a"), ("b", "b"), ("b#2", "b")]


GOLDEN_START = ["a#2", "b", "a"]
GOLDEN_BLOCK = [
    "top/only:b",
    "top/only:a",
    "top/only:a#2",
    "count/common:a",
    "count/common:b",
    "count/common:a#2",
    "count/rare:b",
    "count/rare:a#2",
    "count/rare:a",
]
