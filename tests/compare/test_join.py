"""The join of two sessions: verdicts through a shared reference, and never without one."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pytest
import scipy

from weigh.compare import clocks
from weigh.compare.join import decided, join
from weigh.compare.model import Joined, Joining, Side
from weigh.compare.reference_shift import uneven
from weigh.model.answer import GateStatus
from weigh.model.gate import Doubt
from weigh.model.rules import Rules
from weigh.model.sample import Outcome, Sample
from weigh.model.verdict import Reason, VerdictName
from weigh.statistics.effects import Effects
from weigh.statistics.welch import welch

TWO_ARMS = ("ref", "new", "ref#2")


def session(
    seed: int,
    *,
    blocks: int = 10,
    machine: float = 1.0,
    noise: float = 0.01,
    arms: tuple[str, ...] = TWO_ARMS,
    operations: tuple[str, ...] = ("q1",),
    **ratios: float,
) -> list[Sample]:
    """Samples of a session on a machine of some speed; ``ratios`` are contender over reference."""
    draw = np.random.default_rng(seed)
    samples = []
    for operation in operations:
        for block in range(blocks):
            level = math.log(machine) + draw.normal(0, 0.1)
            for turn, arm in enumerate(arms):
                contender = arm.removesuffix("#2")
                start = level + draw.normal(0, noise) + math.log(ratios.get(contender, 1.0))
                for run in range(3):
                    wall_s = math.exp(start + draw.normal(0, noise)) * (10 if run == 0 else 1)
                    samples.append(sample(block, arm, wall_s, turn=turn, run=run, operation=operation))
    return samples


def sample(block: int, arm: str, wall_s: float | None, **fields: Any) -> Sample:
    named: dict[str, Any] = {"start": 0, "turn": 0, "run": 1, "operation": "q1", "case": "c", "outcome": Outcome.OK}
    return Sample(block=block, arm=arm, contender=arm.removesuffix("#2"), wall_s=wall_s, **(named | fields))


def side(name: str, samples: list[Sample], **fields: Any) -> Side:
    contenders = tuple(dict.fromkeys(one.contender for one in samples))
    named: dict[str, Any] = {"reference": "ref", "gate": {}, "doubts": {}, "out": {}}
    return Side(name=name, samples=samples, contenders=contenders, **(named | fields))


def joined(
    first: list[Sample] | Side,
    second: list[Sample] | Side,
    operations: tuple[str, ...] = ("q1",),
    pairs: tuple[tuple[str, str], ...] = (("new", "new"),),
    **fields: Any,
) -> Joining:
    sides = [
        one if isinstance(one, Side) else side(name, one)
        for name, one in (("the first session", first), ("the second session", second))
    ]
    named: dict[str, Any] = {"rules": Rules(), "unlike": {}}
    return join(sides[0], sides[1], pairs, operations, **(named | fields))


def only(*arguments: Any, **fields: Any) -> Joined:
    (verdict,) = joined(*arguments, **fields).verdicts
    return verdict


def codes(verdict: Joined) -> list[str]:
    return [reason.code for reason in verdict.reasons]


def block_ratios(samples: list[Sample]) -> list[float]:
    """Mean logarithm of new minus that of both arms of the reference, one a block."""
    found = []
    for block in sorted({one.block for one in samples}):
        logs = {
            arm: np.mean([math.log(s.wall_s or 0) for s in samples if s.timed and (s.block, s.arm) == (block, arm)])
            for arm in TWO_ARMS
        }
        found.append(float(logs["new"] - (logs["ref"] + logs["ref#2"]) / 2))
    return found


def test_it_is_welchs_t_of_the_ratios_of_the_blocks() -> None:
    first, second = session(1, new=1.2, noise=0.02), session(2, new=1.3, machine=3, noise=0.01)
    verdict = only(first, second)
    found = scipy.stats.ttest_ind(block_ratios(second), block_ratios(first), equal_var=False)
    interval = found.confidence_interval(0.99)
    effect = np.mean(block_ratios(second)) - np.mean(block_ratios(first))
    assert verdict.ratio == pytest.approx(math.exp(effect))
    assert verdict.low == pytest.approx(math.exp(interval.low))
    assert verdict.high == pytest.approx(math.exp(interval.high))
    assert verdict.ratio_first == pytest.approx(math.exp(np.mean(block_ratios(first))))
    assert verdict.ratio_second == pytest.approx(math.exp(np.mean(block_ratios(second))))


def test_the_ratio_of_the_medians_is_that_of_four_medians() -> None:
    samples = session(1, new=1.2), session(2, new=1.5, machine=3)

    def of(one: list[Sample], contender: str) -> float:
        return float(np.median([s.wall_s for s in one if s.timed and s.contender == contender]))

    first, second = (of(one, "new") / of(one, "ref") for one in samples)
    assert only(*samples).median_ratio == pytest.approx(second / first)


def test_degrees_of_freedom_are_bounded_by_the_smaller_session() -> None:
    """Where the larger session scatters most, Satterthwaite's are those of the larger one: 29."""
    quiet, noisy = (
        Effects(np.zeros(1), np.array([error]), np.array([freedom])) for error, freedom in ((0.01, 4.0), (1.0, 29.0))
    )
    assert welch(quiet, noisy).freedom == pytest.approx(8)
    assert welch(noisy, quiet).freedom == pytest.approx(8)


