"""T5: A measured first, B later.

Within a session its evidence has to be forged, and shows it. Two sessions are joined through a shared reference, or not
at all.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN
from weigh.evidence import journal

from ..forging import forge, problems, samples
from ..reading import ONCE, SHORT, assert_silent, contenders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Run, Weigh

    from ..forging import Events

Turns = list[dict[str, Any]]


QUESTIONS = ("--operations", "by_action,by_proto")
TWICE = ("--starts", "5", "--rounds", "2", "--runs", "1")


class Sessions:
    """Short real sessions, each in a folder of its own; what one is compared with another for needs no more."""

    def __init__(self, fresh: Callable[[], Weigh]) -> None:
        self.fresh = fresh

    def __call__(self, *names: str, starts: tuple[str, ...] = SHORT, scale: str = "20K") -> Run:
        run = self.fresh()("run", *contenders(*names), "--scale", scale, "--quiet", "--json", *starts, *QUESTIONS)
        assert run.code in RAN, run.err
        return run


@pytest.fixture(scope="module")
def sessions(fresh: Callable[[], Weigh]) -> Sessions:
    return Sessions(fresh)


@pytest.fixture(scope="module")
def real(sessions: Sessions) -> Run:
    """A short and honest run of a reference and of a build of the day, two rounds a start."""
    return sessions("ref=liar?lie=none", "build=fork", starts=TWICE)


@pytest.fixture(scope="module")
def monday(real: Run) -> Path:
    """Its evidence, not to be changed."""
    return real.evidence


@pytest.fixture
def evidence(monday: Path, tmp_path: Path) -> Path:
    """A copy of its evidence under the same name."""
    return shutil.copytree(monday, tmp_path / "evidence" / monday.name)


def test_the_untouched_evidence_passes(real: Run, weigh: Weigh, evidence: Path) -> None:
    assert_silent(real)
    run = weigh("verify", str(evidence), "--json")
    assert run.json["passed"], run.out
    assert run.json["verification"]["samples"] == 5 * 2 * 3 * 2 * 2  # starts, rounds, arms, operations, executions
    assert run.code == 0


def first(turn: dict[str, Any]) -> dict[str, Any]:
    """The first sample of a turn."""
    sample: dict[str, Any] = turn["samples"][0]
    return sample


def one_after_the_other(turns: Turns) -> Turns:
    """All turns of the baseline first, then the other's: each block as two sessions."""
    return sorted(turns, key=lambda turn: (first(turn)["arm"].startswith("build"), first(turn)["block"]))


def renumbered(turns: Turns) -> Turns:
    """The same, with numbers and times made to look as if they had come in that order."""
    times = sorted(sample["at"] for turn in turns for sample in turn["samples"])
    count: dict[int, int] = {}
    for turn in sorted(turns, key=lambda turn: (first(turn)["block"], first(turn)["arm"].startswith("build"))):
        block = first(turn)["block"]
        for sample in turn["samples"]:
            sample.update(turn=count.get(block, 0), at=times.pop(0))
        count[block] = count.get(block, 0) + 1
    return sorted(turns, key=lambda turn: (first(turn)["block"], first(turn)["turn"]))


def retimed(turns: Turns) -> Turns:
    """One after the other within each block, times made to fit, numbers left as they are."""
    times = sorted(sample["at"] for turn in turns for sample in turn["samples"])
    turns = sorted(turns, key=lambda turn: (first(turn)["block"], first(turn)["arm"].startswith("build")))
    for turn in turns:
        for sample in turn["samples"]:
            sample["at"] = times.pop(0)
    return turns


def another_session(turns: Turns) -> Turns:
    """In the order that the seed demands, but one contender's samples are of an hour before."""
    for turn in turns:
        for sample in turn["samples"]:
            sample["at"] -= 3600 * sample["arm"].startswith("build")
    return turns


def rounds_exchanged(turns: Turns) -> Turns:
    """The first round called the second: other turns are paired."""
    for turn in turns:
        for sample in turn["samples"]:
            sample["round"] = 1 - sample["round"]
    return turns


def second_round_first(turns: Turns) -> Turns:
    """The second round of each start before its first one, with numbers and times made to fit."""
    times = sorted(sample["at"] for turn in turns for sample in turn["samples"])
    numbers = [(first(turn)["block"], first(turn)["turn"]) for turn in turns]
    turns = sorted(turns, key=lambda turn: (first(turn)["block"], -first(turn)["round"], first(turn)["turn"]))
    for turn, (_, number) in zip(turns, numbers, strict=True):
        for sample in turn["samples"]:
            sample.update(turn=number, at=times.pop(0))
    return turns


