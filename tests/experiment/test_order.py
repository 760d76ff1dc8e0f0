"""Evidence that leaves something out does not pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from weigh.evidence.sealing import End
from weigh.experiment.record import BlockBegun, Record
from weigh.experiment.verify.order import departures
from weigh.model.contender import Contender
from weigh.model.sample import Outcome, Sample
from weigh.model.schedule import arms, block_order
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC = Spec(
    workload="netflow",
    contenders=(Contender(name="a", engine="duckdb"), Contender(name="b", engine="chdb")),
    baseline="a",
)
ARMS = tuple(arm.name for arm in arms(SPEC))
CASES = (("q", "only"), ("r", "only"))


def measured() -> Record:
    """Three whole blocks of two operations, one untimed and one timed execution a turn."""
    samples = []
    for block in range(3):
        for turn, slot in enumerate(block_order(SPEC.seed, block, CASES, ARMS)):
            samples += [
                Sample(
                    block=block, start=0, turn=turn, run=run, arm=slot.arm, contender=slot.arm.split("#")[0],
                    operation=slot.operation, case=slot.case, outcome=Outcome.OK, at=float(len(samples) + run),
                )
                for run in (0, 1)
            ]  # fmt: skip
    blocks = tuple(BlockBegun(block=block, cases=CASES, arms=ARMS, runs=1) for block in range(3))
    return Record(attempt=1, spec=SPEC, blocks=blocks, samples=tuple(samples), end=End(how="complete"))


def without(record: Record, gone: Callable[[Sample], bool]) -> Record:
    return msgspec.structs.replace(record, samples=tuple(one for one in record.samples if not gone(one)))


def test_what_was_measured_whole_passes() -> None:
    assert list(departures(measured())) == []


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (lambda one: one.block == 1 and one.arm == "a", "is missing"),
        (lambda one: one.run == 0, "is not one untimed and 1 timed executions"),
        (lambda one: one.block == 2, "is missing"),
    ],
)
def test_what_is_left_out_is_named(gone: Callable[[Sample], bool], said: str) -> None:
    assert any(said in text for text in departures(without(measured(), gone)))


def test_a_missing_block_is_named() -> None:
    record = without(measured(), lambda one: one.block == 1)
    record = msgspec.structs.replace(record, blocks=(record.blocks[0], record.blocks[2]))
    assert any("some are missing" in text for text in departures(record))


def test_what_was_stopped_may_end_anywhere() -> None:
    record = without(measured(), lambda one: one.block == 2 and one.turn > 1)
    assert any("is missing" in text for text in departures(record))
    assert list(departures(msgspec.structs.replace(record, end=End(how="stopped", reason="interrupted")))) == []


def test_a_failure_explains_what_is_missing_after_it() -> None:
    record = measured()
    first = next(one for one in record.samples if one.arm == "b")
    failed = msgspec.structs.replace(first, outcome=Outcome.CRASH)
    kept = [one for one in record.samples if (one.contender, one.operation) != ("b", first.operation)]
    samples = sorted([*kept, failed], key=lambda one: (one.block, one.turn, one.run))
    assert list(departures(msgspec.structs.replace(record, samples=tuple(samples)))) == []


def test_turns_in_another_order_are_named() -> None:
    record = measured()
    swapped = tuple(msgspec.structs.replace(one, arm="b", contender="b") for one in record.samples)
    assert any(
        "not the one that the seed demands" in text
        for text in departures(msgspec.structs.replace(record, samples=swapped))
    )