def test_what_the_machine_did_cancels_and_is_told_apart() -> None:
    first, second = session(1, new=1.2), session(2, new=1.2)
    slower = session(2, new=1.2, machine=1.7)
    once, again = joined(first, second), joined(first, slower)
    for field in ("ratio", "low", "high", "low_fcr", "high_fcr", "ratio_second"):
        assert getattr(again.verdicts[0], field) == pytest.approx(getattr(once.verdicts[0], field))
    assert again.verdicts[0].verdict is VerdictName.SAME
    assert again.movement.ratios["q1"] == pytest.approx(1.7 * once.movement.ratios["q1"])


@pytest.mark.parametrize(
    ("ratio", "noise", "blocks", "name", "code"),
    [
        (1.0, 0.005, (10, 10), VerdictName.SAME, None),
        (1.2, 0.01, (10, 10), VerdictName.SLOWER, None),
        (0.8, 0.01, (10, 10), VerdictName.FASTER, None),
        (1.01, 0.001, (10, 10), VerdictName.SMALL, None),
        (1.0, 0.03, (10, 10), VerdictName.UNRESOLVED, "T1"),
        (1.0, 0.20, (10, 10), VerdictName.REFUSED, "T7.unstable"),
        (1.2, 0.01, (4, 30), VerdictName.REFUSED, "T10.starts"),
        (1.2, 0.01, (30, 4), VerdictName.REFUSED, "T10.starts"),
        (1.2, 0.01, (10, 6), VerdictName.SLOWER, "T10"),
    ],
)
def test_every_name(ratio: float, noise: float, blocks: tuple[int, int], name: VerdictName, code: str | None) -> None:
    first, second = (session(seed, blocks=blocks[seed], noise=noise, new=ratio**seed) for seed in (0, 1))
    verdict = only(first, second)
    assert verdict.verdict is name
    assert codes(verdict) == ([] if code is None else [code])
    few = min(blocks) < 5
    assert (verdict.ratio is None) == few
    # That of the medians stands there all the same, and is no verdict.
    assert (verdict.plain_ratio is not None) == few
    assert (verdict.starts_first, verdict.starts_second, verdict.starts) == (*blocks, min(blocks))
    if few:
        assert f"4 fresh starts in the {'first' if blocks[0] == 4 else 'second'} session" in verdict.reasons[0].text


def test_a_contender_faster_than_the_reference_may_be_slower_than_before() -> None:
    verdict = only(session(1, new=0.5), session(2, new=0.6))
    assert verdict.verdict is VerdictName.SLOWER
    assert verdict.ratio == pytest.approx(1.2, abs=0.03)


@pytest.mark.parametrize("wrong", [0, 1])
def test_diverged_in_either_session(wrong: int) -> None:
    gates: list[dict[str, Any]] = [{}, {}]
    gates[wrong] = {"q1": {"third": GateStatus.DIVERGED, "ref": GateStatus.AGREED}}
    sides = [
        side(f"session {number}", session(number, operations=("q1", "q2")), gate=gates[number]) for number in (0, 1)
    ]
    found = joined(*sides, operations=("q1", "q2"))
    bad, good = found.verdicts
    assert (bad.operation, bad.verdict, bad.ratio, bad.ratio_first) == ("q1", VerdictName.DIVERGED, None, None)
    assert bad.reasons[0].text.startswith(f"in session {wrong}, the answers differ")
    assert good.ratio is not None
    assert found.movement.ratios.keys() == {"q2"}
    assert found.family == 1


def test_an_answer_that_changed_later_diverges() -> None:
    second = session(2)
    second.append(sample(3, "new", None, outcome=Outcome.WRONG, operation="q1"))
    verdict = only(session(1), second)
    assert (verdict.verdict, codes(verdict), verdict.ratio) == (VerdictName.DIVERGED, ["A3"], None)


