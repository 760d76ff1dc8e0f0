"""Stopping on precision: the protocol and the auditor follow one rule, and a run that stopped otherwise is named."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.stopping_attempts import CASES, HONEST, LOUD, PLAN, QUIET, SPEC, Told, attempt, problems, starts
from weigh.evidence import journal
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End
from weigh.experiment.config import file
from weigh.experiment.config import spec as config
from weigh.experiment.interim_look import InterimLook
from weigh.experiment.measure.stopping import Stopping, standing
from weigh.experiment.record import Planned, Record
from weigh.experiment.results.precision import allocation, precision, precision_findings
from weigh.experiment.verify import order, stopping
from weigh.model.contender import Contender
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.verdict.decide import LOOKS

if TYPE_CHECKING:
    from pathlib import Path


def test_the_quiet_operation_is_retired_and_the_loud_one_goes_on() -> None:
    assert starts(HONEST, QUIET) == 10
    assert starts(HONEST, LOUD) == 16
    assert HONEST.looks[-1].stop == "starts"
    assert problems(HONEST) == []


def test_all_within_the_target_end_it() -> None:
    record = attempt(msgspec.structs.replace(SPEC, precision=0.5))
    assert (len(record.blocks), record.looks[-1].stop, record.looks[-1].retired) == (10, "reached", (LOUD, QUIET))
    assert problems(record) == []


def test_the_budget_ends_it_between_blocks() -> None:
    record = attempt(msgspec.structs.replace(SPEC, budget=30.0))
    last = record.looks[-1]
    assert last.stop == "budget"
    assert last.at <= 30.0 < last.at + last.next_s
    assert problems(record) == []


def test_what_a_block_is_expected_to_take_is_what_it_takes() -> None:
    ends = [look.at for look in HONEST.looks]
    for look, begun, ended in zip(HONEST.looks, ends, ends[1:], strict=False):
        assert ended - begun == pytest.approx(look.next_s, rel=0.05)


def test_a_second_attempt_reads_the_first_and_narrows_the_interval() -> None:
    second = attempt(earlier=[HONEST], number=2)
    first, both = HONEST.looks[-1].widths, second.looks[0].widths
    assert {one.operation: one.starts for one in both} == {LOUD: 21, QUIET: 15}
    assert next(one for one in both if one.operation == LOUD).half < first[0].half  # type: ignore[operator]
    assert starts(HONEST, QUIET) + starts(second, QUIET) == LOOKS[1], "it is the same at the second early look"
    assert problems(second, [HONEST]) == []
    assert any("after block 4" in text for text in problems(second)), "without the first it does not follow"


@pytest.mark.filterwarnings("error")
def test_who_has_no_times_yet_is_named_without_a_ratio() -> None:
    rival = next(one.name for one in SPEC.contenders if one.name != SPEC.baseline)
    failed = [
        msgspec.structs.replace(one, outcome=Outcome.ERROR) if one.contender == rival else one for one in HONEST.samples
    ]
    assert standing(failed, SPEC) == f"{rival} has no times yet"
    assert standing(HONEST.samples, SPEC).startswith(f"{rival} takes ")


def test_after_a_kill_a_look_is_not_made_twice_and_the_next_is_the_same(tmp_path: Path) -> None:
    written, told = Journal(tmp_path), Told()
    resumed = Stopping(SPEC, (), written, told)
    resumed.restore([one for one in HONEST.samples if one.block <= 8], [one for one in HONEST.looks if one.block <= 8])
    resumed.look(8, (LOUD, QUIET), PLAN, 99.0)
    assert journal.read(tmp_path) == []
    for block in (9, 10):
        resumed.add(one for one in HONEST.samples if one.block == block)
        live = tuple(one for one in (LOUD, QUIET) if one not in resumed.retired)
        resumed.look(block, live, PLAN, HONEST.looks[block - 4].at)
    written.close()
    looks = [msgspec.convert(event.body, InterimLook) for event in journal.read(tmp_path)]
    assert looks == list(HONEST.looks[5:7])
    assert (resumed.retired, resumed.stopped) == ({QUIET}, False)
    assert resumed.rounds(99, [LOUD]) == {LOUD: HONEST.looks[0].rounds[LOUD]}
    assert resumed.expected(16) == 16
    assert "loud is at" in resumed.progress_line
    assert [line.split(";")[0] for line in told.lines] == ["after 10 starts: 1 of 2 operations are done"]


def test_what_is_said_in_the_end() -> None:
    said = {one.code: one.text for one in precision_findings.precision(HONEST.samples, SPEC)}
    assert "2.0 % to each side at 99 %: reached on 1 of 2 operations, after 10 starts quiet" in said["T1.precision"]
    assert said["T1.wide"].startswith("not reached on loud (")
    assert "after 16 starts, about " in said["T1.wide"]
    assert not list(
        precision_findings.precision(HONEST.samples, msgspec.structs.replace(SPEC, precision=msgspec.UNSET))
    )


def changed(record: Record, number: int, **fields: Any) -> Record:
    """With one look edited."""
    looks = list(record.looks)
    looks[number] = msgspec.structs.replace(looks[number], **fields)
    return msgspec.structs.replace(record, looks=tuple(looks))


def until_block(record: Record, last: int) -> Record:
    """What was measured after a block is cut off, and the end is said to be whole."""
    return msgspec.structs.replace(
        record,
        blocks=record.blocks[: last + 1],
        looks=tuple(one for one in record.looks if one.block <= last),
        samples=tuple(one for one in record.samples if one.block <= last),
    )


@pytest.mark.long
@pytest.mark.promise(
    "The order of a block remains a function of the seed and of what is left, and `weigh verify` recomputes each look."
)
@pytest.mark.parametrize(
    ("record", "said"),
    [
        pytest.param(until_block(HONEST, 11), "nothing that was decided beforehand ends it", id="stopped at will"),
        pytest.param(
            changed(until_block(HONEST, 11), -1, stop="reached"), "because the precision is reached; by the samples it",
            id="said to have reached it",
        ),
        pytest.param(
            changed(until_block(HONEST, 11), -1, stop="budget"), "by the samples it goes on", id="no budget was given"
        ),
        pytest.param(changed(HONEST, 3, retired=(LOUD,)), "it retires loud; by the widths", id="retired at will"),
        pytest.param(changed(HONEST, 5, retired=()), "it retires nothing; by the widths", id="kept at will"),
        pytest.param(changed(HONEST, 0, rounds={LOUD: 1, QUIET: 1}), "rounds a start does not follow", id="rounds"),
        pytest.param(changed(HONEST, 5, decided=(LOUD,)), "it calls loud decided; by the samples", id="decided"),
        pytest.param(changed(HONEST, 2, widths=HONEST.looks[1].widths), "the widths of the intervals", id="widths"),
        pytest.param(changed(HONEST, 2, at=0.0), "not at the time that it says", id="another time"),
        pytest.param(changed(HONEST, -2, stop="starts"), "by the samples it goes on", id="went on after the end"),
        pytest.param(
            msgspec.structs.replace(HONEST, looks=(*HONEST.looks[:4], *HONEST.looks[5:])), "there was no look after",
            id="a look is missing",
        ),
        pytest.param(
            msgspec.structs.replace(HONEST, looks=(*HONEST.looks, msgspec.structs.replace(HONEST.looks[-1], block=99))),
            "a look after block 99, which was not measured", id="a look too many",
        ),
        pytest.param(
            msgspec.structs.replace(HONEST, spec=msgspec.structs.replace(SPEC, precision=msgspec.UNSET)),
            "no precision was asked for", id="not asked for",
        ),
    ],
)  # fmt: skip
def test_what_ended_otherwise_is_named(record: Record, said: str) -> None:
    assert any(said in text for text in stopping.departures(record)), list(stopping.departures(record))


def test_a_block_of_other_operations_is_named() -> None:
    blocks = tuple(
        msgspec.structs.replace(one, cases=CASES, rounds=HONEST.blocks[9].rounds) for one in HONEST.blocks[10:]
    )
    blocks = (*HONEST.blocks[:10], *blocks)
    found = list(order.departures(msgspec.structs.replace(HONEST, blocks=blocks)))
    assert found == ["block 10 measures other operations than those that are left"]


def test_a_planned_number_of_starts_that_was_cut_is_named() -> None:
    """Also without a precision: ten starts were planned, and it looked good after seven."""
    plain = msgspec.structs.replace(SPEC, precision=msgspec.UNSET)
    cut = until_block(HONEST, 3)
    cut = msgspec.structs.replace(cut, spec=plain, looks=())
    assert any("ended as complete after 4 blocks" in text for text in stopping.departures(cut))
    whole = msgspec.structs.replace(cut, plan=Planned(cases=CASES, starts=4, rounds=2, runs=2))
    assert list(stopping.departures(whole)) == []
    interrupted = msgspec.structs.replace(cut, end=End(how="stopped", reason="interrupted"))
    assert list(stopping.departures(interrupted)) == []


def test_the_id_of_an_experiment_without_a_precision_is_what_it_was() -> None:
    plain = Spec(workload="netflow", contenders=(Contender(name="a", engine="duckdb"),), baseline="a")
    assert plain.id == "c01b9969f769", "whoever changes what enters an id changes what evidence is of one experiment"
    assert msgspec.structs.replace(plain, precision=0.02).id != plain.id


@pytest.mark.parametrize(
    ("written", "flags", "asked"),
    [
        ("", {}, (pytest.approx(0.0135), 100)),
        ("margin = 0.05", {}, (pytest.approx(0.0225), 100)),
        ("starts = 10", {}, (msgspec.UNSET, 10)),
        ('precision = "2%"', {}, (0.02, 100)),
        ("precision = 0.05\nstarts = 30", {}, (0.05, 30)),
        ("precision = 0.05\nstarts = 30", {"precision": "1%", "starts": 12}, (0.01, 12)),
    ],
)
def test_what_is_asked_for(tmp_path: Path, written: str, flags: dict[str, object], asked: tuple[object, int]) -> None:
    path = tmp_path / "weigh.toml"
    path.write_text(f'[experiment]\n{written}\n[[contender]]\nengine = "duckdb"\n[[contender]]\nengine = "chdb"\n')
    made = config.make_spec(file.read_file(path), flags)
    assert (made.precision, made.starts) == asked


def test_an_operation_without_a_comparison_is_not_measured_for_ever() -> None:
    """The candidate failed on it: nobody waits for a width that never comes."""
    failed = [
        msgspec.structs.replace(one, outcome=Outcome.CRASH) if (one.operation, one.contender) == (LOUD, "b") else one
        for one in HONEST.samples
        if one.block < 7
    ]
    looks: list[InterimLook] = []
    for block in range(4, 7):
        own = [one for one in failed if one.block <= block]
        looks.append(
            precision.look(
                own,
                (),
                spec=SPEC,
                plan=PLAN,
                live=(LOUD, QUIET),
                before=looks,
                block=block,
                at=float(block),
                watches={},
            )
        )
        assert {one.operation for one in looks[-1].widths} == {QUIET}
    assert [look.retired for look in looks] == [(), (), (LOUD,)]


@pytest.mark.parametrize(
    ("cost", "of_round", "between", "rounds"),
    [(4.0, 9.0, 1.0, 6), (9.0, 9.0, 1.0, 9), (1.0, 1.0, 100.0, 4), (1e6, 1.0, 1.0, 12), (4.0, 1.0, 0.0, 12),
     (4.0, 1.0, -1.0, 12), (4.0, 0.0, 1.0, 4)],
)  # fmt: skip
def test_rounds_by_kalibera_and_jones(cost: float, of_round: float, between: float, rounds: int) -> None:
    assert allocation.best(cost, of_round, between, 5, 4, 1e9) == rounds


@pytest.mark.parametrize(("seconds", "rounds"), [(60, 4), (1e4, 12)])
def test_where_little_fits_more_starts_are_worth_more_than_rounds(seconds: float, rounds: int) -> None:
    """A start costs a third of a round, and nothing is seen between starts: with ten of them t is 3.25, not 2.58."""
    assert allocation.best(0.33, 1.0, 0.0, 5, 4, seconds) == rounds


def test_the_number_of_rounds_is_chosen_once_and_not_where_it_was_asked_for() -> None:
    assert set(HONEST.looks[0].rounds) == {LOUD, QUIET}
    assert all(allocation.FEWEST <= rounds <= allocation.MOST for rounds in HONEST.looks[0].rounds.values())
    assert all(not look.rounds for look in HONEST.looks[1:])
    assert not attempt(msgspec.structs.replace(SPEC, rounds=2)).looks[0].rounds


def test_the_scatter_of_the_rounds_is_not_taken_for_that_of_the_starts() -> None:
    """Starts differ by 1 %, rounds by 4 %; a start costs 1.2 s, a round of all arms 0.6 s."""
    samples, clock = [], 0.0
    for block in range(300):
        clock += 1.2
        for place, arm in enumerate(("a", "b", "a#2")):
            worker = random.Random(f"{block} {arm}").gauss() * 0.01
            for number in range(6):
                for run in range(2):
                    wall = 0.1 * math.exp(worker + 0.04 * random.Random(f"{block} {arm} {number}").gauss())
                    samples.append(
                        Sample(
                            block=block, start=0, turn=number * 3 + place, round=number, run=run, arm=arm,
                            contender=arm[0], operation=LOUD, case="only", outcome=Outcome.OK, wall_s=wall, at=clock,
                        )
                    )  # fmt: skip
                    clock += wall
    cost = allocation.costs(allocation.spent(samples))
    assert (cost.overhead, cost.round[LOUD]) == pytest.approx((1.2, 0.6), rel=0.02)
    # A pair has 4 % twice, and the median of 12 pairs with two arms leaves of a round 6 times what it leaves of six.
    assert allocation.rounds(samples, SPEC, 6, (LOUD,), cost, allocation.ENDLESS)[LOUD] in range(5, 10)


@pytest.mark.parametrize(
    ("seconds", "rounds"), [(14.0, {"a": 4, "b": 2}), (13.9, {"a": 3, "b": 2}), (1.0, {"a": 1, "b": 1})]
)  # fmt: skip
def test_as_many_rounds_as_fit_and_never_none(seconds: float, rounds: dict[str, int]) -> None:
    """A block costs 4 s and 2 s a round of a, 1 s of b: 14 s with what is wanted."""
    cost = allocation.Costs(4.0, {"a": 2.0, "b": 1.0})
    assert allocation.fitting({"a": 4, "b": 2}, cost, seconds) == rounds


def test_rounds_are_lowered_for_ten_starts_to_fit_into_the_budget_and_come_back() -> None:
    """Blocks take 3 s of two rounds: with 8 s left for five of them one round fits, and two with 20 s."""
    spec = msgspec.structs.replace(SPEC, budget=60.0)
    plan = precision.Plan(operations=2, rounds=2, most=16, fewer=True)

    def chosen(at: float, before: list[InterimLook], plan: precision.Plan = plan) -> InterimLook:
        own = [one for one in HONEST.samples if one.block <= 4 + len(before)]
        return precision.look(
            own, (), spec=spec, plan=plan, live=(LOUD, QUIET), before=before, block=4 + len(before), at=at, watches={}
        )

    late = chosen(52.0, [])
    assert set(late.rounds.values()) == {1}
    assert precision.rounds_due(2, [late], (LOUD, QUIET)) == {LOUD: 1, QUIET: 1}
    again = chosen(30.0, [late])
    assert precision.rounds_due(2, [late, again], (LOUD, QUIET)) == {LOUD: 2, QUIET: 2}
    assert set(chosen(52.0, [], precision.Plan(operations=2, rounds=2, most=16)).rounds.values()) == {2}