def arms_in_one_order(turns: Turns) -> Turns:
    """In every round the same contender first, with numbers and times made to fit."""
    times = sorted(sample["at"] for turn in turns for sample in turn["samples"])
    numbers = [first(turn)["turn"] for turn in turns]
    place: dict[tuple[object, ...], int] = {}
    for at, turn in enumerate(turns):
        place.setdefault(round_of(turn), at)
    turns = sorted(turns, key=lambda turn: (place[round_of(turn)], first(turn)["arm"]))
    for turn, number in zip(turns, numbers, strict=True):
        for sample in turn["samples"]:
            sample.update(turn=number, at=times.pop(0))
    return turns


def round_of(turn: dict[str, Any]) -> tuple[object, ...]:
    """Which round a turn is of."""
    return tuple(first(turn)[name] for name in ("block", "round", "operation"))


def forged(evidence: Path, order: Callable[[Turns], Turns]) -> None:
    """Turns in another order, everything else made to fit."""

    def change(events: Events) -> Events:
        turns = iter(order([event.body for event in events if event.event == "turn"]))
        return [journal.Event(one.event, next(turns) if one.event == "turn" else one.body) for one in events]

    forge(evidence, change)


def test_resealing_alone_changes_nothing(weigh: Weigh, evidence: Path) -> None:
    forged(evidence, lambda turns: turns)
    assert weigh("verify", str(evidence)).code == 0


@pytest.mark.promise(
    "weigh never measures all of A before all of B.",
    "the turns came in the order that the seed demands, and the samples in the order of their times",
)
@pytest.mark.parametrize(
    "order",
    [
        one_after_the_other, renumbered, retimed, another_session,
        rounds_exchanged, second_round_first, arms_in_one_order,
    ],
)  # fmt: skip
def test_one_after_the_other_is_found(weigh: Weigh, evidence: Path, order: Callable[[Turns], Turns]) -> None:
    forged(evidence, order)
    # What others did is not where the times now say, and that is found too.
    assert problems(weigh, evidence) - {("R4.findings", journal.NAME)} == {("T5.order", journal.NAME)}


def test_a_round_that_was_left_out_is_found(weigh: Weigh, evidence: Path) -> None:
    """The last start has one round where two were planned, and says so."""

    def shorter(events: Events) -> Events:
        last = max(event.body["block"] for event in events if event.event == "block")
        for event in events:
            if event.event == "block" and event.body["block"] == last:
                event.body["rounds"] = dict.fromkeys(event.body["rounds"], 1)
        gone = [
            event
            for event in events
            if event.event == "turn" and (first(event.body)["block"], first(event.body)["round"]) == (last, 1)
        ]
        assert gone
        return [event for event in events if event not in gone]

    forge(evidence, shorter)
    assert problems(weigh, evidence) == {("T5.order", journal.NAME)}


@pytest.fixture(scope="module")
def again(sessions: Sessions) -> Path:
    """The same as on Monday."""
    return sessions("ref=liar?lie=none", "build=fork", starts=TWICE).evidence


@pytest.fixture
def copied(again: Path, tmp_path: Path) -> Path:
    """A copy of it under the same name."""
    return shutil.copytree(again, tmp_path / "evidence" / again.name)


@pytest.fixture
def sunday(monday: Path, tmp_path: Path) -> Path:
    """The same as on Monday, but for a build that was so much faster that no busy machine can hide it."""
    copied = shutil.copytree(monday, tmp_path / "evidence" / monday.name)

    def hurried(events: Events) -> Events:
        for sample in samples(events):
            if sample["contender"] == "build":
                for name in ("wall_s", "cpu_s", "round_trip_s", "round_trip_cpu_s"):
                    sample[name] /= 1000
        return events

    forge(copied, hurried)
    return copied


def test_with_the_same_reference_a_slower_build_is_slower(weigh: Weigh, sunday: Path, again: Path) -> None:
    run = weigh("compare", str(sunday), str(again), "--json")
    assert run.json["schema"] == "weigh/compare/1"
    assert (run.json["reference"]["first"], run.json["reference"]["second"]) == ("ref", "ref")
    wall = {one["operation"]: one for one in run.json["verdicts"] if one["metric"] == "wall_s"}
    assert {name: one["verdict"] for name, one in wall.items()} == {"by_action": "slower", "by_proto": "slower"}
    for one in wall.values():
        assert (one["contender"], one["baseline"], one["reference"]) == ("build", "build", "ref")
        assert one["ratio"] == pytest.approx(one["ratio_second"] / one["ratio_first"])
        assert (one["starts_first"], one["starts_second"]) == (5, 5)
    assert run.json["tier"]["name"] == "suggestive"
    assert run.json["tier"]["reasons"][0]["code"] == "T5.join"
    assert not [one for one in run.json["findings"] if one["severity"] == "error"]
    assert run.code == 1, run.err

    report = weigh("compare", str(sunday), str(again))
    assert "In the second session the reference ref took" in report.out
    assert "SLOWER by" in report.out
    assert report.code == 1