def test_a_failure_of_the_reference_is_an_error() -> None:
    first = [*session(1), sample(3, "ref", None, outcome=Outcome.CRASH)]
    found = joined(first, session(2))
    assert (found.verdicts[0].verdict, codes(found.verdicts[0])) == (VerdictName.ERROR, ["X.crash"])
    assert found.movement.ratios == {}


def test_the_disqualified_have_no_figures() -> None:
    out = {"new": Reason(code="A5.lazy", text="new is disqualified")}
    verdict = only(session(1), side("the second session", session(2), out=out))
    assert (verdict.verdict, codes(verdict), verdict.ratio) == (VerdictName.REFUSED, ["A5.lazy"], None)


@pytest.mark.promise(
    "REFUSED (`T5.workload`) for an operation that has the same name in both sessions and is not the same question."
)
def test_another_question_of_the_same_name_is_refused() -> None:
    unlike = {"q2": Reason(code="T5.workload", text="other literals")}
    samples = [session(seed, operations=("q1", "q2")) for seed in (1, 2)]
    found = joined(*samples, operations=("q1", "q2"), unlike=unlike)
    assert [(one.verdict, one.ratio is None) for one in found.verdicts] == [
        (VerdictName.SAME, False),
        (VerdictName.REFUSED, True),
    ]
    assert codes(found.verdicts[1]) == ["T5.workload"]
    assert found.movement.ratios.keys() == {"q1"}


def clocked(samples: list[Sample], **beyond: float) -> list[Sample]:
    """With round trips; beyond it what each contender takes and does not say, seconds."""
    return [
        msgspec.structs.replace(one, round_trip_s=(one.wall_s or 0) + 3e-4 + beyond.get(one.contender, 0.0))
        for one in samples
    ]


def doubted(first: list[Sample], second: list[Sample]) -> tuple[Joined, Joined]:
    """The join of what contenders say, and what is left of it alongside other clocks."""
    sides = side("the first session", first), side("the second session", second)
    again = partial(join, pairs=(("new", "new"),), operations=("q1",), rules=Rules(), unlike={})
    found = again(*sides)
    (left,) = again(*sides, doubted=clocks.doubts(*sides, found, again)).verdicts
    return found.verdicts[0], left


@pytest.mark.promise("REFUSED where weigh's own clock gives another verdict")
def test_who_hides_time_from_its_own_clock_in_one_session_is_not_faster_than_before() -> None:
    first = clocked(session(1, new=1.0))
    second = clocked(session(2, new=0.8), new=0.2)
    said, left = doubted(first, second)
    assert (said.verdict, left.verdict) == (VerdictName.FASTER, VerdictName.REFUSED)
    assert codes(left)[0] == "A10.verdict"
    assert "by weigh's own clock around the same executions" in left.reasons[0].text
    assert left.ratio == pytest.approx(said.ratio)


def test_what_lies_outside_both_times_alike_takes_no_verdict_away() -> None:
    """A slow reply of the contender in both sessions: by either clock it is as fast as before."""
    said, left = doubted(clocked(session(1, new=0.8), new=0.2), clocked(session(2, new=0.8), new=0.2))
    assert (said.verdict, left.verdict) == (VerdictName.SAME, VerdictName.SAME)
    assert not set(codes(left)) & {"A10.verdict", "A6.deferred", "A6.clock"}
    said, left = doubted(clocked(session(1)), clocked(session(2, new=1.3)))
    assert (said, said.verdict) == (left, VerdictName.SLOWER)


def test_what_is_freed_or_taken_at_another_time_is_part_of_what_one_waits_for() -> None:
    def later(samples: list[Sample], name: str, seconds: float) -> list[Sample]:
        return [
            msgspec.structs.replace(one, **{name: seconds if one.contender == "new" else 1e-4})
            for one in clocked(samples)
        ]

    for name, code in (("release_s", "A6.deferred"), ("prepare_s", "A6.clock")):
        first, second = later(session(1), name, 1e-4), later(session(2, new=0.8), name, 0.2)
        said, left = doubted(first, second)
        assert (said.verdict, left.verdict, codes(left)[0]) == (VerdictName.FASTER, VerdictName.REFUSED, code)


def test_never_measured_in_one_session() -> None:
    first = [one for one in session(1, operations=("q1", "q2")) if (one.arm, one.operation) != ("new", "q2")]
    verdict = joined(first, session(2, operations=("q1", "q2")), operations=("q1", "q2")).verdicts[1]
    assert (verdict.verdict, codes(verdict)) == (VerdictName.REFUSED, ["T10.starts"])
    assert "in the first session" in verdict.reasons[0].text


