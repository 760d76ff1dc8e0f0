"""Evidence that leaves something out does not pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from weigh.evidence.sealing import End
from weigh.experiment import schedule
from weigh.experiment.record import BlockBegun, Planned, Record
from weigh.experiment.verify.order import departures
from weigh.model.answer import Column, ResultSchema
from weigh.model.contender import Contender
from weigh.model.operation import Case, Operation, Workload
from weigh.model.sample import Outcome, Sample
from weigh.model.schedule import arms, unseen
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC = Spec(
    workload="netflow",
    contenders=(Contender(name="a", engine="duckdb"), Contender(name="b", engine="chdb")),
    baseline="a",
)
DUET = msgspec.structs.replace(SPEC, duet=True)
ARMS = tuple(arm.name for arm in arms(SPEC))
CASES = (("q", "only"), ("r", "only"))


ROUNDS = {"q": 2, "r": 2}


def measured(spec: Spec = SPEC) -> Record:
    """Three whole blocks of two operations in two rounds, one untimed and one timed execution a turn."""
    samples = []
    blocks = tuple(BlockBegun(block=block, cases=CASES, arms=ARMS, rounds=ROUNDS, runs=1) for block in range(3))
    for begun in blocks:
        for turn, slot in enumerate(schedule.slots(spec, begun)):
            at = float(len(samples))
            samples += [
                Sample(
                    block=begun.block, start=0, turn=turn, round=slot.round, run=run, arm=arm,
                    contender=arm.split("#")[0], operation=slot.operation, case=slot.case, outcome=Outcome.OK,
                    at=at + run, solo=bool(spec.duet) and len(slot.arms) == 1,
                )
                for run in (0, 1)
                for arm in slot.arms
            ]  # fmt: skip
    return Record(attempt=1, spec=spec, blocks=blocks, samples=tuple(samples), end=End(how="complete"))


def without(record: Record, gone: Callable[[Sample], bool]) -> Record:
    return msgspec.structs.replace(record, samples=tuple(one for one in record.samples if not gone(one)))


def test_what_was_measured_whole_passes() -> None:
    assert list(departures(measured())) == []
    assert list(departures(measured(DUET))) == []


def test_rounds_of_one_start_that_changed_places_are_named() -> None:
    """As many turns of everybody, and the machine's mood chosen by hand."""
    record = measured()
    turned = tuple(msgspec.structs.replace(one, round=1 - one.round) for one in record.samples)
    assert any(
        "not the one that the seed demands" in text
        for text in departures(msgspec.structs.replace(record, samples=turned))
    )


def test_a_duet_whose_sides_took_turns_is_named() -> None:
    record = measured(DUET)
    alone = without(record, lambda one: one.block == 1 and one.turn == 0 and one.arm == "a")
    assert any("not the one that the seed demands" in text for text in departures(alone))


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


def planned() -> Record:
    """The same with questions that nobody asked before, in every round but the first."""
    record = measured()
    schema = ResultSchema(columns=(Column(name="n", kind="integer"),))
    operations = tuple(Operation(name=name, sql="", schema=schema, cases=(Case(name="only"),)) for name in ("q", "r"))
    plan = Planned(cases=CASES, starts=3, rounds=2, runs=1, secret="drawn", varied={"a": ("q", "r"), "b": ("q",)})
    samples = []
    for one in record.samples:
        slot = schedule.slots(SPEC, record.blocks[one.block])[one.turn]
        asks = one.run == 0 and plan.asks_unseen(one.contender, slot, "hot")
        workload = {operation.name: operation for operation in operations}
        _, salt = unseen(plan.secret, one.block, slot, workload[one.operation]) if asks else ("", 0)
        samples.append(msgspec.structs.replace(one, salt=salt))
    return msgspec.structs.replace(
        record,
        plan=plan,
        samples=tuple(samples),
        workload=Workload(name="netflow", dataset="netflow", operations=operations),
    )


@pytest.mark.promise("`verify` recomputes which question each was (`salt` in `samples.parquet`).")
@pytest.mark.parametrize("edited", [0, 1, 417])
def test_another_question_than_the_one_that_was_drawn_is_named(edited: int) -> None:
    record = planned()
    assert list(departures(record)) == []
    salted = [at for at, one in enumerate(record.samples) if one.salt]
    assert len(salted) == 3 * (2 * 2 + 1), "of the baseline's two arms both operations, of the other one"
    samples = list(record.samples)
    samples[salted[4]] = msgspec.structs.replace(samples[salted[4]], salt=edited)
    found = list(departures(msgspec.structs.replace(record, samples=tuple(samples))))
    assert any("not the one that the seed demands" in text for text in found)


def test_a_question_in_place_of_a_timed_one_is_named() -> None:
    record = planned()
    timed = next(at for at, one in enumerate(record.samples) if one.run)
    samples = list(record.samples)
    samples[timed] = msgspec.structs.replace(samples[timed], salt=417)
    found = list(departures(msgspec.structs.replace(record, samples=tuple(samples))))
    assert any("not the one that the seed demands" in text for text in found)