def test_with_the_same_reference_and_the_same_build_nothing_is_said(weigh: Weigh, monday: Path, again: Path) -> None:
    run = weigh("compare", str(monday), str(again), "--json")
    wall = [one["verdict"] for one in run.json["verdicts"] if one["metric"] == "wall_s"]
    assert len(wall) == 2
    assert not set(wall) & {"slower", "faster", "diverged", "error"}
    # Whether the machine treated both questions alike is the machine's doing.
    assert run.codes <= {"T5.reference"}, run.json["findings"]
    assert run.code in RAN, run.err


@pytest.mark.promise(
    "no contender is the same in both sessions; or only the reference is; or both directories hold the same executions"
)
def test_a_measured_first_and_b_later_is_refused(weigh: Weigh, sessions: Sessions) -> None:
    first, later = (sessions(name, starts=ONCE).evidence for name in ("a=fork", "b=liar?lie=none"))
    run = weigh("compare", str(first), str(later), "--json")
    assert (run.code, run.out) == (2, "")
    assert "T5: no contender is the same in both sessions, so there is no reference" in run.err
    assert "(a in the first, b in the second)" in run.err
    assert "weigh run --contender A --contender B" in run.err


@pytest.mark.long
def test_a_reference_of_another_version_or_setting_is_none(weigh: Weigh, sessions: Sessions, monday: Path) -> None:
    names = ("ref=liar@1.5.5?lie=none", "one=liar?lie=none&threads=1", "build=liar?lie=slow")
    other = sessions(*names, starts=ONCE).evidence
    run = weigh("compare", str(monday), str(other))
    assert (run.code, run.out) == (2, "")
    assert "T5: no contender is the same in both sessions" in run.err
    assert "ref: version: 2.0.0 in the first, 1.5.5 in the second" in run.err
    assert "ref and one: setting asked for threads: nothing in the first, 1 in the second" in run.err


@pytest.mark.long
def test_a_reference_on_other_data_is_none(weigh: Weigh, sessions: Sessions, monday: Path) -> None:
    other = sessions("ref=liar?lie=none", "build=fork", starts=ONCE, scale="10K").evidence
    run = weigh("compare", str(monday), str(other))
    assert (run.code, run.out) == (2, "")
    assert "T5.data: the sessions read different data (dataset: netflow-1-20000-42 in the first, " in run.err


def test_a_reference_must_be_named_that_is_there(weigh: Weigh, monday: Path, again: Path) -> None:
    run = weigh("compare", str(monday), str(again), "--reference", "reff")
    assert (run.code, run.out) == (2, "")
    assert "did you mean 'ref'?" in run.err
    run = weigh("compare", str(monday), str(again), "--reference", "build", "--json")
    assert run.json["reference"]["first"] == "build"
    assert {one["contender"] for one in run.json["verdicts"]} == {"ref"}


def elsewhere(evidence: Path) -> None:
    """As if it had come from another machine."""

    def moved(events: Events) -> Events:
        for event in events:
            if event.event == "environment":
                event.body["host"]["cpu"] = "another processor"
        return events

    forge(evidence, moved)


@pytest.mark.promise(
    "another machine: processor, cores, memory, limits or kernel differ. `--across-hosts` allows it, "
    "and the finding `T5.host` says so"
)
def test_another_machine_is_refused_unless_it_is_asked_for(weigh: Weigh, monday: Path, copied: Path) -> None:
    elsewhere(copied)
    run = weigh("compare", str(monday), str(copied))
    assert (run.code, run.out) == (2, "")
    assert "T5.host: the sessions ran on different machines" in run.err
    assert "another processor in the second" in run.err
    run = weigh("compare", str(monday), str(copied), "--across-hosts", "--json")
    assert run.code in RAN, run.err
    assert "T5.host" in run.codes
    assert run.json["tier"]["name"] == "suggestive"
    assert "T5.host" in {reason["code"] for reason in run.json["tier"]["reasons"]}


@pytest.mark.promise("Evidence that does not pass `weigh verify` is not compared.")
def test_evidence_that_does_not_verify_is_not_joined(weigh: Weigh, monday: Path, copied: Path) -> None:
    forged(copied, lambda turns: sorted(turns, key=lambda turn: first(turn)["arm"]))
    run = weigh("compare", str(monday), str(copied))
    assert (run.code, run.out) == (2, "")
    assert "it does not pass `weigh verify`: T5.order journal.jsonl" in run.err


def test_an_attempt_without_a_word_spoils_no_neighbour(weigh: Weigh, monday: Path, copied: Path) -> None:
    """Killed between making its directory and its first write."""
    stem, number = copied.name.rsplit("-", 1)
    for beside in (int(number) - 1, int(number) + 1):
        empty = copied.with_name(f"{stem}-{beside}")
        empty.mkdir()
        (empty / journal.NAME).touch()
        said = weigh("report", str(empty))
        assert (said.code, said.out) == (2, "")
    assert weigh("report", str(copied)).code == 0
    assert weigh("verify", str(copied)).code == 0
    assert weigh("compare", str(monday), str(copied)).code in RAN