def test_pairs_of_different_names_and_the_family() -> None:
    first = session(1, arms=("ref", "a", "ref#2"), operations=("q1", "q2"), a=1.5)
    second = session(2, arms=("ref", "b", "c", "ref#2"), operations=("q1", "q2"), b=3.0, c=1.5)
    found = joined(first, second, ("q1", "q2"), (("b", "a"), ("c", "a")))
    assert [(one.operation, one.contender, one.baseline, one.reference) for one in found.verdicts] == [
        ("q1", "b", "a", "ref"),
        ("q1", "c", "a", "ref"),
        ("q2", "b", "a", "ref"),
        ("q2", "c", "a", "ref"),
    ]
    assert [one.verdict for one in found.verdicts[:2]] == [VerdictName.SLOWER, VerdictName.SAME]
    assert (found.family, found.selected) == (4, 2)


def test_a_third_contender_changes_nothing() -> None:
    first, second = session(1), session(2, new=1.1)
    noisy = [sample(block, "third", 50.0**block) for block in range(10)]
    assert only([*first, *noisy], second) == only(first, second)


def test_the_noise_floor_is_that_of_the_reference_joined() -> None:
    def shifted(seed: int, by: float) -> list[Sample]:
        return [
            sample(one.block, one.arm, (one.wall_s or 0) * (by if one.arm == "ref#2" else 1), run=one.run)
            for one in session(seed, noise=1e-6)
        ]

    assert only(shifted(1, 1.02), shifted(2, 1.05)).noise_floor == pytest.approx(1.05 / 1.02 - 1, rel=1e-3)
    assert only(shifted(1, 1.02), session(2, arms=TWO_ARMS[:2])).noise_floor is None


def test_starts_needed_is_a_number_for_each_session() -> None:
    """As many starts in both sessions bring the interval to the margin, whatever either had before."""
    errors, starts = (0.02, 0.01), (np.array([10]), np.array([40]))
    effects = tuple(
        Effects(np.zeros(1), np.array([error]), count - 1.0) for error, count in zip(errors, starts, strict=True)
    )
    _, decisions = decided((effects[0], effects[1]), starts, Rules())
    (needed,) = decisions.needed
    spread = math.sqrt(0.02**2 * 10 + 0.01**2 * 40)
    half = scipy.stats.t.ppf(0.95, needed - 1) * spread / math.sqrt(needed)
    assert decisions.names[0] == "unresolved"
    assert half == pytest.approx(math.log(1.03), rel=0.02)


def test_a_metric_that_nobody_has_gives_nothing() -> None:
    assert joined(session(1), session(2), metric="peak_memory") == Joining()


def test_marks_name_the_session() -> None:
    gate = {"q1": {"new": GateStatus.UNVERIFIED, "ref": GateStatus.AGREED}}
    second = side("the second session", session(2), gate=gate, doubts={"new": Doubt(("q7",), wrong=True)})
    verdict = only(session(1), second)
    assert codes(verdict)[-2:] == ["A1", "A8"]
    assert all(reason.text.startswith("in the second session, ") for reason in verdict.reasons[-2:])


def test_a_reference_that_moved_unevenly_is_found() -> None:
    names = ("q1", "q2", "q3")
    first, second = session(1, operations=names), session(2, operations=names, machine=1.4)
    assert joined(first, second, names).movement.uneven == {}
    bent = [
        sample(one.block, one.arm, (one.wall_s or 0) * (1.3 if one.operation == "q2" else 1), run=one.run,
               operation=one.operation)
        for one in second
    ]  # fmt: skip
    moved = joined(first, bent, names)
    assert "q2" in moved.movement.uneven
    assert moved.movement.uneven["q2"] == pytest.approx(1.3 ** (2 / 3), abs=0.05)
    assert moved.verdicts[1].verdict is VerdictName.SAME, (
        "the reference takes it away; the finding says not to rely on it"
    )


def test_a_torn_block_does_not_hide_it() -> None:
    names = ("q1", "q2")
    first = session(1, operations=names)
    second = [
        sample(one.block, one.arm, (one.wall_s or 0) * (1.3 if one.operation == "q2" else 1), operation=one.operation)
        for one in session(2, operations=names)
        if one.run and (one.block, one.operation) != (9, "q2")
    ]
    assert set(joined(first, second, names).movement.uneven) == {"q1", "q2"}


@pytest.mark.parametrize("shape", [(1, 3), (10, 1), (5, 3)])
def test_no_alarm_without_scatter_or_without_blocks(shape: tuple[int, int]) -> None:
    flat = np.zeros(shape)
    assert (uneven(flat, flat + 0.5)[1] == 1).all()
