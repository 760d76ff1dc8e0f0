"""What contenders say of their times against weigh's own clock: who is accused, and who is not on a busy machine."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec
import pytest

from weigh.experiment.results.analysis import MetricAnalysis
from weigh.experiment.results.clock import round_trip
from weigh.model.sample import Outcome, Sample
from weigh.model.verdict import Verdict, VerdictName

Waits = Callable[[random.Random], float]


def quiet(draw: random.Random) -> float:
    """Seconds that a reply is on its way where nobody else works."""
    return 1e-4 + 1e-4 * draw.random()


def busy(draw: random.Random) -> float:
    """The same where twice as many want the CPUs as there are: half of all replies wait for milliseconds."""
    return quiet(draw) + (draw.expovariate(1 / 6e-3) if draw.random() < 0.5 else 0.0)


def executions(
    contender: str, seed: int, waits: Waits, number: int = 10, *, wall: float = 4e-3, hidden: float = 0.0,
    release: float = 0.0, cpu_hidden: float = 0.0, beyond: float = 0.0,
) -> list[Sample]:  # fmt: skip
    """Executions that take ``hidden`` seconds longer than the contender says."""
    draw = random.Random(f"{contender} {seed}")
    found = []
    for block in range(number):
        said = wall * draw.uniform(0.95, 1.05)
        found.append(
            Sample(
                block=block, start=block, turn=0, run=1, arm=contender, contender=contender, operation="q", case="c",
                outcome=Outcome.OK, wall_s=said + beyond, cpu_s=said,
                round_trip_s=said + hidden + waits(draw), round_trip_cpu_s=said + cpu_hidden + 1e-4,
                release_s=release + waits(draw), rows=1,
            )
        )  # fmt: skip
    return found


def accused(*those: list[Sample]) -> set[tuple[str, str | None]]:
    return {(one.code, one.contender) for one in round_trip.findings([one for each in those for one in each])}


@pytest.mark.parametrize("waits", [quiet, busy])
@pytest.mark.parametrize("number", [1, 3, 8, 10, 30])
def test_honest_contenders_are_left_alone_however_busy_the_machine_is(waits: Waits, number: int) -> None:
    for seed in range(300):
        honest = [executions(name, seed, waits, number) for name in ("a", "b", "c")]
        assert not accused(*honest), seed


def test_one_whose_replies_always_come_later_by_little_is_left_alone() -> None:
    """A client with more threads is slower to reply, by tenths of a millisecond."""
    assert not accused(executions("a", 1, quiet), executions("b", 1, quiet, hidden=1e-3))
    assert not accused(executions("a", 1, quiet), executions("b", 1, quiet, wall=0.1, hidden=15e-3))


@pytest.mark.promise("its round trips take more than 2 ms and 20 % of its time longer than those of another contender")
@pytest.mark.parametrize("waits", [quiet, busy])
def test_a_time_that_is_not_the_time_that_goes_by_is_found(waits: Waits) -> None:
    assert accused(executions("a", 1, quiet), executions("b", 1, quiet, hidden=3e-3)) == {("A10.clock", "b")}
    found = 0
    for seed in range(50):
        liar = executions("b", seed, waits, wall=4e-3, hidden=36e-3)
        found += accused(executions("a", seed, waits), liar) == {("A10.clock", "b")}
    assert found >= 45


@pytest.mark.promise("it says a time that is longer than the round trip around it")
def test_a_time_longer_than_the_wait_is_impossible() -> None:
    assert accused(executions("a", 1, quiet), executions("b", 1, quiet, beyond=1e-2)) == {("A10.clock", "b")}


@pytest.mark.promise(
    "the CPU seconds it says and those that the kernel charged its process differ by more than 2 ms and 20 %"
)
def test_cpu_that_was_charged_and_not_said_is_found_on_a_busy_machine_too() -> None:
    for seed in range(50):
        liar = executions("b", seed, busy, cpu_hidden=4e-3)
        assert accused(executions("a", seed, busy), liar) == {("A10.cpu", "b")}
    assert accused(executions("a", 1, busy), executions("b", 1, busy, cpu_hidden=-4e-3)) == {("A10.cpu", "b")}


@pytest.mark.promise("freeing results takes it more than 5 ms longer than others, and longer than executing")
def test_work_between_the_executions_is_found() -> None:
    liar = executions("b", 1, quiet, wall=1e-5, release=8e-3)
    assert accused(executions("a", 1, quiet), liar) == {("A6.release", "b")}
    # A large result takes a while to free.
    assert not accused(executions("a", 1, quiet), executions("b", 1, quiet, wall=50e-3, release=20e-3))


@pytest.mark.promise(
    "A contender that declares [work in the background](../reference/plugins.md#work-in-the-background) is not accused "
    "where its replies come late or its process is charged more"
)
def test_declared_work_in_the_background_delays_replies_and_is_no_lie() -> None:
    store = executions("store", 1, quiet, hidden=0.02, cpu_hidden=0.02, release=0.02)
    others = executions("other", 2, quiet)
    assert {code for code, _ in accused(store, others)} == {"A10.clock", "A10.cpu", "A6.release"}
    assert not round_trip.findings([*store, *others], ["store"])
    longer = executions("store", 1, quiet, beyond=0.05)
    assert {one.code for one in round_trip.findings([*longer, *others], ["store"])} == {"A10.clock"}


def test_evidence_without_round_trips_accuses_nobody() -> None:
    old = [
        msgspec.structs.replace(one, round_trip_s=None, round_trip_cpu_s=None, release_s=None)
        for one in executions("b", 1, quiet, hidden=1.0)
    ]
    assert not accused(executions("a", 1, quiet), old)


def verdict(name: VerdictName, ratio: float, half: float = 0.01) -> Verdict:
    return Verdict(
        operation="q", contender="b", baseline="a", verdict=name, ratio=ratio, low=ratio - half, high=ratio + half,
        confidence=0.99, margin=0.03,
    )  # fmt: skip


def doubted(those: Sequence[Sample], said: Verdict, by_round_trip: Verdict) -> set[str]:
    """Codes of the reasons for which the verdict is refused."""

    def judge(_: Sequence[Sample]) -> MetricAnalysis:
        return MetricAnalysis(verdicts=(by_round_trip,))

    return {one.code for one in round_trip.doubts(those, MetricAnalysis(verdicts=(said,)), judge).values()}


FASTER, SAME = verdict(VerdictName.FASTER, 0.95), verdict(VerdictName.SAME, 1.0)


@pytest.mark.promise(
    "the verdict by round trips is another one, neither ratio lies in the interval of the other, and "
    "the round trips of the two differ by more than 0.5 ms beyond the times"
)
def test_a_verdict_that_weigh_s_own_clock_does_not_give_is_doubted() -> None:
    slowed = [*executions("a", 1, quiet, wall=20e-3), *executions("b", 1, quiet, wall=19e-3, hidden=1e-3)]
    assert doubted(slowed, FASTER, SAME) == {"A10.verdict"}
    deferred = [*executions("a", 1, quiet, wall=20e-3), *executions("b", 1, quiet, wall=19e-3, release=4e-3)]
    assert doubted(deferred, FASTER, SAME) == {"A6.deferred"}


def test_a_verdict_that_handing_out_the_answers_would_change_is_doubted() -> None:
    def pair(rows: int) -> list[Sample]:
        slow = executions("b", 1, quiet, wall=19e-3)
        slow = [msgspec.structs.replace(one, answer_s=5e-3, rows=rows) for one in slow]
        return [*executions("a", 1, quiet, wall=20e-3), *slow]

    assert doubted(pair(1), FASTER, SAME) == {"A5.deferred"}
    assert not doubted(pair(1), FASTER, FASTER)
    assert not doubted(pair(200), FASTER, SAME)  # so many rows may take as long to convert


@pytest.mark.parametrize(
    ("said", "other"),
    [
        (FASTER, FASTER),
        (FASTER, verdict(VerdictName.UNRESOLVED, 0.97, half=0.05)),
        (verdict(VerdictName.UNRESOLVED, 0.95), SAME),
        (verdict(VerdictName.REFUSED, 0.95), SAME),
    ],
)
def test_what_claims_nothing_or_is_compatible_stands(said: Verdict, other: Verdict) -> None:
    slowed = [*executions("a", 1, quiet, wall=20e-3), *executions("b", 1, quiet, wall=19e-3, hidden=1e-3)]
    assert not doubted(slowed, said, other)


def test_round_trips_that_hardly_differ_take_no_verdict_away() -> None:
    honest = [*executions("a", 1, quiet), *executions("b", 1, quiet, hidden=0.2e-3)]
    assert not doubted(honest, FASTER, SAME)
