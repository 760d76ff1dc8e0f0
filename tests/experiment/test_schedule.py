"""The plan: the order is a pure function of the seed, the same on every platform and in every version."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as some

from weigh.model.contender import Contender
from weigh.model.schedule import arms, block_order, cpus_of, start_order
from weigh.model.spec import Spec

CASES = (("count", "rare"), ("count", "common"), ("top", "only"))
ARMS = ("a", "b", "a#2")


ROUNDS = {"count": 2, "top": 1}


def shown(seed: int, block: int) -> list[str]:
    return [
        f"{slot.operation}/{slot.case}:{slot.arms[0]}:{slot.round}"
        for slot in block_order(seed, block, CASES, ARMS, ROUNDS)
    ]


@pytest.mark.promise(
    "The order is a pure function of the seed, the block, the operations still being measured and their rounds."
)
def test_golden_order() -> None:
    """Old evidence is verified against this order: it must never change."""
    assert start_order(42, 0, ARMS) == GOLDEN_START
    assert shown(42, 0) == GOLDEN_BLOCK


def test_seed_and_block_decide() -> None:
    assert len({tuple(shown(seed, block)) for seed, block in product(range(3), range(3))}) == 9


@pytest.mark.promise("weigh never measures all of A before all of B.")
@given(seed=some.integers(), block=some.integers(0, 1000))
def test_every_arm_takes_one_turn_at_every_case_in_every_round(seed: int, block: int) -> None:
    counted = Counter(shown(seed, block))
    assert counted == {
        f"{operation}/{case}:{arm}:{number}": 1
        for (operation, case), arm in product(CASES, ARMS)
        for number in range(ROUNDS[operation])
    }


@given(seed=some.integers(), block=some.integers(0, 1000))
def test_a_pass_is_over_before_the_next_begins(seed: int, block: int) -> None:
    passes = [slot.round for slot in block_order(seed, block, CASES, ARMS, {"count": 3, "top": 2})]
    assert passes == sorted(passes)


@given(seed=some.integers(), block=some.integers(0, 1000))
def test_in_a_duet_everybody_meets_the_baseline_and_changes_sides(seed: int, block: int) -> None:
    slots = block_order(seed, block, CASES, ARMS, {"count": 4, "top": 4}, duet="a")
    for operation, case in CASES:
        own = [slot for slot in slots if (slot.operation, slot.case) == (operation, case)]
        assert sorted(slot.round for slot in own) == list(range(8))
        for other in ("b", "a#2"):
            sides = [slot.arms.index("a") for slot in own if other in slot.arms]
            assert sides in ([0, 1, 0, 1], [1, 0, 1, 0])


def test_the_cpus_of_a_block_are_others_in_the_next() -> None:
    assert [cpus_of(block, (0, 1, 4, 5), 2) for block in range(3)] == [(0, 1), (4, 5), (0, 1)]
    assert [cpus_of(block, (0, 1, 2), 2) for block in range(2)] == [(0, 1), (0, 1)]
    assert cpus_of(3, (6,), 2) == (6,)


@pytest.mark.promise(
    "The order is a pure function of the seed, the block, the operations still being measured and their rounds."
)
@given(seed=some.integers(), block=some.integers(0, 1000), dropped=some.sampled_from(CASES))
def test_dropping_a_case_does_not_reorder_the_rest(seed: int, block: int, dropped: tuple[str, str]) -> None:
    whole = block_order(seed, block, CASES, ARMS, ROUNDS)
    rest = block_order(seed, block, [case for case in CASES if case != dropped], ARMS, ROUNDS)
    assert rest == [slot for slot in whole if (slot.operation, slot.case) != dropped]


def test_no_position_is_an_arm_s_own() -> None:
    """Over many blocks each arm comes first about as often: 300 draws of probability 1/3, 6 sigma apart."""
    first = Counter(start_order(7, block, ARMS)[0] for block in range(300))
    assert all(50 < first[arm] < 150 for arm in ARMS)


@pytest.mark.promise("The baseline has two arms, itself and itself again (`#2`)")
def test_the_baseline_has_two_arms() -> None:
    contenders = (Contender(name="a", engine="x"), Contender(name="b", engine="x"))
    found = arms(Spec(workload="w", contenders=contenders, baseline="b"))
    assert [(arm.name, arm.contender) for arm in found] == [("a", "a"), ("b", "b"), ("b#2", "b")]


GOLDEN_START = ["a#2", "b", "a"]
GOLDEN_BLOCK = [
    "count/rare:b:0",
    "count/rare:a#2:0",
    "count/rare:a:0",
    "top/only:b:0",
    "top/only:a#2:0",
    "top/only:a:0",
    "count/common:b:0",
    "count/common:a:0",
    "count/common:a#2:0",
    "count/rare:b:1",
    "count/rare:a#2:1",
    "count/rare:a:1",
    "count/common:a#2:1",
    "count/common:b:1",
    "count/common:a:1",
]
